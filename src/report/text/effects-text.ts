import type { StateAccessChange } from '../../model/plan.ts';
import type { Value } from '../../model/value.ts';
import type { GrantChangeView, MoveView, PermissionView } from '../access-view.ts';
import { escapeControls } from '../escape-controls.ts';
import { permissionLines } from './change-text.ts';

/*
 * What changes mean, as sentences of the text formats. All begin with words of ours: a name at the beginning of a line
 * could be a command to a job's log.
 */

/** A sentence, and those that belong to it. */
export interface Sentence {
  readonly head: string;
  readonly rest: readonly string[];
}

export interface EffectsTextOptions {
  /** How many names a list shows before the rest is only counted. @default all */
  readonly names?: number;
  /** Marks up a name or a value, whose control characters are escaped already. @default as it is */
  readonly quote?: (text: string) => string;
}

/** Who may read the state of a workspace from now on, and who no longer. */
export function stateAccessTexts(
  { workspace, gains, loses, unknown }: StateAccessChange,
  options: EffectsTextOptions = {},
): string[] {
  const whose = `the state of ${quoted(workspace, options)}`;
  // With the star on one side the other lists all who read by name, not only those for whom something changes.
  if (gains.includes('*')) return [`${whose} may now be read by every workspace`];
  if (unknown)
    return [`${whose} may no longer be read by every workspace; which workspaces still read it is unknown`];
  if (loses.includes('*')) {
    const left = gains.length > 0 ? `only by ${quotedList(gains, options)}` : 'by none';
    return [`${whose} may no longer be read by every workspace, ${left}`];
  }
  return [
    ...(gains.length > 0 ? [`${whose} may now be read by ${quotedList(gains, options)}`] : []),
    ...(loses.length > 0 ? [`${whose} may no longer be read by ${quotedList(loses, options)}`] : []),
  ];
}

/** What a move between projects means for teams. */
export function moveSentence(move: MoveView, options: EffectsTextOptions = {}): Sentence {
  const way = `from ${quoted(move.from, options)} to ${quoted(move.to, options)}`;
  const rest = [
    ...move.teams.map(({ team, before, after, permissions }) =>
      teamText(quoted(team, options), levelText(before, after), permissions, options),
    ),
    ...move.unknown.map(
      (project) =>
        `${move.teams.length > 0 ? 'other teams' : 'teams'} of ${quoted(project, options)}: unknown, because its team access was not read`,
    ),
  ];
  return {
    head: `moving ${way}: ${quotedList(move.workspaces, options)}`,
    rest: rest.length > 0 ? rest : ['no team gains or loses anything'],
  };
}

/** Which team gains or loses what in which project. */
export function grantChangeText(grant: GrantChangeView, options: EffectsTextOptions = {}): string {
  const { project, team, isRevoked, before, after, permissions } = grant;
  const who = `${quoted(team, options)} in ${quoted(project, options)}`;
  return teamText(who, isRevoked ? 'loses all access' : levelText(before, after), permissions, options);
}

function teamText(
  who: string,
  level: string,
  permissions: readonly PermissionView[],
  options: EffectsTextOptions,
): string {
  const parts = [level, ...permissionLines(permissions)];
  return `team ${who}: ${parts.map((part) => quoted(part, options)).join('; ')}`;
}

/** A known level that stays is `custom`: the others imply what they permit. */
function levelText(before: Value, after: Value): string {
  if (before === after) return 'custom';
  return `${before ?? 'no access'} -> ${after ?? 'no access'}`;
}

/** Names with commas, and how many more there are. */
function quotedList(items: readonly string[], options: EffectsTextOptions): string {
  const { names = Number.POSITIVE_INFINITY } = options;
  // One more is as short as its count.
  const shown = items.length <= names + 1 ? items : items.slice(0, names);
  const text = shown.map((item) => quoted(item, options)).join(', ');
  return shown.length === items.length ? text : `${text} and ${items.length - shown.length} more`;
}

function quoted(text: string, { quote = (same) => same }: EffectsTextOptions): string {
  return quote(escapeControls(text));
}
