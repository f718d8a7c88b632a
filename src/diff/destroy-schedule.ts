import type { Dialect } from '../model/dialect.ts';
import type { WorkspaceResource } from '../model/state.ts';
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
  // What the base declares alike is only compared if the workspace inherits it so far.
  if (desired.durationBefore && live?.attributes[inheritedPeriod] !== declared[period]) {
    if (live?.attributes[period] === undefined) delete attributes[period];
    else attributes[period] = live.attributes[period];
  }
  // A service that computes the time from the duration clears both together.
  if (declared[period] === null && declared[time] === undefined) delete attributes[time];
  // On live services a time that is written without a duration replaces the duration.
  const writesTime =
    declared[time] !== undefined && !sameAttribute(time, live?.attributes[time], declared[time]);
  if (dialect === 'terraform' && writesTime && declared[period] === undefined && live?.attributes[period])
    attributes[period] = null;
}
