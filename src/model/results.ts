import type { PermissionPath } from './attribute-values.ts';
import type { Diagnostic, SourceLocation } from './diagnostic.ts';
import type { Dialect } from './dialect.ts';
import type { AccessLevel, Permission } from './permissions.ts';
import type { Selector } from './selector.ts';
import type { Value } from './value.ts';

/** One difference that files declare now. */
export interface AcceptedField {
  /** The path of the field; empty for a whole declaration. */
  readonly path: string;
  /** The declared value. */
  readonly before: Value;
  /** The live value. */
  readonly after: Value;
  /** The live entries that a list gains and loses. */
  readonly add?: readonly string[] | undefined;
  readonly remove?: readonly string[] | undefined;
  /** The layer that keeps its value for other workspaces. */
  readonly overrides?: { readonly layer: string; readonly location: SourceLocation } | undefined;
}

/** An accepted difference of a resource. */
export interface AcceptedValue extends AcceptedField {
  readonly address: string;
  /** Where it is declared after the edits; absent if no line declares it. */
  readonly location?: SourceLocation | undefined;
}

/** An exception that is written for a difference. */
export interface AcceptedException {
  readonly address: string;
  readonly field: string;
  /** The live value, as a file has it. */
  readonly value: Value;
  readonly until: string;
  readonly reason: string;
  readonly location?: SourceLocation | undefined;
}

/** A file that changes. */
export interface EditedFile {
  /** Relative to the folder of the root file. */
  readonly file: string;
  /** The former text; absent for a new file. */
  readonly before?: string | undefined;
  readonly after: string;
}

/** The result of accepting live values. */
export interface AcceptResult {
  readonly organization: string;
  readonly address: string;
  /** The absolute path of the root file's folder. */
  readonly folder: string;
  /** The accepted differences. */
  readonly fields: readonly AcceptedValue[];
  /** The addresses of the workspaces that are declared now and were not. */
  readonly declared: readonly string[];
  /** The exceptions that were written instead of live values; only with `until`. */
  readonly exceptions?: readonly AcceptedException[] | undefined;
  readonly files: readonly EditedFile[];
  /** Whether the files were not written. */
  readonly isDryRun: boolean;
  /** Differences that cannot be accepted are errors with the code `not-acceptable`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** What is asked about access. Without a subject, the access of all teams to all projects. */
export interface AccessQuestion {
  /** Where a team has access. With `project` or `workspace`, only its access there. */
  readonly team?: string | undefined;
  /** Which teams have access to a project. */
  readonly project?: string | undefined;
  /** What each team can do with a workspace. */
  readonly workspace?: string | undefined;
  /** Which workspaces can read the state of this one. */
  readonly stateOf?: string | undefined;
  /** Whose state a workspace can read. */
  readonly stateFor?: string | undefined;
}

/** Which setting of a workspace shares its state. */
export type SharingSource = 'global-remote-state' | 'project-remote-state' | 'remote-state-consumers';

/** One right of a team, and its source. */
export interface AccessRight {
  readonly level: AccessLevel | 'unknown';
  /** A grant, a grant with a role, or a permission of the team in the organization. */
  readonly source: 'grant' | 'role' | 'organization-permission';
  /** The role that the declaration of the grant names. */
  readonly role?: string | undefined;
  /** The permission of the team in the organization, such as `manage-projects`, or `owners`. */
  readonly permission?: string | undefined;
  /** The declaration of the grant. */
  readonly location?: SourceLocation | undefined;
  /** When the declared access ends, as written: a date or a time. */
  readonly until?: string | undefined;
}

/** The access of a team to a project and its workspaces: all of its rights together. `*` is every team or project. */
export interface TeamAccessRow extends AccessRight {
  readonly team: string;
  readonly teamId?: string | undefined;
  readonly project: string;
  readonly projectId?: string | undefined;
  readonly runs: Permission;
  readonly variables: Permission;
  readonly state: Permission;
  /** Every permission, under its path. */
  readonly permissions: Readonly<Partial<Record<PermissionPath, Permission>>>;
  /** The other rights of the team: the source is the one that permits the most. */
  readonly also?: readonly AccessRight[] | undefined;
}

/** A workspace that can read a state, or whose state can be read. `*` is every workspace of the organization. */
export interface StateAccessRow {
  readonly workspace: string;
  /** Its project: `unknown` if it was not read, null for every workspace. */
  readonly project: string | null;
  readonly via: 'all' | 'project' | 'list' | 'unknown';
  readonly source: SharingSource;
  /** Why it is unknown. */
  readonly reason?: string | undefined;
  /** The selectors of the list that select the reader, by what the service shows of it. */
  readonly selectors?: readonly Selector[] | undefined;
  /** The declaration of the setting, or of the entry of the list. */
  readonly location?: SourceLocation | undefined;
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

/** A file of an import. */
export interface ImportedFile {
  /** Relative to the working folder. */
  readonly file: string;
  /** `unchanged` if it contained the same bytes. */
  readonly outcome: 'created' | 'overwritten' | 'extended' | 'unchanged';
  /** Number of workspaces that the import has written into it. */
  readonly workspaces: number;
  readonly grants: number;
  /** Number of managed projects; absent if there is none. */
  readonly projects?: number | undefined;
}

/** The result of an import. */
export interface ImportResult {
  readonly organization: string;
  readonly address: string;
  readonly dialect: Dialect;
  readonly files: readonly ImportedFile[];
  /** The schema that was written beside the root file, for editors; absent if it existed, or the repository has the package. */
  readonly schema?: string | undefined;
  /** Number of workspaces that are not in the files, for reasons in the diagnostics. */
  readonly omittedWorkspaces: number;
  /** The scope that the import wrote: aliases or ids of projects, tags, patterns of names. */
  readonly scope?: Partial<Record<'projects' | 'tags' | 'names', readonly string[]>> | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** The command that plans the files. */
  readonly planCommand: string;
}
