/*
 * Two values of a field, and the change between them. Values are compared as the service does: both sides are normalized, so that
 * `null`, an empty text and a missing member are the default of the attribute, sets are sorted, times are milliseconds, and a lock
 * is a boolean.
 */

import { attributePaths, attributeRow, isRepositoryPath } from '../model/attributes.ts';
import type { FieldChange } from '../model/change.ts';
import {
  applyBindingRule,
  applyListRule,
  asBindingRule,
  asBindings,
  bindingDifference,
  type ListRule,
  listDifference,
  type TagBindings,
} from '../model/list-rule.ts';
import { isPlaceholder, type WorkspaceResource } from '../model/state.ts';
import { listTexts, sameValue, sortedSet, type Value, type Values } from '../model/value.ts';
import { isLocked, relations } from '../relations/relations.ts';
import type { Matched } from './comparison.ts';
import { isInherited, settingInEffect } from './settings-in-effect.ts';

export interface ValueDifference {
  readonly path: string;
  readonly before: Value | undefined;
  readonly after: Value | undefined;
}

export function differences(before: Values, after: Values): readonly ValueDifference[] {
  return Object.keys({ ...before, ...after })
    .filter((path) => !sameAttribute(path, before[path], after[path]))
    .map((path) => ({ path, before: before[path], after: after[path] }));
}

export function sameAttribute(path: string, a: Value | undefined, b: Value | undefined): boolean {
  return a === b || sameValue(normalize(path, a), normalize(path, b));
}

export function changedValues(
  paths: readonly string[],
  target: Values,
  live: Values | undefined,
): FieldChange[] {
  return paths.flatMap((path) => {
    const [before = null, after = null] = [live?.[path], target[path]];
    return sameAttribute(path, before, after) ? [] : [{ path, before, after }];
  });
}

function normalize(path: string, value: Value | undefined): Value {
  if (path === 'lock') return isLocked(value);
  const spec = attributeRow(path);
  if (value === undefined || value === null || value === '') return spec?.default ?? null;
  if (spec?.compare === 'set' && Array.isArray(value)) return sortedSet(value.map(String));
  if (spec?.compare === 'instant') {
    const moment = Date.parse(String(value));
    return Number.isNaN(moment) ? value : moment;
  }
  return value;
}

const bindingsPath = 'tag-bindings';

export function targetBindings(rule: Value | undefined, live: Values | undefined): TagBindings | undefined {
  const current = asBindings(live?.[bindingsPath]);
  const declared = asBindingRule(rule);
  return declared ? applyBindingRule(declared, current ?? {}) : current;
}

export function bindingField(target: Values, live: Values | undefined): FieldChange[] {
  const after = asBindings(target[bindingsPath]);
  if (after === undefined) return [];
  const before = asBindings(live?.[bindingsPath]) ?? {};
  const { add, remove } = bindingDifference(before, after);
  if (add.length + remove.length === 0) return [];
  return [{ path: bindingsPath, before: live ? before : null, after, add, remove }];
}

export function addsBindings(rule: Value | undefined, [field]: readonly FieldChange[]): boolean {
  const declared = asBindingRule(rule);
  if (declared === undefined || !('add' in declared) || field === undefined) return false;
  const after = asBindings(field.after) ?? {};
  return Object.keys(asBindings(field.before) ?? {}).every((key) => Object.hasOwn(after, key));
}

type MatchedWorkspace = Matched<'workspace'>;

export function differingFields(pair: MatchedWorkspace, consumers: ListRule | undefined): FieldChange[] {
  const { live, target } = pair;
  return [
    live && live.name !== target.name ? { path: 'name', before: live.name, after: target.name } : [],
    valueFields(pair),
    listField('tags', live?.attributes.tags, target.attributes.tags, pair),
    bindingField(target.attributes, live?.attributes),
    consumerField(consumers, pair),
    relationFields(pair),
  ].flat();
}

const valuePaths = ['project', ...attributePaths];

/** The project and the attributes, which one PATCH changes. */
function valueFields({ desired, live, target }: MatchedWorkspace): FieldChange[] {
  const attaches = hasRepository(desired) && !(live && hasRepository(live));
  const detaches = live && target.attributes['vcs-repo'] === null && hasRepository(live);
  const fields = valuePaths.flatMap((path): FieldChange[] => {
    const after = target.attributes[path];
    const before = live?.attributes[path] ?? null;
    // What it inherits is an effect.
    const isNothing = after === null || after === '';
    if (after === undefined || (!live && isNothing) || isInherited(path, target, desired)) return [];
    // A new repository is sent as declared, even if a key has the service's default.
    const isNew = !live || (attaches && isRepositoryPath(path) && !isNothing);
    if (!isNew && sameAttribute(path, before, after)) return [];
    const field = { path, before, after };
    if (!live) return [field];
    const inEffect = {
      before: settingInEffect(path, live)?.value ?? before,
      after: settingInEffect(path, target)?.value ?? after,
    };
    const isOwn = inEffect.before === before && inEffect.after === after;
    return [isOwn ? field : { ...field, inEffect }];
  });
  if (!detaches) return fields;
  return [...fields, { path: 'vcs-repo', before: repositoryOf(live.attributes), after: null }];
}

function listField(
  path: string,
  before: Value | undefined,
  after: Value | undefined,
  { live }: MatchedWorkspace,
): FieldChange[] {
  const [had, has] = [listTexts(before), listTexts(after)];
  const { add, remove } = listDifference(had, has);
  return add.length + remove.length === 0
    ? []
    : [{ path, before: live ? had : null, after: has, add, remove }];
}

function consumerField(rule: ListRule | undefined, pair: MatchedWorkspace): FieldChange[] {
  if (rule === undefined) return [];
  const path = 'remote-state-consumers';
  const { live } = pair;
  const stored = live?.attributes[path];
  const after = applyListRule(rule, listTexts(stored));
  const isExact = 'exactly' in rule;
  if (live && stored === undefined) {
    // The stored list cannot be read while the state is shared with all, so the list is always written. What the plan
    // creates is in no stored list.
    const remove = isExact ? [] : sortedSet(rule.remove).filter((key) => !isPlaceholder(key));
    const isEmpty = !isExact && after.length === 0 && remove.length === 0;
    return isEmpty ? [] : [{ path, before: null, after, add: after, remove }];
  }
  // A create does not write an empty list, but the plan shows that it is declared.
  if (!live && isExact && after.length === 0) return [{ path, before: null, after, add: [], remove: [] }];
  return listField(path, stored, after, pair);
}

function relationFields({ live, target }: MatchedWorkspace): FieldChange[] {
  return Object.entries(relations).flatMap(([path, { shown }]) => {
    const [before, after] = [live?.attributes[path], target.attributes[path]];
    if (shown === undefined || sameAttribute(path, before, after)) return [];
    return [{ path, before: live ? shown(before) : null, after: shown(after) }];
  });
}

export function hasRepository(workspace: Pick<WorkspaceResource, 'attributes'>): boolean {
  return Object.keys(workspace.attributes).some(isRepositoryPath);
}

export function repositoryOf(attributes: Values): Value {
  const keys = Object.entries(attributes)
    .filter(([path, value]) => isRepositoryPath(path) && value !== null && value !== '')
    .map(([path, value]) => [path.slice('vcs-repo.'.length), value]);
  return keys.length > 0 ? Object.fromEntries(keys) : null;
}
