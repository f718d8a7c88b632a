import { attributePaths, nestedAttributes, workspaceRelations } from '../model/attributes.ts';
import type { Field, Fields } from './fields.ts';
import { locateValue } from './files/source.ts';
import type { LayerContext } from './rules/field-rules.ts';
import type { RawLayer } from './schema/language.ts';
import { quote, suggestion } from './text.ts';

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
    const set = [...fields.keys()].find((path) => isWithin(path, key) || isWithin(key, path));
    if (!inheritedKeys.has(key)) {
      loading.problems.add({
        code: 'unknown-key',
        message: `${quote(key)} is not a key that a workspace inherits`,
        hint: () =>
          nestedKey(key) ??
          suggestion(key, inheritedKeys) ??
          'write a key of a template, such as iac-version or vcs-repo.branch',
        address,
        location,
      });
    } else if (set !== undefined) {
      loading.problems.add({
        code: 'unmanaged-and-set',
        message: `${quote(key)} is unmanaged and set in the same layer${set === key ? '' : ` (${set})`}`,
        hint: 'remove one of the two',
        address,
        location,
      });
    } else stops.set(key, { value: undefined, raw: key, location, layer });
  }
  return stops;
}

/** A key inside `vcs-repo` or `setting-overwrites` that is written without it. */
function nestedKey(key: string): string | undefined {
  const path = [...inheritedKeys].find((known) => known.endsWith(`.${key}`));
  return path === undefined ? undefined : `did you mean ${quote(path)}?`;
}

/** Whether a path is the key itself, or one inside the mapping with that key. */
export function isWithin(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`);
}
