import { isProjectPath, projectExecutionPaths } from '../model/attributes.ts';
import type { ProjectChange, WorkspaceChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindings, type TagBindings } from '../model/list-rule.ts';
import type { Call, Written } from '../model/plan.ts';
import type { Values } from '../model/value.ts';
import { callTo } from './operation-endpoints.ts';

export function projectCalls(change: ProjectChange, organization: string, dialect: Dialect): Call[] {
  const id = change.live?.id ?? '';
  const added = addedBindings(change);
  const isUpdated = change.fields.some(({ path }) => isProjectPath(path)) || replacedBindings(change);
  switch (change.action) {
    case 'create':
      return [callTo('createProject', { organization }, settingsOf(change), dialect)];
    case 'update':
      return [
        isUpdated ? callTo('updateProject', { id }, settingsOf(change), dialect) : [],
        added ? callTo('upsertProjectBindings', { id }, added, dialect) : [],
      ].flat();
    case 'delete':
      return [callTo('deleteProject', { id })];
    default:
      return change.action satisfies never;
  }
}

function settingsOf(change: ProjectChange): Written {
  const exactly = replacedBindings(change);
  return {
    values: {
      ...Object.fromEntries(change.fields.map(({ path, after }) => [path, after])),
      ...executionOf(change),
    },
    bindings: exactly && { exactly },
  };
}

/** The service takes an agent pool with the mode `agent` only, so that the two are sent together. */
function executionOf({ fields, target }: ProjectChange): Values {
  const isChanged = projectExecutionPaths.some((path) => fields.some((field) => field.path === path));
  const { 'default-execution-mode': mode, 'default-agent-pool': pool } = target?.attributes ?? {};
  if (!isChanged || mode !== 'agent' || !pool) return {};
  return { 'default-execution-mode': mode, 'default-agent-pool': pool };
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

/** What the call writes that adds and overwrites key/value tags, and leaves all others alone. */
export function addedBindings({ action, addsBindings, fields }: Bound): Written | undefined {
  const field = fields.find(({ path }) => path === 'tag-bindings');
  if (field === undefined || action !== 'update' || !addsBindings) return undefined;
  const before = asBindings(field.before) ?? {};
  const changed = Object.entries(asBindings(field.after) ?? {}).filter(
    ([key, value]) => !Object.hasOwn(before, key) || before[key] !== value,
  );
  return { values: {}, bindings: { add: Object.fromEntries(changed), remove: [] } };
}
