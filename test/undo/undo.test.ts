import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { attune, folderWith, type World, worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';
import { seed, files as yaml } from './every-change.ts';
import { liveState } from './live-state.ts';

const flags = ['--yes', '--quiet'];
const nothing = '\nNothing to undo: every value is restored already or changed after the run.\n';

/** A world in which the apply has been. */
async function applied(dialect: 'iac' | 'terraform' = 'iac'): Promise<World & { readonly journal: string }> {
  const world = await worldWith(yaml, { seed, dialect });
  const ran = await world.attune('apply', ...flags, '--journal', 'run.ndjson');
  expect(ran.code, ran.stdout + ran.stderr).toBe(0);
  return { ...world, journal: join(world.folder, 'run.ndjson') };
}

describe('undo', () => {
  test('undo reads what the run touched and nothing else', async () => {
    const world = await applied();
    await world.attune('undo', 'run.ndjson', '--detailed-exitcode');
    const reads = world.requests().map((request) => request.replaceAll(/ws-\w{16}/g, '<id>'));
    expect(reads.sort()).toEqual([
      'GET /organizations/acme/workspaces/former',
      'GET /organizations/acme/workspaces/old',
      'GET /team-projects?filter[project][id]=prj-1&page[size]=100',
      // app, fresh, renamed and old; then the consumer to restore.
      ...Array(5).fill('GET /workspaces/<id>'),
      'GET /workspaces/<id>/relationships/remote-state-consumers?page[size]=100',
    ]);
  });

  test('undo --out saves a plan for a review, and undo --plan applies it', async () => {
    const world = await applied();
    const saved = await world.attune('undo', 'run.ndjson', '--out', 'back.json');
    expect(saved.code).toBe(0);
    expect(saved.stderr).toContain('Saved as back.json: attune undo run.ndjson --plan back.json\n');
    const ran = await world.attune('undo', 'run.ndjson', '--plan', 'back.json', '--yes');
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    const again = await world.attune('undo', 'run.ndjson', '--detailed-exitcode');
    expect(again).toEqual({ code: 0, stdout: expect.stringContaining(nothing), stderr: '' });
  });

  test('show prints that there is nothing to undo for a saved plan of an undo without changes', async () => {
    const world = await applied();
    await world.attune('undo', 'run.ndjson', ...flags);
    await world.attune('undo', 'run.ndjson', '--out', 'saved.json');
    const printed = await world.attune('undo', 'run.ndjson', '--detailed-exitcode', '--format', 'json');
    await writeFile(join(world.folder, 'printed.json'), printed.stdout);
    for (const file of ['saved.json', 'printed.json']) {
      const { code, stdout } = await world.attune('show', file);
      expect(code).toBe(0);
      expect(stdout).toContain(nothing);
    }
  });

  test('undo prints one document of the apply as JSON', async () => {
    const world = await applied();
    const { stdout } = await world.attune('undo', 'run.ndjson', ...flags, '--format', 'json');
    const summary = { create: 2, update: 3, delete: 1 };
    expect(JSON.parse(stdout)).toMatchObject({ format: 'attune.apply/1', summary });
    const planned = await world.attune('undo', 'run.ndjson', '--detailed-exitcode', '--format', 'json');
    expect(JSON.parse(planned.stdout)).toMatchObject({ format: 'attune.plan/1', changes: [] });
  });

  test('undo deletes all that the run created, and no more than --max-deletes allows', async () => {
    const many = Array.from({ length: 11 }, (_, index) => `w${index}: {}`).join(', ');
    const root = `attune: 1\norganization: acme\nworkspaces: {${many}}\n`;
    const world = await worldWith(root, { organization: 'acme' });
    await world.attune('apply', '--yes', '--journal', 'run.ndjson');
    const { code, stderr } = await world.attune('undo', 'run.ndjson', '--yes', '--max-deletes', '10');
    expect([code, stderr]).toEqual([
      1,
      `error[too-many-deletes]: the plan deletes 11, and --max-deletes allows 10
  hint: review the deletions above; to allow them, pass --max-deletes 11
No changes were made.
`,
    ]);
    expect(world.writes()).toEqual([]);
    expect((await world.attune('undo', 'run.ndjson', '--yes')).code).toBe(0);
  });

  test('undo of several organizations is one run, and --max-deletes counts all of its deletions', async () => {
    const root = (organization: string) => `attune: 1\norganization: ${organization}\nworkspaces: {a: {}}\n`;
    const world = await worldWith(
      { 'one.yaml': root('acme'), 'two.yaml': root('umbrella') },
      { seed: { organizations: { acme: {}, umbrella: {} } } },
    );
    await world.attune('apply', 'one.yaml', 'two.yaml', '--yes', '--journal', 'run.ndjson');
    const roots = ['one.yaml', 'two.yaml'];
    const refused = await world.attune('undo', 'run.ndjson', ...roots, '--yes', '--max-deletes', '1');
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `error[too-many-deletes]: the 2 plans of this run delete 2 together (1 + 1), and --max-deletes allows 1
  hint: review the deletions above; to allow them, pass --max-deletes 2
No changes were made.
`,
    ]);
    expect(world.writes()).toEqual([]);
    const ran = await world.attune('undo', 'run.ndjson', '--yes');
    expect(ran.code, ran.stdout + ran.stderr).toBe(0);
    expect(world.writes()).toHaveLength(2);
  });
});

describe('a journal and where it goes', () => {
  test('a journal does not determine which host gets the token', async () => {
    const world = await applied();
    const cwd = await folderWith({ 'run.ndjson': await readFile(world.journal, 'utf8') });
    const env = { ATTUNE_TOKEN: 'test-token' };
    const go = (...argv: string[]) => attune(['undo', 'run.ndjson', ...argv], { cwd, env });
    world.service.clearRequests();
    expect(await go('--yes')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[no-address]: the journal was recorded for ${world.service.url}, but no other setting has this address; a journal must not decide who gets the token
  hint: add --address ${world.service.url}, or set ATTUNE_ADDRESS
No changes were made.
`,
    });
    expect((await go('--yes', '--address', 'https://elsewhere.example.com')).stderr).toContain(
      `error[other-plan]: the journal is for ${world.service.url}, but this run uses https://elsewhere.example.com
  hint: use the organization and address of the journal; no changes were made
No changes were made.
`,
    );
    expect(world.service.requests).toEqual([]);
    expect((await go('--yes', '--address', world.service.url)).code).toBe(0);
  });

  test('undo uses the dialect of the service if the journal names another one', async () => {
    const declared = 'attune: 1\norganization: acme\nservice: {dialect: iac}\n';
    const world = await worldWith(`${declared}workspaces: {app: {description: new}, fresh: {}}\n`, {
      dialect: 'terraform',
      seed: { workspaces: {} },
    });
    const applied = await world.attune('apply', ...flags, '--journal', 'run.ndjson');
    expect(applied.code, applied.stderr).toBe(0);
    expect(await readFile(join(world.folder, 'run.ndjson'), 'utf8')).toContain('"dialect":"iac"');
    const { code, stderr } = await world.attune('undo', 'run.ndjson', ...flags);
    expect([code, stderr]).toEqual([
      0,
      'note[journal-dialect]: the journal of acme is in the iac dialect, but the service uses terraform: the undo uses terraform\n',
    ]);
    const left = await liveState({ ...world.service, dialect: 'terraform' });
    expect(Object.keys(left)).toEqual(['project.Default Project']);
    expect((await world.attune('undo', 'run.ndjson', ...flags)).code).toBe(0);
  });

  let firstRecord: Promise<string> | undefined;
  const refused = async (text: (run: string) => string) => {
    firstRecord ??= applied().then(
      async ({ journal }) => (await readFile(journal, 'utf8')).split('\n')[0] ?? '',
    );
    const world = await worldWith({ 'run.ndjson': text(await firstRecord) }, {});
    const { code, stderr } = await world.attune('undo', 'run.ndjson', '--yes');
    expect([code, world.requests()]).toEqual([1, []]);
    return stderr.split('\n')[0];
  };

  test.each(rowsIn<[string, unknown, string]>`
- [run.ndjson:1, hello, this line is not JSON]
- [run.ndjson, {format: attune.plan/1}, its format is attune.plan/1]
- [run.ndjson, {}, it has no format]
- [run.ndjson:2, nonsense, this line is not JSON]
- [run.ndjson:2, {record: constructor}, it is not a journal record]
- [run.ndjson:2, {record: outcome, number: 7, result: done}, there is no call number 7]
- [run.ndjson:2, {record: call, number: 1, address: workspace.a, method: PATCH, path: /workspaces/ws-1}, it must have required property 'operation']
- [run.ndjson:2, {record: call, number: 1, address: workspace.a, operation: deleteOrganization, method: DELETE, path: /organizations/acme}, /operation must be equal to one of the allowed values]
- [run.ndjson:2, {record: call, number: 1, address: workspace.a, operation: deleteWorkspace, method: DELETE, path: /workspaces/ws-1}, it must have required property 'mode']
- [run.ndjson:2, {record: change, address: workspace.a, kind: workspace, name: a, action: update, id: ../../x, before: {}}, '/id must match pattern "^[A-Za-z0-9_-]+$"']
`)('undo refuses a file that is not a journal before any request: %s is %j', async (place, line, why) => {
    const written = typeof line === 'string' ? line : JSON.stringify(line);
    const before = (run: string) => (place.endsWith(':2') ? `${run}\n` : '');
    expect(await refused((run) => `${before(run)}${written}\n{"record":"end"}\n`)).toBe(
      `error[bad-journal]: ${place} is not a journal of this version (attune.journal/1): ${why}`,
    );
  });

  test.each(['', '{"record":"ru'])('undo refuses a journal without a complete record: %j', async (text) => {
    expect(await refused(() => text)).toBe(
      'error[bad-journal]: run.ndjson contains no complete record: its run ended before the first call',
    );
  });
});

test('apply stores a key/value tag called __proto__, and undo removes and restores it', async () => {
  const declared = `attune: 1
organization: acme
service: {dialect: terraform}
projects: {pay: {name: Payments, manage: true, tag-bindings: {__proto__: p}}}
workspaces:
  fresh: {tag-bindings: {__proto__: x}}
  more: {tag-bindings: {env: prod, __proto__: x}}
  less: {tag-bindings: {exactly: {}}}
`;
  const less = { 'tag-bindings': Object.fromEntries([['__proto__', 'y']]) };
  const seed = { projects: { Payments: { id: 'prj-1' } }, workspaces: { more: {}, less } };
  const world = await worldWith(declared, { dialect: 'terraform', seed });
  // As text, because a comparison ignores such a key.
  const live = async () => JSON.stringify(await liveState({ ...world.service, dialect: 'terraform' }));
  const before = await live();
  expect((await world.attune('apply', ...flags, '--journal', 'run.ndjson')).code).toBe(0);
  expect((await world.attune('plan')).stdout).toContain('0 to create, 0 to update, 0 to delete, 4 unchanged');
  expect((await world.attune('undo', 'run.ndjson', ...flags)).code).toBe(0);
  expect(await live()).toBe(before);
});
