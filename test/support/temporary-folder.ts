import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where Linux has a file system in memory. In a container it can be small. */
const memory = '/dev/shm';
/** A hundred times as much as the tests need. */
const enoughBytes = 256 * 1024 * 1024;

/** Set-up of the fast tier: one folder for the temporary files of all tests, in memory where there is space, that is removed at the end. */
export default function temporaryFolder(): () => void {
  const folder = mkdtempSync(join(freeBytes(memory) >= enoughBytes ? memory : tmpdir(), 'attune-tests-'));
  // Node takes the folder for temporary files from the first of these, on Windows from the second.
  Object.assign(process.env, { TMPDIR: folder, TEMP: folder });
  return () => rmSync(folder, { recursive: true, maxRetries: 3 });
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
