import type { ProjectChange, WorkspaceChange } from '../model/change.ts';
import type { Call } from '../model/plan.ts';
import { isProjectPath } from '../model/project-attributes.ts';
import { asBindings, type TagBindings } from '../model/tag-bindings.ts';
import type { Value } from '../model/value.ts';
import { bindingsBody } from '../service/endpoints.ts';
import { callTo } from './operation-endpoints.ts';

/** The calls that make a change of a project, in their order. */
export function projectCalls(change: ProjectChange, organization: string): Call[] {
  const id = change.live?.id ?? '';
  switch (change.action) {
    case 'create':
      return [callTo('createProject', { organization }, projectBody(change))];
    case 'update':
      return [
        ...(needsUpdate(change) ? [callTo('updateProject', { id }, projectBody(change))] : []),
        ...upsertCalls(change, (body) => callTo('upsertProjectBindings', { id }, body)),
      ];
    case 'delete':
      return [callTo('deleteProject', { id })];
    default:
      return change.action satisfies never;
  }
}

function needsUpdate(change: ProjectChange): boolean {
  return change.fields.some(({ path }) => isProjectPath(path)) || replacedBindings(change) !== undefined;
}

function projectBody(change: ProjectChange): Value {
  const changed = change.fields.filter(({ path }) => isProjectPath(path));
  const bindings = replacedBindings(change);
  return {
    data: {
      type: 'projects',
      attributes: Object.fromEntries(changed.map(({ path, after }) => [path, after])),
      ...(bindings && { relationships: { 'tag-bindings': bindingsBody(bindings) } }),
    },
  };
}

type Bound = ProjectChange | WorkspaceChange;

/**
 * The key/value tags in the document of a create or an update, with which the service replaces all of them.
 * `undefined` if they do not change, or are added by a separate call.
 */
export function replacedBindings({ action, addsBindings, fields }: Bound): TagBindings | undefined {
  const field = fields.find(({ path }) => path === 'tag-bindings');
  if (field === undefined || (action === 'update' && addsBindings)) return undefined;
  return asBindings(field.after);
}

/** The call that adds and overwrites key/value tags and leaves all others alone. */
export function upsertCalls({ action, addsBindings, fields }: Bound, call: (body: Value) => Call): Call[] {
  const field = fields.find(({ path }) => path === 'tag-bindings');
  if (field === undefined || action !== 'update' || !addsBindings) return [];
  const before = asBindings(field.before) ?? {};
  const changed = Object.entries(asBindings(field.after) ?? {}).filter(
    ([key, value]) => !Object.hasOwn(before, key) || before[key] !== value,
  );
  return [call(bindingsBody(Object.fromEntries(changed)))];
}
