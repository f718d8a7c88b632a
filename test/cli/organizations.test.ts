import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';
import { documentErrors } from '../support/document-errors.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { forward, serverWith } from '../support/servers.ts';

const root = (organization: string, rest = 'workspaces: {app: {auto-apply: true}}') =>
  `attune: 1\norganization: ${organization}\n${rest}\n`;
const files = { 'acme/attune.yaml': root('acme'), 'emea/attune.yaml': root('acme-emea') };
const seed = {
  organizations: { acme: { workspaces: { app: {} } }, 'acme-emea': { workspaces: { app: {} } } },
};
const env = { ATTUNE_TOKEN: 'test-token' };

describe('each organization', () => {
  test('each organization has its own token, which is never printed', async () => {
    const tokens = {
      'secret-of-acme': { role: 'owner', organization: 'acme' },
      'secret-of-emea': { role: 'owner', organization: 'acme-emea' },
    } as const;
    const service = await serviceWith({ seed: { ...seed, tokens } });
    const cwd = await folderWith(files);
    const own = { ATTUNE_TOKEN_ACME: 'secret-of-acme', ATTUNE_TOKEN_ACME_EMEA: 'secret-of-emea' };
    const go = (...argv: string[]) =>
      attune([...argv, 'acme', 'emea', '--address', service.url], { cwd, env: own });
    expect((await go('apply', '--yes')).stdout).toMatch(
      /\nAll 2 organizations: 0 created, 2 updated, 0 deleted. 2 calls.\n$/,
    );
    service.setFaults([{ kind: 'status', status: 403, detail: 'not with secret-of-emea or secret-of-acme' }]);
    const { code, stderr } = await go('plan');
    expect([code, stderr]).toEqual([
      1,
      `error[service-error]: acme: GET /organizations/acme/workspaces/app answered 403: not with *** or ***
error[service-error]: acme-emea: GET /organizations/acme-emea/workspaces/app answered 403: not with *** or ***
`,
    ]);
  });

  test.each([
    ['shares the pace of the other where the token is the same', {}, [100]],
    ['goes at its own pace with a token of its own', { ATTUNE_TOKEN_ACME_EMEA: 'another-token' }, []],
  ])('an organization %s', async (_, own, waits) => {
    const service = await serviceWith({ seed });
    const clock = jumpingClock();
    const { code } = await attune(['plan', 'acme', 'emea', '--rate', '10', '--address', service.url], {
      cwd: await folderWith(files),
      env: { ...env, ...own },
      clock,
    });
    expect([code, clock.slept]).toEqual([0, waits]);
  });

  test('organizations with different tokens are read at the same time, however many they are', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `acme-${index}`);
    const waiting: (() => void)[] = [];
    const address = await serverWith((_request, response) => {
      waiting.push(() => response.writeHead(403).end());
      // Nothing is answered before every organization has asked.
      if (waiting.length === names.length) for (const answer of waiting) answer();
    });
    const cwd = await folderWith(
      Object.fromEntries(names.map((name) => [`${name}.yaml`, root(name, 'workspaces: {app: {}}')])),
    );
    const env = Object.fromEntries(
      names.map((name, index) => [`ATTUNE_TOKEN_${name.toUpperCase().replace('-', '_')}`, `token-${index}`]),
    );
    const files = names.map((name) => `${name}.yaml`);
    const { stderr } = await attune(['plan', ...files, '--address', address], {
      cwd,
      env,
    });
    expect(stderr.match(/answered 403/g)).toHaveLength(names.length);
  });

  test('the lowest rate of the files that share a token applies', async () => {
    const service = await serviceWith({ seed });
    const clock = jumpingClock();
    const paced = (organization: string, rate: string) =>
      root(organization, `service: {address: "${service.url}"${rate}}\nworkspaces: {app: {}}`);
    const cwd = await folderWith({
      'acme/attune.yaml': paced('acme', ''),
      'emea/attune.yaml': paced('acme-emea', ', rate: 4'),
    });
    expect((await attune(['plan', 'acme', 'emea'], { cwd, env, clock })).code).toBe(0);
    expect(clock.slept).toEqual([250]);
  });

  test('organizations with the same token are read concurrently', async () => {
    const service = await serviceWith({ seed });
    const two = 'workspaces: {app: {auto-apply: true}, web: {state: absent}}';
    let isFirst = true;
    const address = await gateBefore(service.url, ({ url = '' }) => {
      // The first request of a token is sent alone.
      if (isFirst) isFirst = false;
      else return url.includes('/acme-emea/') ? 'opens' : 'waits';
      return 'passes';
    });
    const { code } = await attune(['plan', 'acme', 'emea', '--address', address], {
      cwd: await folderWith({
        'acme/attune.yaml': root('acme', two),
        'emea/attune.yaml': root('acme-emea', two),
      }),
      env,
    });
    expect(code).toBe(0);
  });

  test('organizations are written concurrently, reported in the order of their root files, and one that fails does not stop another', async () => {
    const service = await serviceWith({ seed });
    service.setFaults([{ kind: 'status', method: 'PATCH', status: 422, detail: 'no', nth: 1 }]);
    const ids = new Set<string>();
    // The first workspace that is written waits for the second, and the service refuses the second, which it sees first.
    const address = await gateBefore(service.url, ({ method, url = '' }) => {
      if (method !== 'PATCH') return 'passes';
      ids.add(url);
      return ids.size === 2 ? 'opens' : 'waits';
    });
    const run = (...flags: string[]) =>
      attune(['apply', 'acme', 'emea', '--yes', '--address', address, '--format', 'json', ...flags], {
        cwd,
        env,
      });
    const cwd = await folderWith(files);
    const { code, stdout } = await run();
    const { plans } = JSON.parse(stdout) as {
      plans: { organization: string; changes: { result: string }[] }[];
    };
    expect([code, plans.map(({ organization }) => organization)]).toEqual([1, ['acme', 'acme-emea']]);
    const results = plans.map(({ changes }) => changes.map(({ result }) => result).join());
    expect(results.sort()).toEqual(['done', 'failed']);
  });

  test('organizations with one journal are written one after the other', async () => {
    const service = await serviceWith({ seed });
    const cwd = await folderWith(files);
    const args = ['apply', 'acme', 'emea', '--yes', '--journal', 'run.jsonl', '--address', service.url];
    expect((await attune(args, { cwd, env })).code).toBe(0);
    const records = (await readFile(join(cwd, 'run.jsonl'), 'utf8')).trim().split('\n');
    expect(records.map((record) => JSON.parse(record).record)).toEqual([
      ...['run', 'change', 'call', 'outcome', 'end'],
      ...['run', 'change', 'call', 'outcome', 'end'],
    ]);
  });
});

/** The address of a server before a service. Requests that wait are answered after one that opens has arrived. */
async function gateBefore(
  service: string,
  decide: (request: IncomingMessage) => 'waits' | 'opens' | 'passes',
): Promise<string> {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return serverWith(async (request, response) => {
    const decision = decide(request);
    const body = await text(request);
    if (decision === 'waits') await opened;
    const answer = await forward(service, request, body);
    if (decision === 'opens') open();
    response.writeHead(answer.status, { 'content-type': 'application/vnd.api+json' });
    response.end(answer.text);
  });
}

describe('where some fail', () => {
  test('apply reports every reason, and nothing is written to any organization, if some organizations fail', async () => {
    const service = await serviceWith({ seed });
    service.setFaults([
      { kind: 'status', status: 403, path: '/organizations/acme/workspaces/app' },
      { kind: 'status', status: 422, path: '/organizations/acme-emea/workspaces/app', detail: 'no' },
    ]);
    const cwd = await folderWith({
      ...files,
      'apac/attune.yaml': root('acme-apac', 'workspaces: {app: {operations: true}}'),
    });
    const ran = await attune(['apply', 'acme', 'emea', 'apac', '--yes', '--address', service.url], {
      cwd,
      env,
    });
    expect({ ...ran, stderr: codesOnly(ran.stderr, 'deprecated-operations') }).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[service-error]: acme: GET /organizations/acme/workspaces/app answered 403: this token may not do that
error[service-error]: acme-emea: GET /organizations/acme-emea/workspaces/app answered 422: no
apac/attune.yaml:3:20: warning[deprecated-operations]
  3 | workspaces: {app: {operations: true}}
    |                    ^
error[service-error]: acme-apac: GET /organizations/acme-apac/workspaces?page[size]=1 answered 404: not found, or this token may not see it
  hint: check the name of the organization, and that the token for ${new URL(service.url).host} belongs to it
No changes were made.
`,
    });
    expect(service.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  test('a service that cannot be reached is reported once for all root files', async () => {
    const service = await serviceWith({ seed });
    await service.stop();
    const cwd = await folderWith({
      ...files,
      'more/attune.yaml': root('acme', 'workspaces: {more: {}}'),
    });
    const address = ['--address', service.url, '--quiet'];
    const options = { cwd, env, clock: jumpingClock() };
    const ran = await attune(['plan', 'acme', 'emea', 'more', ...address], options);
    const reason = 'GET /organizations/acme/workspaces/app: the connection was refused';
    const hint = `check the address ${new URL(service.url).host} and the connection to it (5 tries)`;
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[no-usable-answer]: acme: ${reason} (2 more root files failed for this reason)
  hint: ${hint}
`,
    });
    const { stdout } = await attune(['plan', 'acme', 'emea', ...address, '--format', 'json'], options);
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { message: `acme: ${reason} (1 more root file failed for this reason)`, hint },
    ]);
  });

  test('the JSON document of a run distinguishes files of the same name', async () => {
    const cwd = await folderWith({
      'acme/attune.yaml': root('acme', 'workspaces: {app: {nothing: 1}}'),
      'emea/attune.yaml': root('acme-emea', 'workspaces: {app: {nothing: 1}}'),
    });
    const { code, stdout } = await attune(['validate', 'acme', 'emea', '--format', 'json'], { cwd });
    const document = JSON.parse(stdout);
    expect([code, documentErrors(document)]).toEqual([1, []]);
    expect(document.diagnostics.map(({ location }: { location: unknown }) => location)).toEqual([
      { file: 'attune.yaml', line: 3, column: 20, path: 'acme/attune.yaml' },
      { file: 'attune.yaml', line: 3, column: 20, path: 'emea/attune.yaml' },
    ]);
  });

  test('a failed change does not stop the changes of other organizations, and the exit code is 1', async () => {
    const service = await serviceWith({ seed });
    service.setFaults([{ kind: 'status', method: 'PATCH', status: 422, detail: 'no', nth: 1 }]);
    const { code, stdout } = await attune(['apply', 'acme', 'emea', '--yes', '--address', service.url], {
      cwd: await folderWith(files),
      env,
    });
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /\nAll 2 organizations: 0 created, 1 updated, 0 deleted, 1 failed. 1 call completed.\n$/,
    );
  });
});

test('apply asks once, after the plans of all organizations', async () => {
  const service = await serviceWith({ seed });
  const { code, stdout, stderr } = await attune(['apply', 'acme', 'emea', '--address', service.url], {
    cwd: await folderWith(files),
    env,
    answer: 'no',
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\nAll 2 organizations: 0 to create, 2 to update, 0 to delete, 0 unchanged. 2 calls.\n$/,
  );
  expect(stderr.match(/Apply .*\?/g)).toEqual(['Apply 2 changes?']);
});

test('every report of a run has the sum of all organizations', async () => {
  const service = await serviceWith({ seed });
  const cwd = await folderWith(files);
  const names = ['all.txt', 'all.md', 'all.html', 'all.xml'];
  const reports = names.flatMap((name) => ['--report', name]);
  const ran = await attune(
    ['drift', 'acme', 'emea', '--format', 'github', ...reports, '--address', service.url],
    { cwd, env },
  );
  expect(ran.code).toBe(2);
  const sum =
    'All 2 organizations: 0 missing, 2 changed, undeclared workspaces not checked (no scope), 0 unchanged.';
  expect(ran.stdout).toContain(`\n::notice title=attune drift::${sum}\n`);
  const [text, markdown, html, junit] = await Promise.all(
    names.map((name) => readFile(join(cwd, name), 'utf8')),
  );
  expect(text?.endsWith(`\n\n${sum}\n`)).toBe(true);
  expect(markdown).toContain(`\n- **\`${sum}\`**\n`);
  expect(html).toContain(`<p class="total">${sum}</p>`);
  expect(junit).toContain('<testsuites name="attune drift" tests="2" failures="2" errors="0" skipped="0">');
});

test('organizations that are embedded in one data file share one service', async () => {
  const embedded = 'service: {address: embedded, data: data.json}\nworkspaces: {app: {}}';
  const cwd = await folderWith({
    'acme.yaml': root('acme', embedded),
    'emea.yaml': root('acme-emea', embedded.replace('}', ', seed: seed.yaml}')),
    'seed.yaml': 'workspaces: {app: {auto-apply: true}}\n',
  });
  const applied = await attune(['apply', 'acme.yaml', 'emea.yaml', '--yes'], { cwd });
  expect(applied.stdout).toContain('All 2 organizations: 1 created, 0 updated, 0 deleted. 1 call.');
  const { stdout } = await attune(['plan', 'emea.yaml', 'acme.yaml'], { cwd });
  expect(stdout).toContain('All 2 organizations: 0 to create, 0 to update, 0 to delete, 2 unchanged.');
});

describe('one organization in two root files', () => {
  const half = (rest: string) => root('acme', rest);

  test('one organization in two root files is planned with the declarations of both', async () => {
    const service = await serviceWith({ seed: { workspaces: { a: {}, b: {}, c: {} } } });
    const cwd = await folderWith({
      'one/attune.yaml': half('workspaces: {a: {auto-apply: true}}\nscope: {names: ["*"]}'),
      'two/attune.yaml': half('workspaces: {b: {auto-apply: true}}'),
    });
    const go = (command: string, ...argv: string[]) =>
      attune([command, 'one', 'two', '--address', service.url, ...argv], { cwd, env });
    expect((await go('apply', '--yes')).stdout).toContain(
      '\nAll of acme: 0 created, 2 updated, 0 deleted. 2 calls.\n',
    );
    // What the one declares is not undeclared to the other.
    expect((await go('drift')).stdout).toBe(`Root files:
  drift     one/attune.yaml  Drift: 0 missing, 0 changed, 1 undeclared, 1 unchanged.
  no drift  two/attune.yaml  No drift. The live state matches the configuration: 1 resource compared, undeclared workspaces not checked (no scope).

one/attune.yaml  acme  ${service.url}

Undeclared (Attune does not change them):
  ? workspace.c

Drift: 0 missing, 0 changed, 1 undeclared, 1 unchanged.

two/attune.yaml  acme  ${service.url}

No drift. The live state matches the configuration: 1 resource compared, undeclared workspaces not checked (no scope).

All of acme: 0 missing, 0 changed, 1 undeclared (1 of 2 root files not checked: no scope), 2 unchanged.
`);
  });

  test('a declaration in two root files of one organization is an error at both locations', async () => {
    const cwd = await folderWith({
      'one/attune.yaml': half('workspaces: {a: {}}\nteam-access: {prj-1: {team-1: read}}'),
      'two/attune.yaml': half(
        'projects: {pay: prj-1}\nworkspaces: {b: {}, a: {}}\nteam-access: {pay: {team-1: admin}}',
      ),
    });
    const { code, stdout } = await attune(['validate', 'one', 'two'], { cwd });
    expect([code, stdout]).toEqual([
      1,
      `one/attune.yaml:3:14: error[duplicate-name]: the workspace "a" is declared twice, also at two/attune.yaml:4:21
  3 | workspaces: {a: {}}
    |              ^
one/attune.yaml:4:23: error[duplicate-name]: the access of one team to one project is declared twice, also as "pay/team-1" at two/attune.yaml:5:21
  4 | team-access: {prj-1: {team-1: read}}
    |                       ^
two/attune.yaml:4:21: error[duplicate-name]: the workspace "a" is declared twice, also at one/attune.yaml:3:14
  4 | workspaces: {b: {}, a: {}}
    |                     ^
two/attune.yaml:5:21: error[duplicate-name]: the access of one team to one project is declared twice, also as "prj-1/team-1" at one/attune.yaml:4:23
  5 | team-access: {pay: {team-1: admin}}
    |                     ^
`,
    ]);
  });

  test('two root files may declare organizations of the same name at two addresses', async () => {
    const at = (host: string) => half(`service: {address: "https://${host}"}\nworkspaces: {a: {}}`);
    const cwd = await folderWith({
      'one/attune.yaml': at('one.example.com'),
      'two/attune.yaml': at('two.example.com'),
    });
    expect((await attune(['validate', 'one', 'two'], { cwd })).code).toBe(0);
  });
});
