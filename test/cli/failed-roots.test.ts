import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportExtensions, reportFormats } from '../../src/report/report.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';
import { documentErrors } from '../support/document-errors.ts';
import { jumpingClock } from '../support/fake-clock.ts';

const seed = {
  organizations: { acme: { workspaces: { app: {}, other: {} } }, emea: { workspaces: { app: {} } } },
  tokens: { good: { role: 'owner' }, 'secret-of-emea': { role: 'owner' } },
} as const;

const root = (organization: string, rest = 'workspaces: {app: {auto-apply: true}}') =>
  `attune: 1\norganization: ${organization}\n${rest}\n`;

/** Two root files: the token for `emea` is not valid. */
async function world(files: Readonly<Record<string, string>> = {}) {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({
    'acme/attune.yaml': root('acme'),
    'emea/attune.yaml': root('emea'),
    ...files,
  });
  const env = { ATTUNE_TOKEN: 'good', ATTUNE_TOKEN_EMEA: 'bad' };
  return {
    ...{ service, cwd, env },
    run: (...argv: string[]) => attune([...argv, '--address', service.url], { cwd, env }),
    host: new URL(service.url).host,
    writes: () => service.requests.filter(({ method }) => method !== 'GET'),
  };
}

test('drift reports the other organizations if the token of one is not valid, the failed root file first, and exits with 1', async () => {
  const { run, service, host } = await world();
  const { code, stdout, stderr } = await run('drift', 'acme', 'emea');
  expect(code).toBe(1);
  expect(stdout).toBe(`Needs attention:
  ! failed: emea/attune.yaml                     emea: GET /organizations/emea/workspaces/app answered 401: the token is missing or not valid

Root files:
  failed  emea/attune.yaml  Drift detection failed: 1 error, 0 warnings, 0 notes.
  drift   acme/attune.yaml  Drift: 0 missing, 1 changed, undeclared workspaces not checked (no scope), 0 unchanged.

acme/attune.yaml  acme  ${service.url}

Changed:
  ~ workspace.app                                acme/attune.yaml:3
      auto-apply: live false, declared true

Drift: 0 missing, 1 changed, undeclared workspaces not checked (no scope), 0 unchanged.

Drift, 1 organization: 0 missing, 1 changed, undeclared workspaces not checked (no scope), 0 unchanged.
Failed, 1 of 2 root files: emea/attune.yaml.
`);
  expect(stderr).toBe(
    `error[service-error]: emea: GET /organizations/emea/workspaces/app answered 401: the token is missing or not valid
  hint: set ATTUNE_TOKEN_EMEA to a token that is valid for ${host}
`,
  );
});

test('the JSON of a run with failed root files lists them before the plans of the others, and show renders it as the run did', async () => {
  const { run, cwd } = await world();
  const { code, stdout } = await run('plan', 'acme', 'emea', '--format', 'json', '--report', 'run.txt');
  expect(code).toBe(1);
  const document = JSON.parse(stdout);
  expect(documentErrors(document)).toEqual([]);
  expect(document).toMatchObject({
    format: 'attune.plans/1',
    failed: [{ root: 'emea/attune.yaml', diagnostics: [{ severity: 'error', code: 'service-error' }] }],
    plans: [{ format: 'attune.plan/1', organization: 'acme', summary: { update: 1 } }],
  });
  expect(Object.keys(document)).toEqual(['format', 'failed', 'roots', 'plans']);
  expect(document.roots).toEqual(['acme/attune.yaml']);
  await writeFile(join(cwd, 'run.json'), stdout);
  const shown = await attune(['show', 'run.json', '--report', 'shown.txt'], { cwd });
  expect(shown.code).toBe(1);
  expect(await readFile(join(cwd, 'shown.txt'), 'utf8')).toBe(await readFile(join(cwd, 'run.txt'), 'utf8'));
  const again = await attune(['show', 'run.json', '--format', 'json'], { cwd });
  expect(JSON.parse(again.stdout)).toEqual(document);
});

test('show refuses a document whose list of failed root files is not valid', async () => {
  const cwd = await folderWith({
    'run.json': '{"format": "attune.plans/1", "failed": [{"root": "a.yaml"}], "plans": []}',
  });
  const { code, stderr } = await attune(['show', 'run.json'], { cwd });
  expect([code, stderr]).toEqual([
    1,
    "error[bad-plan-file]: run.json is not a valid plans document: /0 must have required property 'diagnostics'\n  hint: run the command that wrote it again with this version of Attune\n",
  ]);
});

test.each(['markdown', 'html', 'github', 'junit', 'sarif'])(
  'the %s report of a run begins with the root files that failed',
  async (format) => {
    const { run } = await world();
    const { stdout } = await run('plan', 'acme', 'emea', '--format', format);
    const failed = stdout.indexOf('the token is missing or not valid');
    expect(failed).toBeGreaterThan(0);
    expect(stdout.lastIndexOf('auto-apply')).toBeGreaterThan(failed);
    if (format !== 'sarif') expect(stdout).toContain('emea/attune.yaml');
  },
);

test('the line by which a job finds its Markdown comment is the same if a root file fails', async () => {
  const { run } = await world();
  const marker = ({ stdout }: { readonly stdout: string }) => stdout.split('\n')[0];
  const failed = marker(await run('plan', 'emea', 'acme', '--format', 'markdown'));
  expect(failed).toBe('<!-- attune:plan:acme,emea -->');
});

test('plan reports valid root files beside an invalid one, warns those of its organization, and saves nothing', async () => {
  const { run, cwd } = await world({
    'broken/attune.yaml': root('acme', 'workspaces: {x: {auto-aply: true}}'),
    'scoped/attune.yaml': root(
      'acme',
      'scope: {names: ["a*"]}\nprune: {workspaces: safe}\nworkspaces: {app: {}}',
    ),
  });
  const { code, stdout, stderr } = await run('plan', 'scoped', 'broken', '--out', 'plan.json');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Needs attention:\n {2}! failed: broken\/attune\.yaml .*"auto-aply"/);
  expect(stdout).toContain('\n  failed      broken/attune.yaml  Planning failed: 1 error');
  expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete, 1 unchanged. 0 calls.');
  expect(codesOnly(stderr, 'unknown-key')).toBe(`broken/attune.yaml:3:18: error[unknown-key]
  3 | workspaces: {x: {auto-aply: true}}
    |                  ^
warning[root-file-missing]: broken/attune.yaml has errors: what it declares for acme can be shown here as undeclared, and nothing is pruned
  hint: correct broken/attune.yaml, then run again
No plan was saved as plan.json: 1 of 2 root files has errors.
`);
  await expect(stat(join(cwd, 'plan.json'))).rejects.toThrow('ENOENT');
  // A root file that owns nothing and prunes nothing shows nothing as undeclared.
  expect((await run('plan', 'acme', 'broken')).stderr).not.toContain('root-file-missing');
});

test('apply writes nothing if one root file cannot be loaded or planned', async () => {
  const { run, writes } = await world({ 'broken/attune.yaml': root('acme', 'workspaces: {x: {a: 1}}') });
  for (const other of ['emea', 'broken']) {
    const { code, stdout } = await run('apply', 'acme', other, '--yes');
    expect([code, stdout]).toEqual([1, '']);
  }
  expect(writes()).toEqual([]);
});

test('nothing is pruned or reported as undeclared that a root file declares whose names are unknown', async () => {
  const { run } = await world({
    'scoped/attune.yaml': root(
      'acme',
      'scope: {names: ["*"]}\nprune: {workspaces: safe}\nlimits: {deletes: 10, delete-percent: 100}\nworkspaces: {app: {}}',
    ),
    'failing/attune.yaml': root('acme', 'workspaces: {other: {project: Unknown}}'),
  });
  const { code, stdout, stderr } = await run('plan', 'scoped', 'failing');
  expect(code).toBe(1);
  expect(stderr).toContain('error[unknown-name]');
  expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete, 1 unchanged. 0 calls.');
  expect(stdout).not.toContain('workspace.other');
});

test('a run in which every root file fails ends with their diagnostics and without a report', async () => {
  const { run } = await world({
    'broken/attune.yaml': root('acme', 'workspaces: {x: {auto-aply: true}}'),
  });
  const { code, stdout } = await run('drift', 'broken', 'emea', '--format', 'json');
  expect(code).toBe(1);
  const { format, diagnostics } = JSON.parse(stdout);
  expect(format).toBe('attune.diagnostics/1');
  expect(diagnostics).toMatchObject([
    { code: 'unknown-key', location: { path: 'broken/attune.yaml' } },
    { code: 'service-error' },
  ]);
});

test('each root file that fails because a service cannot be reached has its own entry, and the reason is printed once', async () => {
  const { service, cwd, env } = await world({
    'one/attune.yaml': root('one', 'service: {address: "http://127.0.0.1:9"}\nworkspaces: {app: {}}'),
    'two/attune.yaml': root('two', 'service: {address: "http://127.0.0.1:9"}\nworkspaces: {app: {}}'),
    'acme/attune.yaml': root('acme', 'workspaces: {app: {}}'),
  });
  await writeFile(
    join(cwd, 'acme/attune.yaml'),
    root('acme', `service: {address: "${service.url}"}\nworkspaces: {app: {}}`),
  );
  const argv = ['plan', 'acme', 'one', 'two', '--format', 'json'];
  const { code, stdout } = await attune(argv, { cwd, env, clock: jumpingClock() });
  expect(code).toBe(1);
  const { failed, plans } = JSON.parse(stdout);
  expect(plans).toHaveLength(1);
  expect(failed).toMatchObject([
    {
      root: 'one/attune.yaml',
      diagnostics: [{ message: expect.stringMatching(/^one: .*the connection was refused/) }],
    },
    {
      root: 'two/attune.yaml',
      diagnostics: [{ severity: 'error', message: 'two: failed for the same reason as one' }],
    },
  ]);
});

test('plan reports the others beside a root file with an include that cannot be read', async () => {
  const { run } = await world({ 'broken/attune.yaml': root('acme', 'include: [missing.yaml]') });
  const { code, stdout, stderr } = await run('plan', 'acme', 'broken', '--report', 'run.sarif');
  expect([code, stdout.split('\n')[1]]).toEqual([
    1,
    expect.stringMatching(/^ {2}! failed: broken\/attune\.yaml .*broken\/attune\.yaml:3$/),
  ]);
  expect(stderr).toContain('broken/attune.yaml:3:11: error[');
  expect(stdout).toContain('\nPlan: 0 to create, 1 to update,');
});

test('no token is in any report of a run of which one root file fails', async () => {
  const { service, cwd } = await world();
  const env = { ATTUNE_TOKEN: 'good', ATTUNE_TOKEN_EMEA: 'secret-of-emea' };
  const detail = 'not with secret-of-emea';
  service.setFaults([{ kind: 'status', path: '/organizations/emea/*', status: 403, detail }]);
  const extensions = Object.values(reportExtensions).flatMap((extension) => extension ?? []);
  const reports = extensions.flatMap((extension) => ['--report', `run${extension}`]);
  const outputs: string[] = [];
  for (const format of reportFormats) {
    const argv = ['drift', 'acme', 'emea', '--address', service.url, '--format', format];
    const { code, stdout, stderr } = await attune([...argv, ...reports], { cwd, env });
    expect(code).toBe(1);
    outputs.push(stdout + stderr);
  }
  for (const extension of extensions) outputs.push(await readFile(join(cwd, `run${extension}`), 'utf8'));
  expect(outputs.filter((output) => output.includes('not with ***'))).toHaveLength(outputs.length);
  expect(outputs.filter((output) => output.includes('secret-of-emea'))).toEqual([]);
});

test('plan --snapshot reports the root files that the snapshot covers beside one that it does not', async () => {
  const { run, cwd } = await world();
  expect((await run('snapshot', 'acme', '--out', 'live.json')).code).toBe(0);
  const { code, stdout } = await attune(['plan', 'acme', 'emea', '--snapshot', 'live.json'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^Needs attention:\n {2}! failed: emea\/attune\.yaml /);
  expect(stdout).toContain('\n  failed           emea/attune.yaml  Planning failed: 1 error');
  expect(stdout).toContain('Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call.');
});

test.each([
  ['no token', {}, 'no-token', 'acme: cannot connect to 127.0.0.1'],
  [
    'a token that is not valid',
    { ATTUNE_TOKEN: 'bad' },
    'service-error',
    'acme: GET /organizations/acme/workspaces/app answered 401',
  ],
])('%s for several root files is one error', async (_, env, code, message) => {
  const { service } = await world();
  const cwd = await folderWith({
    'a/attune.yaml': root('acme'),
    'b/attune.yaml': root('acme', 'workspaces: {other: {description: Shop}}'),
  });
  const argv = ['plan', 'a', 'b', '--address', service.url, '--format', 'json'];
  const { stdout } = await attune(argv, { cwd, env });
  const { diagnostics } = JSON.parse(stdout);
  expect(diagnostics).toMatchObject([{ code, message: expect.stringContaining(message) }]);
  expect(diagnostics[0].message).toMatch(/ \(1 more root file failed for this reason\)$/);
});

test('errors of several root files of one organization have the paths of the root files', async () => {
  const { run } = await world({
    'b/attune.yaml': root('acme', 'workspaces: {other: {project: Unknown}}'),
    'c/attune.yaml': root('acme', 'workspaces: {third: {remote-state-consumers: [unknown]}}'),
  });
  const { stderr } = await run('plan', 'acme', 'b', 'c', 'emea');
  expect(stderr).toContain('c/attune.yaml:3:22: error[unknown-name]: ');
  expect(stderr).toContain('b/attune.yaml:3:31: error[unknown-name]: ');
  expect(stderr).toMatch(/^error\[service-error\]: emea: GET /m);
});

test('access that a root file with an unknown name can declare is not undeclared in another one', async () => {
  const service = await serviceWith({
    seed: {
      organization: 'acme',
      projects: { Pay: 'prj-pay' },
      teams: { dev: 'team-dev', sre: 'team-sre' },
      workspaces: {},
      'team-access': { 'prj-pay': { 'team-dev': 'write', 'team-sre': 'read' } },
    },
  });
  const access = (body: string) => root('acme', `team-access: {prj-pay: {${body}}}`);
  const cwd = await folderWith({
    'a/attune.yaml': access('team-sre: read'),
    'b/attune.yaml': access('dev: write, Unknown: read'),
  });
  const argv = ['drift', 'a', 'b', '--address', service.url];
  const { stdout, stderr } = await attune(argv, { cwd, env: { ATTUNE_TOKEN: 'any' } });
  expect(stdout).not.toContain('team-access.prj-pay/dev');
  expect(stderr).toContain('warning[root-file-missing]: b/attune.yaml has errors: ');
});
