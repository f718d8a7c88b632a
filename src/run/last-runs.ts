import { relative } from 'node:path';
import type { RunJournal } from '../apply/journal/parse-journal.ts';
import type { Configuration } from '../desired/configuration.ts';
import { slashed } from '../model/files.ts';
import { readJournalFile } from './files/input-files.ts';
import { journalFolder, journalsOf } from './files/journal-folder.ts';

/**
 * The runs in the newest journal of an organization at an address. It explains a plan and is not needed for it: there are
 * none if the journal cannot be read.
 */
export async function lastRuns(
  configuration: Configuration,
  address: string,
  cwd: string,
): Promise<readonly RunJournal[]> {
  try {
    const { organization } = configuration.desired;
    const [newest] = await journalsOf(journalFolder(configuration), organization);
    if (newest === undefined) return [];
    const runs = await readJournalFile(slashed(relative(cwd, newest.path)), cwd);
    return runs.filter(
      (run) => run.address === address && run.organization.toLowerCase() === organization.toLowerCase(),
    );
  } catch {
    return [];
  }
}
