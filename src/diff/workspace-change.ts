import { attributePaths, isRepositoryPath } from '../model/attributes.ts';
import type { FieldChange, WorkspaceChange } from '../model/change.ts';
import { about } from '../model/diagnostic.ts';
import type { ListRule } from '../model/list-rule.ts';
import { applyListRule, listDifference } from '../model/list-rule.ts';
import { isPlaceholder, type WorkspaceResource } from '../model/state.ts';
import { listTexts, sortedSet } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import { addsBindings, bindingField } from './bindings.ts';
import { sameAttribute } from './normalize.ts';
import { isInherited, settingInEffect } from './settings-in-effect.ts';
import { hasRepository, repositoryOf } from './workspace-target.ts';

/** Compares the target of a workspace with the live one; `undefined` without a difference. */
export function workspaceChange(
  target: WorkspaceResource,
  live: WorkspaceResource | undefined,
  managed: WorkspaceResource,
  consumers: ListRule | undefined,
): WorkspaceChange | undefined {
  const rule = managed.attributes['tag-bindings'];
  const bindings = bindingField(target.attributes, live?.attributes);
  const fields = [
    ...nameField(target, live),
    ...valueFields(target, live, managed),
    ...listFields('tags', target, live),
    ...bindings,
    ...consumerFields(consumers, target, live),
    ...singleFields(target, live),
  ];
  if (live && fields.length === 0) return undefined;
  return {
    kind: 'workspace',
    name: managed.name,
    ...about(target),
    action: live ? 'update' : 'create',
    ...(live && { live }),
    target,
    fields,
    ...(addsBindings(rule, bindings) && { addsBindings: true }),
    ...(!live && managed.declared?.recovers && { recovers: managed.declared.recovers }),
    ...(managed.declared?.forcesUnlock && { forcesUnlock: true }),
  };
}

function nameField(target: WorkspaceResource, live: WorkspaceResource | undefined): FieldChange[] {
  if (!live || live.name === target.name) return [];
  return [{ path: 'name', before: live.name, after: target.name }];
}

/** The project and the attributes, which one PATCH changes. */
function valueFields(
  target: WorkspaceResource,
  live: WorkspaceResource | undefined,
  managed: WorkspaceResource,
): FieldChange[] {
  const attaches = hasRepository(managed) && !(live && hasRepository(live));
  const fields: FieldChange[] = [];
  for (const path of valuePaths) {
    const after = target.attributes[path];
    const before = live?.attributes[path] ?? null;
    if (after === undefined || (!live && after === null)) continue;
    // What it inherits is an effect.
    if (isInherited(path, target, managed)) continue;
    // A new repository is sent as declared, even if a key has the service's default.
    const isNew = !live || (attaches && isRepositoryPath(path) && after !== null);
    if (isNew || !sameAttribute(path, before, after))
      fields.push(withEffect({ path, before, after }, live, target));
  }
  if (live && target.attributes['vcs-repo'] === null && hasRepository(live))
    fields.push({ path: 'vcs-repo', before: repositoryOf(live.attributes), after: null });
  return fields;
}

const valuePaths = ['project', ...attributePaths];

/** A field with the values in effect, if the workspace inherits one of them. */
function withEffect(
  field: FieldChange,
  live: WorkspaceResource | undefined,
  target: WorkspaceResource,
): FieldChange {
  if (!live) return field;
  const [before = field.before, after = field.after] = [live, target].map(
    (side) => settingInEffect(field.path, side)?.value,
  );
  const isOwn = before === field.before && after === field.after;
  return isOwn ? field : { ...field, inEffect: { before, after } };
}

function listFields(
  path: string,
  target: WorkspaceResource,
  live: WorkspaceResource | undefined,
): FieldChange[] {
  const before = listTexts(live?.attributes[path]);
  const after = listTexts(target.attributes[path]);
  const { add, remove } = listDifference(before, after);
  if (add.length + remove.length === 0) return [];
  return live ? [{ path, before, after, add, remove }] : [{ path, before: null, after, add, remove }];
}

function consumerFields(
  rule: ListRule | undefined,
  target: WorkspaceResource,
  live: WorkspaceResource | undefined,
): FieldChange[] {
  if (rule === undefined) return [];
  const path = 'remote-state-consumers';
  const stored = live?.attributes[path];
  if (live && stored === undefined) {
    // The stored list cannot be read while the state is shared with all, so the list is always written.
    const after = applyListRule(rule, []);
    // What the plan creates is in no stored list.
    const remove = 'exactly' in rule ? [] : sortedSet(rule.remove).filter((key) => !isPlaceholder(key));
    const isEmpty = !('exactly' in rule) && after.length + remove.length === 0;
    return isEmpty ? [] : [{ path, before: null, after, add: after, remove }];
  }
  // A create does not write an empty list, but the plan shows that it is declared.
  if (!live && 'exactly' in rule && applyListRule(rule, []).length === 0)
    return [{ path, before: null, after: [], add: [], remove: [] }];
  return listFields(
    path,
    { ...target, attributes: { [path]: applyListRule(rule, listTexts(stored)) } },
    live && { ...live, attributes: { [path]: listTexts(stored) } },
  );
}

/** The relations that have one value. */
function singleFields(target: WorkspaceResource, live: WorkspaceResource | undefined): FieldChange[] {
  return Object.entries(relations).flatMap(([path, { shown }]) => {
    const [before, after] = [live?.attributes[path], target.attributes[path]];
    if (shown === undefined || sameAttribute(path, before, after)) return [];
    return [{ path, before: live ? shown(before) : null, after: shown(after) }];
  });
}
