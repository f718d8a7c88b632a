import { attributePaths, isRepositoryPath } from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import { applyListRule, type ListRule, listDifference } from '../model/list-rule.ts';
import { isPlaceholder } from '../model/state.ts';
import { listTexts, sortedSet, type Value } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import type { Matched } from './comparison.ts';
import { addsBindings, bindingField, sameAttribute } from './normalize.ts';
import { isInherited, settingInEffect } from './settings-in-effect.ts';
import { hasRepository, repositoryOf } from './workspace-target.ts';

type MatchedWorkspace = Matched<'workspace'>;

export function differingFields(pair: MatchedWorkspace, consumers: ListRule | undefined): FieldChange[] {
  const { live, target } = pair;
  return [
    ...(live && live.name !== target.name ? [{ path: 'name', before: live.name, after: target.name }] : []),
    ...valueFields(pair),
    ...listField('tags', live?.attributes.tags, target.attributes.tags, pair),
    ...bindingField(target.attributes, live?.attributes),
    ...consumerField(consumers, pair),
    ...relationFields(pair),
  ];
}

export function workspaceDetails(
  { desired: { attributes, declared }, live }: MatchedWorkspace,
  fields: readonly FieldChange[],
  consumers: ListRule | undefined,
): Partial<WorkspaceChange> {
  const bindings = fields.filter(({ path }) => path === 'tag-bindings');
  return {
    ...(addsBindings(attributes['tag-bindings'], bindings) && { addsBindings: true }),
    ...(!live && declared?.recovers && { recovers: declared.recovers }),
    ...(declared?.forcesUnlock && { forcesUnlock: true }),
    ...(consumers && 'add' in consumers && { additiveConsumers: true }),
  };
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
    if (after === undefined || (!live && after === null) || isInherited(path, target, desired)) return [];
    // A new repository is sent as declared, even if a key has the service's default.
    const isNew = !live || (attaches && isRepositoryPath(path) && after !== null);
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
    const isEmpty = !isExact && after.length + remove.length === 0;
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
