import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';

/** Compares a text with its file in `golden/`; `UPDATE_GOLDEN=1` writes the current text, to be read before it is committed. */
export function expectGolden(name: string, text: string): void {
  const file = join(import.meta.dirname, 'golden', name);
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}
