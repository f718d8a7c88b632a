import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const root = (organization: string) => `attune: 1
organization: ${organization}
workspaces: {a: {}, b: {}}
`;
const env = { ATTUNE_TOKEN: 'test-token' };

test.each([130, 143])(
  'a signal during apply lets the running call finish, leaves out the rest, and exits with %i',
  async (code) => {
    const controller = new AbortController();
    let caught: number | undefined;
    const service = await serviceWith({
      organization: 'acme',
      // The signal comes while the first call is under way.
      log: ({ method }) => {
        if (method !== 'POST') return;
        caught = code;
        controller.abort();
      },
    });
    const folder = await folderWith({ 'attune.yaml': root('acme') });
    const ran = await attune(['apply', '--yes', '--quiet', '--parallelism', '1', '--address', service.url], {
      cwd: folder,
      env,
      interrupts: { stop: controller.signal, exitCode: () => caught, release: () => {} },
    });
    expect(ran.code).toBe(code);
    expect(ran.stdout.slice(ran.stdout.indexOf('Created:'))).toBe(`Created:
  + workspace.a

Skipped:
  + workspace.b
      not attempted: the run was stopped

Applied: 1 created, 0 updated, 0 deleted, 0 failed, 1 skipped. 1 call completed.
`);
    expect(service.requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
  },
);

test('a change of which some calls completed before a signal is partial, in every report', async () => {
  const controller = new AbortController();
  const service = await serviceWith({
    organization: 'acme',
    log: ({ method }) => method === 'POST' && controller.abort(),
  });
  const folder = await folderWith({
    'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {a: {tags: [x]}, b: {}}\n',
  });
  const formats = ['json', 'md', 'html', 'xml', 'sarif'];
  const reports = formats.flatMap((format) => ['--report', `report.${format}`]);
  const ran = await attune(['apply', '--yes', '--parallelism', '1', '--address', service.url, ...reports], {
    cwd: folder,
    env,
    interrupts: { stop: controller.signal, exitCode: () => 130, release: () => {} },
  });
  expect(ran.code).toBe(130);
  const why = 'the rest was not attempted: the run was stopped (1 of 2 calls completed)';
  expect(ran.stdout.slice(ran.stdout.indexOf('Done in part:'))).toBe(`Done in part:
  + workspace.a
      ${why}

Skipped:
  + workspace.b
      not attempted: the run was stopped

Applied: 0 created, 0 updated, 0 deleted, 0 failed, 1 partial, 1 skipped. 1 call completed.
`);
  expect(ran.stderr).toContain('Apply incomplete: 1 of 2 changes done in part, 1 skipped.');
  const report = (format: string) => readFile(join(folder, `report.${format}`), 'utf8');
  expect(JSON.parse(await report('json')).changes).toMatchObject([
    { result: 'partial', callsDone: 1, error: { message: why } },
    { result: 'skipped', callsDone: 0 },
  ]);
  expect(await report('md')).toContain('### Done in part (1)');
  expect(await report('html')).toContain('data-result="partial"');
  expect(await report('xml')).toContain(`<failure message="${why}"`);
  expect(await report('sarif')).toContain(why);
  // The saved report shows the same again.
  const shown = await attune(['show', 'report.json'], { cwd: folder, env });
  expect(shown.stdout).toContain('0 failed, 1 partial, 1 skipped. 1 call completed.');
});

test('neither of two root files is applied if one cannot be read', async () => {
  const service = await serviceWith({ seed: { organizations: { acme: {}, umbrella: {} } } });
  service.setFaults([{ kind: 'status', status: 403, path: '/organizations/umbrella/workspaces/a' }]);
  const folder = await folderWith({ 'one.yaml': root('acme'), 'two.yaml': root('umbrella') });
  const ran = await attune(['apply', 'one.yaml', 'two.yaml', '--yes', '--address', service.url], {
    cwd: folder,
    env,
  });
  expect(ran).toEqual({
    code: 1,
    stdout: '',
    stderr: `error[service-error]: umbrella: GET /organizations/umbrella/workspaces/a answered 403: this token may not do that
No changes were made.
`,
  });
  expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
});

test('the second of two organizations is applied although a change of the first failed', async () => {
  const service = await serviceWith({ seed: { organizations: { acme: {}, umbrella: {} } } });
  service.setFaults([{ kind: 'status', status: 422, method: 'POST', path: '/organizations/acme/*' }]);
  const folder = await folderWith({ 'one.yaml': root('acme'), 'two.yaml': root('umbrella') });
  const ran = await attune(['apply', 'one.yaml', 'two.yaml', '--yes', '--quiet', '--address', service.url], {
    cwd: folder,
    env,
  });
  expect(ran.code).toBe(1);
  expect(ran.stdout).toContain('Applied: 0 created, 0 updated, 0 deleted, 2 failed. 0 calls completed.');
  expect(ran.stdout).toContain('Applied: 2 created, 0 updated, 0 deleted. 2 calls.');
});
