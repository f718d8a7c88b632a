import { listPaths } from '../../model/attributes.ts';
import { type Base, rootsOf } from '../../model/configuration.ts';
import type { Dialect } from '../../model/dialect.ts';
import { type ListRule, pairOf, type Resource, workspaceAddress } from '../../model/state.ts';
import { asBindingRule } from '../../model/tag-bindings.ts';
import { canonicalJson, sameValue, sortedSet, type Value } from '../../model/value.ts';
import { sameAttribute } from '../normalize.ts';
import { prunes } from '../ownership.ts';

/** What the base of a run declares, by the identity of each resource. */
export interface DeclaredByBase {
  /** What it declares for a resource of the files: under its address, its former name, or its ids. */
  counterpart(declared: Resource): Resource | undefined;
  /** Whether the base deletes an undeclared live resource as well. */
  prunes(live: Resource, dialect: Dialect): boolean;
}

/** Indexes a base that was loaded. */
export function declaredByBase({ declared }: Base): DeclaredByBase {
  const index = indexOf(declared?.desired.resources.values() ?? []);
  const find = (keys: readonly string[]) => keys.flatMap((key) => index.get(key) ?? [])[0];
  return {
    counterpart: (resource) => find(identityKeys(resource)),
    prunes: (live, dialect) =>
      find(identityKeys(live)) === undefined &&
      (declared ? rootsOf(declared) : []).some((base) => prunes(base, live, dialect)),
  };
}

/** Resources by each of {@link identityKeys}. */
export function indexOf(resources: Iterable<Resource>): ReadonlyMap<string, Resource> {
  return new Map(
    [...resources].flatMap((resource) => identityKeys(resource).map((key) => [key, resource] as const)),
  );
}

/** The texts under which a resource is found in other files: those of a renamed one include its former name. */
export function identityKeys(resource: Resource): readonly string[] {
  const { kind, address, id, declared } = resource;
  switch (kind) {
    case 'workspace':
      return declared?.renamedFrom === undefined
        ? [address]
        : [address, workspaceAddress(declared.renamedFrom)];
    case 'project':
      return id === undefined ? [address] : [address, id];
    case 'team-access':
      return [pairOf(resource)];
    default:
      return kind satisfies never;
  }
}

/** Whether two configurations declare the same under a path. A missing value is unmanaged. */
export function sameDeclaration(path: string, a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  if (listPaths.has(path)) return sameValue(comparableList(a), comparableList(b));
  if (path === 'tag-bindings') return sameValue(comparableBindings(a), comparableBindings(b));
  return sameAttribute(path, a, b);
}

export function asRule(declared: Value): ListRule<Value> {
  return Array.isArray(declared) ? { exactly: declared } : (declared as unknown as ListRule<Value>);
}

/** The entries that a list asserts. */
export function asserted(rule: ListRule<Value>): readonly Value[] {
  if ('add' in rule) return rule.add;
  const without = new Set((rule.except ?? []).map(listEntryKey));
  return rule.exactly.filter((item) => !without.has(listEntryKey(item)));
}

/** Equal for equal entries: texts, or selectors. */
export function listEntryKey(entry: Value): string {
  return canonicalJson(entry);
}

function comparableList(declared: Value): Value {
  const rule = asRule(declared);
  const entries = sortedSet(asserted(rule).map(listEntryKey));
  if ('add' in rule) return { add: entries, remove: sortedSet(rule.remove.map(listEntryKey)) };
  // A selector can select an entry that is left out.
  const isPlain = rule.exactly.every((item) => typeof item === 'string');
  return { exactly: entries, except: isPlain ? [] : sortedSet((rule.except ?? []).map(listEntryKey)) };
}

function comparableBindings(declared: Value): Value {
  const rule = asBindingRule(declared);
  if (rule === undefined || 'exactly' in rule) return declared;
  return { add: rule.add, remove: sortedSet(rule.remove) };
}
