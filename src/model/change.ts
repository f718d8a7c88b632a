import {
  attributePaths,
  coupledPaths,
  isUnder,
  projectExecutionPaths,
  sharingSwitches,
} from './attributes.ts';
import type { SourceLocation } from './diagnostic.ts';
import { permissionPaths } from './permissions.ts';
import type { Declared, DeleteMode, ResourceKind, ResourceOf } from './state.ts';
import type { Value, Values } from './value.ts';

/** What a change does, in the order in which reports list changes. */
export const actions = ['create', 'update', 'delete'] as const;
/** What a change does. */
export type Action = (typeof actions)[number];

/**
 * Why a field or a resource differs, compared with the files of `--base`. `change`: both declare different values.
 * `drift`: both declare the same, and the live value differs. `unknown`: the base could not be loaded.
 */
export type Cause = 'change' | 'drift' | 'unknown';

/** One managed key that differs. Sets also have the entries that are added and removed. */
export interface FieldChange {
  readonly path: string;
  readonly before: Value;
  readonly after: Value;
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
  /** Absent without `--base`. */
  readonly cause?: Cause | undefined;
  /** The values in effect, if a workspace inherits one of them: then its own value is `null`. */
  readonly inEffect?: { readonly before: Value; readonly after: Value } | undefined;
}

/** One resource whose live state differs from the desired one. Values are ids; a plan shows aliases instead. */
export type Change = ProjectChange | WorkspaceChange | GrantChange;
export type ChangeOf<Kind extends ResourceKind> = Extract<Change, { readonly kind: Kind }>;

export function changesOf<Item extends { readonly kind: ResourceKind }, Kind extends ResourceKind>(
  changes: Iterable<Item>,
  kind: Kind,
): (Item & { readonly kind: Kind })[] {
  return [...changes].filter((change): change is Item & { readonly kind: Kind } => change.kind === kind);
}

/** The properties that changes of all kinds share. */
export interface ChangeBase<Kind extends ResourceKind> {
  readonly address: string;
  readonly kind: Kind;
  readonly name: string;
  readonly action: Action;
  /** The live resource; absent for a create. */
  readonly live?: ResourceOf<Kind> | undefined;
  /** The desired resource, unmanaged values copied from the live one; absent for a delete. */
  readonly target?: ResourceOf<Kind> | undefined;
  readonly fields: readonly FieldChange[];
  /** Of a create or a delete with `--base`. */
  readonly cause?: Cause | undefined;
  readonly location?: SourceLocation | undefined;
  /** Settings that allow its deletion only while they are unchanged. */
  readonly unchanged?: readonly string[] | undefined;
}

/** A project that differs. */
export interface ProjectChange extends ChangeBase<'project'> {
  /** The key/value tags are declared as additions only, so that they are added without a replacement of all. */
  readonly addsBindings?: true | undefined;
}

/** A workspace that differs. */
export interface WorkspaceChange extends ChangeBase<'workspace'> {
  /** The consumer list is declared as additions and removals and must not be replaced as a whole. */
  readonly additiveConsumers?: true | undefined;
  /** The key/value tags are declared as additions only, so that they are added without a replacement of all. */
  readonly addsBindings?: true | undefined;
  /** How it is deleted. */
  readonly deleteMode?: DeleteMode | undefined;
  /** Its lock is removed before it is deleted. */
  readonly unlocks?: true | undefined;
  /** An unlock that removes the lock of any holder. */
  readonly forcesUnlock?: true | undefined;
  /** The deleted workspace that is recovered instead of created. */
  readonly recovers?: NonNullable<Declared['recovers']> | undefined;
}

/** A grant that differs. */
export interface GrantChange extends ChangeBase<'team-access'> {
  /** The permissions that an access level implies and that the change thereby grants or revokes. */
  readonly grants?: readonly FieldChange[] | undefined;
}

export function projectsOfMove({
  live,
  target,
}: WorkspaceChange): readonly [] | readonly [from: string, to: string] {
  const [from, to] = [live?.attributes.project, target?.attributes.project];
  return from === undefined || to === undefined || from === to ? [] : [from, to];
}

/** The fields of each kind that the service changes together with a field, or of which one is void without the other. */
export const fieldsTogether: Readonly<Record<ResourceKind, (field: string) => readonly string[]>> = {
  project: (field) => (projectExecutionPaths.some((path) => path === field) ? projectExecutionPaths : []),
  workspace: (field) =>
    // While the state is shared with more, a list of consumers is an error.
    sharingSwitches.some((path) => path === field)
      ? [...sharingSwitches, 'remote-state-consumers']
      : coupledPaths(attributePaths.filter((path) => isUnder(path, field))),
  // A level has all permissions.
  'team-access': (field) => (field === 'access' ? ['access', ...permissionPaths] : []),
};

/**
 * The permissions that are granted and revoked. Without a grant there are none. A permission that one side does not
 * list is unknown on that side, so it is omitted.
 */
export function permissionChanges(before: Values | undefined, after: Values | undefined): FieldChange[] {
  return permissionPaths.flatMap((path): FieldChange[] => {
    if (isUnknown(before, path) || isUnknown(after, path)) return [];
    const had = before?.[path] ?? null;
    const has = after?.[path] ?? null;
    return had === has || (isNothing(had) && isNothing(has)) ? [] : [{ path, before: had, after: has }];
  });
}

function isUnknown(permissions: Values | undefined, path: string): boolean {
  return permissions !== undefined && permissions[path] === undefined;
}

function isNothing(value: Value): boolean {
  return value === null || value === false || value === 'none';
}

type DeletionSource = 'tombstone' | 'prune' | 'undo';

export function deletionSource(isDeclared: boolean, location: SourceLocation | undefined): DeletionSource {
  if (location !== undefined) return 'tombstone';
  return isDeclared ? 'undo' : 'prune';
}

export const modeHints: Readonly<Record<DeletionSource, Readonly<Record<DeleteMode, string>>>> = {
  tombstone: { safe: 'write `delete: safe`', force: 'write `delete: force`' },
  prune: { safe: 'set prune.workspaces to `safe`', force: 'set prune.workspaces to `force`' },
  undo: { safe: 'run again without --force', force: 'run again with --force' },
};

/** What becomes of a deleted workspace that the service does not recover. */
export const createdEmpty =
  'it is created again empty, with a new id: its state, runs, variables, notifications, permissions by id and places in consumer lists that the run did not write are lost';

/** The hint for a deletion on a service without safe delete. A force delete of a workspace leaves its resources unmanaged. */
export function withoutSafeDelete(force: string): string {
  return `check that it manages no resources, then ${force}, which deletes it without that check`;
}
