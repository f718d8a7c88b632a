import type { InheritedTags, StateAccessChange } from '../../model/plan.ts';
import { projectOfMembers } from '../../model/plan.ts';
import { signedEntries } from '../../model/text.ts';
import type { Value } from '../../model/value.ts';
import type { MoveView } from '../access-view.ts';
import type { InheritedView } from '../entry-view.ts';
import { firstOf } from '../words.ts';
import { permissionLines } from './change-text.ts';

/*
 * Effects of changes, as sentences of a view, whose texts are escaped. Each starts with a fixed word, because a name at the start of a line could be a
 * command of a job's log.
 */

/** A sentence, and those that belong to it. */
export interface Sentence {
  readonly head: string;
  readonly rest: readonly string[];
}

/** All names, or so many of them before the rest is counted. */
type Most = number;

/** Which workspaces gain and lose access to the state of a workspace. */
export function stateAccessTexts(
  { workspace, gains, loses, unknown }: StateAccessChange,
  most: Most = Number.POSITIVE_INFINITY,
): string[] {
  const state = `state of ${workspace}`;
  const readers = (names: readonly string[], others?: readonly string[]) => readerList(names, most, others);
  // With `*` on one side, the other side lists all readers by name, not only those that change.
  if (gains.includes('*')) return [`${state}: access gained by every workspace`];
  if (unknown && gains.length > 0)
    return [
      `${state}: access gained by ${readers(gains)}; other readers, whose list was not read, lose access`,
    ];
  if (unknown) return [`${state}: access lost by ${readers(loses)}; the remaining readers are unknown`];
  if (loses.includes('*')) {
    const except = gains.length > 0 ? ` except ${readers(gains)}` : '';
    return [`${state}: access lost by every workspace${except}`];
  }
  return [
    ...(gains.length > 0 ? [`${state}: access gained by ${readers(gains, loses)}`] : []),
    ...(loses.length > 0 ? [`${state}: access lost by ${readers(loses, gains)}`] : []),
  ];
}

/** Names, or all workspaces of a project. Those of it on the other side keep their access. */
function readerList(readers: readonly string[], most: Most, others: readonly string[] = []): string {
  const [all = ''] = readers;
  if (all === '*') return 'every workspace';
  const project = projectOfMembers(all);
  if (project === undefined) return listOf(readers, most);
  const rest = readers.length > 1 ? `, and by ${listOf(readers.slice(1), most)}` : '';
  return `every ${others.length > 0 ? 'other ' : ''}workspace of ${project}${rest}`;
}

/** Which key/value tags workspaces gain and lose through their project. */
export function inheritedTagsText({ project, workspaces, gains, loses }: InheritedTags, most: Most): string {
  const tags = signedEntries(gains, loses).join(' ');
  return `inherited tags in ${project}: ${tags} for ${listOf(workspaces, most)}`;
}

/** Which settings of workspaces change because their project hands down others. */
export function inheritedText({ path, before, after, workspaces }: InheritedView, most: Most): string {
  return `inherited ${path}: ${before} -> ${after} for ${listOf(workspaces, most)}`;
}

/** How a move between projects changes the access of teams. */
export function moveSentence(
  { from, to, workspaces, teams, unknown }: MoveView,
  most: Most = Number.POSITIVE_INFINITY,
): Sentence {
  const rest = [
    ...teams.map(({ team, before, after, permissions }) =>
      [`team ${team}: ${levelText(before, after)}`, ...permissionLines(permissions)].join('; '),
    ),
    ...unknown.map(
      (project) =>
        `${teams.length > 0 ? 'other teams' : 'teams'} of ${project}: unknown (team access was not read)`,
    ),
  ];
  return {
    head: `move from ${from} to ${to}: ${listOf(workspaces, most)}`,
    rest: rest.length > 0 ? rest : ['no team gains or loses permissions'],
  };
}

/** A known level that stays is `custom`: the others imply what they permit. */
function levelText(before: Value, after: Value): string {
  if (before === after) return 'custom';
  return `${before ?? 'no access'} -> ${after ?? 'no access'}`;
}

/** Names with commas, and how many more there are. */
function listOf(names: readonly string[], most: Most): string {
  const { shown, rest } = firstOf(names, most);
  const text = shown.join(', ');
  return rest.length === 0 ? text : `${text} and ${rest.length} more`;
}
