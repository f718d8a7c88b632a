import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { JournaledChange, JournaledResult, RunJournal } from '../apply/journal/parse-journal.ts';
import { readHead } from '../desired/files/read-file.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Action } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import { relativePath } from '../model/files.ts';
import type { ListedJournal } from '../report/results.ts';
import { isSameOrganization } from '../service/address.ts';
import type { RunContext } from './context.ts';
import { readJournalFile } from './files/input-files.ts';
import {
  type BegunJournal,
  byTime,
  journalFolder,
  journalsOf,
  listBegunJournals,
} from './files/journal-folder.ts';
import { commandLine, pathWord } from './shell-words.ts';
import { isPart } from './undo-journals.ts';
import { shownConfiguration } from './undo-settings.ts';

/**
 * Lists the journals of root files, the newest first. Of the root files it reads only the organization and the address,
 * line by line, so they need not be valid.
 */
export async function readJournals(
  files: readonly string[],
  context: RunContext,
): Promise<readonly ListedJournal[]> {
  const { cwd } = context.io;
  const named = await Promise.all(files.map((file) => readRoot(file, context)));
  const found = new Map<string, Found>();
  for (const root of named)
    for (const journal of await namedJournals(root)) {
      const { roots = [] } = found.get(journal.path) ?? {};
      found.set(journal.path, { ...journal, roots: [...roots, root] });
    }
  if (named.length === 0) {
    const roots = await rootsIn(context);
    for (const journal of await listBegunJournals(journalFolder({ folder: cwd }))) {
      const root = roots.find(({ settings }) => settings && isSameOrganization(settings, journal));
      found.set(journal.path, { ...journal, roots: root ? [root] : [] });
    }
  }
  const listed: ListedJournal[] = [];
  for (const journal of [...found.values()].sort(byTime)) listed.push(await read(journal, context));
  return withUndoes(listed);
}

interface NamedRoot {
  readonly word: string;
  /** Whether it is the `attune.yaml` of the working folder, which a command without root files reads. */
  readonly isDefault: boolean;
  readonly folder: string;
  readonly settings: Configuration | undefined;
}

interface Found extends BegunJournal {
  readonly roots: readonly NamedRoot[];
}

async function readRoot(name: string, context: RunContext): Promise<NamedRoot> {
  const { cwd } = context.io;
  const path = resolve(cwd, name);
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
  const file = isFolder ? join(path, 'attune.yaml') : path;
  const isDefault = file === join(cwd, 'attune.yaml');
  const word = pathWord(relativePath(cwd, isFolder && !relativePath(cwd, path) ? file : path));
  const folder = dirname(file);
  const { organization, ...shown } = await readHead(file);
  const settings =
    organization === undefined ? undefined : shownConfiguration({ ...shown, organization }, folder, context);
  return { word, isDefault, folder, settings };
}

/** The YAML files of a folder, `attune.yaml` first: one of them has the settings of a journal. */
async function rootsIn(context: RunContext): Promise<readonly NamedRoot[]> {
  const names = await readdir(context.io.cwd).catch(() => []);
  const files = ['attune.yaml', ...names.filter((name) => /\.ya?ml$/.test(name) && name !== 'attune.yaml')];
  return await Promise.all(files.map((name) => readRoot(name, context)));
}

async function namedJournals({ folder, settings }: NamedRoot): Promise<readonly BegunJournal[]> {
  const journals = journalFolder({ folder });
  return settings === undefined ? listBegunJournals(journals) : journalsOf(journals, settings);
}

async function read({ path, at, organization, roots }: Found, context: RunContext): Promise<ListedJournal> {
  const { cwd } = context.io;
  const file = relativePath(cwd, path);
  try {
    const runs = await readJournalFile(file, cwd);
    const [first] = runs as [RunJournal, ...RunJournal[]];
    const changes = runs.flatMap((run) => run.changes);
    const done = (action: Action) =>
      changes.filter((change) => change.result === 'done' && change.action === action).length;
    const ended = (result: JournaledResult) => changes.filter((change) => change.result === result).length;
    const isUnknown = (change: JournaledChange) =>
      change.result === 'failed' && change.calls.some(({ outcome }) => outcome === undefined);
    const reason = reasonOf(runs);
    return {
      file,
      at: first.at,
      organization: first.organization,
      address: first.address,
      changes: {
        create: done('create'),
        update: done('update'),
        delete: done('delete'),
        partial: ended('partial'),
        failed: ended('failed'),
      },
      unknown: changes.filter(isUnknown).length,
      complete: reason === undefined,
      ...(reason !== undefined && { reason }),
      ...(first.undoes !== undefined && {
        undoes: relativePath(cwd, resolve(dirname(path), first.undoes)),
        ...(runs.some(isPart) && { undoesPart: true as const }),
      }),
      command: commandLine([
        'attune',
        'undo',
        pathWord(file),
        ...(roots.every(({ isDefault }) => isDefault) ? [] : [...new Set(roots.map(({ word }) => word))]),
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
  root: NamedRoot | undefined,
  { io, options }: RunContext,
): readonly string[] {
  if (options.address !== undefined) return ['--address', options.address];
  return io.env.ATTUNE_ADDRESS || root?.settings?.service.address ? [] : ['--address', address];
}

function withUndoes(journals: readonly ListedJournal[]): readonly ListedJournal[] {
  return journals.map((journal) => {
    const undos = journals.filter(({ undoes }) => undoes === journal.file);
    const whole = undos.find(({ complete, undoesPart }) => complete && !undoesPart);
    if (whole) return { ...journal, undoneBy: whole.file };
    const part = undos.find(hasEffect);
    return part ? { ...journal, undoneInPartBy: part.file } : journal;
  });
}

function hasEffect({ changes }: ListedJournal): boolean {
  return changes !== undefined && changes.create + changes.update + changes.delete + changes.partial > 0;
}
