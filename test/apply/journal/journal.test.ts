import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applyPlan } from '../../../src/apply/apply-plan.ts';
import { journalOn, openJournal } from '../../../src/apply/journal/journal.ts';
import type { EmulatorOptions } from '../../../src/emulator/index.ts';
import { attune, folderWith, type World, worldWith } from '../../support/attune.ts';
import { expectMode } from '../../support/expect-mode.ts';
import { jumpingClock } from '../../support/fake-clock.ts';
import { mutatingService } from '../../support/mutating-service.ts';
import { notices, reported, stage } from '../stage.ts';

const yaml = `attune: 1
organization: acme
projects: {one: prj-1}
teams: {sre: team-sre}
workspaces:
  app: {description: new words, tags: [kept, new], remote-state-consumers: [fresh]}
  fresh: {project: one}
  old: {state: absent}
team-access: {one: {sre: write}}
`;
const seed = {
  projects: { One: 'prj-1' },
  teams: { sre: 'team-sre' },
  'team-access': { 'prj-1': { sre: 'read' } },
  workspaces: {
    app: { description: 'old words', tags: ['kept', 'gone'], 'remote-state-consumers': ['other'] },
    old: { description: 'to be deleted', 'remote-state-consumers': ['app'] },
    other: {},
  },
};
const apply = ['apply', '--yes', '--max-deletes', '1', '--journal', 'run.ndjson'];

/** What a journal holds, ids left out. */
async function recordsOf({ folder }: World, file = 'run.ndjson'): Promise<Record<string, unknown>[]> {
  const text = (await readFile(join(folder, file), 'utf8')).replaceAll(
    /\b(ws|tprj|prj)-[A-Za-z0-9]{16}\b/g,
    '$1-ID',
  );
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('a journal records each call with the former values and its outcome, is readable by its owner only and holds no token', async () => {
  const world = await worldWith(yaml, { seed }, { date: () => new Date('2026-05-04T03:02:01Z') });
  expect(await world.attune(...apply, '--parallelism', '1')).toMatchObject({
    code: 0,
    stderr: 'Undo with: attune undo run.ndjson\n',
  });
  const file = join(world.folder, 'run.ndjson');
  await expectMode(file, 0o600);
  expect(await readFile(file, 'utf8')).not.toContain('test-token');
  const records = await recordsOf(world);
  const shown = records.map(({ record, method, path, address }) => [record, method, path, address]);
  expect(shown.map((words) => words.filter(Boolean).join(' '))).toEqual([
    `run ${world.service.url}`,
    'change workspace.fresh',
    'call POST /organizations/acme/workspaces workspace.fresh',
    'outcome',
    'change workspace.app',
    'call PATCH /workspaces/ws-ID workspace.app',
    'outcome',
    'call POST /workspaces/ws-ID/relationships/tags workspace.app',
    'outcome',
    'call DELETE /workspaces/ws-ID/relationships/tags workspace.app',
    'outcome',
    'call PATCH /workspaces/ws-ID/relationships/remote-state-consumers workspace.app',
    'outcome',
    'change team-access.one/sre',
    'call PATCH /team-projects/tprj-ID team-access.one/sre',
    'outcome',
    'kept workspace.old',
    'change workspace.old',
    'call POST /workspaces/ws-ID/actions/safe-delete workspace.old',
    'outcome',
    'end',
  ]);
  expect(records[0]).toMatchObject({
    format: 'attune.journal/1',
    organization: 'acme',
    dialect: 'iac',
    plan: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    at: '2026-05-04T03:02:01.000Z',
    aliases: { projects: { one: 'prj-1' }, teams: { sre: 'team-sre' } },
  });
  expect(records[3]).toMatchObject({ number: 1, result: 'done', id: 'ws-ID', answered: { name: 'fresh' } });
  const lists = { 'remote-state-consumers': ['ws-ID'] };
  const app = { exists: true, name: 'app', description: 'old words', tags: ['gone', 'kept'], ...lists };
  expect(records[4]?.before).toEqual(app);
  const answered = { description: 'new words' };
  expect(records[6]).toEqual({ record: 'outcome', number: 2, result: 'done', answered });
  expect(records[13]?.before).toMatchObject({ project: 'prj-1', team: 'team-sre', access: 'read' });
  expect(records[16]?.values).toMatchObject({ name: 'old', description: 'to be deleted', ...lists });
});

test('a journal has each call on the disk before the call is sent, with up to 30 concurrent changes', async () => {
  const missing: string[] = [];
  let file = '';
  const many = Array.from({ length: 30 }, (_, index) => `w${index}: {tags: [t]}`).join(', ');
  const log: EmulatorOptions['log'] = ({ method, path, body }) => {
    if (method === 'GET') return;
    const sent = JSON.stringify({ method, path, body }).slice(1, -1);
    if (!readFileSync(file, 'utf8').includes(sent)) missing.push(sent);
  };
  const root = `attune: 1\norganization: acme\nworkspaces: {${many}}\n`;
  const world = await worldWith(root, { organization: 'acme', log });
  file = join(world.folder, 'run.ndjson');
  expect((await world.attune(...apply)).code).toBe(0);
  expect(missing).toEqual([]);
  expect(world.writes()).toHaveLength(60);
});

test('a journal records each failed call with its response', async () => {
  const world = await worldWith(yaml, { seed }, { clock: jumpingClock() });
  world.service.setFaults([
    { kind: 'status', status: 422, detail: 'No.', method: 'PATCH', path: '/workspaces/*' },
    { kind: 'cut-before', method: 'PATCH', path: '/team-projects/*' },
  ]);
  expect((await world.attune(...apply)).code).toBe(1);
  const failures = (await recordsOf(world)).flatMap(({ error }) => error ?? []);
  expect(failures).toContainEqual({ message: 'PATCH /workspaces/ws-ID answered 422: No', status: 422 });
  const lost = failures.find((error) => JSON.stringify(error).includes('/team-projects/'));
  expect(lost).toEqual({ message: expect.stringMatching(/^PATCH \/team-projects\/tprj-ID: /) });
});

test('apply writes the journal of a saved plan, and one without calls if there is nothing to do', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('plan', '--out', 'plan.json', '--max-deletes', '1');
  await world.attune('apply', '--plan', 'plan.json', '--yes', '--journal', 'saved.ndjson');
  const [run, ...rest] = await recordsOf(world, 'saved.ndjson');
  const plan = JSON.parse((await world.attune('show', 'plan.json', '--format', 'json')).stdout);
  expect(run?.plan).toBe(plan.digest);
  expect(rest.filter(({ record }) => record === 'outcome')).toHaveLength(7);
  await world.attune('apply', '--yes', '--journal', 'empty.ndjson');
  const empty = await recordsOf(world, 'empty.ndjson');
  expect(empty.map(({ record }) => record)).toEqual(['run', 'end']);
});

test('a journal leaves out aliases of names that the run did not look up, and undo reads it', async () => {
  const names = `attune: 1
organization: acme
projects: {one: {name: One}}
teams: {sre: {name: sre}, gone: {name: Gone}}
workspaces: {app: {project: one, description: new words}}
`;
  const world = await worldWith(names, { seed });
  expect((await world.attune(...apply)).code).toBe(0);
  const [run] = await recordsOf(world);
  expect(run?.aliases).toMatchObject({ projects: { one: 'prj-1' }, teams: {} });
  const undone = await world.attune('undo', 'run.ndjson', '--yes');
  expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('new words -> old words')]);
});

test('apply fails before anything is read if the journal file exists', async () => {
  const world = await worldWith(yaml, { seed });
  const file = join(world.folder, 'run.ndjson');
  await writeFile(file, 'the journal of another run\n');
  expect(await world.attune(...apply)).toEqual({
    code: 1,
    stdout: '',
    stderr: `error[file-exists]: ${file} exists already, and journals are never overwritten
  hint: choose another file with --journal, or move the existing journal
No changes were made.
`,
  });
  expect(world.requests()).toEqual([]);
  expect(await readFile(file, 'utf8')).toBe('the journal of another run\n');
});

test('apply fails if the journal file is a link, wherever the link leads', async () => {
  const world = await worldWith(yaml, { seed });
  await symlink(join(world.folder, 'elsewhere'), join(world.folder, 'run.ndjson'));
  const { code, stderr } = await world.attune(...apply);
  expect([code, stderr.split(':')[0]]).toEqual([1, 'error[file-exists]']);
  expect(await readdir(world.folder)).not.toContain('elsewhere');
  await expect(openJournal(join(world.folder, 'run.ndjson'))).rejects.toThrow('exists already');
});

test('apply fails before anything is read if the folder of the journal does not exist', async () => {
  const world = await worldWith(yaml, { seed });
  const { code, stderr } = await world.attune('apply', '--yes', '--journal', 'none/run.ndjson');
  expect([code, world.requests(), stderr]).toEqual([
    ...[1, []],
    `error[file-not-written]: --journal none/run.ndjson cannot be written: the folder ${join(world.folder, 'none')} does not exist\n  hint: name a file in an existing and writable folder\nNo changes were made.\n`,
  ]);
});

test('apply sends nothing if the folder of the journal is removed during the question', async () => {
  const folder = await folderWith({});
  await mkdir(join(folder, 'gone'));
  await expect(openJournal(join(folder, 'gone', 'deeper', 'run.ndjson'))).rejects.toMatchObject({
    code: 'journal-not-written',
    message: expect.stringMatching(/^cannot write the journal .*run\.ndjson: ENOENT: /),
    hint: 'check that the disk has space and that nothing removes the file, or choose another file for the journal, then run again; calls that are not in the journal are not sent',
  });
});

/** Applies creations of workspaces with a disk that is full after so many writes. */
const appliedWith = async (writes: number, workspaces: string, parallelism = 10) => {
  const lines: string[] = [];
  const appendFile = async (text: unknown) => {
    if (lines.length >= writes) throw new Error('ENOSPC: no space left on device, write');
    lines.push(String(text));
  };
  const disk = { appendFile, datasync: async () => {}, close: async () => {} };
  const on = await stage(`workspaces: ${workspaces}\n`, { organization: 'acme' });
  const journal = journalOn(disk, '/disk/run.ndjson');
  const result = await applyPlan(on.plan, { client: on.client, clock: on.clock, parallelism, journal });
  return { ...on, result, lines };
};
const full = 'cannot write the journal /disk/run.ndjson: ENOSPC: no space left on device, write';
const three = '{a: {}, b: {}, c: {}}';

test('apply stops before the next call if the journal cannot be written any more, and skips the rest', async () => {
  // The first call with its records, its outcome, and no more.
  const { result, lines, writes } = await appliedWith(2, three, 1);
  expect(reported(result)).toEqual([
    'done workspace.a 1',
    'skipped workspace.b 0',
    '  not attempted: the journal cannot be written',
    'skipped workspace.c 0',
    '  not attempted: the journal cannot be written',
  ]);
  expect(notices(result)).toEqual([`error[journal-not-written]: ${full}`]);
  expect(await writes()).toEqual(['POST /organizations/acme/workspaces']);
  expect(lines.join('')).toContain('"outcome"');
});

test('a change of which a call completed is partial if the journal cannot be written any more', async () => {
  const { result } = await appliedWith(2, '{a: {lock: true}}', 1);
  expect(reported(result)).toEqual([
    'partial workspace.a 1',
    '  the rest was not attempted: the journal cannot be written (1 of 2 calls completed)',
  ]);
});

test('apply sends nothing if the journal cannot be written at all', async () => {
  const { result, requests } = await appliedWith(0, three);
  expect(result.changes.map((one) => one.result)).toEqual(['skipped', 'skipped', 'skipped']);
  expect(await requests()).toEqual([]);
});

const fresh = 'attune: 1\norganization: acme\nworkspaces: {fresh: {lock: true}}\n';
const vault = { organization: 'acme', workspaces: { vault: { id: 'ws-vault' } } };

/** Applies a create over a service that answers it without a document, with a journal. */
async function created(answer = '') {
  const world = await worldWith(fresh, { seed: vault });
  const silent = await mutatingService(world.service.url);
  silent.mutate = (text, index) =>
    /^POST .*\/organizations\/acme\/workspaces$/.test(silent.requests[index] ?? '') ? answer : text;
  const run = (...argv: string[]) =>
    attune([...argv, '--address', silent.url], { cwd: world.folder, env: { ATTUNE_TOKEN: 'test-token' } });
  const applied = await run('apply', '--yes', '--journal', 'run.jsonl');
  const journal = join(world.folder, 'run.jsonl');
  return { world, run, applied, journal };
}

test.each(['', '{}', '{"data": null}'])(
  'the journal has the id of a workspace whose create was answered with %j',
  async (answer) => {
    const { run, applied, journal } = await created(answer);
    expect(applied.code, applied.stdout + applied.stderr).toBe(0);
    const text = await readFile(journal, 'utf8');
    const records = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const [, id] = /"\/workspaces\/([^/"]+)\/actions\/lock"/.exec(text) ?? [];
    expect(records.find(({ record }) => record === 'outcome')).toMatchObject({ result: 'done', id });
    expect((await run('undo', 'run.jsonl', '--yes')).stdout).toContain('- workspace.fresh');
  },
);

test('a journal without the id of a created workspace is refused if a later call goes to any workspace', async () => {
  const { world, run, journal } = await created();
  const text = await readFile(journal, 'utf8');
  const forged = text
    .replace(/"id":"ws-\w+"/, '"id":null')
    .replace(',"id":null', '')
    .replace(/\/workspaces\/ws-\w+\/actions\/lock/, '/workspaces/ws-vault/actions/lock');
  await writeFile(journal, forged);
  world.service.clearRequests();
  const { code, stderr } = await run('undo', 'run.jsonl', '--yes');
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('POST /workspaces/ws-vault/actions/lock goes to another object'),
  ]);
  expect(world.requests()).toEqual([]);
});
