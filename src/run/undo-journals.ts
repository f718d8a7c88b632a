import { dirname, resolve } from 'node:path';
import { journalFormat } from '../apply/journal/journal.ts';
import type { RunJournal } from '../apply/journal/parse-journal.ts';
import { AttuneError, usageError } from '../model/attune-error.ts';
import { bareConfiguration, type Configuration, rootsOf } from '../model/configuration.ts';
import { readRegularFile, relativePath, startOfFile } from '../model/files.ts';
import { isSameOrganization, type OrganizationIdentity } from '../service/address.ts';
import {
  hasDoubtfulDeletes,
  type Recreated,
  type RevertedRuns,
  recreationsOf,
  withoutLaterDeletes,
  withRecreated,
} from '../undo/recreations.ts';
import { readJournalFile } from './files/input-files.ts';
import {
  type BegunJournal,
  byTime,
  type FoundJournal,
  journalFolder,
  journalsOf,
  listBegunJournals,
} from './files/journal-folder.ts';
import { commandLine, pathWord } from './shell-words.ts';
import type { UndoRoot } from './undo-settings.ts';

/**
 * The newest journal of each organization and service of the root files, beside any of them; without root files, that of
 * the working folder. A run over several root files writes one journal, beside the first of them.
 */
export async function lastJournals(roots: readonly UndoRoot[], cwd: string): Promise<readonly string[]> {
  const newest = roots.length === 0 ? [await onlyLast(folderOf(cwd), cwd)] : await newestOf(roots, cwd);
  return [...new Set(await journalsToUndo(newest, cwd))];
}

async function newestOf(roots: readonly UndoRoot[], cwd: string): Promise<readonly FoundJournal[]> {
  return await Promise.all(
    roots.map(async (root) => {
      const { organization } = root;
      if (organization === undefined) return onlyLast(journalFolder(root), cwd);
      const settings = root.configuration(organization);
      const mates = roots.filter((other) => isSameOrganization(other.configuration(organization), settings));
      const folders = [...new Set(mates.map(journalFolder))];
      const journals = async (of: Configuration | OrganizationIdentity) =>
        (await Promise.all(folders.map((folder) => journalsOf(folder, of)))).flat().sort(byTime);
      const own = await journals(settings);
      // A journal of another service is refused later, with both addresses.
      const [newest] = own.length > 0 ? own : await journals({ organization });
      if (newest === undefined) {
        const searched = folders.map((folder) => relativePath(cwd, folder)).join(', ');
        throw noJournal(`there is no journal of ${organization} in ${searched}`);
      }
      return newest;
    }),
  );
}

/**
 * The journals themselves, except for those of a command whose undo is not complete, or only of a part: this undo is continued, so
 * that the journals that it undoes are used. The journals of one command have one time.
 */
async function journalsToUndo(newest: readonly FoundJournal[], cwd: string): Promise<readonly string[]> {
  const read = await Promise.all(
    newest.map(async ({ path, time }) => ({
      path,
      time,
      runs: await readJournalFile(relativePath(cwd, path), cwd),
    })),
  );
  const isContinued = read.map(({ runs }) =>
    runs.some((run) => run.undoes !== undefined && (!run.isComplete || isPart(run))),
  );
  const times = new Set(read.flatMap(({ time }, index) => (isContinued[index] ? time : [])));
  return read.map(({ path, time, runs }) => {
    const undone = times.has(time) ? runs[0]?.undoes : undefined;
    return relativePath(cwd, undone === undefined ? path : resolve(dirname(path), undone));
  });
}

/** Whether an undo leaves changes of its runs: those that `--only`, conflicts or freeze windows leave out. */
export function isPart({ undoesPart, held = [] }: RunJournal): boolean {
  return undoesPart === true || held.length > 0;
}

async function onlyLast(folder: string, cwd: string): Promise<FoundJournal> {
  const newest: BegunJournal[] = [];
  for (const journal of await listBegunJournals(folder))
    if (!newest.some((one) => isSameOrganization(one, journal))) newest.push(journal);
  const [only, ...others] = newest;
  if (only === undefined) throw noJournal(`there is no journal in ${relativePath(cwd, folder)}`);
  if (others.length === 0) return only;
  const names = [only, ...others].map(({ path }) => relativePath(cwd, path)).sort();
  throw usageError(
    `--last is ambiguous: ${relativePath(cwd, folder)} has journals of ${names.length} organizations`,
    `name a root file, or one of the journals: ${names.join(', ')}`,
  );
}

/**
 * A run as the journals beside its own and in the journal folder show it: with what undos of others created again, and
 * without the deletes that another run made later. A journal that cannot be read proves nothing.
 */
export async function withOtherRuns<Run extends RunJournal & { readonly file: string }>(
  run: Run,
  configuration: Configuration,
  cwd: string,
): Promise<{ readonly run: RunJournal; readonly recreated: ReadonlyMap<string, Recreated> }> {
  const folders = new Set([...rootsOf(configuration).map(journalFolder), dirname(resolve(cwd, run.file))]);
  const found = await Promise.all([...folders].map((folder) => journalsOf(folder, run)));
  const paths = found.flat().map(({ path }) => path);
  const undos: RevertedRuns[] = [];
  const later: RunJournal[] = [];
  for (const path of paths) {
    if (!(hasDoubtfulDeletes(run) || (await isOfUndo(path)))) continue;
    for (const other of await runsLike(run, path, cwd)) {
      if (other.at > run.at) later.push(other);
      if (other.undoes === undefined) continue;
      undos.push({ undo: other, reverted: await runsLike(run, resolve(dirname(path), other.undoes), cwd) });
    }
  }
  const recreated = recreationsOf(undos.sort((a, b) => (a.undo.at < b.undo.at ? -1 : 1)));
  return { run: withRecreated(withoutLaterDeletes(run, later), recreated), recreated };
}

/** Each run of a command is an undo, or none is. */
async function isOfUndo(path: string): Promise<boolean> {
  const [first = ''] = (await readRegularFile(path).catch(() => '')).split('\n', 1);
  return first.includes('"undoes":');
}

async function runsLike(run: RunJournal, path: string, cwd: string): Promise<readonly RunJournal[]> {
  const runs = await readJournalFile(relativePath(cwd, path), cwd).catch(() => []);
  return runs.filter((other) => isSameOrganization(other, run));
}

export async function requireJournal(journal: string | undefined, cwd: string): Promise<string> {
  if (journal !== undefined) return journal;
  const newest = (await listBegunJournals(folderOf(cwd))).slice(0, 1);
  // A hint needs no readable journal.
  const [name] = await journalsToUndo(newest, cwd).catch(() =>
    newest.map(({ path }) => relativePath(cwd, path)),
  );
  const named = name && commandLine(['attune', 'undo', name]);
  throw usageError(
    'attune undo needs a journal',
    named
      ? `run \`attune undo --last\`, which is \`${named}\` now, or name a journal`
      : `name the file that \`attune apply --journal\` wrote; there is no journal in ${relativePath(cwd, folderOf(cwd))}`,
  );
}

export async function refuseJournalAsRoot(roots: readonly string[], cwd: string): Promise<void> {
  const [first] = roots;
  if (first === undefined) return;
  const start = `{"record":"run","format":"${journalFormat}"`;
  if (startOfFile(resolve(cwd, first), start.length) !== start) return;
  throw usageError(
    `--last cannot be used with the journal ${first}`,
    `run \`${commandLine(['attune', 'undo', pathWord(first)])}\` to undo this journal`,
  );
}

function folderOf(cwd: string): string {
  return journalFolder(bareConfiguration('', cwd));
}

function noJournal(message: string): AttuneError {
  return new AttuneError(message, {
    code: 'no-journal',
    hint: 'name the file of a journal: attune undo FILE',
  });
}
