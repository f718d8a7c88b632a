import { execFileSync } from 'node:child_process';
import {
  copyFile,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { type Emulator, EmulatorError, type Seed, startEmulator } from '../../src/emulator/index.ts';
import { ask, workspaceBody } from '../support/ask.ts';
import { folderWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';
let folder = '';
let data = '';

beforeEach(async () => {
  folder = await folderWith({});
  data = join(folder, 'deep', 'data.json');
});

/** What a kill would leave behind right now. */
async function copyAsKilled(file = data): Promise<string> {
  const copy = join(folder, `copy-${Math.random()}.json`);
  await copyFile(file, copy);
  return copy;
}

async function namesIn(file: string): Promise<string[]> {
  const emulator = await startEmulator({ data: file });
  const { body } = await ask(emulator, 'GET', `${list}?page[size]=100`).finally(() => emulator.stop());
  return body.data.map((workspace: { attributes: { name: string } }) => workspace.attributes.name);
}

it('the emulator restores everything from its data file after a stop, ids and access included', async () => {
  const seed = {
    projects: { Payments: 'prj-payments' },
    teams: { sre: 'team-sre' },
    workspaces: { a: { tags: ['x'], 'remote-state-consumers': ['b'], locked: true }, b: {} },
    'team-access': { Payments: { sre: { access: 'custom', 'workspace-access': { runs: 'plan' } } } },
  } as const;
  const paths = [list, '/team-projects?filter[project][id]=prj-payments', '/organizations/acme/tags'];
  const first = await startEmulator({ data, seed });
  await expectMode(dirname(data), 0o700);
  const before = [];
  for (const path of paths) before.push((await ask(first, 'GET', path)).body.data);
  await first.stop();
  const second = await serve({ data, seed: { workspaces: { 'not-read-again': {} } } });
  for (const [index, path] of paths.entries())
    expect((await second.ask('GET', path)).body.data).toEqual(before[index]);
});

it('a kill of the emulator at any moment loses no write that was answered', async () => {
  const { ask: request } = await serve({ data });
  const answered: string[] = [];
  const checks: Promise<void>[] = [];
  const create = async (name: string) => {
    expect((await request('POST', list, workspaceBody({ name }))).status).toBe(201);
    answered.push(name);
    if (answered.length % 10 !== 0) return;
    const known = [...answered];
    const copy = await copyAsKilled();
    checks.push(namesIn(copy).then((found) => expect(found).toEqual(expect.arrayContaining(known))));
  };
  await Promise.all(Array.from({ length: 60 }, (_, index) => create(`w${index}`)));
  await Promise.all(checks);
  expect(checks.length).toBe(6);
});

it('the data after a kill has updates, deletes, lists and locks', async () => {
  const seed = { workspaces: { a: { id: 'ws-a', tags: ['x', 'y'] }, d: { id: 'ws-d' } } };
  const { ask: request, emulator } = await serve({ data, seed });
  const lists = ['tags', 'remote-state-consumers'].map((name) => `/workspaces/ws-a/relationships/${name}`);
  const [tags = '', consumers = ''] = lists;
  const tag = (name: string) => ({ data: [{ type: 'tags', attributes: { name } }] });
  await request('PATCH', `${list}/a`, workspaceBody({ name: 'c', 'execution-mode': 'local' }));
  const deleted = workspaceBody({ name: 'b' });
  const { id } = (await request('POST', list, deleted)).body.data;
  await request('DELETE', `${list}/b`);
  await request('POST', tags, tag('z'));
  await request('DELETE', tags, tag('x'));
  await request('POST', consumers, { data: [{ type: 'workspaces', id: 'ws-d' }] });
  for (const action of ['lock', 'unlock', 'lock'])
    await request('POST', `/workspaces/ws-a/actions/${action}`);
  // A refused write has no effect after a restart, and leaves no record.
  const before = await readFile(data, 'utf8');
  await request('PATCH', `${list}/d`, workspaceBody({ name: 'c' }));
  expect(await readFile(data, 'utf8')).toBe(before);
  const everything = async (service: Emulator) => {
    const paths = [`${list}?sort=name`, ...lists, '/organizations/acme/tags'];
    return Promise.all(paths.map(async (path) => (await ask(service, 'GET', path)).body.data));
  };
  const live = await everything(emulator);
  expect(live.map((items) => items.length)).toEqual([2, 2, 1, 2]);
  const restarted = await serve({ data: await copyAsKilled() });
  expect(await everything(restarted.emulator)).toEqual(live);
  // The id of the deleted workspace is not given again.
  expect((await restarted.ask('POST', list, deleted)).body.data.id).not.toBe(id);
});

it('the emulator drops a last line without its end, because it was never answered, and continues there', async () => {
  const { ask: request } = await serve({ data });
  await request('POST', list, workspaceBody({ name: 'a' }));
  await request('POST', list, workspaceBody({ name: 'b' }));
  const copy = await copyAsKilled();
  await writeFile(copy, (await readFile(copy, 'utf8')).slice(0, -10));
  const again = await startEmulator({ data: copy });
  await ask(again, 'POST', list, workspaceBody({ name: 'c' }));
  expect(await namesIn(await copyAsKilled(copy))).toEqual(['a', 'c']);
  await again.stop();
});

it('a stop replaces the data by what is stored, and a run without a write leaves it', async () => {
  const { ask: request, emulator } = await serve({ data });
  await request('POST', list, workspaceBody({ name: 'a' }));
  await request('POST', list, workspaceBody({ name: 'b' }));
  await request('DELETE', `${list}/a`);
  await emulator.stop();
  const stored = await readFile(data, 'utf8');
  expect(stored).not.toContain('"name":"a"');
  const before = await stat(data);
  expect(await namesIn(data)).toEqual(['b']);
  expect(await stat(data)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
});

it('the emulator adds an organization that its data does not have', async () => {
  await (await startEmulator({ data, organization: 'acme' })).stop();
  const { ask: request } = await serve({ data, organization: 'example' });
  expect((await request('GET', '/organizations/example/workspaces')).status).toBe(200);
  expect((await request('GET', list)).status).toBe(200);
});

/** Writes to open files fail, as on a full disk, until the returned function is called. */
async function fillDisk(method: 'appendFile' | 'writeFile'): Promise<() => void> {
  const file = await open(join(folder, 'any'), 'w');
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
  const spy = vi.spyOn(Object.getPrototypeOf(file), method).mockRejectedValue(full);
  await file.close();
  onTestFinished(() => spy.mockRestore());
  return () => spy.mockRestore();
}

it('no request shows a write that is not on the disk, and no later one is stored', async () => {
  const { ask: request } = await serve({ data });
  const before = await readFile(data, 'utf8');
  const free = await fillDisk('appendFile');
  const refused = await request('POST', list, workspaceBody({ name: 'a' }));
  expect([refused.status, refused.body.errors[0].detail]).toEqual([
    500,
    'The data cannot be written: ENOSPC: no space left on device, write',
  ]);
  expect((await request('GET', `${list}/a`)).status).toBe(500);
  expect(await readFile(data, 'utf8')).toBe(before);
  free();
  expect((await request('POST', list, workspaceBody({ name: 'b' }))).status).toBe(500);
  expect(await namesIn(await copyAsKilled())).toEqual([]);
});

it('a stop that cannot write the data is an error that names it, and loses no write', async () => {
  const emulator = await startEmulator({ data });
  await ask(emulator, 'POST', list, workspaceBody({ name: 'a' }));
  const free = await fillDisk('writeFile');
  const error = await emulator.stop().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(EmulatorError);
  expect(String(error)).toContain(`the data file ${data} cannot be used: ENOSPC`);
  free();
  expect(await namesIn(data)).toEqual(['a']);
});

/** Makes the data of an emulator that was stopped. */
const stored = async (seed?: Seed) => (await startEmulator({ data, ...(seed && { seed }) })).stop();

/** The error of the data in a start. */
async function refusal(): Promise<EmulatorError> {
  const error = await startEmulator({ data }).catch((reason: unknown) => reason);
  if (!(error instanceof EmulatorError)) throw new Error('the data is accepted', { cause: error });
  return error;
}

it('a data file below a file is an error that names it', async () => {
  await stored();
  await expect(startEmulator({ data: join(data, 'below.json') })).rejects.toMatchObject({
    code: 'bad-data',
    message: expect.stringMatching(/^the data file .*below\.json cannot be used: (EEXIST|ENOTDIR)/),
    hint: 'free disk space, make its folder writable, or choose another file with service.data or --data',
  });
});

it.each([
  ['half a file', (text: string) => text.slice(0, text.length / 2), 'it is not complete'],
  ['something else', () => '{"hello": 1}\n', 'it is not attune.emulator/2'],
  ['a line that is no write', (text: string) => text.replace('"teams"', '"team"'), 'line 4 is not'],
  ['a line that is not JSON', (text: string) => `${text}oops\n`, 'is not a list of writes'],
  ['an empty file', () => '', 'it is not attune.emulator/2'],
])('a data file with %s is an error that names it, and is left unchanged', async (_title, damage, why) => {
  await stored({ teams: { sre: null } });
  const damaged = damage(await readFile(data, 'utf8'));
  await writeFile(data, damaged);
  const error = await refusal();
  for (const part of [`${data} is damaged: `, why]) expect(error.message).toContain(part);
  expect(await readFile(data, 'utf8')).toBe(damaged);
});

it.each(['its name', 'a link to the file', 'a link to its folder'])(
  'data in use is refused through %s, the first emulator keeps running, and a stop leaves the link unchanged',
  async (kind) => {
    const link = join(folder, 'link');
    const isFile = kind === 'a link to the file';
    await symlink(isFile ? data : dirname(data), link);
    const linked = kind === 'its name' ? data : isFile ? link : join(link, 'data.json');
    const { emulator, ask: request } = await serve({ data });
    await expect(startEmulator({ data: linked })).rejects.toThrow(`${data} is in use by process`);
    expect((await request('POST', list, workspaceBody({ name: 'a' }))).status).toBe(201);
    await emulator.stop();
    expect(await namesIn(linked)).toEqual(['a']);
    expect((await lstat(link)).isSymbolicLink()).toBe(true);
    expect(await namesIn(data)).toEqual(['a']);
  },
);

it('only one of two emulators that start at once on the same data starts', async () => {
  const started = await Promise.allSettled([startEmulator({ data }), startEmulator({ data })]);
  expect(started.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const result of started) if (result.status === 'fulfilled') await result.value.stop();
});

it('the emulator takes over the lock of a process that ended, and respects that of another running one', async () => {
  await stored();
  await writeFile(`${data}.lock`, JSON.stringify({ pid: 2 ** 22 + 1 }));
  expect(await namesIn(data)).toEqual([]);
  await writeFile(`${data}.lock`, JSON.stringify({ pid: process.ppid }));
  await expect(startEmulator({ data })).rejects.toThrow(`in use by process ${process.ppid}`);
});

it('the lock of the emulator is removed after a stop, and after a start that failed', async () => {
  await stored();
  await writeFile(data, 'oops');
  await refusal();
  await expect(stat(`${data}.lock`)).rejects.toThrow('ENOENT');
});

const foreign = 'alias ll="ls -l"\n';

it.each(['', '.new', '.lock'])(
  'an existing file that is not of the emulator is never overwritten, read or removed: <data>%s',
  async (suffix) => {
    await stored();
    await writeFile(`${data}${suffix}`, foreign);
    const error = await refusal();
    expect(inspect(error, { depth: 9 })).not.toContain('alias');
    expect(await readFile(`${data}${suffix}`, 'utf8')).toBe(foreign);
    if (suffix !== '')
      expect(error).toMatchObject({
        message: `${data}${suffix} was not made by the embedded service. It was not changed.`,
        hint: 'choose another data file with service.data or --data, or move this file',
      });
  },
);

it.each(['.new', '.lock'])('the emulator follows no link beside its data: <data>%s', async (suffix) => {
  await stored();
  const other = join(folder, 'other');
  await rm(`${data}${suffix}`, { force: true });
  await symlink(other, `${data}${suffix}`);
  const message = `${data}${suffix} was not made by the embedded service`;
  expect((await refusal()).message).toContain(message);
  await expect(lstat(other)).rejects.toThrow('ENOENT');
  await writeFile(other, '');
  expect((await refusal()).message).toContain(message);
  expect(await readFile(other, 'utf8')).toBe('');
});

it('a folder in place of the data file is refused, and nothing is made beside it', async () => {
  await mkdir(data, { recursive: true });
  await expect(startEmulator({ data })).rejects.toThrow(`${data} is damaged: it is not a regular file`);
  expect(await readdir(dirname(data))).toEqual(['data.json']);
});

it.skipIf(process.platform === 'win32')(
  'a named pipe in place of a file of the emulator does not block it',
  async () => {
    await stored();
    for (const suffix of ['', '.new', '.lock']) {
      const name = `${data}${suffix}`;
      await rm(name, { force: true });
      execFileSync('mkfifo', [name]);
      await refusal();
      await rm(name);
      if (suffix === '') await stored();
    }
  },
);

it('a file that a killed emulator left incomplete does not prevent the next start', async () => {
  await stored();
  await writeFile(`${data}.new`, '{"format":"attu');
  expect(await namesIn(data)).toEqual([]);
  await expect(stat(`${data}.new`)).rejects.toThrow('ENOENT');
});
