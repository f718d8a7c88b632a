/*
 * What reports show of root files: their diagnostics with the lines that they are about, their plans, and why some have no plan.
 */

import { realpathSync } from 'node:fs';
import system, { basename, dirname, type PlatformPath, posix, resolve } from 'node:path';
import { repositoryAbove } from '../desired/files/includes.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { type Diagnostic, DiagnosticsError } from '../model/diagnostic.ts';
import { isInside, relativePath, slashed, textOfFile } from '../model/files.ts';
import type { Plan } from '../model/plan.ts';
import { attempt, remembered } from '../model/value.ts';
import type { DividedPlan } from '../plan/divide.ts';
import type { Report, ReportEntry } from '../report/report.ts';
import type { RunContext } from './context.ts';
import { errorDiagnostics, RefusedError } from './errors.ts';

export function entryOf(
  context: RunContext,
  folder: string,
  { diagnostics, ...rest }: Pick<ReportEntry, 'diagnostics'> & Partial<ReportEntry>,
): ReportEntry {
  return {
    ...rest,
    diagnostics: withSourceLines(folder, diagnostics, context),
    path: shownFrom(context.io.cwd, folder),
  };
}

export function errorEntries(error: unknown, context: RunContext): readonly ReportEntry[] {
  if (error instanceof RefusedError) return error.entries;
  return [entryOf(context, context.io.cwd, { diagnostics: errorDiagnostics(error, context) })];
}

/** The file of a program is in a folder that exists for the run only, and not in that of its configuration. */
export function rootName(
  { file, folder }: Pick<Configuration, 'file' | 'folder'>,
  { io }: Pick<RunContext, 'io'>,
): string {
  return dirname(file) === folder ? relativePath(io.cwd, file) : basename(file);
}

type RootEntry = ReportEntry & { readonly file: string };

export function rootEntry(
  configuration: Configuration,
  context: RunContext,
  diagnostics: readonly Diagnostic[] = [],
): RootEntry {
  const { desired, folder, notify } = configuration;
  const entry = entryOf(context, folder, {
    organization: desired.organization,
    receivers: notify,
    diagnostics,
  });
  return { ...entry, file: rootName(configuration, context) };
}

export interface ConfiguredPlan extends DividedPlan {
  readonly configuration: Configuration;
}

export function entriesOfPlans(planned: readonly ConfiguredPlan[], context: RunContext): ReportEntry[] {
  return planned.flatMap(({ configuration, parts }) =>
    rootsOf(configuration).map((root, index) => {
      const plan = parts[index] as Plan;
      return { ...rootEntry(root, context, plan.diagnostics), plan };
    }),
  );
}

/**
 * Diagnostics of reads have locations in files, too. Each of these files is read once more for its source lines. A file
 * that a program wrote can name any place, so only the program of `--app` is quoted from outside the folder.
 */
function withSourceLines(
  folder: string,
  diagnostics: readonly Diagnostic[],
  { options }: Pick<RunContext, 'options'>,
): Diagnostic[] {
  const read = remembered((file: string) => {
    const path = resolve(folder, file);
    const isShown = options.app !== undefined || isOfConfiguration(folder, path);
    return (isShown && attempt(() => textOfFile(path).split(/\r?\n/))) || [];
  });
  return diagnostics.map((diagnostic) => {
    const { location, sourceLine } = diagnostic;
    if (location === undefined || sourceLine !== undefined) return diagnostic;
    const line = read(location.file)[location.line - 1];
    return line === undefined ? diagnostic : { ...diagnostic, sourceLine: line };
  });
}

function isOfConfiguration(folder: string, file: string): boolean {
  if (isReallyInside(folder, file)) return true;
  const repository = /\.ya?ml$/.test(file) ? repositoryAbove(folder) : undefined;
  return repository !== undefined && isReallyInside(repository, file);
}

function isReallyInside(folder: string, file: string): boolean {
  return attempt(() => isInside(realpathSync(folder), realpathSync(file))) === true;
}

/** How messages show the files of a folder. On Windows, a file on another drive has no relative path. */
export function shownFrom(
  cwd: string,
  folder: string,
  paths: PlatformPath = system,
): (file: string) => string {
  const prefix = slashed(paths.relative(cwd, folder), paths);
  return (file) => (prefix === '' || paths.isAbsolute(file) ? file : posix.join(prefix, file));
}

/** Diagnostics of the whole run are shown with the first root file. */
export function withDiagnostics(report: Report, added: readonly Diagnostic[]): Report {
  if (added.length === 0) return report;
  const [first = { diagnostics: [], path: (file: string) => file }, ...others] = report.entries;
  return { ...report, entries: [{ ...first, diagnostics: [...first.diagnostics, ...added] }, ...others] };
}

export async function allOrRefused<Result>(
  configurations: readonly Configuration[],
  context: RunContext,
  each: (configuration: Configuration, index: number) => Promise<Result>,
): Promise<Result[]> {
  const outcomes = await Promise.allSettled(configurations.map(each));
  const failures = configurations.flatMap((configuration, index): Failure[] => {
    const outcome = outcomes[index];
    return outcome?.status === 'rejected' ? [{ error: outcome.reason, configuration }] : [];
  });
  if (failures.length === 0)
    return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const others = configurations.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  const unplanned = others.map((one) => rootEntry(one, context));
  throw refusalOf(failures, context, unplanned);
}

export interface Failure {
  readonly error: unknown;
  readonly configuration: Configuration;
}

export function refusalOf(failures: readonly Failure[], context: RunContext, others: readonly ReportEntry[]) {
  const isNamed = failures.length + others.length > 1;
  return new RefusedError([...others, ...failures.map((one) => failedEntry(one, context, isNamed))]);
}

export function failedEntries(failures: readonly Failure[], context: RunContext): readonly ReportEntry[] {
  return failures.map((failure) => failedRoot(failedEntry(failure, context, true)));
}

/** A root file without a plan, in a report that has plans of others. */
export function failedRoot(entry: RootEntry): ReportEntry {
  return { ...entry, source: entry.file, failed: true };
}

/** Messages call the root file by its name, unless it is the only one of the run. */
function failedEntry({ error, configuration }: Failure, context: RunContext, isNamed: boolean): RootEntry {
  const { diagnostics } = configuration;
  // The diagnostics of a plan include the warnings of the files already.
  const beside = error instanceof DiagnosticsError ? [] : diagnostics;
  const prefix = isNamed ? `${rootName(configuration, context)}: ` : '';
  const reasons = errorDiagnostics(error, context).map((reason) =>
    reason.location ? reason : { ...reason, message: `${prefix}${reason.message}` },
  );
  return rootEntry(configuration, context, [...beside, ...reasons]);
}
