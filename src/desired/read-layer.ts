import {
  attributePaths,
  isAttributePath,
  isUnder,
  listPaths,
  nestedAttributes,
  referencePaths,
  workspaceRelations,
} from '../model/attributes.ts';
import { type Field, type Fields, noLayers, type WrittenList } from '../model/fields.ts';
import {
  bindingText,
  isBindingForm,
  type ListRule,
  type TagBindings,
  type WrittenBindings,
} from '../model/list-rule.ts';
import type { ConsumerRef } from '../model/state.ts';
import { hintAt, quote } from '../model/text.ts';
import { isRecord, noneIfEmpty, type Value } from '../model/value.ts';
import type { Origins } from './files/source.ts';
import { distinct } from './overlay-fields.ts';
import { reporter } from './problems.ts';
import { readSelector } from './references.ts';
import { checkField, type LayerContext } from './rules/field-rules.ts';
import type { RawLayer, RawList } from './schema/language.ts';
import { bindingRule } from './tag-bindings.ts';

const metadata = new Set(['extends', 'state', 'delete', 'renamed-from', 'unmanaged', 'when']);
const nestedKeys: ReadonlySet<string> = new Set(nestedAttributes);

export function readLayer(layer: RawLayer, context: LayerContext): Fields {
  const fields = new Map<string, Field>();
  const { origins } = context.loading;
  const add = (path: string, holder: object, key: string) => {
    const raw = (holder as Readonly<Record<string, Value | undefined>>)[key];
    const kind = referencePaths[path];
    const value =
      kind !== undefined && typeof raw === 'string'
        ? context.references.resolve(kind, raw, origins.atValue(holder, key))
        : fieldValue(path, raw, context);
    const lists = value === undefined ? [] : writtenLists(path, raw, origins);
    const location = origins.atKey(holder, key);
    const field: Field = { value, raw, layer: context.layer, location, lists: noneIfEmpty(lists) };
    fields.set(path, field);
    checkField(path, field, holder, context);
  };
  for (const key of Object.keys(layer)) {
    const value = layer[key];
    if (metadata.has(key)) continue;
    if (!nestedKeys.has(key) || !isRecord(value)) add(key, layer, key);
    else
      for (const inner of Object.keys(value))
        if (isAttributePath(`${key}.${inner}`)) add(`${key}.${inner}`, value, inner);
  }
  return fields;
}

function fieldValue(path: string, raw: Value | undefined, context: LayerContext): Value | undefined {
  if (raw === undefined) return undefined;
  if (path === 'tag-bindings') return bindingRule(raw as unknown as WrittenBindings, context.layer) as Value;
  if (path === 'lock') return lockValue(raw);
  return listPaths.has(path) ? listRule(raw as RawList<ConsumerRef>, context) : raw;
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

function writtenLists(path: string, raw: unknown, origins: Origins): readonly WrittenList[] {
  if (path !== 'tag-bindings' && !listPaths.has(path)) return [];
  const isForm = path === 'tag-bindings' ? isBindingForm(raw) : isRecord(raw);
  const forms = isForm ? (raw as object) : { list: raw };
  return Object.entries(forms).flatMap(([form, written]: [string, unknown]): readonly WrittenList[] => {
    const effect = form as WrittenList['effect'];
    if (Array.isArray(written))
      return [{ effect, items: written, locate: (index) => origins.atValue(written, index) }];
    if (!isRecord(written)) return [];
    const keys = Object.keys(written).filter((key) => written[key] !== undefined);
    const items = keys.map((key) => bindingText(key, (written as TagBindings)[key] ?? null));
    return [{ effect, items, locate: (index) => origins.atKey(written, keys[index] ?? '') }];
  });
}

function lockValue(raw: Value): Value {
  if (!isRecord(raw)) return { locked: raw === true };
  const { reason } = raw as { readonly reason?: string };
  return reason === undefined ? { locked: true } : { locked: true, reason };
}

const inheritedKeys: ReadonlySet<string> = new Set([
  ...attributePaths,
  ...nestedAttributes,
  ...workspaceRelations,
  'protect',
]);

export function readUnmanaged(
  { unmanaged }: RawLayer,
  fields: Fields,
  { loading, layer, address }: LayerContext,
): Fields {
  if (!unmanaged) return noLayers.stops;
  const { error } = reporter(loading, address);
  const stops = new Map<string, Field>();
  for (const [index, key] of unmanaged.entries()) {
    const location = loading.origins.atValue(unmanaged, index);
    const set = [...fields.keys()].find((path) => isUnder(path, key) || isUnder(key, path));
    if (!inheritedKeys.has(key))
      error('unknown-key', `${quote(key)} is not a key that a workspace inherits`, location, () => {
        const nested = [...inheritedKeys].find((known) => known.endsWith(`.${key}`));
        if (nested !== undefined) return `did you mean "${nested}"?`;
        return hintAt(
          key,
          inheritedKeys,
          'write a key of a template, such as iac-version or vcs-repo.branch',
        );
      });
    else if (set !== undefined) {
      const where = set === key ? '' : ` (${set})`;
      error('exclusive-settings', `${quote(key)} is unmanaged and set in the same layer${where}`, location);
    } else stops.set(key, { value: undefined, raw: key, location, layer });
  }
  return stops;
}
