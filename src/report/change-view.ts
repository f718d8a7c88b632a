import { type AppliedChange, type CallError, type Ending, endingOf } from '../model/apply-result.ts';
import type { Action, Cause, FieldChange } from '../model/change.ts';
import type { Severity, SourceLocation } from '../model/diagnostic.ts';
import { type Call, type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { grantAddress, namesOfGrant, type ResourceKind, workspaceAddress } from '../model/state.ts';
import { asBindings, bindingTexts } from '../model/tag-bindings.ts';
import type { Value } from '../model/value.ts';
import { type PermissionView, permissionViews } from './access-view.ts';
import { type PathOf, placeOf } from './diagnostic-view.ts';
import { escapeControls } from './escape-controls.ts';
import type { ReportEntry, ReportKind } from './report.ts';

/** One change as formats show it. */
export interface ChangeView {
  readonly address: string;
  readonly kind: ResourceKind;
  readonly action: Action;
  /** The action, and for a delete its mode. In a drift report, the kind of difference. */
  readonly word: string;
  /** One line: the word, the address, and the outcome once apply has begun. */
  readonly title: string;
  /** How much it matters, for formats that sort by that. */
  readonly level: Severity;
  /** The line that declares it. */
  readonly place?: SourceLocation | undefined;
  readonly fields: readonly FieldView[];
  /** Another part of a report with a base has the rest of its fields. */
  readonly isContinued?: true;
  /** Of a create or a delete with a base; an update has the cause of each field. */
  readonly cause?: Cause | undefined;
  /** The line that declares each field, by path, where it is known. */
  readonly origins: Readonly<Record<string, SourceLocation>>;
  /** Whether permissions that a new grant does not give are left out of `fields`. */
  readonly omitsPermissions: boolean;
  /** What an access level grants and revokes. */
  readonly permissions: readonly PermissionView[];
  readonly calls: readonly Call[];
  /** Addresses whose calls come first. */
  readonly dependsOn: readonly string[];
  /** The projects that it is about; both for a move. */
  readonly projects: readonly string[];
  /** Present once apply has begun, as is `callsDone`. */
  readonly outcome?: Ending;
  readonly callsDone?: number;
  readonly extraCalls?: number;
  /** Whether the delete can be undone with all that the service stores, and until when. */
  readonly recovery?: string | undefined;
  readonly error?: CallError;
}

/** One field of a change, by how it is shown. */
export type FieldView = { readonly path: string; readonly cause?: Cause | undefined } & (
  | { readonly shape: 'new'; readonly after: Value }
  | { readonly shape: 'value'; readonly before: Value; readonly after: Value }
  | { readonly shape: 'lock'; readonly before: LockWord; readonly after: LockWord }
  | ({
      readonly shape: 'list';
      readonly before: readonly Value[];
      readonly after: readonly Value[];
    } & Difference)
  // What the lists of several changes have in common.
  | ({ readonly shape: 'list-change' } & Difference)
  // The service does not return the stored list, so only what is sent is known.
  | ({ readonly shape: 'unread-list'; readonly after: Value } & Difference)
);

type LockWord = 'locked' | 'unlocked';

interface Difference {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

export function changeViews(
  kind: ReportKind,
  plan: Plan,
  { result }: Pick<ReportEntry, 'result'>,
  path: PathOf,
): readonly ChangeView[] {
  const changes: readonly (PlannedChange | AppliedChange)[] = sentChanges<PlannedChange | AppliedChange>(
    (kind === 'apply' && result?.changes) || plan.changes,
  );
  if (changes.length === 0) return [];
  const projectOf = projectLookup(plan);
  return changes.map((change) => changeView(kind, change, { path, projectOf }));
}

interface Surroundings {
  readonly path: PathOf;
  readonly projectOf: ReadonlyMap<string, string | null>;
}

function changeView(
  kind: ReportKind,
  change: PlannedChange | AppliedChange,
  { path, projectOf }: Surroundings,
): ChangeView {
  const { action, location, dependsOn, calls } = change;
  const address = escapeControls(change.address);
  const shown = shownFields(change);
  const outcome = 'result' in change ? endingOf(change) : undefined;
  const word = kind === 'drift' ? driftWords[action] : plannedWord(change);
  const title = changeTitle(kind, word, address);
  const recovery = kind === 'drift' ? undefined : recoveryText(change);
  return {
    address,
    kind: change.kind,
    action,
    word,
    title: outcome === undefined ? title : `${outcome}: ${title}`,
    level: levelOf(kind, action, outcome),
    place: location && placeOf(location, path),
    fields: shown.map((field) => ({
      ...fieldView(field, action),
      cause: field.cause,
    })),
    cause: change.cause,
    origins: originViews(change, path),
    omitsPermissions: shown.length < change.fields.length,
    permissions: permissionViews(change.grants ?? []),
    calls,
    dependsOn: dependsOn.map(escapeControls),
    projects: projectsOf(change, projectOf),
    ...('result' in change && { outcome: endingOf(change), callsDone: change.callsDone }),
    recovery,
    ...('extraCalls' in change && change.extraCalls && { extraCalls: change.extraCalls }),
    ...('error' in change && change.error && { error: printedError(change.error) }),
  };
}

function originViews(
  { origins = {} }: PlannedChange,
  path: PathOf,
): Readonly<Record<string, SourceLocation>> {
  return Object.fromEntries(Object.entries(origins).map(([key, origin]) => [key, placeOf(origin, path)]));
}

/** The signs of actions in plain text. */
export const signs: Readonly<Record<Action, string>> = { create: '+', update: '~', delete: '-' };

/** The words of a drift report for the actions of a plan. */
const driftWords: Readonly<Record<Action, string>> = {
  create: 'missing',
  update: 'changed',
  delete: 'undeclared',
};

/** The action, and for a delete how it is done. */
function plannedWord({ action, kind, mode = 'safe' }: PlannedChange): string {
  if (action !== 'delete') return action;
  switch (kind) {
    case 'workspace':
      return `${mode} delete`;
    case 'project':
      return 'delete';
    case 'team-access':
      return 'revoke';
    default:
      return kind satisfies never;
  }
}

function recoveryText(change: PlannedChange | AppliedChange): string | undefined {
  const until = 'recoverableUntil' in change ? change.recoverableUntil : undefined;
  return until === undefined ? change.recovery : `recoverable until ${escapeControls(until)}`;
}

/** The title of a change or of a group of changes. */
export function changeTitle(kind: ReportKind, word: string, subject: string): string {
  return kind === 'drift' ? `${word}: ${subject}` : `${word} ${subject}`;
}

function levelOf(kind: ReportKind, action: Action, outcome: Ending | undefined): Severity {
  if (outcome === 'failed' || outcome === 'unknown' || outcome === 'partial') return 'error';
  if (outcome === 'skipped' || outcome === 'held' || kind === 'drift') return 'warning';
  return action === 'delete' ? 'warning' : 'note';
}

/** The permissions that a new grant leaves out are summarized in one line. */
function shownFields({ action, kind, fields }: PlannedChange): readonly FieldChange[] {
  const isNewGrant = action === 'create' && kind === 'team-access';
  return isNewGrant ? fields.filter(({ after }) => after !== 'none' && after !== false) : fields;
}

function fieldView(field: FieldChange, action: Action): FieldView {
  const { path, before, after, add, remove } = field.path === 'tag-bindings' ? bindingList(field) : field;
  if (action === 'create') return { path, shape: 'new', after: path === 'lock' ? 'locked' : after };
  if (path === 'lock') return { path, shape: 'lock', before: lockWord(before), after: lockWord(after) };
  if (add === undefined || remove === undefined) return { path, shape: 'value', before, after };
  if (before === null) return { path, shape: 'unread-list', after, add, remove };
  return Array.isArray(before) && Array.isArray(after)
    ? { path, shape: 'list', before, after, add, remove }
    : { path, shape: 'value', before, after };
}

/** Key/value tags as the list of their texts. */
function bindingList(field: FieldChange): FieldChange {
  const texts = (value: Value) => {
    const bindings = asBindings(value);
    return bindings ? bindingTexts(bindings) : value;
  };
  return { ...field, before: texts(field.before), after: texts(field.after) };
}

function lockWord(locked: Value): LockWord {
  return locked === true ? 'locked' : 'unlocked';
}

function printedError({ message, ...request }: CallError): CallError {
  return { message: escapeControls(message), ...request };
}

/** The project of every workspace and grant, by the address that a change has. */
function projectLookup({ overview }: Plan): ReadonlyMap<string, string | null> {
  return new Map([
    ...overview.workspaces.map(({ name, project }) => [workspaceAddress(name), project] as const),
    ...overview.grants.map(({ project, team }) => [grantAddress(project, team), project] as const),
  ]);
}

function projectsOf(
  { kind, name, fields }: PlannedChange,
  projectOf: ReadonlyMap<string, string | null>,
): readonly string[] {
  const moved = fields.find(({ path }) => path === 'project');
  if (moved) return [moved.before, moved.after].filter((side) => typeof side === 'string');
  const project = projectOf.get(`${kind}.${name}`);
  if (typeof project === 'string') return [project];
  // Files may call a project by its id or its name where the overview has its alias.
  if (kind === 'project') return [name];
  return kind === 'team-access' ? [namesOfGrant(name).project] : [];
}
