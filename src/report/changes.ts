import { endingOf } from '../model/apply-result.ts';
import type { Action, Cause } from '../model/change.ts';
import type { Severity } from '../model/diagnostic.ts';
import { nameOfAddress, type ResourceKind } from '../model/state.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { permissionViews } from './access-view.ts';
import { escapeControls } from './escape-controls.ts';
import { type Item, namesText, type RisksByAddress, type ShownChange } from './items.ts';
import type { ReportKind } from './report.ts';
import { type PathOf, placeOf } from './text/diagnostics-text.ts';
import { type FieldLine, fieldLine, type Line, permissionLines, placesText, shownLine } from './values.ts';
import { countedFigure } from './words.ts';

/** How a list shows changes. */
export interface ChangeOptions {
  readonly kind: ReportKind;
  readonly path: PathOf;
  readonly risks: RisksByAddress;
  /** Lists equal updates one by one instead of as a group. */
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
  const listed = options.full ? items : grouped(items, options);
  if (!options.reasonsOnly || options.kind !== 'apply') return listed;
  const reasons = reasonsOf(changes);
  return listed.map((item) =>
    item.change ? { ...item, place: undefined, rest: reasons(item.change) } : item,
  );
}

const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };

/** The words of a drift report for the actions of a plan. */
const driftWords: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'changed',
  delete: 'undeclared',
};

/** A change that is a risk is a warning. */
export function changeItem(change: ShownChange, { kind, path, risks, byAction }: ChangeOptions): Item {
  const { action, location } = change;
  const address = escapeControls(change.address);
  const isDrift = kind === 'drift';
  const outcome = 'result' in change ? endingOf(change) : undefined;
  const word = isDrift ? driftWords[action] : plannedWord(change);
  const title = `${outcome === undefined ? '' : `${outcome}: `}${worded(word, address, isDrift)}`;
  const why = risks.get(address);
  const level = levelOf(isDrift, change);
  return {
    sign: signs[action],
    head: address,
    title,
    detail:
      action === 'delete' && !isDrift ? [word, recoveryOf(change)].filter(Boolean).join(', ') : undefined,
    place: location && placeOf(location, path),
    rest: [...changeLines(change, isDrift), ...(byAction ? causeLines(change) : [])],
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

/** The error, the fields, and the permissions that a level grants and revokes; in a drift report what both sides have. */
export function changeLines(change: ShownChange, isDrift: boolean): Line[] {
  const { action, kind, fields, grants = [] } = change;
  const isNewGrant = action === 'create' && kind === 'team-access';
  const shown = fields.filter(({ path, after }) => {
    if (isDrift && action !== 'update') return kind === 'team-access' && path === 'access';
    // The permissions that a new grant does not give are summarized in one line.
    return !isNewGrant || (after !== 'none' && after !== false);
  });
  const lines: Line[] = shown.map((field) => fieldLine(field, action, isDrift));
  const permissions = permissionLines(permissionViews(grants)).map((line) => `  ${line}`);
  if (isDrift) return [...lines, ...(action === 'delete' ? permissions : [])];
  return [
    ...errorOf(change),
    ...lines,
    ...(isNewGrant && shown.length < fields.length ? ['all other permissions: none'] : []),
    ...permissions,
  ];
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

/** Fewer equal updates are listed one by one. */
const leastMembers = 3;

/**
 * Groups equal updates; a group is listed at its first member. Creates and deletes are never grouped, because their
 * names are the change. Neither is a change that failed or was skipped.
 */
function grouped(items: readonly Item[], options: ChangeOptions): readonly Item[] {
  const keys = new Map(items.map((item) => [item, groupKey(item)]));
  const groups = groupBy(items, (item) => keys.get(item));
  return items.flatMap((item) => {
    const key = keys.get(item);
    const members = groups.get(key) ?? [];
    if (key === undefined || members.length < leastMembers) return [item];
    return members[0] === item ? [groupItem(members as [Item, ...Item[]], options)] : [];
  });
}

/** Equal for changes that are shown alike. */
function groupKey({ change, outcome = 'done', rest, risks }: Item): string | undefined {
  if (change?.action !== 'update' || outcome !== 'done') return undefined;
  return JSON.stringify([
    change.kind,
    rest.map((line) => (typeof line === 'string' ? line : shared(line))),
    risks,
  ]);
}

/** Without the sizes of a list, which differ from member to member. */
function shared({ path, pieces }: FieldLine): FieldLine {
  return { path, pieces };
}

/** What the members of a group are called. */
const kindNouns: Readonly<Record<ResourceKind, string>> = {
  project: 'project',
  workspace: 'workspace',
  'team-access': 'grant',
};

/** A group of equal updates. One field is its head: `iac-version: 1.9.5 -> 1.10.2  2,000 workspaces  attune.yaml:5`. */
function groupItem(members: readonly [Item, ...Item[]], { kind, path, hint }: ChangeOptions): Item {
  const [first] = members;
  const { change: ofFirst, rest, address: _address, ...item } = first;
  const lines = rest.map((line) =>
    typeof line === 'string' ? line : { ...shared(line), places: placesOf(line) },
  );
  function placesOf({ path: field }: FieldLine) {
    const origins = members.flatMap(({ change }) => change?.origins?.[field] ?? []);
    const places = origins.map((origin) => placeOf(origin, path));
    return [...new Map(places.map((place) => [JSON.stringify([place.file, place.line]), place])).values()];
  }
  const fields = lines.filter((line) => typeof line !== 'string');
  const count = countedFigure(members.length, kindNouns[ofFirst?.kind ?? 'workspace']);
  const names = namesText(
    members.map(({ head }) => nameOfAddress(head)),
    hint,
  );
  const [only] = lines;
  const isOne = lines.length === 1 && fields.length === 1 && only !== undefined && typeof only !== 'string';
  const head = isOne ? [shownLine(shared(only)), count, ...placesText(only.places)].join('  ') : count;
  const isDrift = kind === 'drift';
  return {
    ...item,
    head,
    title: worded(isDrift ? driftWords.update : 'update', head, isDrift),
    place: fields.flatMap(({ places }) => places ?? [])[0] ?? item.place,
    rest: isOne ? [names] : [...lines, names],
    count: members.length,
    members,
  };
}
