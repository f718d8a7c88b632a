import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { desiredSide } from './mixed-apply.ts';

/** A folder with the desired side of the mixed apply, which the caller removes. */
export async function configurationFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'attune-faults-'));
  await writeFile(join(folder, 'attune.yaml'), desiredSide);
  return folder;
}
