import { sharingSwitches } from '../model/attributes.ts';
import {
  type Effects,
  type InheritedSetting,
  type InheritedTags,
  type MoveEffect,
  type PlannedChange,
  projectOfMembers,
  type StateAccessChange,
} from '../model/plan.ts';
import { nameOfAddress, workspaceAddress } from '../model/state.ts';
import { signedEntries } from '../model/text.ts';
import { groupBy, type Value } from '../model/value.ts';
import { type Item, textItem } from './items.ts';
import { namesText, permissionLines, valueText } from './values.ts';

/*
 * Effects of changes, as sentences. Each starts with a fixed word, because a name at the start of a line could be a
 * command of a job's log.
 */

/** The maximum of names in an item that `--full` does not limit. */
const mostNamed = 20;

export function effectItems(
  { stateAccess, moves, inherited = [], inheritedTags = [] }: Effects,
  changes: readonly PlannedChange[],
  full: boolean,
): readonly Item[] {
  const most = full ? Number.POSITIVE_INFINITY : mostNamed;
  const byAddress = new Map(changes.map((change) => [change.address, change]));
  const isNews = (one: StateAccessChange) =>
    !isShownByFields(one, byAddress.get(workspaceAddress(one.workspace)));
  const ways = groupBy(moves, ({ from, to }) => JSON.stringify([from, to]));
  // Key/value tags are shown as what is gained and lost.
  const settings = inherited.filter(({ path }) => path !== 'tag-bindings');
  const steps = groupBy(settings, ({ path, before, after }) => JSON.stringify([path, before, after]));
  return [
    ...stateAccess
      .filter(isNews)
      .flatMap((one) => stateAccessTexts(one, most).map((head) => textItem('state-access', head))),
    ...[...ways.values()].map((same) => moveItem(same as [MoveEffect], full)),
    ...[...steps.values()]
      .map((same) => inheritedText(same as [InheritedSetting], most))
      .concat(inheritedTags.map((one) => inheritedTagsText(one, most)))
      .map((head) => textItem('inherited', head)),
  ];
}

function isShownByFields(
  { gains, loses, unknown }: StateAccessChange,
  change: PlannedChange | undefined,
): boolean {
  if (change === undefined || unknown || change.held) return false;
  const shares = (reader: string, path: string, isOn: boolean) => {
    const isReader = path === 'global-remote-state' ? reader === '*' : projectOfMembers(reader) !== undefined;
    return isReader && change.fields.some((field) => field.path === path && field.after === isOn);
  };
  const list = change.fields.find(({ path }) => path === 'remote-state-consumers');
  const listed = (side: Value | undefined): readonly unknown[] => (Array.isArray(side) ? side : []);
  const added = listed(list?.add ?? (change.action === 'create' ? list?.after : []));
  const removed = listed(list?.remove);
  const isShown = (reader: string, names: readonly unknown[], isOn: boolean) =>
    names.includes(reader) || sharingSwitches.some((path) => shares(reader, path, isOn));
  return (
    gains.every((reader) => isShown(reader, added, true)) &&
    loses.every((reader) => isShown(reader, removed, false))
  );
}

function stateAccessTexts({ workspace, gains, loses, unknown }: StateAccessChange, most: number): string[] {
  const state = `state of ${workspace}`;
  const readers = (names: readonly string[], others?: readonly string[]) => readerList(names, most, others);
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
function readerList(readers: readonly string[], most: number, others: readonly string[] = []): string {
  const [all = ''] = readers;
  if (all === '*') return 'every workspace';
  const project = projectOfMembers(all);
  if (project === undefined) return namesText(readers, '', most);
  const rest = readers.length > 1 ? `, and by ${namesText(readers.slice(1), '', most)}` : '';
  return `every ${others.length > 0 ? 'other ' : ''}workspace of ${project}${rest}`;
}

function inheritedTagsText({ project, workspaces, gains, loses }: InheritedTags, most: number): string {
  const tags = signedEntries(gains, loses).join(' ');
  return `inherited tags in ${project}: ${tags} for ${namesText(workspaces, '', most)}`;
}

function inheritedText(same: readonly [InheritedSetting, ...InheritedSetting[]], most: number): string {
  const [{ path, before, after }] = same;
  const names = same.map(({ address }) => nameOfAddress(address));
  return `inherited ${path}: ${valueText(before)} -> ${valueText(after)} for ${namesText(names, '', most)}`;
}

function moveItem(same: readonly [MoveEffect, ...MoveEffect[]], full: boolean): Item {
  const [{ from, to, teams, unknown }] = same;
  const workspaces = same.map(({ workspace }) => workspace);
  const rest = [
    ...teams.map(({ team, before, after, permissions }) => {
      // A level implies its permissions.
      const lines = full || before === after ? permissionLines(permissions) : [];
      const step = before === after ? 'custom' : `${before ?? 'no access'} -> ${after ?? 'no access'}`;
      return [`team ${team}: ${step}`, ...lines].join('; ');
    }),
    ...unknown.map(
      (project) =>
        `${teams.length > 0 ? 'other teams' : 'teams'} of ${project}: unknown (team access was not read)`,
    ),
  ];
  const head = `move from ${from} to ${to}: ${full ? workspaces.join(', ') : namesText(workspaces)}`;
  const none = ['no team gains or loses permissions'];
  return textItem('move', head, rest.length > 0 ? rest : none);
}

export function movedPermissions({ from, to, teams }: MoveEffect): readonly Item[] {
  return teams
    .filter(({ before, after }) => before !== after)
    .map(({ team, permissions }) => ({
      ...textItem('permissions', `move from ${from} to ${to}, team ${team}`),
      permissions: permissionLines(permissions),
    }));
}
