import { type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';

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

export function shownValue(path: string, value: Value | undefined): string {
  return path === 'lock' ? (isLocked(value) ? 'locked' : 'unlocked') : valueText(value);
}

function valueText(value: Value | undefined): string {
  return value === null || value === undefined || value === '' ? 'not set' : JSON.stringify(value);
}
