import type { FieldChange } from '../model/change.ts';
import { groupBy } from '../model/group-by.ts';
import { permissionChanges } from '../model/permission-changes.ts';
import type { Effects, MoveEffect, PlannedChange, StateAccessChange } from '../model/plan.ts';
import type { Value } from '../model/value.ts';
import { escapeControls } from './escape-controls.ts';
import { grantLines } from './field-text.ts';

/*
 * What changes mean, as sentences that every format shows. A line that begins with two spaces goes on with the one
 * before it. Control characters are escaped; what else a format takes for its own is for the format to escape.
 */

export interface EffectsTextOptions {
  /** How many names a list shows before the rest is only counted. @default all */
  readonly names?: number;
}

/** Who may read whose state from now on, and who no longer. */
export function stateAccessLines(
  { stateAccess }: Pick<Effects, 'stateAccess'>,
  { names = Number.POSITIVE_INFINITY }: EffectsTextOptions = {},
): string[] {
  return stateAccess.flatMap((change) => stateAccessSentences(change, names)).map(escapeControls);
}

function stateAccessSentences({ workspace, gains, loses }: StateAccessChange, names: number): string[] {
  // With the star on one side the other lists all who read by name, not only those for whom something changes.
  if (gains.includes('*')) return [`every workspace may now read the state of ${workspace}`];
  if (loses.includes('*')) {
    const left = gains.length > 0 ? listed(gains, names) : 'none';
    return [`no longer every workspace may read the state of ${workspace}, only: ${left}`];
  }
  return [
    ...(gains.length > 0 ? [`${listed(gains, names)} may now read the state of ${workspace}`] : []),
    ...(loses.length > 0 ? [`${listed(loses, names)} may no longer read the state of ${workspace}`] : []),
  ];
}

/** What moves between projects mean for teams; workspaces that go the same way are told together. */
export function moveLines(
  { moves }: Pick<Effects, 'moves'>,
  { names = Number.POSITIVE_INFINITY }: EffectsTextOptions = {},
): string[] {
  const ways = groupBy(moves, ({ from, to }) => JSON.stringify([from, to]));
  return [...ways.values()]
    .flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const who = listed(
        same.map(({ workspace }) => workspace),
        names,
      );
      const verb = same.length === 1 ? 'moves' : 'move';
      return [
        `${who} ${verb} from ${first.from} to ${first.to}:`,
        ...wayLines(first).map((line) => `  ${line}`),
      ];
    })
    .map(escapeControls);
}

function wayLines({ teams, unknown }: MoveEffect): string[] {
  const lines = [
    ...teams.map(({ team, before, after, permissions }) =>
      [`team ${team}: ${levelText(before, after)}`, ...grantLines(permissions)].join('; '),
    ),
    ...unknown.map((project) => `the teams of ${project} are not known: no file declares its team access`),
  ];
  return lines.length > 0 ? lines : ['no team gains or loses anything'];
}

/** Which team gains or loses what in which project; one line for each grant that changes. */
export function teamAccessLines(changes: readonly PlannedChange[]): string[] {
  return changes
    .filter(({ kind }) => kind === 'team-access')
    .map(({ name, action, fields, grants = [] }) => {
      // An alias holds no slash, nor does an id.
      const [project = '', team = ''] = name.split('/');
      const level = fields.find(({ path }) => path === 'access');
      const told = action === 'delete' ? 'loses all access' : levelText(level?.before, level?.after);
      const permissions = permissionChanges(...sides([...fields, ...grants]));
      return [`team ${team} in ${project}: ${told}`, ...grantLines(permissions)].join('; ');
    })
    .map(escapeControls);
}

function sides(fields: readonly FieldChange[]): [Record<string, Value>, Record<string, Value>] {
  return [
    Object.fromEntries(fields.map(({ path, before }) => [path, before])),
    Object.fromEntries(fields.map(({ path, after }) => [path, after])),
  ];
}

/** A level that stays is `custom`: the others imply what they permit. */
function levelText(before: Value | undefined, after: Value | undefined): string {
  if (before === after) return 'custom';
  return `${before ?? 'no access'} -> ${after ?? 'no access'}`;
}

/** Names with commas, and how many more there are. */
export function listed(items: readonly string[], most: number): string {
  // One more is as short as its count.
  if (items.length <= most + 1) return items.join(', ');
  return `${items.slice(0, most).join(', ')} and ${items.length - most} more`;
}
