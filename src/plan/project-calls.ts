import type { ProjectChange } from '../model/change.ts';
import type { Call } from '../model/plan.ts';
import { isProjectPath } from '../model/project-attributes.ts';
import type { Value } from '../model/value.ts';
import { callTo } from './operation-endpoints.ts';

/** The call that makes a change of a project. */
export function projectCalls(change: ProjectChange, organization: string): Call[] {
  const id = change.live?.id ?? '';
  switch (change.action) {
    case 'create':
      return [callTo('createProject', { organization }, projectBody(change))];
    case 'update':
      return [callTo('updateProject', { id }, projectBody(change))];
    case 'delete':
      return [callTo('deleteProject', { id })];
    default:
      return change.action satisfies never;
  }
}

function projectBody({ fields }: ProjectChange): Value {
  const changed = fields.filter(({ path }) => isProjectPath(path));
  return {
    data: {
      type: 'projects',
      attributes: Object.fromEntries(changed.map(({ path, after }) => [path, after])),
    },
  };
}
