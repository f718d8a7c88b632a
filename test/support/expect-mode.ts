import { stat } from 'node:fs/promises';
import { expect } from 'vitest';

/** Checks the permissions of a file or folder. Windows has none that Node can set. */
export async function expectMode(path: string, mode: number): Promise<void> {
  const { mode: found } = await stat(path);
  if (process.platform !== 'win32') expect([path, found & 0o777]).toEqual([path, mode]);
}
