import { type Diagnostic, type ProblemOptions, problem } from './diagnostic.ts';
/**
 * The two spellings of one interface. `iac` is the neutral one of the interface document; `terraform` is that of
 * the live service. Files, plans and reports always use the neutral names; only requests and responses differ.
 */
export const dialects = ['iac', 'terraform'] as const;
/** One of the two spellings of the interface. */
export type Dialect = (typeof dialects)[number];

/** A row of a table whose presence or name on the wire depends on the dialect. */
export interface SpelledRow {
  /** The only dialect that has it; its older servers may lack it. @default both dialects, every server */
  readonly only?: Dialect;
  /** The last segment of its name in a dialect that spells it differently. */
  readonly wire?: Partial<Record<Dialect, string>>;
}

type Rows<Path extends string> = Readonly<Record<Path, SpelledRow>>;

/** The path of a row on the wire: its name, inside the mapping that holds it, if any. */
export interface WirePlace<Path extends string> {
  readonly path: Path;
  readonly holder: Path extends `${infer Holder}.${string}` ? Holder : undefined;
  readonly name: string;
}

/** The paths of the rows that services of a dialect have. */
export function pathsOf<Path extends string>(rows: Rows<Path>, dialect: Dialect): readonly Path[] {
  const paths = Object.keys(rows) as Path[];
  return paths.filter((path) => (rows[path].only ?? dialect) === dialect);
}

/** The name of a row on the wire, without the mapping that holds it. */
export function wireNameOf(path: string, { wire }: SpelledRow, dialect: Dialect): string {
  return wire?.[dialect] ?? path.slice(path.indexOf('.') + 1);
}

/** The places of the rows that services of a dialect have, under the names of another one. */
export function placesOf<Path extends string>(
  rows: Rows<Path>,
  dialect: Dialect,
  names: Dialect = dialect,
): readonly WirePlace<Path>[] {
  return pathsOf(rows, dialect).map((path) => {
    const dot = path.indexOf('.');
    const holder = dot < 0 ? undefined : path.slice(0, dot);
    return { path, holder, name: wireNameOf(path, rows[path], names) } as WirePlace<Path>;
  });
}

/** Computed once, because a large list of workspaces reads them thousands of times. */
export function placesByDialect<Path extends string>(
  rows: Rows<Path>,
): Readonly<Record<Dialect, readonly WirePlace<Path>[]>> {
  return { iac: placesOf(rows, 'iac'), terraform: placesOf(rows, 'terraform') };
}

/**
 * Why a service of this dialect does not accept a setting; `undefined` if it does or its dialect is unknown.
 *
 * @param only the only dialect that has the setting
 */
export function dialectProblem(
  path: string,
  { only, dialect }: { readonly only: Dialect | undefined; readonly dialect: Dialect | undefined },
  at: ProblemOptions['at'],
): Diagnostic | undefined {
  if (!only || !dialect || only === dialect) return undefined;
  return problem(
    'not-in-dialect',
    `${path} does not exist in the \`${dialect}\` dialect: only \`${only}\` services have it`,
    { at },
  );
}
