import { mkdtemp, readdir, readFile, stat, writeFile } from 'node:fs/promises';
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
  const without = { NODE_DISABLE_COMPILE_CACHE: undefined };
  return startAttune(['validate', ...files], { cwd, env: { XDG_CACHE_HOME: cache, ...without, ...env } })
    .ended;
}

const newFolder = () => mkdtemp(join(tmpdir(), 'attune-cache-'));

async function onlyFile(cache: string): Promise<string> {
  const [name, ...others] = await readdir(join(cache, 'attune'));
  expect([name, others]).toEqual([expect.stringMatching(/^[0-9a-f]{32}-v\d.*-validate\.code$/), []]);
  return join(cache, 'attune', name ?? '');
}

test('a run keeps its compiled code if it has loaded more than the runs before, and the next one uses it', {
  timeout: 60_000,
}, async () => {
  const cache = await newFolder();
  const written = async () => (await stat(await onlyFile(cache))).ino;
  expect((await validate(cache, {}, 'none.yaml')).code).toBe(1);
  const failed = await written();
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
