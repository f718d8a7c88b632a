/*
 * The journals of root files: which one an undo reverts, and the list of `attune undo --list`. Journals are in a folder beside the
 * root file (files/input-files.ts). An undo that reverts a part, or is not complete, is continued with the journals that it undoes.
 */

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { JournaledChange, RunJournal } from '../apply/journal/parse-journal.ts';
import { readHead } from '../desired/files/read-file.ts';
import type { Action } from '../model/change.ts';
import { AttuneError, usageError } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import { commandLine, pathWord } from '../model/text.ts';
import type { ListedJournal } from '../report/results.ts';
import { isSameOrganization } from '../service/address.ts';
import { rootWords } from './apply-journals.ts';
import type { RunContext } from './context.ts';
import { type FoundJournal, journalFolder, listJournals, readJournalFile } from './files/input-files.ts';
import { identityOf, loadUndoRoots, type UndoRoot } from './undo-settings.ts';

/**
 * The journal that is named, or with root files the newest one of each organization and service, beside any of them. A run over
 * several root files writes one journal, beside the first of them.
 */
export async function journalsToUndo(
  roots: readonly UndoRoot[] | undefined,
  journal: string | undefined,
  cwd: string,
): Promise<readonly string[]> {
  if (roots) return [...new Set(await continued(await newestOf(roots, cwd), cwd))];
  if (journal !== undefined) return [journal];
  throw usageError(
    'attune undo needs a journal',
    'run `attune undo --last`, or name one of the journals that `attune undo --list` prints',
  );
}

async function newestOf(roots: readonly UndoRoot[], cwd: string): Promise<readonly FoundJournal[]> {
  return await Promise.all(
    roots.map(async (root) => {
      const { organization } = root;
      if (organization === undefined) return onlyLast(journalFolder(root), cwd);
      const own = identityOf(root, organization);
      const mates = roots.filter((other) => isSameOrganization(identityOf(other, organization), own));
      const folders = [...new Set(mates.map(journalFolder))];
      const [newest] = await listJournals(folders, own);
      if (newest !== undefined) return newest;
      const searched = folders.map((folder) => relativePath(cwd, folder)).join(', ');
      throw noJournal(`there is no journal of ${organization} in ${searched}`);
    }),
  );
}

/**
 * The journals themselves, except for those of a command whose undo is not complete, or only of a part: this undo is continued, so
 * that the journals that it undoes are used. The journals of one command have one time.
 */
async function continued(newest: readonly FoundJournal[], cwd: string): Promise<readonly string[]> {
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
    const journal = relativePath(cwd, undone === undefined ? path : resolve(dirname(path), undone));
    if (existsSync(resolve(cwd, journal))) return journal;
    throw noJournal(`cannot continue the undo in ${relativePath(cwd, path)}: ${journal} does not exist`);
  });
}

/** Whether an undo leaves changes of its runs: those that `--only`, conflicts or freeze windows leave out. */
function isPart({ undoesPart, held = [] }: RunJournal): boolean {
  return undoesPart === true || held.length > 0;
}

async function onlyLast(folder: string, cwd: string): Promise<FoundJournal> {
  const newest: FoundJournal[] = [];
  for (const journal of await listJournals([folder]))
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

function noJournal(message: string): AttuneError {
  const hint = 'name the file of a journal: attune undo FILE';
  return new AttuneError(message, { code: 'no-journal', hint });
}

/** Lists the journals of root files, the newest first; without root files, those of the working folder. */
export async function readJournals(
  files: readonly string[],
  context: RunContext,
): Promise<readonly ListedJournal[]> {
  const { cwd } = context.io;
  const roots = await loadUndoRoots(files.length > 0 ? files : await rootsIn(cwd), context);
  const listed: ListedJournal[] = [];
  for (const journal of await listJournals(roots.map(journalFolder))) {
    // The guards of each of them hold for an undo.
    const own = roots.filter(
      (root) =>
        journalFolder(root) === dirname(journal.path) &&
        isSameOrganization(identityOf(root, journal.organization), journal),
    );
    if (files.length === 0 || own.length > 0) listed.push(await read(journal, own, context));
  }
  return listed;
}

async function rootsIn(cwd: string): Promise<readonly string[]> {
  const names = (await readdir(cwd)).filter((name) => /\.ya?ml$/.test(name)).sort();
  const heads = await Promise.all(names.map((name) => readHead(join(cwd, name))));
  // A seed has an organization, too.
  return names.filter((_, index) => heads[index]?.isRoot);
}

async function read(
  { path, at, organization }: FoundJournal,
  roots: readonly UndoRoot[],
  context: RunContext,
): Promise<ListedJournal> {
  const { cwd } = context.io;
  const file = relativePath(cwd, path);
  try {
    const runs = await readJournalFile(file, cwd);
    const [first] = runs as [RunJournal, ...RunJournal[]];
    const changes = runs.flatMap((run) => run.changes);
    const count = (outcome: Action | JournaledChange['result']) =>
      changes.filter(({ result, action }) => (result === 'done' ? action : result) === outcome).length;
    const reason = reasonOf(runs);
    return {
      file,
      at: first.at,
      organization: first.organization,
      address: first.address,
      changes: {
        create: count('create'),
        update: count('update'),
        delete: count('delete'),
        partial: count('partial'),
        failed: count('failed'),
        skipped: runs.reduce((sum, run) => sum + run.skipped, 0),
      },
      complete: reason === undefined,
      reason,
      undoes: first.undoes && relativePath(cwd, resolve(dirname(path), first.undoes)),
      undoesPart: (first.undoes !== undefined && runs.some(isPart)) || undefined,
      command: commandLine([
        'attune',
        'undo',
        pathWord(file),
        ...rootWords(
          roots.map((root) => root.file),
          context,
        ),
        ...addressWords(first, roots[0], context),
      ]),
    };
  } catch (error) {
    if (!(error instanceof AttuneError)) throw error;
    return { file, at, organization, complete: false, reason: error.message };
  }
}

function reasonOf(runs: readonly RunJournal[]): string | undefined {
  if (runs.some(({ isWhole }) => !isWhole)) return 'interrupted';
  return runs.every(({ isComplete }) => isComplete) ? undefined : 'some changes are not done';
}

/** A journal does not decide which address gets the token, so a command without a root file names it. */
function addressWords(
  { address }: RunJournal,
  root: UndoRoot | undefined,
  { io, options }: RunContext,
): readonly string[] {
  if (options.address !== undefined) return ['--address', options.address];
  const declared = root?.configuration?.service.address ?? root?.address;
  return io.env.ATTUNE_ADDRESS || declared ? [] : ['--address', address];
}
