import { applyPatch } from 'diff';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../src/report/results.ts';

test.each([
  ['with an empty line at the end', 'a: 1\nb: 2\n\n', 'a: 2\nb: 2\n\n'],
  ['with Windows line ends', 'a: 1\r\nb: 2\r\n', 'a: 2\r\nb: 2\r\n'],
  ['with Windows line ends and a last line that changes', 'a: 1\r\nb: 2\r\n', 'a: 1\r\nb: 3\r\nc: 4\r\n'],
  ['without a line end', 'a: 1\nb: 2', 'a: 2\nb: 2'],
])('the diff of a file %s can be applied', (_, before, after) => {
  const file = 'attune.yaml';
  const patch = unifiedDiff([{ file, before, after }], { path: (name) => name });
  expect(applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
});
