import { type FieldChange, permissionChanges } from '../model/change.ts';
import { isPermissionPath, type Permission, permissionPaths, permissions } from '../model/permissions.ts';
import type { GrantOverview, GrantState, Overview } from '../model/plan.ts';
import type { Value } from '../model/value.ts';

export interface PermissionView {
  readonly path: string;
  readonly isGain: boolean;
  /** The levels before and after, where there are any; none for a permission that is only on or off. */
  readonly levels: readonly Value[];
}

export interface AccessView {
  readonly grants: readonly GrantView[];
  /** Projects with workspaces or declared grants whose team access was not read. */
  readonly unknown: readonly string[];
}

export interface GrantView {
  readonly project: string;
  readonly team: string;
  readonly before: string | null;
  readonly after: string | null;
  readonly isChanged: boolean;
  readonly permissions: readonly PermissionView[];
  /** What an unchanged `custom` level permits; empty for the others, whose meaning is fixed. */
  readonly held: readonly HeldPermission[];
}

export interface HeldPermission {
  readonly path: string;
  /** `true` for a permission that is only on or off; `unknown` where the service does not return it. */
  readonly level: Permission;
}

/** Gains first. */
export function permissionViews(changes: readonly FieldChange[]): readonly PermissionView[] {
  const views = changes.map(permissionView);
  return [...views.filter(({ isGain }) => isGain), ...views.filter(({ isGain }) => !isGain)];
}

function permissionView({ path, before, after }: FieldChange): PermissionView {
  // A document of a newer version can name others. Without an order of its values, a permission that appears is a gain.
  const values: readonly unknown[] = isPermissionPath(path)
    ? permissions[path].values
    : [null, false, 'none', before, after];
  const rank = (value: Value) => values.indexOf(value);
  const isSwitch = typeof (before ?? after) === 'boolean';
  const levels = isSwitch ? [] : [before, after].filter((value) => value !== null);
  return { path, isGain: rank(after) > rank(before), levels };
}

export function accessView({ grants, workspaces, projects: read }: Overview): AccessView {
  const projects = [...workspaces.map(({ project }) => project), ...grants.map(({ project }) => project)];
  const known = new Set(read ?? grants.map(({ project }) => project));
  const unknown = projects.filter((project) => project !== null && !known.has(project));
  return { grants: grants.map(grantView), unknown: [...new Set(unknown as string[])].sort() };
}

function grantView({ project, team, before, after }: GrantOverview): GrantView {
  const differences = permissionChanges(before?.permissions, after?.permissions);
  const isChanged = differences.length > 0 || before?.access !== after?.access;
  return {
    project,
    team,
    before: before?.access ?? null,
    after: after?.access ?? null,
    isChanged,
    permissions: permissionViews(differences),
    held: !isChanged && after?.access === 'custom' ? heldPermissions(after) : [],
  };
}

function heldPermissions({ permissions: given }: GrantState): readonly HeldPermission[] {
  return permissionPaths.flatMap((path) => {
    const level = given[path];
    // A permission that only some servers have may not exist on this one.
    if (level === undefined) return permissions[path].only === undefined ? [{ path, level: 'unknown' }] : [];
    return level === false || level === 'none' ? [] : [{ path, level }];
  });
}

export interface AccessTable<Cell> {
  readonly isTeamsAcross: boolean;
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly cellAt: (row: string, column: string) => Cell | undefined;
}

export function accessTableOf<Cell extends { readonly project: string; readonly team: string }>(
  cells: readonly Cell[],
): AccessTable<Cell> {
  const projects = [...new Set(cells.map(({ project }) => project))].sort();
  const teams = [...new Set(cells.map(({ team }) => team))].sort();
  const keyOf = (project: string, team: string) => JSON.stringify([project, team]);
  const known = new Map(cells.map((cell) => [keyOf(cell.project, cell.team), cell]));
  const isTeamsAcross = teams.length <= projects.length;
  const [rows, columns] = isTeamsAcross ? [projects, teams] : [teams, projects];
  const cellAt = (row: string, column: string) =>
    known.get(isTeamsAcross ? keyOf(row, column) : keyOf(column, row));
  return { isTeamsAcross, rows, columns, cellAt };
}
