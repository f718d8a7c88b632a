import {
  type Diagnostic,
  type ProblemOptions,
  problem,
  type Severity,
  type SourceLocation,
} from '../model/diagnostic.ts';
import { counted, quote, unclearText } from '../model/text.ts';
import { compareTexts } from '../model/value.ts';
import { maskUrls } from '../service/address.ts';
import { Origins, type Source } from './files/source.ts';
import { literalName } from './mistyped.ts';

export interface Problems {
  add(...problems: readonly Diagnostic[]): void;
  /** Everything found: by file, place and code, at most {@link mostPerFile} errors and as many others per file. */
  diagnostics(sources: readonly Source[]): Diagnostic[];
}

/** More is not readable; a broken generator can produce millions. */
const mostPerFile = 1000;
const longestText = 1000;

interface Found {
  readonly problem: Diagnostic;
  readonly others: Set<string>;
}

/** Errors apart from the rest, so that no number of warnings hides an error. */
interface FoundInFile {
  readonly errors: Group;
  readonly rest: Group;
}

interface Group {
  readonly byKey: Map<string, Found>;
  counted: number;
}

export function createProblems(): Problems {
  const files = new Map<string, FoundInFile>();
  return {
    add(...problems) {
      for (const found of problems) {
        const file = found.location?.file ?? '';
        const { errors, rest } = files.get(file) ?? { errors: emptyGroup(), rest: emptyGroup() };
        files.set(file, { errors, rest });
        addTo(found.severity === 'error' ? errors : rest, found);
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

function emptyGroup(): Group {
  return { byKey: new Map(), counted: 0 };
}

function addTo(group: Group, problem: Diagnostic): void {
  const { line, column, construct } = placeOf(problem);
  // A line of a template that breaks a rule in 500 workspaces is one problem, not 500; a line of a program that makes
  // 500 constructs is 500 problems, because only the address shows which construct it is.
  // Without names and places, the messages of these workspaces are equal.
  const text =
    problem.address === undefined ? problem.message : problem.message.replace(/"[^"]*"|:\d+:\d+/g, '');
  const key = JSON.stringify([line, column, construct, problem.code, text]);
  const known = group.byKey.get(key);
  if (known) {
    if (problem.address && problem.address !== known.problem.address) known.others.add(problem.address);
  } else if (group.byKey.size >= mostPerFile) group.counted++;
  else group.byKey.set(key, { problem, others: new Set() });
}

function fileDiagnostics({ errors, rest }: FoundInFile, source: Source | undefined): Diagnostic[] {
  const shown = [errors, rest]
    .flatMap(({ byKey }) => [...byKey.values()])
    .sort((a, b) => byPlace(a.problem, b.problem))
    .map((item) => toDiagnostic(item, source));
  const last = shown.at(-1);
  const hidden = errors.counted + rest.counted;
  if (hidden === 0 || !last?.location) return shown;
  return [
    ...shown,
    problem('more-problems', `${counted(hidden, 'more problem')} in this file`, {
      severity: errors.counted > 0 ? 'error' : 'note',
      at: last.location,
    }),
  ];
}

function byPlace(a: Diagnostic, b: Diagnostic): number {
  const [here, there] = [placeOf(a), placeOf(b)];
  return here.line - there.line || here.column - there.column || compareTexts(a.code, b.code);
}

function placeOf({ location }: Diagnostic): SourceLocation {
  return location ?? { file: '', line: 0, column: 0 };
}

function toDiagnostic({ problem: found, others }: Found, source: Source | undefined): Diagnostic {
  const { severity, code, message, hint } = found;
  const { line } = placeOf(found);
  const isOfReceivers = source !== undefined && isInNotify(source, line);
  const shown = (text: string) => {
    const masked = isOfReceivers ? text.replaceAll(addressLike, '***') : text;
    return masked.length > longestText ? `${masked.slice(0, longestText)}...` : masked;
  };
  const more = others.size > 0 ? ` (in ${others.size + 1} resources)` : '';
  const text = source && lineText(source, line);
  const sourceLine = text && maskSecrets(maskUrls(text));
  return {
    ...problem(code, shown(isOfReceivers ? message : maskUrls(message)) + more, {
      severity,
      at: found,
      hint: hint && shown(hint),
    }),
    sourceLine: isOfReceivers
      ? sourceLine?.replaceAll(addressLike, (text) => '*'.repeat(text.length))
      : sourceLine,
  };
}

/**
 * The text of a line without its line break. A slice takes no extra memory, however long the line is; printers
 * show the part around the column.
 */
function lineText({ text, lineStarts }: Source, line: number): string | undefined {
  const start = lineStarts[line - 1];
  // A file that could not be read has an empty text.
  if (start === undefined || text === '') return undefined;
  const next = lineStarts[line];
  const end = next === undefined ? text.length : next - 1;
  return text.slice(start, end > start && text[end - 1] === '\r' ? end - 1 : end);
}

/** The address of a receiver is a secret, whatever key it is written for. */
const addressLike = /(?<![^\s"'[\]{},])[^\s"'[\]{},]*\/[^\s"'[\]{},]*/g;

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

export interface Loading {
  readonly problems: Problems;
  readonly origins: Origins;
  readonly sources: Source[];
  /**
   * Whether a file, or a section that declares names, could not be read. It may contain missing declarations,
   * so missing names are not reported.
   */
  incomplete: boolean;
}

export function createLoading(problems: Problems = createProblems()): Loading {
  return { problems, origins: new Origins(), sources: [], incomplete: false };
}

export function reporter({ problems, origins }: Pick<Loading, 'problems' | 'origins'>, address?: string) {
  const withSeverity =
    (severity: Severity) =>
    (code: string, message: string, location: SourceLocation, hint?: ProblemOptions['hint']) =>
      problems.add(problem(code, message, { severity, at: { address, location }, hint }));
  const error = withSeverity('error');
  const warning = withSeverity('warning');
  return {
    error,
    /** Reports what is wrong with a text that is compared as a name; whether it is none, because it has a variable. */
    isLiteral(what: string, name: string, location: SourceLocation): boolean {
      const [code, message, hint] = literalName(name) ?? [];
      if (code !== undefined && message !== undefined) error(code, message, location, hint);
      const why = unclearText(name);
      const typeAgain = 'type the name again, or copy it from the service';
      if (why !== undefined) warning('unclear-name', `${what} ${quote(name)} ${why}`, location, typeAgain);
      return code !== undefined;
    },
    warning,
    note: withSeverity('note'),
    atKey: (holder: object, key: string) => origins.atKey(holder, key),
    atValue: (holder: object, key: string | number) => origins.atValue(holder, key),
  };
}
