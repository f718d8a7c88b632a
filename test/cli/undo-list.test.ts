import { appendFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, type World, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';

const seed = { organization: 'acme', workspaces: { network: { description: 'before' } } };
const yaml = (more = '') =>
  `attune: 1\norganization: acme\nworkspaces: {network: {description: after}, web: {}${more}}\n`;

const times = /\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(\.\d+)?Z(\.\d+)?/g;

async function list(world: World, ...argv: string[]) {
  const { code, stdout, stderr } = await world.attune('undo', '--list', ...argv);
  expect(world.requests()).toEqual([]);
  return { code, stdout: stdout.replaceAll(times, '<time>'), stderr };
}

test('undo --list prints each journal, what it did, and the command that undoes it, the newest first', async () => {
  const world = await worldWith({ 'attune.yaml': yaml() }, { seed });
  await world.attune('apply', '--yes');
  world.service.setFaults([{ kind: 'status', status: 422, method: 'POST' }]);
  await writeFile(join(world.folder, 'attune.yaml'), yaml(', billing: {}'));
  await world.attune('apply', '--yes');
  world.service.setFaults([]);
  const { url } = world.service;
  const command = `attune undo .attune/journal/<time>-acme.jsonl --address ${url}`;
  expect(await list(world)).toEqual({
    code: 0,
    stdout: `<time>  acme  1 created, 0 updated, 0 deleted, 1 failed; incomplete: some changes are not done
  ${command}
<time>  acme  1 created, 1 updated, 0 deleted; complete
  ${command}
`.replace('1 created, 0 updated', '0 created, 0 updated'),
    stderr: '',
  });
});

test('undo --list shows which journals are undone, interrupted or unreadable', async () => {
  const world = await worldWith({ 'attune.yaml': yaml() }, { seed });
  await world.attune('apply', '--yes');
  const folder = join(world.folder, '.attune/journal');
  const [first = ''] = await readdir(folder);
  await world.attune('undo', '--last', '--yes');
  const [run = ''] = (await readFile(join(folder, first), 'utf8')).split('\n');
  await writeFile(join(folder, '2020-01-02T03-04-05Z-acme.jsonl'), `${run}\n`);
  await writeFile(join(folder, '2020-01-01T03-04-05Z-acme.jsonl'), 'text\n');
  const { stdout } = await world.attune('undo', '--list', '--format', 'json');
  const document = JSON.parse(stdout);
  expect(documentErrors(document)).toEqual([]);
  const { format, journals } = document;
  const [undo, apply, killed, unreadable] = journals;
  expect([format, journals.length]).toEqual(['attune.journals/1', 4]);
  expect(undo).toMatchObject({
    complete: true,
    undoes: `.attune/journal/${first}`,
    changes: { create: 0, update: 1, delete: 1, partial: 0, failed: 0 },
  });
  expect(apply).toEqual({
    file: `.attune/journal/${first}`,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/),
    organization: 'acme',
    address: world.service.url,
    changes: { create: 1, update: 1, delete: 0, partial: 0, failed: 0 },
    complete: true,
    undoneBy: undo.file,
    command: `attune undo .attune/journal/${first} --address ${world.service.url}`,
  });
  expect(killed).toMatchObject({ complete: false, reason: 'interrupted' });
  expect(unreadable).toEqual({
    file: '.attune/journal/2020-01-01T03-04-05Z-acme.jsonl',
    at: '2020-01-01T03:04:05.000Z',
    organization: 'acme',
    complete: false,
    reason: expect.stringContaining('is not a journal of this version'),
  });
  const text = await world.attune('undo', '--list');
  expect(text.stdout).toContain(`; complete; undone by ${undo.file}\n`);
  expect(text.stdout).toContain(`; complete; undo of .attune/journal/${first}\n`);
});

test('undo --list shows a change as partial if its run was killed between two of its calls', async () => {
  const world = await worldWith({ 'attune.yaml': yaml(', tagged: {tags: [x]}') }, { seed });
  await world.attune('apply', '--yes', '--parallelism', '1');
  const folder = join(world.folder, '.attune/journal');
  const [name = ''] = await readdir(folder);
  const lines = (await readFile(join(folder, name), 'utf8')).split('\n');
  const tags = lines.findIndex((line) => line.includes('/relationships/tags'));
  await writeFile(join(folder, name), `${lines.slice(0, tags).join('\n')}\n`);
  expect((await list(world)).stdout).toContain(' 1 partial; incomplete: interrupted\n');
});

test('undo --list counts results, and marks a journal that is undone in part', async () => {
  const world = await worldWith({ 'attune.yaml': yaml(', tagged: {tags: [x]}') }, { seed });
  world.service.setFaults([{ kind: 'status', status: 500, method: 'POST', path: '*/relationships/tags' }]);
  expect((await world.attune('apply', '--yes')).code).toBe(1);
  world.service.setFaults([]);
  const read = async () => {
    const document = JSON.parse((await world.attune('undo', '--list', '--format', 'json')).stdout);
    expect(documentErrors(document)).toEqual([]);
    return document.journals;
  };
  const [apply] = await read();
  expect(apply.changes).toEqual({ create: 1, update: 1, delete: 0, partial: 1, failed: 0 });
  expect((await list(world)).stdout).toContain('1 created, 1 updated, 0 deleted, 1 partial; incomplete: ');

  await world.attune('undo', '--last', '--yes', '--only', 'workspace.network');
  const [part, undone] = await read();
  expect([part.undoesPart, undone.undoneBy, undone.undoneInPartBy]).toEqual([true, undefined, part.file]);
  const { stdout } = await world.attune('undo', '--list');
  expect(stdout).toContain(`; complete; undo of a part of ${apply.file}\n`);
  expect(stdout).toContain(`; undone in part by ${part.file}\n`);

  world.service.setFaults([{ kind: 'status', status: 500, method: 'POST', path: '*/safe-delete', nth: 1 }]);
  await world.attune('undo', apply.file, '--yes');
  world.service.setFaults([]);
  const [failed, , again] = await read();
  expect([failed.changes, again.undoneInPartBy]).toEqual([
    { create: 0, update: 0, delete: 1, partial: 0, failed: 1 },
    failed.file,
  ]);
});

test('undo --last continues an undo that a conflict left incomplete', async () => {
  const world = await worldWith({ 'attune.yaml': yaml() }, { seed });
  const { id } = await sendTo(world.service, 'GET', '/organizations/acme/workspaces/network');
  const describe = (description: string) =>
    sendTo(world.service, 'PATCH', `/workspaces/${id}`, workspaceBody({ description }));
  await world.attune('apply', '--yes');
  await describe('theirs');
  expect((await world.attune('undo', '--last', '--yes')).code).toBe(1);
  await describe('after');
  const { code, stdout } = await world.attune('undo', '--last', '--yes');
  expect([code, stdout]).toEqual([0, expect.stringContaining('description: after -> before')]);
});

test('an undo from a saved plan of a part is listed as an undo of a part', async () => {
  const world = await worldWith({ 'attune.yaml': yaml() }, { seed });
  await world.attune('apply', '--yes', '--journal', 'run.jsonl');
  await world.attune('undo', 'run.jsonl', '--only', 'workspace.network', '--out', 'undo.json');
  expect((await world.attune('undo', 'run.jsonl', '--plan', 'undo.json', '--yes')).code).toBe(0);
  const { journals } = JSON.parse((await world.attune('undo', '--list', '--format', 'json')).stdout);
  expect(journals[0].undoesPart).toBe(true);
});

test('each command that undo --list prints undoes its journal, also if a root file has errors', async () => {
  const world = await worldWith({ 'emea/attune.yaml': yaml(), 'apac.yaml': yaml() }, { seed });
  const address = `service: {address: ${world.service.url}}\n`;
  for (const file of ['emea/attune.yaml', 'apac.yaml']) await appendFile(join(world.folder, file), address);
  const env = { ATTUNE_TOKEN: 'test-token' };
  const go = (...argv: string[]) => attune(argv, { cwd: world.folder, env });
  for (const root of ['emea', 'apac.yaml']) {
    await go('apply', root, '--yes');
    await appendFile(join(world.folder, root === 'emea' ? 'emea/attune.yaml' : root), 'broken: [\n');
    const named = await go('undo', '--list', root);
    const [, command = ''] = named.stdout.trimEnd().split('\n  ');
    expect(command.split(' ').slice(3)).toEqual([root]);
    const undone = await go(...command.split(' ').slice(1), '--yes');
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('Deleted:\n  - workspace.web')]);
  }
  // The journals of the working folder belong to apac.yaml, which declares their organization.
  expect((await go('undo', '--list')).stdout.split('\n')[1]).toMatch(/-acme\.jsonl apac\.yaml$/);
});

test('undo --list without journals prints a sentence', async () => {
  const cwd = await folderWith({});
  expect(await attune(['undo', '--list'], { cwd })).toEqual({
    code: 0,
    stdout: '',
    stderr: 'There is no journal of this folder.\n',
  });
  const json = await attune(['undo', '--list', 'envs', '--format', 'json'], { cwd });
  expect(JSON.parse(json.stdout)).toEqual({ format: 'attune.journals/1', journals: [] });
});

test.each([
  [['--last'], '--last'],
  [['--yes'], '--yes'],
  [['--only', 'workspace.a'], '--only'],
  [['--format', 'html'], '--format html'],
  [['--max-deletes', '1'], '--max-deletes'],
])('undo --list refuses %j', async (argv, flag) => {
  const { code, stderr } = await attune(['undo', '--list', ...argv], { cwd: await folderWith({}) });
  expect([code, stderr]).toEqual([
    1,
    `error[usage]: --list cannot be used with ${flag}\n  hint: list the journals with --format text or json, then run one of the printed commands\n`,
  ]);
});

test('several root files of one organization have one journal, beside the first of them', async () => {
  const world = await worldWith(
    {
      'one/attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {description: one}}\n',
      'two/attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {web: {description: two}}\n',
    },
    { seed: { workspaces: { app: {}, web: {} } } },
  );
  expect((await world.attune('apply', 'one', 'two', '--yes')).code).toBe(0);
  const { code, stdout, stderr } = await world.attune('undo', '--last', 'one', 'two', '--yes');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Updated:\n {2}~ workspace\.app\n {2}~ workspace\.web$/m);
  expect(stderr).toContain('Undo with: attune undo --last one two\n');
  expect(await readdir(join(world.folder, 'one/.attune/journal'))).toHaveLength(2);
});

test('the undo of a run over a root file that is gone uses the settings of the others', async () => {
  const policy =
    "policies: [{id: keep, on: change, require: change.action != 'delete', message: Keep it.}]\n";
  const world = await worldWith(
    {
      'one/attune.yaml': `attune: 1\norganization: acme\n${policy}workspaces: {app: {description: one}}\n`,
      'two/attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {web: {description: two}}\n',
    },
    { seed: { workspaces: { app: {} } } },
  );
  expect((await world.attune('apply', 'one', 'two', '--yes')).code).toBe(0);
  await rm(join(world.folder, 'two/attune.yaml'));
  const { code, stderr } = await world.attune('undo', '--last', 'one', '--yes');
  expect([code, stderr.match(/error\[policy\].*/g)]).toEqual([
    1,
    ['error[policy]: workspace.web violates policy keep: Keep it.'],
  ]);
});
