import { destroyDuration, destroyTime } from '../../model/attributes.ts';
import type { Value } from '../../model/value.ts';
import type { StoredProject, StoredWorkspace } from '../store/records.ts';
import type { Draft, OwnValues } from './read-attributes.ts';

/*
 * Rules of the live service that the interface document does not have: they do not apply to the iac dialect.
 */

/**
 * The live service keeps one destroy schedule: a time without a duration replaces the duration. Without its own
 * schedule a workspace inherits that of its project, unless the request declines it.
 */
export function resolveSchedule(draft: Draft): void {
  const { own, project, refuse } = draft;
  const { values: given, inheritsSchedule: inherits } = draft.given;
  const [at, duration] = [given[destroyTime], given[destroyDuration]];
  if (inherits) {
    if (typeof duration === 'string' && duration !== durationOf(project)) refuse(destroyDuration, mustMatch);
    Object.assign(own, { [destroyTime]: null, [destroyDuration]: null });
    draft.neverDestroyed = false;
    return;
  }
  if (typeof at === 'string' && duration === undefined) own[destroyDuration] = null;
  if (duration === null) own[destroyTime] = at ?? null;
  const isWritten = at !== undefined || duration !== undefined;
  const optsOut = inherits === false || (draft.neverDestroyed && !isWritten);
  draft.neverDestroyed = optsOut && !hasOwnSchedule(own);
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
export function resolveTriggers({ own, given: { values: given }, refuse }: Draft): void {
  if (given[patterns] === undefined && given[prefixes] !== undefined) own[patterns] = [];
  if (given[prefixes] === undefined && given[patterns] !== undefined) own[prefixes] = [];
  const [hasPrefixes, hasPatterns] = [isFilled(given[prefixes]), isFilled(given[patterns])];
  if (hasPrefixes && hasPatterns)
    refuse(patterns, "'trigger_patterns' and 'trigger_prefixes' cannot both be populated.");
  const { 'file-triggers-enabled': isEnabled } = own;
  if (isFilled(own[patterns]) && isEnabled === false)
    refuse(patterns, "'trigger_patterns' cannot be populated when 'file_triggers_enabled' is set to false.");
  if (!own[regex] || !(given[regex] || hasPrefixes || hasPatterns)) return;
  const place = 'vcs-repo/tags-regex';
  if (isFilled(own[patterns]) || isFilled(own[prefixes]))
    refuse(place, "'tags_regex' cannot be populated together with trigger patterns or prefixes.");
  if (isEnabled === true)
    refuse(place, "'tags_regex' cannot be populated when 'file_triggers_enabled' is set to true.");
}

function isFilled(value: Value | undefined): boolean {
  return Array.isArray(value) && value.length > 0;
}
