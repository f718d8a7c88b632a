import { existsSync } from 'node:fs';
import { lstat, mkdir, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  type Journal,
  JournalError,
  type JournalFile,
  journalExists,
  openJournal,
} from '../apply/journal/journal.ts';
import { mayHaveTakenEffect } from '../apply/journal/parse-journal.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { AttuneError, usageError } from '../model/diagnostic.ts';
import { realPathOutside, relativePath } from '../model/files.ts';
import { sentChanges } from '../model/plan.ts';
import { commandLine, pathWord } from '../model/text.ts';
import { valueOrThrow } from './connect.ts';
import type { RunContext } from './context.ts';
import { journalFileName, journalFolder, listJournals } from './files/input-files.ts';
import { writablePath } from './files/write-file.ts';
import type { Planned } from './plan-roots.ts';

/** The journals of an organization that are kept. */
const kept = 20;

export interface RunJournalFile {
  readonly path: string;
  readonly journal: Journal;
}

interface OpenJournal extends RunJournalFile {
  readonly file: JournalFile;
  readonly planned: readonly Planned[];
  hasCalls(): boolean;
  hasEffects(): boolean;
}

export async function checkApplyOptions({ options, io: { cwd } }: RunContext): Promise<void> {
  const { journal, noJournal, skipFrozen, overrideFreeze } = options;
  const refusePair = (one: string, other: string) => {
    throw usageError(`--${one} cannot be used with --${other}`, 'remove one of them');
  };
  if (skipFrozen && overrideFreeze !== undefined) refusePair('skip-frozen', 'override-freeze');
  if (journal === undefined) return;
  if (noJournal) refusePair('journal', 'no-journal');
  const path = resolve(cwd, journal);
  const existing = journal === '' ? undefined : await lstat(path).catch(() => undefined);
  if (existing && !existing.isDirectory()) throw journalExists(path, '--journal');
  await writablePath('--journal', journal, cwd);
}

type StartedJournal = Pick<OpenJournal, 'path' | 'file'>;

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
      const path = await writablePath('--journal', name, cwd);
      add({ path, file: await openJournal(path) }, planned);
    } else for (const one of changed) add(await startJournal(one.configuration, context, now), [one]);
  } catch (error) {
    for (const { file } of journals) await file.close().catch(() => {});
    await discardJournals(journals);
    throw error;
  }
  return {
    of: (one: Planned): RunJournalFile | undefined =>
      journals.find((journal) => journal.planned.includes(one)),
    /** Then removes the journals by default that hold no call, or only refused ones that are not kept, and the oldest ones if there are more than 20. */
    close: async (keepsRefused: boolean): Promise<void> => {
      const closed = await Promise.allSettled(journals.map((journal) => journal.file.close()));
      const left = journals.filter(
        (journal) => isNamed || (keepsRefused ? journal.hasCalls() : journal.hasEffects()),
      );
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
      // What a program declares without a root file has the working folder as its folder.
      const files = members
        .flatMap(({ configuration, roots = rootsOf(configuration) }) => roots)
        .flatMap(({ file, folder }) => (dirname(file) === folder ? file : []));
      return commandLine(['attune', 'undo', ...words, ...rootWords(files, context)]);
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
export function rootWords(files: readonly string[], { io, options }: RunContext): readonly string[] {
  const words = files.map((file) => pathWord(relativePath(io.cwd, file).replace(/\/attune\.yaml$/, '')));
  const roots = [...new Set(words)];
  const isDefault = roots.length === 1 && roots[0] === 'attune.yaml';
  return [isDefault ? [] : roots, options.app === undefined ? [] : ['--app', options.app]].flat();
}

async function refuseOutside(folder: string, cwd: string): Promise<void> {
  for (const [top, what] of [
    [cwd, 'the working folder'],
    [dirname(dirname(folder)), 'the folder of the root file'],
  ] as const) {
    const elsewhere = await realPathOutside(folder, top);
    if (elsewhere !== undefined) throw new Error(`a link leads to ${elsewhere}, outside ${what}`);
  }
}

async function startJournal(configuration: Configuration, context: RunContext, now: Date) {
  const folder = journalFolder(configuration);
  try {
    await refuseOutside(folder, context.io.cwd);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return await openUnused(folder, configuration.desired.organization, now);
  } catch (cause) {
    throw notWritable(folder, context, cause);
  }
}

async function discardJournals(journals: readonly StartedJournal[]): Promise<void> {
  for (const { path } of journals) await rm(path, { force: true });
}

async function openUnused(folder: string, organization: string, now: Date): Promise<StartedJournal> {
  for (let number = 1; ; number += 1) {
    const path = join(folder, journalFileName(now, number, organization));
    try {
      return { path, file: await openJournal(path) };
    } catch (error) {
      if (!(error instanceof AttuneError) || error.code !== 'file-exists') throw error;
    }
  }
}

/**
 * Removes the oldest journals of an organization if there are more than 20. One that cannot be removed is left for the next
 * run. A file with the name of a journal is kept if it does not begin as one; a killed run can leave an empty one.
 */
async function removeOldest(of: Configuration, used: readonly string[]): Promise<void> {
  const all = await listJournals([journalFolder(of)], of);
  const own = all.filter(({ isEmpty, isBegun }) => isEmpty || isBegun);
  for (const { path } of own.slice(kept))
    if (!used.includes(path)) await rm(path, { force: true }).catch(() => {});
}

function notWritable(folder: string, { io: { cwd } }: RunContext, cause: unknown): AttuneError {
  const { message } = (cause instanceof JournalError ? cause.cause : cause) as Error;
  return new AttuneError(`cannot write the journal folder ${relativePath(cwd, folder)}: ${message}`, {
    code: 'journal-not-written',
    hint: 'make the folder writable, name another file with --journal FILE, or run without a journal: --no-journal',
    cause,
  });
}
