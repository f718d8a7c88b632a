import { coupledPaths, sharingSwitches } from '../../model/attributes.ts';
import type { Change } from '../../model/change.ts';
import type { Hold } from '../../model/hold.ts';
import { projectExecutionPaths } from '../../model/project-attributes.ts';
import type { ResourceKind } from '../../model/state.ts';

/** The fields of a change that wait with a field: the service changes them together, or one is void without the other. */
export function heldFields(change: Change, field: string): readonly string[] {
  const paths = change.fields.map(({ path }) => path);
  // A level has all permissions.
  if (change.kind === 'team-access' && field === 'access') return paths;
  const together = fieldsTogether(change.kind, field);
  return paths.filter((path) => path === field || path.startsWith(`${field}.`) || together.includes(path));
}

/** The fields of a kind that depend on a field, itself included if there are others. */
export function fieldsTogether(kind: ResourceKind, field: string): readonly string[] {
  const groups: readonly (readonly string[])[] = [projectExecutionPaths];
  if (kind === 'project') return groups.find((group) => group.includes(field)) ?? [];
  if (kind === 'team-access') return [];
  // While the state is shared with more, a list of consumers is an error.
  if (sharingSwitches.some((path) => path === field)) return [...sharingSwitches, 'remote-state-consumers'];
  return coupledPaths([field]);
}

/** The fields that are held; `undefined` for the whole change. */
export function heldFieldsOf(holds: readonly Hold[]): ReadonlySet<string> | undefined {
  const fields = holds.map((hold) => hold.fields);
  return fields.includes(undefined) ? undefined : new Set(fields.flatMap((paths = []) => paths));
}
