import type { SourceLocation } from './diagnostic.ts';
import type { Selector } from './selector.ts';
import type { Value } from './value.ts';

/**
 * A layer of a workspace's settings, or of a grant's. `defaults` is the lowest, then the templates in order, then the
 * workspace. For a grant that is its role, then the grant.
 */
export type LayerName = 'defaults' | `template.${string}` | 'workspace' | `role.${string}` | 'grant';

/** One value that a layer declares. */
export interface Field {
  /** Ready for the state: ids resolved, lists as rules. Undefined where it was wrong. */
  readonly value: Value | undefined;
  /** As the file has it. */
  readonly raw: Value | undefined;
  /** The location of the key. */
  readonly location: SourceLocation;
  /** The highest layer that declares it. */
  readonly layer: LayerName;
  /** What lower layers declare under the same path, lowest first. */
  readonly lower?: readonly Field[] | undefined;
  /** The lists that the file has here, if the field is a list. */
  readonly lists?: readonly WrittenList[] | undefined;
}

/** A list as the file has it. A plain list has the effect `list`. */
export interface WrittenList {
  readonly effect: 'list' | 'exactly' | 'add' | 'remove';
  readonly items: readonly Value[];
  /** The location of the item with this index. */
  readonly locate: (index: number) => SourceLocation;
}

/** What one layer, or several together, declare: by attribute path, relation, or `protect`. */
export type Fields = ReadonlyMap<string, Field>;

/** A field that another key of the same layer or of a higher one makes void. */
export interface RemovedField {
  readonly field: Field;
  /** The path of the key that removes it, and its declaration. */
  readonly path: string;
  readonly by: Field;
}

/** Several layers on top of each other. */
export interface Layered {
  readonly fields: Fields;
  readonly removed: ReadonlyMap<string, RemovedField>;
  /** The keys under `unmanaged`: no layer below these sets them. */
  readonly stops: Fields;
  /** The templates among the layers, lowest first. */
  readonly templates: readonly string[];
}

/** The layers of a workspace, a template, the defaults, a grant or a role. */
export interface DeclaredLayers extends Layered {
  /** The location of its key. */
  readonly location: SourceLocation;
  /** The templates that it names under `extends` itself. */
  readonly extends: readonly string[];
  /** The templates whose `when` selects it, apart from those that it extends. */
  readonly selected?: readonly string[] | undefined;
  /** The selector of a template, as the file has it. */
  readonly when?: Value | undefined;
  /** The same selector with references to projects resolved, and the location of `when`. */
  readonly selects?: { readonly selector: Selector; readonly location: SourceLocation } | undefined;
  /** The role that a grant names. */
  readonly role?: { readonly name: string; readonly location: SourceLocation } | undefined;
}

export const noLayers: Layered = { fields: new Map(), removed: new Map(), stops: new Map(), templates: [] };

export function* countingLists(
  field: Field,
): Generator<{ readonly field: Field; readonly list: WrittenList }> {
  const fields = [...(field.lower ?? []), field];
  const first = fields.findLastIndex(isWhole);
  for (const counting of fields.slice(Math.max(first, 0)))
    for (const list of counting.lists ?? []) yield { field: counting, list };
}

/** Whether lower layers do not count: under `exactly`, and under an empty list or mapping of a workspace. */
export function isWhole({ layer, lists = [] }: Field): boolean {
  return lists.some(
    ({ effect, items }) =>
      effect === 'exactly' || (effect === 'list' && layer === 'workspace' && items.length === 0),
  );
}
