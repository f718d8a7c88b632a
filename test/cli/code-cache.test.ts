import { chown, mkdtemp, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type CachePlace, cacheFolder, readCodeCache, writeCodeCache } from '../../src/cli/code-cache.ts';

let place: CachePlace;
const cache = new Map([
  ['./start.js', { code: Buffer.from('compiled start'), chunks: 3 }],
  ['./plan.js', { code: Buffer.from('compiled plan'), chunks: 1 }],
]);

beforeEach(async () => {
  const folder = join(await mkdtemp(join(tmpdir(), 'attune-')), 'attune');
  place = { folder, key: 'digest-v20.20.2-x64', command: 'plan' };
});

const path = () => join(place.folder, 'digest-v20.20.2-x64-plan.code');

test.each([
  ['the cache folder of the user', { XDG_CACHE_HOME: '/cache', HOME: '/home/jo' }, 'linux', '/cache/attune'],
  ['.cache in the home folder', { HOME: '/home/jo' }, 'darwin', '/home/jo/.cache/attune'],
  ['the local data of the user on Windows', { LOCALAPPDATA: '/local' }, 'win32', '/local/attune/cache'],
  ['no folder if the user has none', {}, 'linux', undefined],
  ['no folder below the working folder', { XDG_CACHE_HOME: 'cache' }, 'linux', undefined],
  [
    'no folder if the user turns it off',
    { NODE_DISABLE_COMPILE_CACHE: '1', HOME: '/home/jo' },
    'linux',
    undefined,
  ],
])('compiled code is kept in %s', (_, env, platform, folder) => {
  expect(cacheFolder(env, platform)?.replaceAll('\\', '/')).toBe(folder);
});

test('compiled code is read as it was written, by the same program and command only', () => {
  writeCodeCache(place, () => cache);
  expect(readCodeCache(place)).toEqual(cache);
  expect(readCodeCache({ ...place, key: 'other-v20.20.2-x64' })).toBeUndefined();
  expect(readCodeCache({ ...place, command: 'apply' })).toBeUndefined();
});

test.skipIf(process.platform === 'win32')('only the user can read and write compiled code', async () => {
  writeCodeCache(place, () => cache);
  const modes = await Promise.all(
    [place.folder, path()].map(async (name) => (await stat(name)).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600]);
});

describe('compiled code is not used', () => {
  beforeEach(() => writeCodeCache(place, () => cache));

  test('if one bit of it has changed', async () => {
    const bytes = await readFile(path());
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path(), bytes);
      expect(readCodeCache(place)).toBeUndefined();
      bytes[at] = (bytes[at] ?? 0) ^ 1;
    }
  });

  test('if its end is missing', async () => {
    const bytes = await readFile(path());
    for (const length of [0, 3, 8, bytes.length - 1]) {
      await writeFile(path(), bytes.subarray(0, length));
      expect(readCodeCache(place)).toBeUndefined();
    }
  });

  test.skipIf(process.geteuid?.() !== 0)('if another user wrote it', async () => {
    await chown(path(), 65_534, 65_534);
    expect(readCodeCache(place)).toBeUndefined();
  });
});

test('nothing is compiled or thrown if the folder cannot be made', async () => {
  const file = join(await mkdtemp(join(tmpdir(), 'attune-')), 'file');
  await writeFile(file, '');
  let compilations = 0;
  writeCodeCache({ ...place, folder: join(file, 'attune') }, () => {
    compilations += 1;
    return cache;
  });
  expect(compilations).toBe(0);
});

test('a write removes files of other versions that are older than a day, and no file of this version', async () => {
  writeCodeCache(place, () => cache);
  const names = ['old-v20.20.2-x64-plan.code', 'recent-v20.20.2-x64-plan.code', `${place.key}-apply.code`];
  for (const name of names) await writeFile(join(place.folder, name), '');
  const twoDaysAgo = Date.now() / 1000 - 2 * 24 * 60 * 60;
  for (const name of [names[0], names[2]])
    await utimes(join(place.folder, name ?? ''), twoDaysAgo, twoDaysAgo);
  writeCodeCache(place, () => cache);
  expect((await readdir(place.folder)).sort()).toEqual([
    `${place.key}-apply.code`,
    `${place.key}-plan.code`,
    'recent-v20.20.2-x64-plan.code',
  ]);
});
