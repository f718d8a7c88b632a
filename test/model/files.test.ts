import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, win32 } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isInside, slashed } from '../../src/model/files.ts';

describe('paths of Windows', () => {
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
});

test('every relative path of the sources is written with slashes', () => {
  const src = join(import.meta.dirname, '..', '..', 'src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => /\.ts$/.test(name));
  const bare = files.flatMap((name) =>
    (readFileSync(join(src, name), 'utf8').match(/^.*\brelative\(.*$/gm) ?? [])
      .filter((line) => !/slashed\(\s*relative\(/.test(line))
      .map((line) => `${slashed(name)}: ${line.trim()}`),
  );
  expect(bare).toEqual(['model/files.ts: const way = paths.relative(folder, path);']);
});
