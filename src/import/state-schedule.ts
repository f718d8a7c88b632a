import { durationPattern } from '../model/attributes.ts';
import type { Stating } from './stating.ts';

/** When it is destroyed. With a duration the service works the time out itself; and both may be the project's. */
export function stateSchedule(stating: Stating): void {
  const { attributes } = stating.workspace;
  const at = attributes['auto-destroy-at'] || null;
  const duration = attributes['auto-destroy-activity-duration'] || null;
  const isInherited = attributes['inherits-project-auto-destroy'] === true;

  if (isInherited) stating.leaveOut('auto-destroy-activity-duration');
  else if (duration !== null && !durationPattern.test(String(duration)))
    stating.leaveOut('auto-destroy-activity-duration', 'its form is unknown');
  else stating.say('auto-destroy-activity-duration', duration, duration === null);

  if (isInherited || (at !== null && duration !== null)) stating.leaveOut('auto-destroy-at');
  else if (at !== null && !isTimestamp(String(at))) stating.leaveOut('auto-destroy-at', 'it is no timestamp');
  else stating.say('auto-destroy-at', at, at === null);
}

function isTimestamp(text: string): boolean {
  const form = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
  return form.test(text) && !Number.isNaN(Date.parse(text));
}
