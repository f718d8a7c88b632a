import { referencePaths } from '../model/alias-kind.ts';
import { type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';
import type { RevertContext } from './revert.ts';

/** A workspace as a file would declare it. */
export function declaration(
  name: string,
  attributes: Values,
  declared: NonNullable<WorkspaceResource['declared']>,
): WorkspaceResource {
  return {
    kind: 'workspace',
    address: workspaceAddress(name),
    name,
    attributes,
    ...(Object.keys(declared).length > 0 && { declared }),
  };
}

/** Whose aliases and names are shown instead of ids. */
type Named = Pick<RevertContext, 'run' | 'touched'>;

export function shownValue(path: string, value: Value | undefined, named: Named): string {
  if (path === 'lock') return isLocked(value) ? 'locked' : 'unlocked';
  if (value === null || value === undefined || value === '') return 'not set';
  return JSON.stringify(typeof value === 'string' ? nameOfId(path, value, named) : value);
}

/** The alias or the name of the object that a path refers to by its id; any other text as it is. */
function nameOfId(path: string, value: string, { run, touched }: Named): string {
  const kind = referencePaths[path];
  if (kind === undefined) return value;
  const [name] = Object.entries(run.aliases[kind]).find(([, id]) => id === value) ?? [];
  return name ?? touched.projects.names.get(value) ?? value;
}
