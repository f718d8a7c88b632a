import type { JournaledChange } from '../apply/journal/parse-journal.ts';
import { sameAttribute } from '../diff/normalize.ts';
import { isProjectPath, projectPaths } from '../model/attributes.ts';
import { asBindings, bindingDifference } from '../model/list-rule.ts';
import { type Declared, type ProjectResource, uncreatedProject } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import {
  leftAlone,
  nameInUse,
  nothingToRevert,
  notUndoable,
  type RevertContext,
  type Reverted,
  shownValue,
  undoConflict,
} from './revert.ts';
import { bindingsChanged, leftBy, revertBindings } from './revert-bindings.ts';
import { lowerCase } from './touched-projects.ts';

/** Reverts the change of a project: deletes it, restores its values, or creates it again. */
export function revertProject(change: JournaledChange, context: RevertContext): Reverted {
  const live = context.touched.projects.byAddress.get(change.address);
  switch (change.action) {
    case 'create':
      return live ? revertCreation(change, live, context) : nothingToRevert;
    case 'update':
      return live
        ? revertValues(change, live, context)
        : leftAlone(change, 'it was deleted, or this token may not see it');
    case 'delete':
      return revertDeletion(change, live, context);
    default:
      return change.action satisfies never;
  }
}

function revertCreation(change: JournaledChange, live: ProjectResource, context: RevertContext): Reverted {
  const values = changedSince(sentBy(change), live.attributes, context).map(({ text }) => text);
  const changed = [...values, ...bindingsChanged(leftBy(change.calls), live.attributes)];
  if (changed.length > 0) {
    const isOurs = change.calls.some(({ outcome }) => outcome?.result === 'done');
    const how = isOurs
      ? `it changed after the run created it: ${changed.join('; ')}`
      : `it is unknown whether the run created it, and ${changed.join('; ')}`;
    return leftAlone(change, how);
  }
  const unchanged = Object.keys(sentBy(change));
  return {
    resources: [declared(change, live.id ?? '', {}, { absent: 'safe', unchanged })],
    diagnostics: [],
  };
}

function revertValues(change: JournaledChange, live: ProjectResource, context: RevertContext): Reverted {
  const written = sentBy(change);
  const isRestored = (path: string) =>
    sameAttribute(path, change.before[path] ?? null, live.attributes[path]);
  const moved = changedSince(written, live.attributes, context).filter(({ path }) => !isRestored(path));
  const isMoved = new Set(moved.map(({ path }) => path));
  const taken = takenName(change, live, context);
  const restored = Object.fromEntries(
    Object.keys(written).flatMap((path): [string, Value][] =>
      isMoved.has(path) || isRestored(path) || (path === 'name' && taken !== undefined)
        ? []
        : [[path, change.before[path] ?? null]],
    ),
  );
  const bindings = revertBindings(change, leftBy(change.calls), live.attributes);
  const attributes = { ...restored, ...bindings.attributes };
  const diagnostics = [
    ...moved.map(({ path, text }) => undoConflict(change, text, path)),
    ...(taken === undefined || isMoved.has('name') ? [] : [nameInUse(change, taken, 'project')]),
    ...bindings.diagnostics,
  ];
  if (Object.keys(attributes).length === 0) return { resources: [], diagnostics };
  return { resources: [declared(change, live.id ?? '', attributes, {})], diagnostics };
}

/** The name before the run, if another project has it now. */
function takenName(
  { before: { name } }: JournaledChange,
  { id }: ProjectResource,
  { touched: { projects } }: RevertContext,
): Value | undefined {
  const holder = name === undefined ? undefined : projects.idsByName.get(lowerCase(name));
  return holder === undefined || holder === id ? undefined : name;
}

function revertDeletion(
  change: JournaledChange,
  live: ProjectResource | undefined,
  { recreated }: RevertContext,
): Reverted {
  if (live?.id !== undefined && live.id === change.id) return nothingToRevert;
  const kept = change.kept ?? change.before;
  const bindings = asBindings(kept['tag-bindings']) ?? {};
  if (live !== undefined) {
    const others = projectPaths.filter((path) => !sameAttribute(path, kept[path], live.attributes[path]));
    const { add, remove } = bindingDifference(asBindings(live.attributes['tag-bindings']) ?? {}, bindings);
    const paths = [...others, ...(add.length + remove.length > 0 ? ['tag-bindings'] : [])];
    if (paths.length === 0) return nothingToRevert;
    const isOurs = recreated.get(change.id ?? '')?.id === live.id;
    const how = isOurs
      ? `it differs from the one that an undo created again: ${paths.join(', ')}`
      : `after the run deleted it, another project was created with its name and a different ${paths.join(', ')}`;
    return leftAlone(change, how);
  }
  const values = projectPaths.flatMap((path): [string, Value][] => {
    const value = kept[path];
    return value === undefined || value === null ? [] : [[path, value]];
  });
  const attributes = {
    ...Object.fromEntries(values),
    ...(Object.keys(bindings).length > 0 && { 'tag-bindings': { exactly: bindings } }),
  };
  return {
    resources: [declared(change, uncreatedProject(change.name), attributes, {})],
    diagnostics: [
      notUndoable(
        change,
        'it is created again with a new id: its team access and variable sets are lost, except for access that this undo restores',
      ),
    ],
  };
}

function declared(
  { address, name }: JournaledChange,
  id: string,
  attributes: Values,
  about: Declared,
): ProjectResource {
  return { kind: 'project', address, name, id, attributes, declared: about };
}

function sentBy({ calls }: JournaledChange): Values {
  const values: Values = Object.assign({}, ...calls.map(({ written }) => written.values));
  return Object.fromEntries(Object.entries(values).filter(([path]) => isProjectPath(path)));
}

function changedSince(
  written: Values,
  now: Values,
  context: RevertContext,
): { readonly path: string; readonly text: string }[] {
  return Object.entries(written)
    .filter(([path, value]) => !sameAttribute(path, value, now[path]))
    .map(([path, value]) => {
      const [was, is] = [value, now[path]].map((one) => shownValue(path, one, context));
      return { path, text: `${path} was ${was} and is ${is}` };
    });
}
