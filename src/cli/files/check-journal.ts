import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { journalExists } from '../../apply/journal/open-journal.ts';
import { writablePath } from './report-files.ts';

/**
 * Looks whether `--journal` can be written before any work is done.
 *
 * @throws {AttuneError} where something stands there already, or nothing can be written there.
 */
export async function checkJournal({ journal }: { readonly journal?: string }, cwd: string): Promise<void> {
  if (journal === undefined) return;
  const path = resolve(cwd, journal);
  if (await lstat(path).catch(() => undefined)) throw journalExists(path);
  await writablePath('--journal', journal, cwd);
}
