import { destroyDuration, destroyTime } from '../../model/attributes.ts';
import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalidAttribute } from '../http/responses.ts';
import type { StoredProject, StoredWorkspace } from '../store/records.ts';
import type { GivenValues, OwnValues } from './read-attributes.ts';

/*
 * Rules of the live service that the interface document does not have: they do not apply to the iac dialect.
 */

interface ScheduleInput {
  readonly own: OwnValues;
  readonly given: GivenValues;
  readonly inherits: boolean | undefined;
  readonly neverDestroyed: boolean;
  readonly project: StoredProject | undefined;
}

/**
 * The live service keeps one destroy schedule: a time without a duration replaces the duration. Without its own
 * schedule a workspace inherits that of its project, unless the request declines it.
 */
export function storedSchedule({ own, given, inherits, neverDestroyed, project }: ScheduleInput): {
  readonly own: OwnValues;
  readonly neverDestroyed: boolean;
  readonly errors: readonly ErrorObject[];
} {
  const [at, duration] = [given[destroyTime], given[destroyDuration]];
  if (inherits) {
    const differs = typeof duration === 'string' && duration !== durationOf(project);
    return {
      own: { ...own, [destroyTime]: null, [destroyDuration]: null },
      neverDestroyed: false,
      errors: differs ? [invalidAttribute(destroyDuration, mustMatch)] : [],
    };
  }
  const after = {
    ...own,
    ...(typeof at === 'string' && duration === undefined && { [destroyDuration]: null }),
    ...(duration === null && { [destroyTime]: at ?? null }),
  };
  const isWritten = at !== undefined || duration !== undefined;
  const optsOut = inherits === false || (neverDestroyed && !isWritten);
  return { own: after, neverDestroyed: optsOut && !hasOwnSchedule(after), errors: [] };
}

const mustMatch =
  'workspace auto destroy duration must match project auto destroy duration, consider setting inherits_project_auto_destroy to false';

export function inheritsSchedule({ attributes, neverDestroyed }: StoredWorkspace): boolean {
  return !neverDestroyed && !hasOwnSchedule(attributes);
}

export function durationOf(project: StoredProject | undefined): Value {
  return project?.settings?.[destroyDuration] ?? null;
}

function hasOwnSchedule(own: OwnValues): boolean {
  return own[destroyTime] !== null || own[destroyDuration] !== null;
}

const prefixes = 'trigger-prefixes';
const patterns = 'trigger-patterns';
const regex = 'vcs-repo.tags-regex';

/**
 * The live service supports one way to trigger at a time: prefixes, patterns or Git tags. A list that is sent alone, an
 * empty one included, clears the other; two filled lists are refused.
 */
export function resolveOwnTriggers(
  own: OwnValues,
  given: GivenValues,
): { readonly own: OwnValues; readonly errors: readonly ErrorObject[] } {
  const resolved = {
    ...own,
    ...(given[patterns] === undefined && given[prefixes] !== undefined && { [patterns]: [] }),
    ...(given[prefixes] === undefined && given[patterns] !== undefined && { [prefixes]: [] }),
  };
  const errors: ErrorObject[] = [];
  const wrong = (name: string, detail: string) => errors.push(invalidAttribute(name, detail));
  const [hasPrefixes, hasPatterns] = [isFilled(given[prefixes]), isFilled(given[patterns])];
  if (hasPrefixes && hasPatterns)
    wrong(patterns, "'trigger_patterns' and 'trigger_prefixes' cannot both be populated.");
  const { 'file-triggers-enabled': isEnabled } = resolved;
  if (isFilled(resolved[patterns]) && isEnabled === false)
    wrong(patterns, "'trigger_patterns' cannot be populated when 'file_triggers_enabled' is set to false.");
  if (resolved[regex] && (given[regex] || hasPrefixes || hasPatterns)) {
    const place = 'vcs-repo/tags-regex';
    if (isFilled(resolved[patterns]) || isFilled(resolved[prefixes]))
      wrong(place, "'tags_regex' cannot be populated together with trigger patterns or prefixes.");
    if (isEnabled === true)
      wrong(place, "'tags_regex' cannot be populated when 'file_triggers_enabled' is set to true.");
  }
  return { own: resolved, errors };
}

function isFilled(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
