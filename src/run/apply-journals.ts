import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { type Journal, type JournalFile, journalExists, openJournal } from '../apply/journal/journal.ts';
import { mayHaveTakenEffect } from '../apply/journal/parse-journal.ts';
import { usageError } from '../model/attune-error.ts';
import { rootsOf } from '../model/configuration.ts';
import { relativePath } from '../model/files.ts';
import { sentChanges } from '../model/plan.ts';
import { valueOrThrow } from './connect.ts';
import type { RunContext } from './context.ts';
import {
  checkJournalFolder,
  discardJournals,
  journalFolder,
  removeOldest,
  type StartedJournal,
  startJournal,
} from './files/journal-folder.ts';
import { writablePath } from './files/write-file.ts';
import type { Planned } from './plan-roots.ts';
import { commandLine, pathWord } from './shell-words.ts';

export interface RunJournalFile {
  readonly path: string;
  readonly journal: Journal;
}

interface OpenJournal extends RunJournalFile, StartedJournal {
  readonly planned: readonly Planned[];
  hasCalls(): boolean;
  hasEffects(): boolean;
}

export async function checkApplyOptions({ options, io: { cwd }, named }: RunContext): Promise<void> {
  const { journal, noJournal, skipFrozen, overrideFreeze } = options;
  const refusePair = (one: string, other: string) => {
    throw usageError(`${named(one)} cannot be used with ${named(other)}`, 'remove one of them');
  };
  if (skipFrozen && overrideFreeze !== undefined) refusePair('skip-frozen', 'override-freeze');
  if (journal === undefined) return;
  if (noJournal) refusePair('journal', 'no-journal');
  const option = named('journal');
  const path = resolve(cwd, journal);
  const existing = journal === '' ? undefined : await lstat(path).catch(() => undefined);
  if (existing && !existing.isDirectory()) throw journalExists(path, option);
  await writablePath(option, journal, cwd);
}

export async function checkJournals(planned: readonly Planned[], context: RunContext): Promise<void> {
  const { journal, noJournal } = context.options;
  if (journal !== undefined || noJournal) return;
  for (const { configuration, plan } of planned)
    if (sentChanges(plan.changes).length > 0) await checkJournalFolder(journalFolder(configuration), context);
}

/**
 * Opens the journals of a run: the file of `--journal`, else one for each organization, beside its first root file. Plans
 * without changes need none.
 */
export async function openJournals(planned: readonly Planned[], context: RunContext) {
  const { journal: name, noJournal } = context.options;
  const changed = noJournal ? [] : planned.filter(({ plan }) => sentChanges(plan.changes).length > 0);
  const { cwd } = context.io;
  const isNamed = name !== undefined && !noJournal;
  const journals: OpenJournal[] = [];
  const now = context.io.date();
  const undone = changed.flatMap(({ undoes }) => (undoes === undefined ? [] : [resolve(cwd, undoes)]));
  const add = (started: StartedJournal, members: readonly Planned[]) =>
    journals.push({ ...started, planned: members, ...watching(started.file) });
  try {
    if (isNamed) {
      const path = await writablePath(context.named('journal'), name, cwd);
      add({ path, file: await openJournal(path), created: [] }, planned);
    } else for (const one of changed) add(await startJournal(one.configuration, context, now), [one]);
  } catch (error) {
    for (const { file } of journals) await file.close().catch(() => {});
    await discardJournals(journals);
    throw error;
  }
  return {
    of: (one: Planned): RunJournalFile | undefined =>
      journals.find((journal) => journal.planned.includes(one)),
    /** Then removes the journals by default that hold no call, or nothing that lasts, and the oldest ones if there are more than 20. */
    close: async (isLasting: boolean): Promise<void> => {
      const closed = await Promise.allSettled(journals.map((journal) => journal.file.close()));
      const left = journals.filter((journal) => isNamed || (isLasting && journal.hasCalls()));
      await discardJournals(journals.filter((journal) => !left.includes(journal)));
      const used = [...undone, ...left.map(({ path }) => path)];
      for (const one of isNamed ? [] : left)
        for (const { configuration } of one.planned) await removeOldest(configuration, used);
      for (const outcome of closed) valueOrThrow(outcome);
    },
    undoCommand: (): string | undefined => {
      const written = journals.filter((one) => one.hasEffects() && existsSync(one.path));
      const members = isNamed ? changed : written.flatMap((one) => one.planned);
      const names = isNamed ? [name] : written.map(({ path }) => relativePath(cwd, path));
      // With --last, an undo of a part is continued.
      const words = isNamed || members.some(undoesPartly) ? names.map(pathWord) : ['--last'];
      if (written.length === 0 || words.length > 1) return undefined;
      return commandLine(['attune', 'undo', ...words, ...rootWords(members, context)]);
    },
  };
}

function undoesPartly({ undoes, undoesPart = false, plan: { summary } }: Planned): boolean {
  return undoes !== undefined && (undoesPart || (summary.held ?? 0) > 0);
}

function watching(file: JournalFile): Pick<OpenJournal, 'journal' | 'hasCalls' | 'hasEffects'> {
  let calls = 0;
  let refused = 0;
  return {
    journal: {
      append: async (record) => {
        await file.append(record);
        if (record.record === 'call') calls += 1;
        if (record.record === 'outcome' && !mayHaveTakenEffect(record)) refused += 1;
      },
    },
    hasCalls: () => calls > 0,
    hasEffects: () => calls > refused,
  };
}

/** The root files that `attune undo` needs: their journals, with `--last`, the settings of their services, and guards. */
function rootWords(changed: readonly Planned[], { io, options }: RunContext): readonly string[] {
  const words = changed
    .flatMap(({ configuration, roots = rootsOf(configuration) }) => roots)
    // What a program declares without a root file has the working folder as its folder.
    .filter(({ file, folder }) => dirname(file) === folder)
    .map(({ file }) => relativePath(io.cwd, file))
    .map((file) => pathWord(file.replace(/\/attune\.yaml$/, '')));
  const roots = [...new Set(words)];
  const isDefault = roots.length === 1 && roots[0] === 'attune.yaml';
  return [...(isDefault ? [] : roots), ...(options.app === undefined ? [] : ['--app', options.app])];
}
