import type { Configuration } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { countingLists, type Field, type LayerName, type WrittenList } from '../model/fields.ts';
import type { Value } from '../model/value.ts';

/** One declaration of a value: its layer, its location, and the value as the file has it. */
export interface Origin {
  readonly layer: LayerName;
  /** The location of the key. */
  readonly location: SourceLocation;
  readonly value: Value | undefined;
}

/** An entry of a list with its origin. */
export interface EntryOrigin {
  readonly layer: LayerName;
  readonly location: SourceLocation;
  /** The form of the list that holds it: `list` is a plain one. */
  readonly effect: WrittenList['effect'];
  readonly entry: Value;
}

/** A setting of a workspace or a grant with all of its declarations. */
export interface EffectiveField {
  /** An attribute path, a relation, or `protect`. */
  readonly path: string;
  /** As it is compared: ids instead of aliases, lists as rules. Undefined where another key makes the setting void. */
  readonly value: Value | undefined;
  /** The declaration in the highest layer. */
  readonly origin: Origin;
  /** The declarations of lower layers, the nearest first: overridden, or, for a list, merged. */
  readonly lower: readonly Origin[];
  /** The entries of a list in the layers that count, lowest first. Empty for other settings. */
  readonly entries: readonly EntryOrigin[];
  /** The key of the same layer, or of a higher one, that makes the setting void. */
  readonly removedBy?: Origin & { readonly path: string };
}

/**
 * Every setting that the layers of a declared workspace, grant or role name, with the layer, file and line of each
 * declaration. Empty for other addresses.
 *
 * @example
 * ```ts
 * const fields = effectiveFields(configuration, 'workspace.network-prod');
 * const project = fields.find(({ path }) => path === 'project');
 * console.log(project?.origin.layer, project?.origin.location.line); // workspace 8
 * ```
 */
export function effectiveFields(
  { layered, desired }: Pick<Configuration, 'layered' | 'desired'>,
  address: string,
): readonly EffectiveField[] {
  const layers = layered.get(address);
  if (!layers) return [];
  const values = desired.resources.get(address)?.attributes ?? {};
  return [
    ...[...layers.fields].map(([path, field]) =>
      effectiveField(path, field, path === 'protect' ? field.value : values[path]),
    ),
    ...[...layers.removed].map(([path, { field, path: key, by }]) => ({
      ...effectiveField(path, field, undefined),
      removedBy: { path: key, ...originOf(by) },
    })),
  ];
}

function effectiveField(path: string, field: Field, value: Value | undefined): EffectiveField {
  const lower = field.lower ?? [];
  return {
    path,
    value,
    origin: originOf(field),
    lower: lower.map(originOf).reverse(),
    entries: [...countingLists(field)].flatMap(({ field: { layer }, list: { effect, items, locate } }) =>
      items.map((entry, index) => ({ layer, location: locate(index), effect, entry })),
    ),
  };
}

function originOf({ layer, location, raw }: Field): Origin {
  return { layer, location, value: raw };
}
