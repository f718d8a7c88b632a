import type { Dialect } from '../model/dialect.ts';
import type { ProjectResource, WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { sameAttribute } from './normalize.ts';

const time = 'auto-destroy-at';
const period = 'auto-destroy-activity-duration';
const inheritedPeriod = 'inherited-auto-destroy-activity-duration';

/** The time and the duration depend on each other: the service clears one with the other. */
export function resolveSchedule(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  { attributes, dialect }: { attributes: Record<string, Value>; dialect: Dialect },
): void {
  const declared = desired.attributes;
  // A service that computes the time from the duration clears both together.
  if (declared[period] === null && declared[time] === undefined) delete attributes[time];
  // On live services a time that is written without a duration replaces the duration.
  const writesTime =
    declared[time] !== undefined && !sameAttribute(time, live?.attributes[time], declared[time]);
  if (dialect === 'terraform' && writesTime && declared[period] === undefined && live?.attributes[period])
    attributes[period] = null;
}

/**
 * A workspace without its own schedule has that of its project after the plan. A declared duration that the workspace
 * inherits, and keeps inheriting, does not differ.
 */
export function withInheritedSchedule(
  target: WorkspaceResource,
  live: WorkspaceResource | undefined,
  projects: ReadonlyMap<string, ProjectResource>,
): WorkspaceResource {
  const inherits = live?.attributes[inheritedPeriod];
  if (inherits === undefined) return target;
  const inherited = inheritedAfter(target, live, projects);
  const own = target.attributes[period] ?? null;
  const isInherited = own !== null && own === inherited && !target.attributes[time];
  const { [inheritedPeriod]: _before, ...attributes } = target.attributes;
  if (own !== null && !isInherited) return { ...target, attributes };
  return {
    ...target,
    attributes: {
      ...attributes,
      ...(isInherited && { [period]: null }),
      ...(inherited !== undefined && { [inheritedPeriod]: inherited }),
    },
  };
}

/** Undefined if the workspace moves to a project that is not read. */
function inheritedAfter(
  { attributes: { project } }: WorkspaceResource,
  live: WorkspaceResource | undefined,
  projects: ReadonlyMap<string, ProjectResource>,
): string | null | undefined {
  const after = projects.get(project ?? '');
  if (after) return after.attributes[period] ?? null;
  return project === live?.attributes.project ? live?.attributes[inheritedPeriod] : undefined;
}
