/**
 * Rows: a setting of a workspace or a project, or a permission of a grant, is one row of a table. Whatever depends on it is
 * derived from its row: comparison, import, export, wire names, verification and the emulator at run time; the schemas, the
 * construct props, the SDK types and the reference tables by `npm run generate`.
 *
 * - path: the neutral name of the row, with a dot inside a mapping (`vcs-repo.branch`)
 * - place: where the row is on the wire of a dialect
 */
import type { AliasKind } from './alias-kind.ts';
import type { Dialect } from './dialect.ts';

export interface SpelledRow {
  /** The only dialect that has it; its older servers may lack it. @default both dialects, every server */
  readonly only?: Dialect;
  readonly wire?: Partial<Record<Dialect, string>>;
}

/** One writable attribute of a workspace (interface, sections 2.1 and 2.2) or of a project. */
export interface AttributeSpec extends SpelledRow {
  readonly type: 'string' | 'boolean' | 'strings';
  readonly description: string;
  /** The value that the service stores when a create omits the attribute. `null`: none, or not documented. */
  readonly default: string | boolean | null | readonly string[];
  /** The default in words, if it is not a fixed value. */
  readonly defaultDescription?: string;
  readonly nullable: boolean;
  /** How two values are compared: as text, as a set of texts, or as a moment in time. @default 'text' */
  readonly compare?: 'set' | 'instant';
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  readonly maxLength?: number;
  readonly errorMessage?: string;
  readonly notEmpty?: true;
  /** What editors offer for a text or for an entry of a list that has no `values`. */
  readonly example?: string;
  readonly deprecated?: string;
  readonly createOnly?: true;
  /** Only the hosted offering has it. If a document omits it, its value is unknown. */
  readonly hostedOnly?: true;
  /** Starts, applies or destroys runs, or shares state. An import writes it even if it has the default value. */
  readonly alwaysImported?: true;
  /** A file may give an alias or a name; the service accepts only the id. */
  readonly reference?: AliasKind;
  /** Attributes of one group depend on each other: the service may change the others when one of them is written. */
  readonly coupling?: 'execution' | 'triggers' | 'scheduled-destroy' | 'vcs-credentials';
  readonly terraform: TerraformArgument;
}

/**
 * The argument of Terraform's `tfe` provider that holds the attribute.
 *
 * Attune leaves an omitted attribute alone. The provider leaves it alone (`kept`), clears it (`cleared`), or sets its own
 * default (that value).
 */
interface TerraformArgument {
  readonly resource: 'tfe_workspace' | 'tfe_workspace_settings' | 'tfe_project' | 'tfe_project_settings';
  readonly whenOmitted: 'kept' | 'cleared' | boolean;
  /** @default the wire name in snake case, inside the block of the mapping that holds it */
  readonly argument?: string | undefined;
}

export function camelCase(path: string): string {
  return path.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
}

/** Whether the service accepts a text. It can keep one that it no longer accepts. */
export function acceptsText({ pattern, values, maxLength }: AttributeSpec, text: string): boolean {
  const isShort = maxLength === undefined || text.length <= maxLength;
  return isShort && (pattern?.test(text) ?? true) && (values?.includes(text) ?? true);
}

type Rows<Path extends string> = Readonly<Record<Path, SpelledRow>>;

export interface WirePlace<Path extends string> {
  readonly path: Path;
  readonly holder: Path extends `${infer Holder}.${string}` ? Holder : undefined;
  readonly name: string;
}

export function pathsOf<Path extends string>(rows: Rows<Path>, dialect: Dialect): readonly Path[] {
  return (Object.keys(rows) as Path[]).filter((path) => (rows[path].only ?? dialect) === dialect);
}

export function wireNameOf<Path extends string>(rows: Rows<Path>, path: Path, dialect: Dialect): string {
  return rows[path].wire?.[dialect] ?? path.slice(path.indexOf('.') + 1);
}

/** The places of the rows that services of a dialect have, under the names of another one. */
export function placesOf<Path extends string>(
  rows: Rows<Path>,
  dialect: Dialect,
  names: Dialect = dialect,
): readonly WirePlace<Path>[] {
  return pathsOf(rows, dialect).map((path) => {
    const [holder, key] = path.split('.');
    const name = wireNameOf(rows, path, names);
    return { path, holder: key === undefined ? undefined : holder, name } as WirePlace<Path>;
  });
}

/** Computed once, because a large list of workspaces reads them thousands of times. */
export function placesByDialect<Path extends string>(
  rows: Rows<Path>,
): Readonly<Record<Dialect, readonly WirePlace<Path>[]>> {
  return { iac: placesOf(rows, 'iac'), terraform: placesOf(rows, 'terraform') };
}
