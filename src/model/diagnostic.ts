/** The severities, most severe first. */
export const severities = ['error', 'warning', 'note'] as const;
/** The severity of a diagnostic. An error ends the run. */
export type Severity = (typeof severities)[number];

/**
 * A message for the user: a mistake in a file, a risk, a limit that a plan exceeds.
 * Every code is listed in docs/diagnostics.md.
 */
export interface Diagnostic {
  readonly severity: Severity;
  readonly code: string;
  readonly message: string;
  /** The address of the resource it is about. */
  readonly address?: string | undefined;
  /** The id of the policy that it is about. */
  readonly policy?: string | undefined;
  /** The path of the root file that it is about, in a plan of several. What is reported of a root file does not have it. */
  readonly root?: string | undefined;
  readonly location?: SourceLocation | undefined;
  /** The line of the file at the location; the caret is printed below it. */
  readonly sourceLine?: string | undefined;
  /** Lines below the message, such as a unified diff. */
  readonly detail?: readonly string[] | undefined;
  /** What to do: the nearest key, the value to write, the flag that overrides. */
  readonly hint?: string | undefined;
}

export type Subject = Pick<Diagnostic, 'address' | 'policy' | 'root' | 'location'>;

export interface ProblemOptions {
  readonly detail?: readonly string[] | undefined;
  readonly at?: Subject | SourceLocation | undefined;
  /** A function if it needs a search, so that only hints that are printed are computed. */
  readonly hint?: string | undefined | (() => string | undefined);
  readonly severity?: Severity | undefined;
}

export function problem(
  code: string,
  message: string,
  { at = {}, detail, hint, severity = 'error' }: ProblemOptions = {},
): Diagnostic {
  const { address, policy, root, location }: Subject = 'file' in at ? { location: at } : at;
  const found: Diagnostic = {
    severity,
    code,
    message,
    address,
    policy,
    root,
    location,
    detail,
    hint: typeof hint === 'string' ? hint : undefined,
  };
  return typeof hint === 'function'
    ? Object.defineProperty(found, 'hint', { get: hint, enumerable: true })
    : found;
}

export function warning(code: string, message: string, options?: ProblemOptions): Diagnostic {
  return problem(code, message, { ...options, severity: 'warning' });
}

export function note(code: string, message: string, options?: ProblemOptions): Diagnostic {
  return problem(code, message, { ...options, severity: 'note' });
}

export function about<About extends Subject>({
  address,
  location,
}: About): Pick<About, 'address' | 'location'> {
  return { address, location };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

/** A location in a file. Lines and columns count from 1; `file` is relative to the root file's folder. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The path of the construct that declares it, in a program. */
  readonly construct?: string | undefined;
}

export function showPlace({ file, line, column, construct }: SourceLocation): string {
  return `${file}:${line}:${column}${construct === undefined ? '' : ` (${construct})`}`;
}

/**
 * The base class of every expected error. The CLI prints its message without a stack. Any other error is a bug and is
 * printed with its stack.
 *
 * @example
 * ```ts
 * const error = await service.workspaces.show('').catch((reason: unknown) => reason);
 * if (error instanceof AttuneError) console.log(`${error.code}: ${error.hint}`);
 * // bad-path-segment: use an id or a name
 * ```
 */
export class AttuneError extends Error {
  override readonly name: string = 'AttuneError';
  /** Listed in docs/diagnostics.md. */
  readonly code: string;
  /** What to do next. */
  readonly hint?: string;

  constructor(message: string, options: ErrorOptions & { hint?: string | undefined; code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? 'failed';
    if (options.hint !== undefined) this.hint = options.hint;
  }
}

export function usageError(message: string, hint: string): AttuneError {
  return new AttuneError(message, { code: 'usage', hint });
}

/**
 * Several diagnostics, each with its own location.
 *
 * @example
 * ```ts
 * const named = lookUpNames(declared, async () => []);
 * const error = await named.catch((reason: unknown) => reason);
 * if (error instanceof DiagnosticsError) console.log(error.diagnostics[0]?.code); // unknown-name
 * ```
 */
export class DiagnosticsError extends AttuneError {
  override readonly name = 'DiagnosticsError';
  override readonly code = 'invalid';
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((diagnostic) => diagnostic.message).join('\n'));
    this.diagnostics = diagnostics;
  }
}
