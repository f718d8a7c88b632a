import type { SourceLocation } from '../model/diagnostic.ts';
import type { Value } from '../model/value.ts';

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
  readonly lower?: readonly Field[];
  /** The lists that the file has here, if the field is a list. */
  readonly lists?: readonly WrittenList[];
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

/** A field of a lower layer that another key of a higher layer makes void. */
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
  readonly selected?: readonly string[];
  /** The selector of a template, as the file has it. */
  readonly when?: Value;
  /** The role that a grant names. */
  readonly role?: { readonly name: string; readonly location: SourceLocation };
}

export const noLayers: Layered = { fields: new Map(), removed: new Map(), stops: new Map(), templates: [] };

/** One layer alone. */
export function singleLayer(
  fields: Fields,
  { stops = noLayers.stops, templates = [] }: Partial<Pick<Layered, 'stops' | 'templates'>> = {},
): Layered {
  return { ...noLayers, fields, stops, templates };
}
