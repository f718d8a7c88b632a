import { type InheritedTags, projectOfMembers, type StateAccessChange } from '../../model/plan.ts';
import { signedEntries } from '../../model/text.ts';
import type { Value } from '../../model/value.ts';
import type { GrantChangeView, MoveView, PermissionView } from '../access-view.ts';
import { escapeControls } from '../escape-controls.ts';
import type { InheritedView } from '../report-view.ts';
import { firstOf } from '../words.ts';
import { permissionLines } from './change-text.ts';

/*
 * Effects of changes, as sentences of the text formats. Each starts with a fixed word, because a name at the start of a
 * line could be a command of a job's log.
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

/** Which workspaces gain and lose access to the state of a workspace. */
export function stateAccessTexts(
  { workspace, gains, loses, unknown }: StateAccessChange,
  options: EffectsTextOptions = {},
): string[] {
  const state = `state of ${quoted(workspace, options)}`;
  // With `*` on one side, the other side lists all readers by name, not only those that change.
  if (gains.includes('*')) return [`${state}: access gained by every workspace`];
  if (unknown && gains.length > 0)
    return [
      `${state}: access gained by ${readerList(gains, options)}; other readers, whose list was not read, lose access`,
    ];
  if (unknown)
    return [`${state}: access lost by ${readerList(loses, options)}; the remaining readers are unknown`];
  if (loses.includes('*')) {
    const except = gains.length > 0 ? ` except ${readerList(gains, options)}` : '';
    return [`${state}: access lost by every workspace${except}`];
  }
  return [
    ...(gains.length > 0 ? [`${state}: access gained by ${readerList(gains, options, loses)}`] : []),
    ...(loses.length > 0 ? [`${state}: access lost by ${readerList(loses, options, gains)}`] : []),
  ];
}

/** Names, or all workspaces of a project. Those of it on the other side keep their access. */
function readerList(
  readers: readonly string[],
  options: EffectsTextOptions,
  others: readonly string[] = [],
): string {
  const [all = ''] = readers;
  if (all === '*') return 'every workspace';
  const project = projectOfMembers(all);
  if (project === undefined) return quotedList(readers, options);
  const rest = readers.length > 1 ? `, and by ${quotedList(readers.slice(1), options)}` : '';
  return `every ${others.length > 0 ? 'other ' : ''}workspace of ${quoted(project, options)}${rest}`;
}

/** Which key/value tags workspaces gain and lose through their project. */
export function inheritedTagsText(
  { project, workspaces, gains, loses }: InheritedTags,
  options: EffectsTextOptions,
): string {
  const tags = signedEntries(gains, loses)
    .map((tag) => quoted(tag, options))
    .join(' ');
  return `inherited tags in ${quoted(project, options)}: ${tags} for ${quotedList(workspaces, options)}`;
}

/** Which settings of workspaces change because their project hands down others. */
export function inheritedText(
  { path, before, after, workspaces }: InheritedView,
  options: EffectsTextOptions,
): string {
  const step = `${quoted(before, options)} -> ${quoted(after, options)}`;
  return `inherited ${quoted(path, options)}: ${step} for ${quotedList(workspaces, options)}`;
}

/** How a move between projects changes the access of teams. */
export function moveSentence(move: MoveView, options: EffectsTextOptions = {}): Sentence {
  const way = `from ${quoted(move.from, options)} to ${quoted(move.to, options)}`;
  const rest = [
    ...move.teams.map(({ team, before, after, permissions }) =>
      teamText(quoted(team, options), levelText(before, after), permissions, options),
    ),
    ...move.unknown.map(
      (project) =>
        `${move.teams.length > 0 ? 'other teams' : 'teams'} of ${quoted(project, options)}: unknown (team access was not read)`,
    ),
  ];
  return {
    head: `move ${way}: ${quotedList(move.workspaces, options)}`,
    rest: rest.length > 0 ? rest : ['no team gains or loses permissions'],
  };
}

/** The access that a team gains or loses in a project. */
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
  const { shown, rest } = firstOf(items, names);
  const text = shown.map((item) => quoted(item, options)).join(', ');
  return rest.length === 0 ? text : `${text} and ${rest.length} more`;
}

function quoted(text: string, { quote = (same) => same }: EffectsTextOptions): string {
  return quote(escapeControls(text));
}
