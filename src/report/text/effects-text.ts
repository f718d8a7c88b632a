import type { FieldChange } from '../../model/change.ts';
import { groupBy } from '../../model/group-by.ts';
import { permissionChanges } from '../../model/permission-changes.ts';
import type { Effects, MoveEffect, PlannedChange, StateAccessChange } from '../../model/plan.ts';
import type { Value } from '../../model/value.ts';
import { escapeControls } from '../escape-controls.ts';
import { grantLines } from './field-text.ts';

/*
 * What changes mean, as sentences that every format shows. A line that begins with two spaces goes on with the one
 * before it. All begin with words of ours: a name at the beginning of a line could be a command to a job's log.
 */

export interface EffectsTextOptions {
  /** How many names a list shows before the rest is only counted. @default all */
  readonly names?: number;
  /** Marks up a name or a value, whose control characters are escaped already. @default as it is */
  readonly quote?: (text: string) => string;
}

/** Who may read whose state from now on, and who no longer. */
export function stateAccessLines(
  { stateAccess }: Pick<Effects, 'stateAccess'>,
  options: EffectsTextOptions = {},
): string[] {
  return stateAccess.flatMap((change) => stateAccessSentences(change, options));
}

function stateAccessSentences(
  { workspace, gains, loses, unknown }: StateAccessChange,
  options: EffectsTextOptions,
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

/** What moves between projects mean for teams; workspaces that go the same way are told together. */
export function moveLines({ moves }: Pick<Effects, 'moves'>, options: EffectsTextOptions = {}): string[] {
  const ways = groupBy(moves, ({ from, to }) => JSON.stringify([from, to]));
  return [...ways.values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const workspaces = same.map(({ workspace }) => workspace);
    const way = `from ${quoted(first.from, options)} to ${quoted(first.to, options)}`;
    return [
      `moving ${way}: ${quotedList(workspaces, options)}`,
      ...wayLines(first, options).map((line) => `  ${line}`),
    ];
  });
}

function wayLines({ teams, unknown }: MoveEffect, options: EffectsTextOptions): string[] {
  const lines = [
    ...teams.map(({ team, before, after, permissions }) =>
      teamLine(quoted(team, options), [levelText(before, after), ...grantLines(permissions)], options),
    ),
    ...unknown.map(
      (project) =>
        `${teams.length > 0 ? 'other teams' : 'teams'} of ${quoted(project, options)}: unknown, because its team access was not read`,
    ),
  ];
  return lines.length > 0 ? lines : ['no team gains or loses anything'];
}

/** Which team gains or loses what in which project; one line for each grant that changes. */
export function teamAccessLines(
  changes: readonly PlannedChange[],
  options: EffectsTextOptions = {},
): string[] {
  return changes
    .filter(({ kind }) => kind === 'team-access')
    .map(({ name, action, fields, grants = [] }) => {
      // An alias holds no slash, nor does an id.
      const [project = '', team = ''] = name.split('/');
      const level = fields.find(({ path }) => path === 'access');
      const told = action === 'delete' ? 'loses all access' : levelText(level?.before, level?.after);
      const permissions = permissionChanges(...sides([...fields, ...grants]));
      const who = `${quoted(team, options)} in ${quoted(project, options)}`;
      return teamLine(who, [told, ...grantLines(permissions)], options);
    });
}

function teamLine(who: string, parts: readonly string[], options: EffectsTextOptions): string {
  return `team ${who}: ${parts.map((part) => quoted(part, options)).join('; ')}`;
}

function sides(fields: readonly FieldChange[]): [Record<string, Value>, Record<string, Value>] {
  return [
    Object.fromEntries(fields.map(({ path, before }) => [path, before])),
    Object.fromEntries(fields.map(({ path, after }) => [path, after])),
  ];
}

/** A known level that stays is `custom`: the others imply what they permit. */
function levelText(before: Value | undefined, after: Value | undefined): string {
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
