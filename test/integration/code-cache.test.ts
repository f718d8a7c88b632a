import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { startAttune } from './attune-process.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {app: {}}\n';
const valid = { code: 0, stdout: '', stderr: 'acme: 1 declared resource, no errors.\n' };

/** Runs `attune validate` with a cache folder. */
async function validate(
  cache: string,
  env: Readonly<Record<string, string | undefined>> = {},
  ...files: readonly string[]
) {
  const cwd = await folderWith({ 'attune.yaml': yaml });
  return validateIn(cwd, cache, env, ...files);
}

function validateIn(
  cwd: string,
  cache: string,
  env: Readonly<Record<string, string | undefined>> = {},
  ...files: readonly string[]
) {
  const without = { NODE_DISABLE_COMPILE_CACHE: undefined };
  return startAttune(['validate', ...files], { cwd, env: { XDG_CACHE_HOME: cache, ...without, ...env } })
    .ended;
}

const newFolder = () => mkdtemp(join(tmpdir(), 'attune-cache-'));

async function onlyFile(cache: string): Promise<string> {
  expect(await readdir(join(cache, 'attune'))).toEqual(['validate.code']);
  return join(cache, 'attune', 'validate.code');
}

test('a run keeps its compiled code until one has not failed, and the next one uses it', {
  timeout: 60_000,
}, async () => {
  const cache = await newFolder();
  const written = async () => (await stat(await onlyFile(cache))).ino;
  expect((await validate(cache, {}, 'none.yaml')).code).toBe(1);
  const failed = await written();
  expect((await validate(cache, {}, 'none.yaml')).code).toBe(1);
  expect(await written()).toBe(failed);
  expect(await validate(cache)).toEqual(valid);
  const succeeded = await written();
  expect(succeeded).not.toBe(failed);
  expect(await validate(cache)).toEqual(valid);
  // Code that V8 rejects would be replaced by a new file.
  expect(await written()).toBe(succeeded);
});

test('damaged compiled code is replaced without a message', { timeout: 60_000 }, async () => {
  const cache = await newFolder();
  await validate(cache);
  const file = await onlyFile(cache);
  const written = await readFile(file);
  const damaged = Buffer.from(written);
  damaged.fill(0xff, 8192, 16_384);
  await writeFile(file, damaged);
  expect(await validate(cache)).toEqual(valid);
  expect((await readFile(file)).equals(damaged)).toBe(false);
});

test('a command runs without a message if its compiled code cannot be kept', {
  timeout: 60_000,
}, async () => {
  const file = join(await newFolder(), 'file');
  await writeFile(file, '');
  expect(await validate(file)).toEqual(valid);
});

test('NODE_DISABLE_COMPILE_CACHE turns the cache off', { timeout: 60_000 }, async () => {
  const cache = await newFolder();
  expect(await validate(cache, { NODE_DISABLE_COMPILE_CACHE: '1' })).toEqual(valid);
  expect(await readdir(cache)).toEqual([]);
});

test('no command deletes a file of the cache folder', { timeout: 60_000 }, async () => {
  const cache = await newFolder();
  await mkdir(join(cache, 'attune'), { mode: 0o700 });
  for (const name of ['id_rsa', 'old-validate.code', 'validate.code']) {
    await writeFile(join(cache, 'attune', name), 'a file of the user');
    await utimes(join(cache, 'attune', name), 1, 1);
  }
  expect(await validate(cache)).toEqual(valid);
  expect(await readdir(join(cache, 'attune'))).toEqual(['id_rsa', 'old-validate.code', 'validate.code']);
  expect(await readFile(join(cache, 'attune', 'validate.code'), 'utf8')).toBe('a file of the user');
});

test('code in a cache folder of the checkout is not run, and none is written there', {
  timeout: 60_000,
}, async () => {
  const elsewhere = await newFolder();
  await validate(elsewhere);
  const cwd = await folderWith({ 'team/attune.yaml': yaml, '.git': '' });
  await cp(join(elsewhere, 'attune'), join(cwd, '.cache', 'attune'), { recursive: true });
  const file = join(cwd, '.cache', 'attune', 'validate.code');
  const seeded = await stat(file);
  expect((await validateIn(join(cwd, 'team'), join(cwd, '.cache'))).stderr).toBe(valid.stderr);
  expect((await validateIn('/', join(cwd, '.cache'), {}, join(cwd, 'team'))).stderr).toBe(valid.stderr);
  expect((await stat(file)).mtimeMs).toBe(seeded.mtimeMs);
  expect(await validateIn(join(cwd, 'team'), join(cwd, 'none'))).toEqual(valid);
  await expect(stat(join(cwd, 'none'))).rejects.toThrow('ENOENT');
});

test('a pipe with the name of compiled code does not stop a command', { timeout: 60_000 }, async () => {
  const cache = await newFolder();
  await mkdir(join(cache, 'attune'), { mode: 0o700 });
  spawnSync('mkfifo', [join(cache, 'attune', 'validate.code')]);
  expect(await validate(cache)).toEqual(valid);
});
