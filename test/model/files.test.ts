import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, posix, win32 } from 'node:path';
import { expect, test } from 'vitest';
import { isInside, readRegularFile, replaceFile, slashed, startOfFile } from '../../src/model/files.ts';

test.each([
  ['workspaces\\network.yaml', 'workspaces/network.yaml'],
  ['..\\shared\\a b.yaml', '../shared/a b.yaml'],
  ['D:\\live\\attune.yaml', 'D:/live/attune.yaml'],
])('a path of Windows is shown and saved with slashes: %s as %s', (path, shown) => {
  expect(slashed(path, win32)).toBe(shown);
});

test('a backslash is part of a name on other systems', () => {
  expect(slashed('a\\b.yaml', posix)).toBe('a\\b.yaml');
});

test.each([
  ['C:\\live', 'C:\\live\\workspaces\\a.yaml', true],
  ['C:\\live', 'c:\\LIVE\\a.yaml', true],
  ['C:\\live', 'C:\\live', true],
  ['C:\\live', 'C:\\live\\..a.yaml', true],
  ['C:\\live', 'C:\\lively\\a.yaml', false],
  ['C:\\live', 'C:\\other\\a.yaml', false],
  ['C:\\live', 'D:\\live\\a.yaml', false],
  ['C:\\live', '\\\\server\\share\\a.yaml', false],
  ['\\\\server\\share\\live', '\\\\server\\share\\live\\a.yaml', true],
])('the path %s is %s of the folder: %s', (folder, path, expected) => {
  expect(isInside(folder, path, win32)).toBe(expected);
});

const failure = (code: string) => Object.assign(new Error(code), { code });
const replaceWith = async (platform: NodeJS.Platform, failures: readonly string[]) => {
  const left = [...failures];
  const waits: number[] = [];
  const move = async () => {
    const code = left.shift();
    if (code !== undefined) throw failure(code);
  };
  const wait = async (milliseconds: number) => void waits.push(milliseconds);
  await replaceFile('a.new', 'a', { platform, move, wait });
  return waits;
};

test('a file that another program reads on Windows is replaced a moment later', async () => {
  expect(await replaceWith('win32', ['EPERM', 'EBUSY', 'EACCES'])).toEqual([10, 20, 40]);
});

test('replacing a file on Windows fails after about a second', async () => {
  await expect(replaceWith('win32', Array(8).fill('EPERM'))).rejects.toThrow('EPERM');
  expect(await replaceWith('win32', Array(7).fill('EPERM'))).toEqual([10, 20, 40, 80, 160, 320, 640]);
});

test.each([
  ['win32', 'ENOSPC'],
  ['linux', 'EPERM'],
] as const)('replacing a file on %s fails at once with %s', async (platform, code) => {
  await expect(replaceWith(platform, [code])).rejects.toThrow(code);
});

test('every relative path of the sources is written with slashes', () => {
  const src = join(import.meta.dirname, '..', '..', 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ts$/.test(name));
  const bare = files.flatMap((name) =>
    (readFileSync(join(src, name), 'utf8').match(/^.*\brelative\(.*$/gm) ?? [])
      .filter((line) => !/slashed\(\s*(?:paths\.)?relative\(/.test(line))
      .map((line) => `${slashed(name)}: ${line.trim()}`),
  );
  expect(bare).toEqual(['model/files.ts: const way = paths.relative(folder, path);']);
});

const writeSparse = (path: string) => {
  writeFileSync(path, '');
  truncateSync(path, 300 * 1024 * 1024);
};
test.skipIf(process.platform === 'win32').each([
  ['a named pipe', (path: string) => void execFileSync('mkfifo', [path]), 'it is not a regular file'],
  ['a link to a device', (path: string) => symlinkSync('/dev/zero', path), 'it is not a regular file'],
  ['a file of 300 MiB', writeSparse, 'it is larger than 256 MiB'],
])('what can block or fill the memory is not read: %s', async (_name, create, why) => {
  const path = join(await mkdtemp(join(tmpdir(), 'attune-')), 'file');
  create(path);
  await expect(readRegularFile(path)).rejects.toThrow(why);
  expect(startOfFile(path, 3)).toBe(why.includes('regular') ? undefined : '\0\0\0');
});
