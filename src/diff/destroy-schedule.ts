import { destroyDuration, destroyTime, inheritedDestroyDuration } from '../model/attributes.ts';
import type { Dialect } from '../model/dialect.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { sameAttribute } from './normalize.ts';

/** The time and the duration depend on each other: the service clears one with the other. */
export function resolveSchedule(
  desired: WorkspaceResource,
  live: WorkspaceResource | undefined,
  { attributes, dialect }: { attributes: Record<string, Value>; dialect: Dialect },
): void {
  const declared = desired.attributes;
  // What the base declares alike is only compared if the workspace inherits it so far.
  if (desired.durationBefore && live?.attributes[inheritedDestroyDuration] !== declared[destroyDuration]) {
    if (live?.attributes[destroyDuration] === undefined) delete attributes[destroyDuration];
    else attributes[destroyDuration] = live.attributes[destroyDuration];
  }
  // A service that computes the time from the duration clears both together.
  if (declared[destroyDuration] === null && declared[destroyTime] === undefined)
    delete attributes[destroyTime];
  // On live services a time that is written without a duration replaces the duration.
  const writesTime =
    declared[destroyTime] !== undefined &&
    !sameAttribute(destroyTime, live?.attributes[destroyTime], declared[destroyTime]);
  if (
    dialect === 'terraform' &&
    writesTime &&
    declared[destroyDuration] === undefined &&
    live?.attributes[destroyDuration]
  )
    attributes[destroyDuration] = null;
}
