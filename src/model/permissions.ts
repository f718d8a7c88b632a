import type { PermissionPath } from './attribute-values.ts';
import { placesByDialect, type SpelledRow } from './rows.ts';

/** Access levels that imply their permissions (interface, section 2.4). */
export const fixedLevels = ['read', 'write', 'maintain', 'admin'] as const;
/** All access levels (interface, section 2.4). */
export const accessLevels = [...fixedLevels, 'custom'] as const;
/** An access level that implies its permissions. */
export type FixedLevel = (typeof fixedLevels)[number];
/** The access level of a team in a project. */
export type AccessLevel = (typeof accessLevels)[number];
/** The value of a permission. */
export type Permission = string | boolean;

/** One row of the permission table: what each level implies, and what `custom` starts from. */
export interface PermissionSpec extends SpelledRow {
  readonly description: string;
  readonly values: readonly Permission[];
  /** The value that each level implies; absent if it is not documented. */
  readonly implied?: Readonly<Record<FixedLevel, Permission>> | undefined;
  /** The value of an omitted permission under `custom`: the least. */
  readonly customDefault: Permission;
}

function row(
  description: string,
  values: readonly [Permission, ...Permission[]],
  implied?: readonly [read: Permission, write: Permission, maintain: Permission, admin: Permission],
  spelling: SpelledRow = {},
): PermissionSpec {
  const [read = '', write = '', maintain = '', admin = ''] = implied ?? [];
  return {
    description,
    values,
    implied: implied && { read, write, maintain, admin },
    customDefault: values[0],
    ...spelling,
  };
}

const off = [false, true] as const;

export const permissions: Readonly<Record<PermissionPath, PermissionSpec>> = {
  'project-access.settings': row(
    "The project's settings.",
    ['read', 'update', 'delete'],
    ['read', 'read', 'read', 'delete'],
  ),
  'project-access.teams': row(
    "The project's team access.",
    ['none', 'read', 'manage'],
    ['none', 'none', 'none', 'manage'],
  ),
  'project-access.variable-sets': row(
    "The project's variable sets; terraform dialect only.",
    ['none', 'read', 'write'],
    undefined,
    { only: 'terraform' },
  ),
  'workspace-access.runs': row('Runs.', ['read', 'plan', 'apply'], ['read', 'apply', 'apply', 'apply']),
  'workspace-access.policy-mocks': row(
    'Mock data for policy tests.',
    ['none', 'read'],
    ['none', 'read', 'read', 'read'],
    { wire: { terraform: 'sentinel-mocks' } },
  ),
  'workspace-access.state-versions': row(
    'State versions.',
    ['none', 'read-outputs', 'read', 'write'],
    ['read', 'write', 'write', 'write'],
  ),
  'workspace-access.variables': row(
    'Variables.',
    ['none', 'read', 'write'],
    ['read', 'write', 'write', 'write'],
  ),
  'workspace-access.create': row('Create workspaces in the project.', off, [false, false, true, true]),
  'workspace-access.locking': row('Lock and unlock workspaces.', off, [false, true, true, true]),
  'workspace-access.delete': row('Delete workspaces.', off, [false, false, true, true]),
  'workspace-access.move': row('Move workspaces between projects.', off, [false, false, false, true]),
  'workspace-access.run-tasks': row('Manage run tasks.', off, [false, false, true, true]),
  'workspace-access.policy-overrides': row(
    'Override policy checks; terraform dialect only.',
    off,
    undefined,
    { only: 'terraform' },
  ),
};

export const permissionPaths = Object.keys(permissions) as readonly PermissionPath[];

/** The permissions by path, without those that the service does not have. */
export type Permissions = Readonly<Partial<Record<PermissionPath, Permission>>>;

export function isPermissionPath(path: string): path is PermissionPath {
  return Object.hasOwn(permissions, path);
}

export const permissionGroups = ['project-access', 'workspace-access'] as const;
export type PermissionGroup = (typeof permissionGroups)[number];

export const permissionPlaces = placesByDialect(permissions);

export function isFixedLevel(level: unknown): level is FixedLevel {
  return fixedLevels.some((fixed) => fixed === level);
}

export const impliedPermissions = Object.fromEntries(
  fixedLevels.map((level) => {
    const known = permissionPaths.flatMap((path) => {
      const { implied } = permissions[path];
      return implied ? [[path, implied[level]] as const] : [];
    });
    return [level, Object.fromEntries(known)];
  }),
) as Readonly<Record<FixedLevel, Permissions>>;
