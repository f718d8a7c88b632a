import type { Diagnostic, SourceLocation } from './diagnostic.ts';
import type { AccessLevel, Permission, PermissionPath } from './permissions.ts';

/** What is asked about access. Without a subject, the access of all teams to all projects. */
export interface AccessQuestion {
  /** Where a team has access. With `project` or `workspace`, only its access there. */
  readonly team?: string;
  /** Which teams have access to a project. */
  readonly project?: string;
  /** What each team can do with a workspace. */
  readonly workspace?: string;
  /** Which workspaces can read the state of this one. */
  readonly stateOf?: string;
  /** Whose state a workspace can read. */
  readonly stateFor?: string;
}

/** Why a team has access: a grant, a grant with a role, or a permission of the team in the organization. */
export type AccessSource = 'grant' | 'role' | 'organization-permission';
/** Which setting of a workspace shares its state. */
export type SharingSource = 'global-remote-state' | 'project-remote-state' | 'remote-state-consumers';

/** A value that was not read, or that the service does not show. */
export const unknownValue = 'unknown';

/** One right of a team, and its source. */
export interface AccessRight {
  readonly level: AccessLevel | 'unknown';
  readonly source: AccessSource;
  /** The role that the declaration of the grant names. */
  readonly role?: string;
  /** The permission of the team in the organization, such as `manage-projects`, or `owners`. */
  readonly permission?: string;
  /** The declaration of the grant. */
  readonly location?: SourceLocation;
}

/** The access of a team to a project and its workspaces: all of its rights together. `*` is every team or project. */
export interface TeamAccessRow extends AccessRight {
  readonly team: string;
  readonly teamId?: string;
  readonly project: string;
  readonly projectId?: string;
  readonly runs: Permission;
  readonly variables: Permission;
  readonly state: Permission;
  /** Every permission, under its path. */
  readonly permissions: Readonly<Partial<Record<PermissionPath, Permission>>>;
  /** The other rights of the team: the source is the one that permits the most. */
  readonly also?: readonly AccessRight[];
}

/** A workspace that can read a state, or whose state can be read. `*` is every workspace of the organization. */
export interface StateAccessRow {
  readonly workspace: string;
  /** Its project: `unknown` if it was not read, null for every workspace. */
  readonly project: string | null;
  readonly via: 'all' | 'project' | 'list' | 'unknown';
  readonly source: SharingSource;
  /** Why it is unknown. */
  readonly reason?: string;
  /** The declaration of the setting, or of the entry of the list. */
  readonly location?: SourceLocation;
}

/** One line of an answer: `team` is only in the access of a team. */
export type AccessRow = TeamAccessRow | StateAccessRow;

/** The answer to a question about access. */
export interface AccessResult {
  readonly organization: string;
  /** The service's address, or the word `embedded`. */
  readonly address: string;
  /** The live state, or the state after the plan of the files. */
  readonly state: 'live' | 'declared';
  readonly question: AccessQuestion;
  readonly rows: readonly AccessRow[];
  readonly diagnostics: readonly Diagnostic[];
}

export function isTeamRow(row: AccessRow): row is TeamAccessRow {
  return 'team' in row;
}
