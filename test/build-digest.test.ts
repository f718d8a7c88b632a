import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildDigest } from '../scripts/build-digest.mjs';
import { folderWith } from './support/attune.ts';

test.each([
  ['src/a.ts', true],
  ['src/page/page.css', true],
  ['schemas/attune.schema.json', true],
  ['scripts/bundle.mjs', true],
  ['package-lock.json', true],
  ['tsconfig.build.json', true],
  ['scripts/sbom.mjs', false],
  ['test/a.test.ts', false],
  ['README.md', false],
])('a change of %s makes a new build: %s', async (file, isInput) => {
  const root = await folderWith({
    'src/b.ts': '',
    'scripts/build.mjs': '',
    'package.json': '{}',
    [file]: 'a',
  });
  const built = buildDigest(root);
  expect(buildDigest(root)).toBe(built);
  writeFileSync(join(root, file), 'b');
  expect(buildDigest(root) !== built).toBe(isInput);
  rmSync(join(root, file));
  expect(buildDigest(root) !== built).toBe(isInput);
});
