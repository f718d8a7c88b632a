import type { Diagnostic, Severity, SourceLocation } from '../model/diagnostic.ts';
import { counted } from '../model/text.ts';
import { maskUrls } from '../service/address.ts';
import { lineText, Origins, type Source } from './files/source.ts';

/** A problem that a check found. */
export interface Problem {
  /** @default 'error' */
  readonly severity?: Severity;
  readonly code: string;
  readonly message: string;
  /** A function if it needs a search, so that only shown hints are computed. */
  readonly hint?: string | undefined | (() => string | undefined);
  readonly address?: string | undefined;
  /** The id of the policy that it is about. */
  readonly policy?: string;
  readonly location: SourceLocation;
}

/** Collects the problems of one root file. */
export interface Problems {
  add(...problems: readonly Problem[]): void;
  /** Adds an error of a file, which is made only if the file has few enough: else it is counted. */
  addError(file: string, make: () => Problem): void;
  /** Everything found: by file, place and code, at most {@link mostPerFile} per file. */
  diagnostics(sources: readonly Source[]): Diagnostic[];
}

/** More is not readable; a broken generator can produce millions. */
const mostPerFile = 1000;
const mostKept = 10_000;
const longestText = 1000;

interface Found {
  readonly problem: Problem;
  /** Other resources that meet the same problem at the same place, through a layer or an anchor. */
  readonly others: Set<string>;
}

/** Errors apart from the rest, so that no number of warnings hides an error. */
interface FoundInFile {
  readonly errors: Group;
  readonly rest: Group;
}

interface Group {
  readonly byKey: Map<string, Found>;
  /** Found when there was enough already, and only counted. */
  counted: number;
}

export function createProblems(): Problems {
  const files = new Map<string, FoundInFile>();
  const inFile = (file: string): FoundInFile => {
    const known = files.get(file) ?? { errors: emptyGroup(), rest: emptyGroup() };
    files.set(file, known);
    return known;
  };
  return {
    addError(file, make) {
      const { errors } = inFile(file);
      if (errors.byKey.size >= mostKept) errors.counted++;
      else this.add(make());
    },
    add(...problems) {
      for (const problem of problems) {
        const { errors, rest } = inFile(problem.location.file);
        addTo(isError(problem) ? errors : rest, problem);
      }
    },
    diagnostics(sources) {
      const order = new Map(sources.map((source, index) => [source.file, index]));
      return [...files]
        .sort(([a], [b]) => (order.get(a) ?? -1) - (order.get(b) ?? -1) || (a < b ? -1 : 1))
        .flatMap(([file, found]) => fileDiagnostics(found, sources[order.get(file) ?? -1]));
    },
  };
}

/** Ignores what is found, for data whose problems are reported already. */
export const noProblems: Problems = {
  add: () => {},
  addError: () => {},
  diagnostics: () => [],
};

function emptyGroup(): Group {
  return { byKey: new Map(), counted: 0 };
}

function isError({ severity = 'error' }: Problem): boolean {
  return severity === 'error';
}

function addTo(group: Group, problem: Problem): void {
  const { line, column, construct } = problem.location;
  // A line of a template that breaks a rule in 500 workspaces is one problem, not 500; a line of a program that makes
  // 500 constructs is 500 problems, because only the address shows which construct it is.
  const about = problem.address === undefined ? problem.message : '';
  const key = JSON.stringify([line, column, construct, problem.code, about]);
  const known = group.byKey.get(key);
  if (known) {
    if (problem.address && problem.address !== known.problem.address) known.others.add(problem.address);
  } else if (group.byKey.size >= mostKept) group.counted++;
  else group.byKey.set(key, { problem, others: new Set() });
}

function fileDiagnostics({ errors, rest }: FoundInFile, source: Source | undefined): Diagnostic[] {
  const first = (group: Group) => [...group.byKey.values()].sort((a, b) => byPlace(a.problem, b.problem));
  const shown = [...first(errors), ...first(rest)]
    .slice(0, mostPerFile)
    .sort((a, b) => byPlace(a.problem, b.problem))
    .map((item) => toDiagnostic(item, source));
  const last = shown.at(-1);
  const size = (group: Group) => group.byKey.size + group.counted;
  const hidden = size(errors) + size(rest) - shown.length;
  if (hidden === 0 || !last?.location) return shown;
  return [
    ...shown,
    {
      severity: size(errors) > mostPerFile ? 'error' : 'note',
      code: 'more-problems',
      message: `${counted(hidden, 'more problem')} in this file`,
      location: last.location,
      hint: 'fix the problems above first',
    },
  ];
}

function byPlace(a: Problem, b: Problem): number {
  return (
    a.location.line - b.location.line ||
    a.location.column - b.location.column ||
    (a.code < b.code ? -1 : a.code > b.code ? 1 : 0)
  );
}

function toDiagnostic({ problem, others }: Found, source: Source | undefined): Diagnostic {
  const { severity = 'error', code, message, address, policy, location } = problem;
  const hint = typeof problem.hint === 'function' ? problem.hint() : problem.hint;
  const line = source && lineText(source, location.line);
  const sourceLine = line && maskSecrets(maskUrls(line));
  const isOfReceivers = source !== undefined && isInNotify(source, location.line);
  const shown = (text: string) =>
    shortened(isOfReceivers ? text.replaceAll(addressLike, '***') : maskUrls(text));
  const more = others.size > 0 ? ` (and ${others.size} more)` : '';
  return {
    severity,
    code,
    message: shown(message) + more,
    ...(address !== undefined && { address }),
    ...(policy !== undefined && { policy }),
    location,
    ...(sourceLine !== undefined && {
      sourceLine: isOfReceivers ? sourceLine.replaceAll(addressLike, starred) : sourceLine,
    }),
    ...(hint !== undefined && { hint: isOfReceivers ? shown(hint) : shortened(hint) }),
  };
}

/** The address of a receiver is a secret, whatever key it is written for. */
const addressLike = /(?<![^\s"'[\]{},])[^\s"'[\]{},]*\/[^\s"'[\]{},]*/g;

function starred(text: string): string {
  return '*'.repeat(text.length);
}

/** Whether a line is in the section `notify`, by the key above it without indentation. */
function isInNotify(source: Source, line: number): boolean {
  if (/(?<![\w-])notify["']?\s*:/.test(lineText(source, line) ?? '')) return true;
  for (let above = line; above > 0; above -= 1) {
    const [, key] = /^["']?([\w-]+)["']?\s*:/.exec(lineText(source, above) ?? '') ?? [];
    if (key !== undefined) return key === 'notify';
  }
  return false;
}

/**
 * Hides the values of keys that a configuration does not have, and what is written instead of the name of an environment
 * variable with a secret. The text keeps its length, so that carets stay right.
 */
function maskSecrets(line: string): string {
  return line.replaceAll(
    /((?:token|password|secret|webhook|(?<![\w-])url)["']?\s*:\s*|-env["']?\s*:\s*(?!["']?[A-Za-z_]\w*["']?\s*(?:[,}#]|$)))([^\s,{}[\]][^,{}]*)/gi,
    (_, key: string, value: string) => key + '*'.repeat(value.length),
  );
}

/** A text that quotes a value of any length still fits on a screen. */
function shortened(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText)}...` : text;
}

/** The state that the steps of loading one root share. */
export interface Loading {
  readonly problems: Problems;
  readonly origins: Origins;
  /** The files that could be read, the root first. */
  readonly sources: Source[];
  /**
   * Whether a file, or a section that declares names, could not be read. It may contain missing declarations,
   * so missing names are not reported.
   */
  incomplete: boolean;
}

export function createLoading(
  problems: Problems = createProblems(),
  origins: Origins = new Origins(),
): Loading {
  return { problems, origins, sources: [], incomplete: false };
}
