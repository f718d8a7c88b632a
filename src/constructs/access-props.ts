import type { FixedLevel } from '../model/permissions.ts';

/** Permissions on the project itself. An omitted one has its default, the least. */
export interface ProjectAccessProps {
  /** The project's settings. @default 'read' */
  readonly settings?: 'read' | 'update' | 'delete';
  /** The project's team access. @default 'none' */
  readonly teams?: 'none' | 'read' | 'manage';
  /** The project's variable sets; `terraform` dialect only. @default 'none' */
  readonly variableSets?: 'none' | 'read' | 'write';
}

/** Permissions on the project's workspaces. An omitted one has its default, the least. */
export interface WorkspaceAccessProps {
  /** @default 'read' */
  readonly runs?: 'read' | 'plan' | 'apply';
  /** Mock data for policy tests. @default 'none' */
  readonly policyMocks?: 'none' | 'read';
  /** @default 'none' */
  readonly stateVersions?: 'none' | 'read-outputs' | 'read' | 'write';
  /** @default 'none' */
  readonly variables?: 'none' | 'read' | 'write';
  /** Create workspaces in the project. @default false */
  readonly create?: boolean;
  /** Lock and unlock workspaces. @default false */
  readonly locking?: boolean;
  /** Delete workspaces. @default false */
  readonly delete?: boolean;
  /** Move workspaces between projects. @default false */
  readonly move?: boolean;
  /** Manage run tasks. @default false */
  readonly runTasks?: boolean;
  /** Override policy checks; `terraform` dialect only. @default false */
  readonly policyOverrides?: boolean;
}

/** Single permissions, instead of a level. */
export interface CustomAccess {
  readonly projectAccess?: ProjectAccessProps;
  readonly workspaceAccess?: WorkspaceAccessProps;
}

/** The permissions of a role. Only the level `custom` accepts single permissions. */
export interface RoleProps extends CustomAccess {
  readonly access: FixedLevel | 'custom';
}

/** The name of a role that the organization declares. */
export type RoleName = string & {};

/** Until when something applies, and why. */
export interface EndingProps {
  /** The last day, which ends in UTC (`2026-12-31`), or a time with its zone (`2026-12-31T18:00:00Z`). */
  readonly until?: string;
  /** Shown wherever it has an effect. */
  readonly reason?: string;
}

/** Access that ends, or single permissions. */
export interface GrantOptions extends CustomAccess, EndingProps {
  /** A level or a role. @default 'custom' */
  readonly access?: Level | RoleName;
}

/** A level that implies its permissions, or `none` to revoke. */
export type Level = FixedLevel | 'none';
