import { destroyDuration, destroyTime } from '../../model/attributes.ts';
import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';
import type { StoredProject, StoredWorkspace } from '../store/records.ts';
import type { GivenValues, OwnValues } from './read-attributes.ts';

/*
 * Rules of the live service that the interface document does not have: they do not apply to the iac dialect.
 */

interface ScheduleInput {
  /** With the values of the request. */
  readonly own: OwnValues;
  readonly given: GivenValues;
  /** `inherits-project-auto-destroy` in the request. */
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
  readonly errors: ErrorObject[];
} {
  const [at, duration] = [given[destroyTime], given[destroyDuration]];
  if (inherits) {
    const differs = typeof duration === 'string' && duration !== durationOf(project);
    return {
      own: { ...own, [destroyTime]: null, [destroyDuration]: null },
      neverDestroyed: false,
      errors: differs ? [invalid(`/data/attributes/${destroyDuration}`, mustMatch)] : [],
    };
  }
  const resolved: Record<string, Value> = { ...own };
  if (typeof at === 'string' && duration === undefined) resolved[destroyDuration] = null;
  if (duration === null) resolved[destroyTime] = at ?? null;
  const after = resolved as OwnValues;
  const isWritten = at !== undefined || duration !== undefined;
  const optsOut = inherits === false || (neverDestroyed && !isWritten);
  return { own: after, neverDestroyed: optsOut && !hasOwnSchedule(after), errors: [] };
}

const mustMatch =
  'workspace auto destroy duration must match project auto destroy duration, consider setting inherits_project_auto_destroy to false';

/** Whether the schedule of its project applies to the workspace. */
export function inheritsSchedule({ attributes, neverDestroyed }: StoredWorkspace): boolean {
  return !neverDestroyed && !hasOwnSchedule(attributes);
}

/** The activity duration that a project hands down. */
export function durationOf(project: StoredProject | undefined): string | null {
  const duration = project?.settings?.[destroyDuration];
  return typeof duration === 'string' ? duration : null;
}

function hasOwnSchedule(own: OwnValues): boolean {
  return own[destroyTime] !== null || own[destroyDuration] !== null;
}

const prefixes = 'trigger-prefixes';
const patterns = 'trigger-patterns';

/**
 * The live service supports one way to trigger at a time: prefixes, patterns or Git tags. A list that is sent alone, an
 * empty one included, clears the other; two filled lists are refused.
 */
export function resolveOwnTriggers(
  own: OwnValues,
  given: GivenValues,
): { readonly own: OwnValues; readonly errors: ErrorObject[] } {
  const resolved = { ...own };
  const [hasPrefixes, hasPatterns] = [isFilled(given[prefixes]), isFilled(given[patterns])];
  if (given[patterns] === undefined && given[prefixes] !== undefined) resolved[patterns] = [];
  if (given[prefixes] === undefined && given[patterns] !== undefined) resolved[prefixes] = [];
  const errors: ErrorObject[] = [];
  if (hasPrefixes && hasPatterns) {
    errors.push(
      invalid(
        '/data/attributes/trigger-patterns',
        "'trigger_patterns' and 'trigger_prefixes' cannot both be populated.",
      ),
    );
  }
  if (isFilled(resolved[patterns]) && resolved['file-triggers-enabled'] === false) {
    errors.push(
      invalid(
        '/data/attributes/trigger-patterns',
        "'trigger_patterns' cannot be populated when 'file_triggers_enabled' is set to false.",
      ),
    );
  }
  if (resolved['vcs-repo.tags-regex'] && (given['vcs-repo.tags-regex'] || hasPrefixes || hasPatterns)) {
    errors.push(...regexErrors(resolved));
  }
  return { own: resolved, errors };
}

function* regexErrors(resolved: OwnValues): Generator<ErrorObject> {
  const pointer = '/data/attributes/vcs-repo/tags-regex';
  if (isFilled(resolved[patterns]) || isFilled(resolved[prefixes])) {
    yield invalid(pointer, "'tags_regex' cannot be populated together with trigger patterns or prefixes.");
  }
  if (resolved['file-triggers-enabled'] === true) {
    yield invalid(pointer, "'tags_regex' cannot be populated when 'file_triggers_enabled' is set to true.");
  }
}

function isFilled(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
