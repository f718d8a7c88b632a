import type { AliasKind } from './alias-kind.ts';
import { type Diagnostic, problem, type SourceLocation, type Subject } from './diagnostic.ts';
import type { Dialect, Feature } from './dialect.ts';
import type { DeclaredLayers } from './fields.ts';
import type { TagBindings } from './list-rule.ts';
import type { HoldRules, Policy, Receiver } from './rules.ts';
import type { Selector } from './selector.ts';
import type { DeleteMode, State } from './state.ts';
import type { Values } from './value.ts';

/** What one root file with its includes declares: everything that a plan needs beside the live state. */
export interface Configuration {
  /** The absolute path of the root file. */
  readonly file: string;
  /** The absolute path of its folder; every location is relative to it. */
  readonly folder: string;
  readonly service: ServiceSettings;
  readonly aliases: Aliases;
  readonly desired: State;
  /**
   * The layers of each declared workspace, by its address; those of templates under `template.<name>`, and `defaults`.
   * {@link effectiveFields} reads them.
   */
  readonly layered: ReadonlyMap<string, DeclaredLayers>;
  readonly scope?: Scope | undefined;
  /** Where `scope.enforce` is declared, else where the scope is. */
  readonly scopeAt?: SourceLocation | undefined;
  readonly prune: Prune;
  readonly limits: Limits;
  readonly guards: Guards;
  /** The sections of the root file that declare no resources and no layers, as it has them. */
  readonly settings?: Values | undefined;
  /** Who gets messages. If absent, none are sent. */
  readonly notify?: readonly Receiver[] | undefined;
  /** What keeps changes back; nothing does if absent. */
  readonly holds?: HoldRules | undefined;
  /** The policies of the files and of `--policy`; none if absent. */
  readonly policies?: readonly Policy[] | undefined;
  /** The projects named under `team-access`, by id, as the file writes them. All their grants are read. */
  readonly grantProjects: ReadonlyMap<string, string>;
  /** The locations of these projects in the files, by the project as written. */
  readonly grantProjectLocations?: ReadonlyMap<string, SourceLocation> | undefined;
  /** References that are, or may be, names on the service and are not resolved yet. */
  readonly lookUps: readonly LookUp[];
  /** The ids that the files write. Absent if no file declares the configuration, as for an undo. */
  readonly ids?: readonly WrittenId[] | undefined;
  /** Names by id, of the kinds that were looked up: an id without an alias is shown by its name. */
  readonly known?: ReadonlyMap<AliasKind, ReadonlyMap<string, string>> | undefined;
  /** What the run compares the declarations with; absent without `--base`. */
  readonly base?: Base | undefined;
  /** The SHA-256 of the content of all its files; only if it was asked for. */
  readonly digest?: string | undefined;
  /** Warnings and notes; a configuration with errors is never returned. */
  readonly diagnostics: readonly Diagnostic[];
  /** The root files of one organization that it joins, each with its own rules. Absent if it is the configuration of one. */
  readonly roots?: readonly Configuration[] | undefined;
  /** The addresses that only root files with errors declare, each with the name of its file: neither planned nor undeclared. */
  readonly leftOut?: ReadonlyMap<string, string> | undefined;
}

/**
 * The root files of a configuration. Their scope, prune, limits, guards, policies and bases are their own: what checks such a
 * rule takes it from here.
 */
export function rootsOf<Declared extends { readonly roots?: readonly Declared[] | undefined }>(
  configuration: Declared,
): readonly Declared[] {
  return configuration.roots ?? [configuration];
}

/** The same root file elsewhere, as `--base` names it: at a revision or in another folder. */
export interface Base {
  /** The revision or the folder as the command line names it. */
  readonly ref: string;
  /** The commit of a revision. */
  readonly commit?: string | undefined;
  /** Whether the plan leaves out what the base and the files declare alike. */
  readonly onlyChanged?: true | undefined;
  /** As it was loaded, with names that are not resolved. */
  readonly loaded?: Configuration | undefined;
  /** The addresses that the root files of the run have there. */
  readonly addresses?: readonly string[] | undefined;
  /** Absent if the base could not be loaded. Empty for a root file that the base does not have. */
  readonly declared?: BaseDeclarations | undefined;
}

/** What a comparison with a base needs of its configuration. */
export interface BaseDeclarations
  extends Pick<Configuration, 'desired' | 'prune' | 'scope' | 'grantProjects'> {
  readonly roots?: readonly BaseDeclarations[] | undefined;
}

/** The settings under `service`. */
export interface ServiceSettings {
  /** Without `/api/v2`; or the word `embedded`. */
  readonly address?: string | undefined;
  readonly dialect?: Dialect | undefined;
  /** Requests per second. */
  readonly rate?: number | undefined;
  /** Requests at a time. @default 10 */
  readonly parallelism?: number | undefined;
  /** Seconds per attempt. @default 30 */
  readonly timeout?: number | undefined;
  /** What the service does not offer. */
  readonly without?: readonly Feature[] | undefined;
  /** Absolute path of the embedded service's data. */
  readonly data?: string | undefined;
  /** Absolute path of the embedded service's seed. */
  readonly seed?: string | undefined;
}

/** A name to resolve, with every place that uses it. */
export interface LookUp {
  readonly kind: AliasKind;
  readonly name: string;
  /**
   * The value in place of the id until the name is resolved; no id has braces. If the name could also be an id, it is
   * the name itself, which is used as an id until it is resolved.
   */
  readonly placeholder: string;
  /** The managed project that is created if it does not exist. */
  readonly managed?: ManagedName | undefined;
  readonly places: readonly LookUpPlace[];
}

/** An id that the files write, with every place of it. */
export interface WrittenId {
  readonly kind: AliasKind;
  readonly id: string;
  readonly places: readonly LookUpPlace[];
}

/** The alias of a managed project, and the name that it had. */
export interface ManagedName {
  readonly alias: string;
  readonly formerName?: string | undefined;
}

/** A place that uses a name. */
export interface LookUpPlace {
  readonly location: SourceLocation;
  /** The alias that is declared there; absent if the name is used directly. */
  readonly alias?: string | undefined;
}

/** Ids by their aliases, per kind. */
export type Aliases = Readonly<Record<AliasKind, ReadonlyMap<string, string>>>;

/** Any of the projects (ids), all of the tags, any of the names (with `*`). */
export interface LiveScope {
  readonly projects?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly names?: readonly string[] | undefined;
  /** Key/value tags in effect: all of them. */
  readonly tagged?: TagBindings | undefined;
}

/**
 * The workspaces that this configuration owns: any of the projects, all of the tags, any of the names. What it declares,
 * deletes or moves has to be in scope, before the plan and after it.
 */
export interface Scope extends LiveScope {
  /** Names of live workspaces outside the scope that this configuration takes over. */
  readonly adopt: readonly string[];
  /** Whether a declaration outside the scope is an error; else it is a warning. */
  readonly enforce: boolean;
  /** Where `tagged` is declared. */
  readonly taggedAt?: SourceLocation | undefined;
}

/** Whether undeclared resources are deleted. */
export interface Prune {
  readonly workspaces: 'keep' | DeleteMode;
  readonly teamAccess: boolean;
  /** Where the file sets `team-access`. */
  readonly locations?: { readonly teamAccess: SourceLocation } | undefined;
}

/** How much a plan may delete, revoke and update; the limit that is reached first refuses it. */
export interface Limits {
  /** Workspaces, projects and grants together. @default 10 */
  readonly deletes: number;
  /** Of the live objects. @default 30 */
  readonly deletePercent: number;
  /** Grants that are deleted; they count as deletes, too. @default no limit */
  readonly revokes?: number | undefined;
  /** Workspaces, projects and grants that are updated. @default no limit */
  readonly updates?: number | undefined;
  /** Of the live objects. @default no limit */
  readonly updatePercent?: number | undefined;
  /** The days that an exception lasts from now. @default 90 */
  readonly exceptionDays?: number | undefined;
  /** Where the file sets each of them. */
  readonly locations?: Readonly<Partial<Record<Exclude<keyof Limits, 'locations'>, SourceLocation>>>;
}

/** What no plan may do, whatever the files declare. */
export interface Guards {
  /** Workspaces that are neither deleted nor renamed. */
  readonly protect: readonly Protection[];
  /** The lists of `guards.keep-admin`: one per root file that has it. */
  readonly keepAdmin?: readonly AdminGuard[] | undefined;
  /** Where `guards.keep-self: true` is declared. */
  readonly keepSelf?: SourceLocation | undefined;
}

/** Teams of which one has to be an admin of each declared project. */
export interface AdminGuard {
  /** By id, as the file has them. */
  readonly teams: ReadonlyMap<string, string>;
  readonly location: SourceLocation;
}

/** An entry of `guards.protect`. */
export interface Protection {
  readonly selector: Selector;
  /** As the file has it, for messages. */
  readonly written: string;
  readonly location: SourceLocation;
  /** The location in a message, if the entry is that of another root file. @default location */
  readonly shownAt?: SourceLocation;
}

/** For plans that no file limits: the flags are then the only limits. */
export const noLimits: Limits = { deletes: Number.POSITIVE_INFINITY, deletePercent: 100 };

/** The configuration of a run without files: no declarations and no service settings. */
export function bareConfiguration(organization: string, folder: string): Configuration {
  const none: ReadonlyMap<string, string> = new Map();
  return {
    file: `${folder}/attune.yaml`,
    folder,
    service: {},
    aliases: { projects: none, teams: none, 'ssh-keys': none, 'agent-pools': none, 'vcs-connections': none },
    desired: { organization, resources: new Map() },
    layered: new Map(),
    prune: { workspaces: 'keep', teamAccess: false },
    limits: noLimits,
    guards: { protect: [] },
    grantProjects: none,
    lookUps: [],
    diagnostics: [],
  };
}

export function aliasOf(aliases: Aliases, kind: AliasKind, id: string): string {
  for (const [alias, aliased] of aliases[kind]) if (aliased === id) return alias;
  return id;
}

/** How an id is shown: by its alias, else by its name if it was read, else as it is. */
export function shownAs(
  { aliases, known }: Pick<Configuration, 'aliases' | 'known'>,
  kind: AliasKind,
  id: string,
): string {
  const alias = aliasOf(aliases, kind, id);
  return alias === id ? (known?.get(kind)?.get(id) ?? id) : alias;
}

export function hasConsumersOfLayer(address: string, { layered }: Pick<Configuration, 'layered'>): boolean {
  const consumers = layered.get(address)?.fields.get('remote-state-consumers');
  return consumers !== undefined && consumers.layer !== 'workspace';
}

/** A rename of which both names are live. */
export function bothLive(name: string, former: string, at: Subject): Diagnostic {
  return problem('renamed-from', `"${name}" cannot be renamed from "${former}": both are live`, {
    at,
    hint: `if an apply created "${name}" instead, revert that with \`attune undo\` and apply again; else declare both by their names, or delete one of them with a tombstone (state: absent)`,
  });
}
