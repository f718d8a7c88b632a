import type { SourceLocation } from '../model/diagnostic.ts';
import { nameOfAddress } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { type ChangeOptions, changeItem, driftWords, errorOf, plannedWord, worded } from './changes.ts';
import { escapeControls } from './escape-controls.ts';
import { type Item, kindNouns, type ShownChange } from './items.ts';
import { type PathOf, placeOf } from './text/diagnostics-text.ts';
import { type FieldLine, type Line, namesText, shownLine } from './values.ts';
import { countedFigure, figure, firstOf, placeText } from './words.ts';

/*
 * Changes that have much in common take few lines: updates of the same fields are one item, and creations with the same fields
 * refer to the first of them. `--full` lists each.
 */

export function changeItems(changes: readonly ShownChange[], options: ChangeOptions): readonly Item[] {
  const items = changes.map((change) => changeItem(change, options));
  const listed = options.full ? items : alikeCreates(grouped(items, options));
  if (!options.reasonsOnly || options.kind !== 'apply') return listed;
  return listed.map((item) =>
    item.change ? { ...item, place: undefined, rest: errorOf(item.change), like: undefined } : item,
  );
}

/** More of them, in one line, are hard to read. */
const mostOwn = 3;
/** More creations that others refer to are hard to find. */
const mostModels = 5;

/** A creation with most of the lines of one above refers to it. */
function alikeCreates(items: readonly Item[]): readonly Item[] {
  const models: Item[] = [];
  return items.map((item) => {
    const { change, outcome = 'done', rest } = item;
    if (change?.action !== 'create' || outcome !== 'done') return item;
    const alike = models.filter((model) => model.change?.kind === change.kind);
    const texts = alike.map((model) => [`like ${model.head}`, ...differencesOf(rest, model.rest)]);
    const [like = []] = texts.sort((a, b) => a.length - b.length);
    const isLike = like.length > 0 && like.length - 1 <= Math.min(mostOwn, rest.length / 3, rest.length - 2);
    if (!isLike && models.length < mostModels) models.push(item);
    return isLike ? { ...item, like: like.join('; ') } : item;
  });
}

function differencesOf(lines: readonly Line[], others: readonly Line[]): readonly string[] {
  const fieldsIn = (some: readonly Line[]) => some.filter((line) => typeof line !== 'string');
  const texts = new Set(others.map(shownLine));
  const paths = new Set(fieldsIn(lines).map(({ path }) => path));
  const own = fieldsIn(lines).map(shownLine);
  const gone = fieldsIn(others).filter(({ path }) => !paths.has(path));
  return [...own.filter((text) => !texts.has(text)), ...gone.map(({ path }) => `without ${path}`)];
}

/** Fewer changes are listed one by one. */
const leastMembers = 3;
const examples = 3;
const mostNames = 5;

/** Fields with more values that many members share are one group. */
const mostValues = 3;

/**
 * Groups updates of the same fields; a group is listed at its first member. Values that many members share are a separate
 * group. Creates and deletes that are planned or done are never grouped, because their names are the change. Changes that
 * failed or were skipped are grouped by their reason as well.
 */
function grouped(items: readonly Item[], options: ChangeOptions): readonly Item[] {
  const groups = new Map<Item, readonly Item[]>();
  const valuesOf = ({ rest }: Item) =>
    JSON.stringify(rest.map((line) => (typeof line === 'string' ? '' : shared(line))));
  for (const [key, same] of groupBy(items, fieldsKey)) {
    if (key === undefined) continue;
    const equal = [...groupBy(same, valuesOf).values()].filter(({ length }) => length >= leastMembers);
    const shared = equal.length <= mostValues ? equal : [];
    const others = same.filter((item) => !shared.some((group) => group.includes(item)));
    for (const group of [...shared, others])
      if (group.length >= leastMembers) for (const member of group) groups.set(member, group);
  }
  return items.flatMap((item) => {
    const members = groups.get(item);
    if (members === undefined) return [item];
    return members[0] === item ? [groupItem(members as [Item, ...Item[]], options)] : [];
  });
}

function fieldsKey(item: Item): string | undefined {
  const { change, outcome = 'done', detail, rest, risks = [] } = item;
  if (change === undefined || (change.action !== 'update' && outcome === 'done')) return undefined;
  const lines = rest.map((line) => (typeof line === 'string' ? withoutPath(line, item) : [line.path]));
  const labels = risks.map((risk) => risk.replace(/: .*/s, ''));
  return JSON.stringify([change.action, change.kind, outcome, detail, lines, labels]);
}

/** The path of the request that failed differs from member to member. */
function withoutPath(line: string, { change }: Item): string {
  const { path } = (change && 'error' in change && change.error) || {};
  return path === undefined ? line : line.replace(` ${escapeControls(path)}`, '');
}

/** Without the sizes of a list, which differ from member to member. */
function shared({ path, pieces }: FieldLine): FieldLine {
  return { path, pieces };
}

/**
 * A group of updates of the same fields. One field is its head: `iac-version: 1.9.5 -> 1.10.2  2,000 workspaces  attune.yaml:5`, or
 * `description: 2,000 workspaces, each another value` with the values of some of them below.
 */
function groupItem(members: readonly [Item, ...Item[]], options: ChangeOptions): Item {
  const { kind, path, hint = '', reasonsOnly = false } = options;
  const { change, rest, address: _address, ...item } = members[0];
  const lines = rest.map((line) =>
    typeof line === 'string' ? withoutPath(line, members[0]) : groupField(members, line.path),
  );
  const fields = lines.filter((line) => typeof line !== 'string');
  const differing = fields.filter(({ isEqual }) => !isEqual).map((field) => field.path);
  const count = countedFigure(members.length, kindNouns[change?.kind ?? 'workspace']);
  const [only] = fields.length === 1 ? fields : [];
  const text = only && (only.isEqual ? shownLine(only) : `${only.path}: ${count}, ${only.pieces.join('')}`);
  const detail = only?.isEqual ? count : undefined;
  const [place, ...places] = placesOf(members, fields, path);
  const where =
    place && `${placeText(place)}${places.length > 0 ? ` and ${figure(places.length)} more` : ''}`;
  const head = text ?? count;
  const isDrift = kind === 'drift';
  const hasExamples = differing.length > 0 && !(reasonsOnly && kind === 'apply');
  // A terminal is the only record of it, and the same apply cannot be repeated with --full.
  const isFinal = reasonsOnly && (item.outcome ?? 'done') !== 'done';
  const names = members.map((member) => nameOfAddress(member.head));
  const { shown, rest: others } = hasExamples
    ? firstOf(unusualFirst(members, differing), examples)
    : firstOf(members, mostNames);
  const more = others.length > 0 ? [`and ${figure(others.length)} more${hint}`] : [];
  const group: Item = {
    ...item,
    head,
    title: worded(
      isDrift || change === undefined ? driftWords.update : plannedWord(change),
      [head, detail, where].filter(Boolean).join('  '),
      isDrift,
      item.outcome,
    ),
    detail: detail ?? item.detail,
    place: place ?? item.place,
    places: where ?? '',
    risks: [...new Set(members.flatMap(({ risks = [] }) => risks))].slice(0, examples),
    rest: lines.filter((line) => line !== only),
    count: members.length,
    members,
  };
  const listed = hasExamples
    ? [...exampleLines(shown, differing, only === undefined), ...more]
    : [namesText(names, hint, isFinal ? names.length : mostNames)];
  const named = others.length > 0 ? [{ ...group, count: 0 }, ...others.map(nameItem)] : [];
  return { ...group, rest: [...group.rest, ...listed], unlisted: hasExamples ? others : named };
}

function nameItem({ head, level, rule }: Item): Item {
  return { sign: ' ', head: nameOfAddress(head), rest: [], level, rule };
}

function groupField(members: readonly [Item, ...Item[]], path: string) {
  const lines = members.map((member) => fieldOf(member, path));
  const { size } = new Set(lines.map((line) => shownLine(shared(line))));
  if (size === 1) return { ...shared(fieldOf(members[0], path)), isEqual: true };
  const how = size === lines.length ? 'each another value' : `${figure(size)} different values`;
  return { path, pieces: [how], isEqual: false };
}

function fieldOf({ rest }: Item, path: string): FieldLine {
  const [line = { path, pieces: [] }] = rest.flatMap((one) =>
    typeof one !== 'string' && one.path === path ? one : [],
  );
  return line;
}

function placesOf(
  members: readonly Item[],
  fields: readonly FieldLine[],
  path: PathOf,
): readonly SourceLocation[] {
  const origins = fields.flatMap((field) =>
    members.flatMap(({ change }) => change?.origins?.[field.path] ?? []),
  );
  const places = origins.map((origin) => placeOf(origin, path));
  return [...new Map(places.map((place) => [placeText(place), place])).values()];
}

/** Values with words that neither most members nor the own name have come first, because one of them may be a mistake. */
function unusualFirst(members: readonly Item[], differing: readonly string[]): readonly Item[] {
  const wordsOf = (text: string) => text.split(/[\W_]+/);
  const alike = groupBy(members, (member) => {
    const own = wordsOf(member.head);
    const values = differing.map((field) => shownLine(shared(fieldOf(member, field))));
    return `${wordsOf(`${values}`).filter((word) => !own.includes(word))}`;
  });
  return [...alike.values()].sort((a, b) => a.length - b.length).flat();
}

function exampleLines(
  members: readonly Item[],
  differing: readonly string[],
  isNamed: boolean,
): readonly FieldLine[] {
  return members.map((member) => {
    const pieces = differing.flatMap((field, index) => {
      const { pieces, sizes = '' } = fieldOf(member, field);
      return [index > 0 ? '; ' : '', isNamed ? `${field}: ` : '', ...pieces, sizes];
    });
    return { path: nameOfAddress(member.head), pieces };
  });
}
