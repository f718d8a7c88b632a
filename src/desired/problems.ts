import type { Diagnostic, Severity } from '../model/diagnostic.ts';
import type { SourceLocation } from '../model/location.ts';
import { lineText, type Source } from './source.ts';

/** What a check found. */
export interface Problem {
  /** @default 'error' */
  readonly severity?: Severity;
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
  readonly address?: string | undefined;
  readonly location: SourceLocation;
}

/** Where the checks of one root put what they find. */
export interface Problems {
  add(problem: Problem): void;
  /** Everything found: by file, place and code, at most {@link mostPerFile} per file. */
  diagnostics(sources: readonly Source[]): Diagnostic[];
}

/** Nobody reads more; a broken generator can produce millions. */
const mostPerFile = 1000;

interface Found {
  readonly problem: Problem;
  /** Other resources that meet the same problem at the same place, through a layer or an anchor. */
  readonly others: Set<string>;
}

export function createProblems(): Problems {
  const found = new Map<string, Found>();
  return {
    add(problem) {
      const { file, line, column } = problem.location;
      // A line of a template that breaks a rule in 500 workspaces is one problem, not 500.
      const about = problem.address === undefined ? problem.message : '';
      const key = JSON.stringify([file, line, column, problem.code, about]);
      const known = found.get(key);
      if (!known) found.set(key, { problem, others: new Set() });
      else if (problem.address && problem.address !== known.problem.address)
        known.others.add(problem.address);
    },
    diagnostics(sources) {
      const order = new Map(sources.map((source, index) => [source.file, index]));
      const byFile = new Map<string, Found[]>();
      for (const item of found.values()) {
        const list = byFile.get(item.problem.location.file);
        if (list) list.push(item);
        else byFile.set(item.problem.location.file, [item]);
      }
      return [...byFile]
        .sort(([a], [b]) => (order.get(a) ?? -1) - (order.get(b) ?? -1) || (a < b ? -1 : 1))
        .flatMap(([file, list]) => fileDiagnostics(list, sources[order.get(file) ?? -1]));
    },
  };
}

function fileDiagnostics(list: Found[], source: Source | undefined): Diagnostic[] {
  list.sort((a, b) => byPlace(a.problem, b.problem));
  const shown = list.slice(0, mostPerFile).map((item) => toDiagnostic(item, source));
  const last = shown.at(-1);
  const rest = list.length - shown.length;
  if (rest === 0 || !last?.location) return shown;
  const errors = list.slice(mostPerFile).some(({ problem }) => (problem.severity ?? 'error') === 'error');
  return [
    ...shown,
    {
      severity: errors ? 'error' : 'note',
      code: 'more-problems',
      message: `${rest} more problem${rest > 1 ? 's' : ''} in this file`,
      location: last.location,
      hint: 'solve the ones above first',
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
  const { severity = 'error', code, message, hint, address, location } = problem;
  const sourceLine = source && lineText(source, location.line);
  const more = others.size > 0 ? ` (and ${others.size} more)` : '';
  return {
    severity,
    code,
    message: message + more,
    ...(address !== undefined && { address }),
    location,
    ...(sourceLine !== undefined && { sourceLine }),
    ...(hint !== undefined && { hint }),
  };
}
