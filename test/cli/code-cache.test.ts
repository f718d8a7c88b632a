import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  type CachePlace,
  type CacheUser,
  cacheFolder,
  namedFolder,
  readCodeCache,
  writeCodeCache,
} from '../../src/cli/code-cache.ts';

let base: string;
let place: CachePlace;
const cache = { code: Buffer.from('compiled plan'), isComplete: true };

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'attune-')));
  place = { folder: join(base, 'attune'), key: 'digest-v20.20.2-x64', command: 'plan' };
});

const path = () => join(place.folder, 'plan.code');
const hasUsers = process.platform !== 'win32';

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
] as const)('compiled code is kept in %s', (_, env, platform, folder) => {
  expect(namedFolder({ env, platform })?.replaceAll('\\', '/')).toBe(folder);
});

test('compiled code is read as it was written, by the same program and command only', () => {
  writeCodeCache(place, () => cache);
  expect(readCodeCache(place)).toEqual(cache);
  writeCodeCache(place, () => ({ ...cache, isComplete: false }));
  expect(readCodeCache(place)).toEqual({ ...cache, isComplete: false });
  expect(readCodeCache({ ...place, key: 'other-v20.20.2-x64' })).toBeUndefined();
  expect(readCodeCache({ ...place, command: 'apply' })).toBeUndefined();
});

test.skipIf(!hasUsers)('only the user can read and write compiled code', async () => {
  writeCodeCache(place, () => cache);
  const modes = await Promise.all(
    [place.folder, path()].map(async (name) => (await stat(name)).mode & 0o777),
  );
  expect(modes).toEqual([0o700, 0o600]);
});

describe('compiled code is not used', () => {
  beforeEach(() => writeCodeCache(place, () => cache));

  test('compiled code is not used if one bit of it has changed', async () => {
    const bytes = await readFile(path());
    for (let at = 0; at < bytes.length; at++) {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      await writeFile(path(), bytes);
      expect(readCodeCache(place)).toBeUndefined();
      bytes[at] = (bytes[at] ?? 0) ^ 1;
    }
  });

  test('compiled code is not used if its end is missing', async () => {
    const bytes = await readFile(path());
    for (const length of [0, 3, 8, 30, bytes.length - 1]) {
      await writeFile(path(), bytes.subarray(0, length));
      expect(readCodeCache(place)).toBeUndefined();
    }
  });

  test.skipIf(process.geteuid?.() !== 0).each([
    ['file', path],
    ['folder', () => place.folder],
  ])('compiled code is not used if its %s belongs to another user', async (_, owned) => {
    await chown(owned(), 65_534, 65_534);
    expect(readCodeCache(place)).toBeUndefined();
  });

  test.skipIf(!hasUsers).each([
    [0o640, 'file', path],
    [0o400, 'file', path],
    [0o755, 'folder', () => place.folder],
    [0o770, 'folder', () => place.folder],
  ])('compiled code is not used with the mode %o of its %s', async (mode, _, changed) => {
    await chmod(changed(), mode);
    expect(readCodeCache(place)).toBeUndefined();
  });

  test.skipIf(!hasUsers)('compiled code is not used through a link', async () => {
    const moved = join(base, 'moved.code');
    await rename(path(), moved);
    await symlink(moved, path());
    expect(readCodeCache(place)).toBeUndefined();
    const folder = join(base, 'link');
    await rename(moved, path());
    await symlink(place.folder, folder);
    expect(readCodeCache({ ...place, folder })).toBeUndefined();
  });
});

describe('a file with the name of compiled code', () => {
  const foreign = 'a file of the user\n'.repeat(10);
  const other = () => join(base, 'other');

  test.skipIf(!hasUsers).each([
    ['pipe', async () => void spawnSync('mkfifo', [path()])],
    ['folder', () => mkdir(path())],
    ['file of another program', () => writeFile(path(), foreign, { mode: 0o600 })],
    ['link to a file', () => writeFile(other(), foreign).then(() => symlink(other(), path()))],
    ['link to nothing', () => symlink(other(), path())],
  ])('a %s with the name of compiled code is neither read nor replaced', async (_, make) => {
    await mkdir(place.folder, { mode: 0o700 });
    await make();
    const { ino } = await lstat(path());
    expect(readCodeCache(place)).toBeUndefined();
    expect(compilations()).toBe(0);
    expect((await lstat(path())).ino).toBe(ino);
    expect(await readFile(other(), 'utf8').catch(() => foreign)).toBe(foreign);
    expect(await readdir(place.folder)).toEqual(['plan.code']);
  });

  test.skipIf(!hasUsers)(
    'compiled code that others can read is replaced by code that they cannot',
    async () => {
      writeCodeCache(place, () => cache);
      await chmod(path(), 0o644);
      writeCodeCache(place, () => cache);
      expect((await stat(path())).mode & 0o777).toBe(0o600);
      expect(readCodeCache(place)).toEqual(cache);
    },
  );
});

/** How often a write compiles code: only if it can keep it. */
function compilations(): number {
  let count = 0;
  writeCodeCache(place, () => {
    count += 1;
    return cache;
  });
  return count;
}

test('nothing is compiled or thrown if the cache folder cannot be made', async () => {
  const file = join(base, 'file');
  await writeFile(file, '');
  place = { ...place, folder: join(file, 'attune') };
  expect(compilations()).toBe(0);
});

test.skipIf(!hasUsers)('nothing is written into a cache folder that others can read', async () => {
  await mkdir(place.folder, { mode: 0o755 });
  expect(compilations()).toBe(0);
  expect(await readdir(place.folder)).toEqual([]);
});

test('keeping compiled code deletes no file, however old it is', async () => {
  await mkdir(place.folder, { mode: 0o700 });
  const names = ['apply.code', 'id_rsa', 'old-v20.20.2-x64-plan.code', 'plan.code.1'];
  for (const name of names) {
    await writeFile(join(place.folder, name), name);
    await utimes(join(place.folder, name), 1, 1);
  }
  expect(compilations()).toBe(1);
  expect((await readdir(place.folder)).sort()).toEqual([...names, 'plan.code'].sort());
});

test('a version replaces the compiled code of another one', async () => {
  writeCodeCache({ ...place, key: 'other-v20.20.2-x64' }, () => ({ ...cache, isComplete: false }));
  writeCodeCache(place, () => cache);
  expect(readCodeCache(place)).toEqual(cache);
  expect(await readdir(place.folder)).toEqual(['plan.code']);
});

describe('the cache folder', () => {
  /** The cache folder of a run of `attune plan` in `working`. */
  const folderOf = (home: string, working = join(base, 'working'), ...words: readonly string[]) => {
    const user: CacheUser = {
      env: { XDG_CACHE_HOME: home, LOCALAPPDATA: home },
      platform: process.platform,
      cwd: () => working,
      argv: ['node', 'attune', 'plan', ...words],
    };
    return cacheFolder(user);
  };
  const inHome = (home: string) => join(home, ...(hasUsers ? ['attune'] : ['attune', 'cache']));
  const made = async (...names: readonly string[]) => {
    const folder = join(base, ...names);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  };
  beforeEach(() => made('working'));

  test('the cache folder is the one of the user, whether it exists or not', async () => {
    const home = join(base, 'home', 'cache');
    expect(folderOf(home)).toBe(inHome(home));
    await made('home', 'cache', 'attune');
    expect(folderOf(home)).toBe(inHome(home));
  });

  test.skipIf(!hasUsers)('the cache folder can be behind a link of the user', async () => {
    const home = await made('home');
    await symlink('home', join(base, 'link'));
    expect(folderOf(join(base, 'link'))).toBe(inHome(home));
  });

  test.skipIf(!hasUsers)('there is no cache folder behind links that lead nowhere', async () => {
    await symlink('loop', join(base, 'loop'));
    expect(folderOf(join(base, 'loop'))).toBeUndefined();
  });

  test.skipIf(!hasUsers).each([0o777, 0o770, 0o702])(
    'there is no cache folder below a folder with the mode %o, in which others can replace it',
    async (mode) => {
      const home = await made('shared', 'home');
      await chmod(dirname(home), mode);
      expect(folderOf(home)).toBeUndefined();
      await symlink(home, join(base, 'link'));
      expect(folderOf(join(base, 'link'))).toBeUndefined();
      await chmod(dirname(home), 0o1000 | mode);
      expect(folderOf(home)).toBe(inHome(home));
    },
  );

  test.skipIf(process.geteuid?.() !== 0)(
    'there is no cache folder below a folder of another user',
    async () => {
      const home = await made('foreign', 'home');
      await chown(dirname(home), 65_534, 65_534);
      expect(folderOf(home)).toBeUndefined();
    },
  );

  test('there is no cache folder inside the working folder', () => {
    const home = join(base, 'working', 'cache');
    expect(folderOf(home)).toBeUndefined();
    expect(folderOf(home, join(base, 'missing'))).toBe(inHome(home));
  });

  test('there is no cache folder inside the folder of a root file', async () => {
    const folder = await made('configuration');
    await writeFile(join(folder, 'acme.yaml'), '');
    const home = join(folder, 'cache');
    expect(folderOf(home)).toBe(inHome(home));
    for (const word of [folder, join(folder, 'acme.yaml'), '../configuration', '../configuration/acme.yaml'])
      expect(folderOf(home, join(base, 'working'), word)).toBeUndefined();
  });

  test.each(['.git', '.hg', '.svn'])('there is no cache folder inside a repository with %s', async (name) => {
    await made('checkout', 'cache');
    // A worktree of Git has a file.
    await writeFile(join(base, 'checkout', name), '');
    expect(folderOf(join(base, 'checkout', 'cache'))).toBeUndefined();
    expect(folderOf(join(base, 'checkout', 'cache', 'not', 'made', 'yet'))).toBeUndefined();
  });
});
