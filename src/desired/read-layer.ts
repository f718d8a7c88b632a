import {
  attributePaths,
  isAttributePath,
  isUnder,
  listPaths,
  nestedAttributes,
  referencePaths,
  workspaceRelations,
} from '../model/attributes.ts';
import type { Field, Fields, WrittenList } from '../model/fields.ts';
import type { ListRule, WrittenBindings } from '../model/list-rule.ts';
import type { ConsumerRef } from '../model/state.ts';
import { quote, suggestion } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import { itemLocator, locateKey, locateValue, type Origins } from './files/source.ts';
import { distinct } from './overlay-fields.ts';
import { readSelector } from './references.ts';
import { checkedPaths, checkField, type LayerContext } from './rules/field-rules.ts';
import type { RawLayer, RawList } from './schema/language.ts';
import { bindingRule, writtenBindings } from './tag-bindings.ts';

/** Keys of a layer that are not settings of a workspace. */
const metadata = new Set(['extends', 'state', 'delete', 'renamed-from', 'unmanaged', 'when']);

/** Reads the defaults, a template or a workspace into fields: dotted paths, ids, list rules. */
export function readLayer(layer: RawLayer, context: LayerContext): Fields {
  const fields = new Map<string, Field>();
  const { origins } = context.loading;
  const add = (path: string, container: object, key: string) => {
    const raw = (container as Record<string, unknown>)[key];
    const location = locateKey(origins, container, key);
    const value = fieldValue({ path, raw, container, key }, context);
    const lists = value === undefined ? [] : writtenLists(path, raw, origins);
    const field: Field = {
      value,
      raw: raw as Value | undefined,
      location,
      layer: context.layer,
      ...(lists.length > 0 && { lists }),
    };
    fields.set(path, field);
    if (checkedPaths.has(path)) checkField({ path, field, container, key }, context);
  };
  for (const key of Object.keys(layer)) {
    const value = layer[key];
    if (metadata.has(key)) continue;
    const nested = (nestedAttributes as readonly string[]).includes(key);
    if (!nested || value === undefined || value === null) add(key, layer, key);
    else
      for (const inner of Object.keys(value as object))
        if (isAttributePath(`${key}.${inner}`)) add(`${key}.${inner}`, value as object, inner);
  }
  return fields;
}

interface RawField {
  readonly path: string;
  readonly raw: unknown;
  readonly container: object;
  readonly key: string;
}

function fieldValue({ path, raw, container, key }: RawField, context: LayerContext): Value | undefined {
  const kind = referencePaths[path];
  if (kind !== undefined && typeof raw === 'string') {
    return context.references.resolve(kind, raw, locateValue(context.loading.origins, container, key));
  }
  if (raw === undefined) return undefined;
  switch (path) {
    case 'tag-bindings':
      return bindingRule(raw as WrittenBindings, context.layer) as Value;
    case 'lock':
      return lockValue(raw as Value);
    default:
      return listPaths.has(path) ? listRule(raw as RawList<ConsumerRef>, context) : (raw as Value);
  }
}

/**
 * What one layer declares for a list, relative to the layers below it. A plain list in the defaults or a template adds;
 * a plain list of a workspace is exact, and {@link overlayFields} adds what the layers below add.
 */
function listRule(raw: RawList<ConsumerRef>, context: LayerContext): ListRule<ConsumerRef> {
  const read = (items: readonly ConsumerRef[] = []) =>
    distinct(items.map((item) => (typeof item === 'string' ? item : readSelector(item, context))));
  if (Array.isArray(raw))
    return context.layer === 'workspace' ? { exactly: read(raw) } : { add: read(raw), remove: [] };
  const { exactly, add, remove } = raw as Exclude<typeof raw, readonly unknown[]>;
  return exactly ? { exactly: read(exactly) } : { add: read(add), remove: read(remove) };
}

/** The lists of a list field, for the locations of their entries. */
function writtenLists(path: string, raw: unknown, origins: Origins): readonly WrittenList[] {
  if (path === 'tag-bindings') return writtenBindings(raw as WrittenBindings, origins);
  if (!listPaths.has(path) || typeof raw !== 'object' || raw === null) return [];
  const lists = Array.isArray(raw) ? { list: raw } : (raw as Partial<Record<WrittenList['effect'], unknown>>);
  return Object.entries(lists).flatMap(([effect, items]) =>
    Array.isArray(items)
      ? [{ effect: effect as WrittenList['effect'], items, locate: itemLocator(origins, items) }]
      : [],
  );
}

function lockValue(raw: Value): Value {
  if (typeof raw !== 'object' || raw === null) return { locked: raw === true };
  const { reason } = raw as { reason?: string };
  return { locked: true, ...(reason !== undefined && { reason }) };
}

const inheritedKeys: ReadonlySet<string> = new Set([
  ...attributePaths,
  ...nestedAttributes,
  ...workspaceRelations,
  'protect',
]);

/** The keys that a layer does not inherit from lower layers, each at its entry of `unmanaged`. */
export function readUnmanaged(
  { unmanaged }: RawLayer,
  fields: Fields,
  { loading, layer, address }: LayerContext,
): Fields {
  const stops = new Map<string, Field>();
  for (const [index, key] of (unmanaged ?? []).entries()) {
    const location = locateValue(loading.origins, unmanaged ?? [], index);
    const set = [...fields.keys()].find((path) => isUnder(path, key) || isUnder(key, path));
    if (!inheritedKeys.has(key)) {
      loading.problems.error('unknown-key', `${quote(key)} is not a key that a workspace inherits`, {
        at: { address, location },
        hint: () =>
          nestedKey(key) ??
          suggestion(key, inheritedKeys) ??
          'write a key of a template, such as iac-version or vcs-repo.branch',
      });
    } else if (set !== undefined) {
      loading.problems.error(
        'exclusive-settings',
        `${quote(key)} is unmanaged and set in the same layer${set === key ? '' : ` (${set})`}`,
        { at: { address, location } },
      );
    } else stops.set(key, { value: undefined, raw: key, location, layer });
  }
  return stops;
}

/** A key inside `vcs-repo` or `setting-overwrites` that is written without it. */
function nestedKey(key: string): string | undefined {
  const path = [...inheritedKeys].find((known) => known.endsWith(`.${key}`));
  return path === undefined ? undefined : `did you mean ${quote(path)}?`;
}
