import { endingOf } from '../model/apply-result.ts';
import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import type { Action, Cause, FieldChange } from '../model/change.ts';
import type { Severity, SourceLocation } from '../model/diagnostic.ts';
import { isPermissionPath, permissions } from '../model/permissions.ts';
import { nameOfAddress, type ResourceKind } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { groupBy, type Value } from '../model/value.ts';
import { permissionViews } from './access-view.ts';
import { escapeControls } from './escape-controls.ts';
import { type Item, kindNouns, type RisksByAddress, type ShownChange } from './items.ts';
import type { ReportKind } from './report.ts';
import { type PathOf, placeOf } from './text/diagnostics-text.ts';
import {
  countedFigure,
  type FieldLine,
  fieldLine,
  figure,
  firstOf,
  type Line,
  namesText,
  permissionLines,
  placeText,
  shownLine,
} from './values.ts';

/** How a list shows changes. */
export interface ChangeOptions {
  readonly kind: ReportKind;
  readonly path: PathOf;
  readonly risks: RisksByAddress;
  /** Lists updates one by one instead of as a group, and the defaults of what is created. */
  readonly full?: boolean | undefined;
  /** The end of a line that only counts the rest. */
  readonly hint?: string | undefined;
  /** Adds the causes to the lines, where no section has them. */
  readonly byAction?: boolean | undefined;
  /** Of an apply only the reasons, because its plan is shown beside it. */
  readonly reasonsOnly?: boolean | undefined;
}

/** The titles of sections of a report with a base. */
export const partTitles = {
  change: 'This change',
  drift: 'Already different',
  dropped: 'No longer declared',
} as const;

/** The changes of this revision, and what was already different. An update can be in both, with its fields in one each. */
export function partsOf(
  changes: readonly ShownChange[],
): Readonly<Record<'caused' | 'drifted', ShownChange[]>> {
  const isDelete = ({ action }: ShownChange) => action === 'delete';
  // Formats of limited size omit the last ones.
  const ordered = [...changes.filter(isDelete), ...changes.filter((change) => !isDelete(change))];
  const partOf = (cause: Cause) => ordered.flatMap((change) => causedPart(change, cause) ?? []);
  return { caused: partOf('change'), drifted: partOf('drift') };
}

function causedPart({ grants, ...change }: ShownChange, cause: Cause): ShownChange | undefined {
  if (change.action !== 'update')
    return change.cause === cause ? { ...change, ...(grants && { grants }) } : undefined;
  const fields = change.fields.filter((field) => field.cause === cause);
  if (fields.length === 0) return undefined;
  // A level implies the permissions.
  const hasLevel = fields.some(({ path }) => path === 'access');
  return { ...change, fields, ...(hasLevel && grants && { grants }) };
}

/** Changes as items, equal updates as groups. */
export function changeItems(changes: readonly ShownChange[], options: ChangeOptions): readonly Item[] {
  const items = changes.map((change) => changeItem(change, options));
  const listed = options.full ? items : alikeCreates(grouped(items, options));
  if (!options.reasonsOnly || options.kind !== 'apply') return listed;
  const reasons = reasonsOf(changes);
  return listed.map((item) =>
    item.change ? { ...item, place: undefined, rest: reasons(item.change), like: undefined } : item,
  );
}

export const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };

/** The words of a drift report for the actions of a plan. */
export const driftWords: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'changed',
  delete: 'undeclared',
};

/** A change that is a risk is a warning. */
export function changeItem(
  change: ShownChange,
  { kind, path, risks, byAction, full = false }: ChangeOptions,
): Item {
  const { action, location } = change;
  const address = escapeControls(change.address);
  const isDrift = kind === 'drift';
  const outcome = 'result' in change ? endingOf(change) : undefined;
  const word = isDrift ? driftWords[action] : plannedWord(change);
  const title = `${outcome === undefined ? '' : `${outcome}: `}${worded(word, address, isDrift)}`;
  const why = risks.get(address);
  const level = levelOf(isDrift, change);
  const implied = permissionLines(
    permissionViews(isDrift && action !== 'delete' ? [] : (change.grants ?? [])),
  );
  return {
    sign: signs[action],
    head: address,
    title,
    detail:
      action === 'delete' && !isDrift ? [word, recoveryOf(change)].filter(Boolean).join(', ') : undefined,
    place: location && placeOf(location, path),
    rest: [
      ...changeLines(change, isDrift, full),
      ...(full ? implied.map((line) => `  ${line}`) : []),
      ...(byAction ? causeLines(change) : []),
    ],
    permissions: full ? [] : implied,
    level: level === 'note' && why ? 'warning' : level,
    rule: `change-${action}`,
    address,
    risks: why,
    change,
    outcome,
  };
}

function worded(word: string, subject: string, isDrift: boolean): string {
  return isDrift ? `${word}: ${subject}` : `${word} ${subject}`;
}

/** The action, and for a delete how it is done. */
function plannedWord({ action, kind, mode = 'safe' }: ShownChange): string {
  if (action !== 'delete') return action;
  return { workspace: `${mode} delete`, project: 'delete', 'team-access': 'revoke' }[kind];
}

/** Whether a delete can be undone with all that the service stores, and until when. */
function recoveryOf(change: ShownChange): string | undefined {
  const until = 'recoverableUntil' in change ? change.recoverableUntil : undefined;
  return until === undefined ? change.recovery : `recoverable until ${escapeControls(until)}`;
}

/** How much it matters, for formats that sort by that. */
function levelOf(isDrift: boolean, change: ShownChange): Severity {
  const outcome = 'result' in change ? endingOf(change) : 'done';
  if (outcome === 'failed' || outcome === 'unknown' || outcome === 'partial') return 'error';
  return outcome !== 'done' || isDrift || change.action === 'delete' ? 'warning' : 'note';
}

function errorOf(change: ShownChange): string[] {
  return 'error' in change && change.error ? [escapeControls(change.error.message)] : [];
}

/** The error and the fields; in a drift report what both sides have. Of a created resource, defaults are counted. */
export function changeLines(change: ShownChange, isDrift: boolean, full: boolean): Line[] {
  const { action, kind, fields } = change;
  const shown = isDrift && action !== 'update' ? fields.filter(isLevel) : fields;
  const defaults = shown.filter(({ path, after }) => isDefault(kind, path, after));
  // A single one is as short as its count.
  const isCounted = action === 'create' && !isDrift && !full && defaults.length > 1;
  const listed = isCounted ? shown.filter((field) => !defaults.includes(field)) : shown;
  return [
    ...(isDrift ? [] : errorOf(change)),
    ...listed.map((field) => fieldLine(field, action, isDrift)),
    ...(isCounted ? [`and ${counted(defaults.length, 'default')}`] : []),
  ];
}

function isLevel({ path }: FieldChange): boolean {
  return path === 'access';
}

/** Whether the service gives a created resource the same value. */
function isDefault(kind: ResourceKind, path: string, value: Value): boolean {
  const specs: Readonly<Record<string, { readonly default: Value } | undefined>> =
    kind === 'workspace' ? workspaceAttributes : kind === 'project' ? projectAttributes : {};
  const known =
    kind === 'team-access' && isPermissionPath(path) ? permissions[path].customDefault : specs[path]?.default;
  return known !== undefined && JSON.stringify(known) === JSON.stringify(value);
}

/** With a base: whether a creation or a deletion, or which fields of an update, come from this revision. */
function causeLines({ action, cause, fields }: ShownChange): readonly string[] {
  return (['change', 'drift'] as const).flatMap((one) => {
    const paths = fields.flatMap((field) => (field.cause === one ? field.path : []));
    if (action !== 'update') return cause === one ? [partTitles[one]] : [];
    return paths.length > 0 ? [`${partTitles[one]}: ${paths.join(', ')}`] : [];
  });
}

/** Why changes were not made. A reason that several failed changes share, such as a lost connection, is shown once. */
function reasonsOf(changes: readonly ShownChange[]): (change: ShownChange) => readonly string[] {
  const failed = changes.filter((change) => errorOf(change).length > 0 && levelOf(false, change) === 'error');
  const byReason = groupBy(failed, reasonOf);
  return (change) => {
    const [error] = errorOf(change);
    if (error === undefined) return [];
    const [first = change, ...others] = failed.includes(change) ? (byReason.get(reasonOf(change)) ?? []) : [];
    if (first !== change) return [];
    const more = ` (${counted(others.length, 'more change')} failed for this reason)`;
    return [others.length === 0 ? error : error + more];
  };
}

/** The error without the request, which differs from change to change. */
function reasonOf(change: ShownChange): string {
  const { message = '', method = '', path = '' } = ('error' in change && change.error) || {};
  // The second segment of a path is an id or the organization; the rest is the endpoint.
  const endpoint = path.replace(/^(\/[^/]+\/)[^/?]+/, '$1*');
  return message.replace(`${method} ${path}`, `${method} ${endpoint}`);
}

/** The maximum of lines that a resource has beside those of another. */
const mostOwn = 2;

/** Of several resources that are created with the same fields, all but the first show only the values that differ. */
function alikeCreates(items: readonly Item[]): readonly Item[] {
  const alike = groupBy(items, ({ change, outcome = 'done', rest }) =>
    change?.action === 'create' && outcome === 'done'
      ? JSON.stringify([change.kind, rest.map(pathOf)])
      : undefined,
  );
  alike.delete(undefined);
  const models = new Map(
    [...alike.values()].flatMap((same) =>
      same.length < leastMembers ? [] : same.slice(1).map((item) => [item, same[0] as Item] as const),
    ),
  );
  return items.map((item) => {
    const model = models.get(item);
    const lines = item.rest.map(shownLine);
    const own = lines.filter((line, index) => line !== shownLine(model?.rest[index] ?? ''));
    if (model === undefined || own.length > Math.min(mostOwn, lines.length - 2)) return item;
    return { ...item, like: [`like ${model.head}`, ...own].join('; ') };
  });
}

/** Fewer changes are listed one by one. */
const leastMembers = 3;
/** How many members show their values where those differ. */
const examples = 3;

/** Fields with more values that many members share are one group. */
const mostValues = 3;

/**
 * Groups updates of the same fields; a group is listed at its first member. Values that many members share are a separate
 * group. Creates and deletes are never grouped, because their names are the change. Neither is a change that failed or was skipped.
 */
function grouped(items: readonly Item[], options: ChangeOptions): readonly Item[] {
  const groups = new Map<Item, readonly Item[]>();
  for (const [key, same] of groupBy(items, fieldsKey)) {
    if (key === undefined) continue;
    const equal = [...groupBy(same, valuesKey).values()].filter(({ length }) => length >= leastMembers);
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

/** Equal for updates of the same fields that need attention for the same kinds of reasons. */
function fieldsKey({ change, outcome = 'done', rest, risks = [] }: Item): string | undefined {
  if (change?.action !== 'update' || outcome !== 'done') return undefined;
  return JSON.stringify([change.kind, rest.map(pathOf), risks.map((risk) => risk.replace(/: .*/s, ''))]);
}

function pathOf(line: Line): unknown {
  return typeof line === 'string' ? line : [line.path];
}

function valuesKey({ rest }: Item): string {
  return JSON.stringify(rest.map((line) => (typeof line === 'string' ? line : shared(line))));
}

/** Without the sizes of a list, which differ from member to member. */
function shared({ path, pieces }: FieldLine): FieldLine {
  return { path, pieces };
}

/**
 * A group of updates of the same fields. One field is its head: `iac-version: 1.9.5 -> 1.10.2  2,000 workspaces  attune.yaml:5`, or
 * `description: 2,000 workspaces, each another value` with the values of some of them below.
 */
function groupItem(
  members: readonly [Item, ...Item[]],
  { kind, path, hint = '', reasonsOnly = false }: ChangeOptions,
): Item {
  const { change: ofFirst, rest, address: _address, ...item } = members[0];
  const lines = rest.map((line) => (typeof line === 'string' ? line : groupField(members, line.path)));
  const fields = lines.filter((line) => typeof line !== 'string');
  const differing = fields.filter(({ isEqual }) => !isEqual).map((field) => field.path);
  const count = countedFigure(members.length, kindNouns[ofFirst?.kind ?? 'workspace']);
  const [only] = lines.length === 1 ? fields : [];
  const text = only && (only.isEqual ? shownLine(only) : `${only.path}: ${count}, ${only.pieces.join('')}`);
  const detail = only?.isEqual ? count : undefined;
  const [place, ...others] = placesOf(members, fields, path);
  const places =
    place && `${placeText(place)}${others.length > 0 ? ` and ${figure(others.length)} more` : ''}`;
  const head = text ?? count;
  const isDrift = kind === 'drift';
  const hasExamples = differing.length > 0 && !(reasonsOnly && kind === 'apply');
  const names = members.map((member) => nameOfAddress(member.head));
  return {
    ...item,
    head,
    title: worded(
      isDrift ? driftWords.update : 'update',
      [head, detail, places].filter(Boolean).join('  '),
      isDrift,
    ),
    detail,
    place: place ?? item.place,
    places: places ?? '',
    risks: [...new Set(members.flatMap(({ risks = [] }) => risks))].slice(0, examples),
    rest: [
      ...(only === undefined ? lines : []),
      ...(hasExamples
        ? exampleLines(members, differing, { hint, isNamed: only === undefined })
        : [namesText(names, hint)]),
    ],
    isJoined: only !== undefined,
    count: members.length,
    members,
  };
}

interface GroupField extends FieldLine {
  readonly isEqual: boolean;
}

/** A field of all members: its values if they are equal, else how many there are. */
function groupField(members: readonly [Item, ...Item[]], path: string): GroupField {
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

/** The lines that declare the fields: that of a template, or one of each member. */
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

/** The values of the first members, and how many more there are. */
function exampleLines(
  members: readonly Item[],
  differing: readonly string[],
  { hint, isNamed }: { readonly hint: string; readonly isNamed: boolean },
): readonly Line[] {
  const { shown, rest } = firstOf(members, examples);
  const lines = shown.map((member): FieldLine => {
    const pieces = differing.flatMap((field, index) => {
      const line = fieldOf(member, field);
      const name = isNamed ? `${field}: ` : '';
      return [`${index > 0 ? '; ' : ''}${name}`, ...line.pieces, line.sizes ?? ''];
    });
    return { path: nameOfAddress(member.head), pieces };
  });
  return rest.length > 0 ? [...lines, `and ${figure(rest.length)} more${hint}`] : lines;
}
