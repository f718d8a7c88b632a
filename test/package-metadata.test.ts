import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');
const manifest = JSON.parse(read('package.json'));

test('LICENSE is the unchanged text of the Apache License 2.0 that package.json names', () => {
  expect(manifest.license).toBe('Apache-2.0');
  const digest = createHash('sha256').update(read('LICENSE')).digest('hex');
  expect(digest).toBe('cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30');
});
