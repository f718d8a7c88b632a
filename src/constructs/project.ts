import { Construct, type IConstruct } from 'constructs';
import type { FixedLevel } from '../model/permissions.ts';
import { quote } from '../model/text.ts';
import type { ProjectAccessProps, ProjectAttributeProps, WorkspaceAccessProps } from './attribute-props.ts';
import { defaultName, markCallSite, organizationScope } from './origin.ts';
import type { Reference, TagBindingProps } from './prop-types.ts';

/** The id or name of a project, its alias, and with `manage: true` its settings. */
export interface ProjectProps extends ProjectAttributeProps {
  /** The project's id, `prj-...`. */
  readonly id?: string;
  /** The name on the service, which identifies the project without an `id`. @default the alias */
  readonly name?: string;
  /** The alias in plans. @default the ids on the path from the organization to the construct, joined with `-` */
  readonly alias?: string;
  /**
   * Adds the project to `team-access` even if no team is granted access: with `prune.teamAccess`, all undeclared teams
   * lose their access. @default false
   */
  readonly ownsAccess?: boolean;
  /** Whether Attune creates, updates and deletes the project. Its settings require it. @default false */
  readonly manage?: boolean;
  /** Key/value tags of the project; its workspaces inherit them. */
  readonly tagBindings?: TagBindingProps;
  /** The name that the project had before. */
  readonly renamedFrom?: string;
  /** Makes any delete or rename of the project an error. @default false */
  readonly protect?: boolean;
  /** `absent` deletes the project. */
  readonly state?: 'absent';
}

/**
 * A project. Workspaces inside it belong to it, except those with a `project` prop.
 *
 * @example
 * ```ts
 * const platform = new Project(acme, 'platform', { name: 'Platform' });
 * new Workspace(platform, 'dns', { description: 'Zones' });
 * console.log(platform.alias); // platform
 * ```
 */
export class Project extends Construct {
  readonly alias: string;
  readonly props: ProjectProps;

  constructor(scope: Construct, id: string, props: ProjectProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    this.alias = props.alias ?? defaultName(this);
    this.props = props;
    // A managed project that is found by its id can get another name.
    this.node.addValidation({ validate: () => (props.manage ? [] : checkReference(props)) });
  }

  /**
   * Grants a team access to this project.
   *
   * @param access - A level, `none` to revoke, a role, single permissions, or any of them with an end.
   * @example
   * ```ts
   * payments.grant(developers, 'write');
   * const auditors = new Team(acme, 'auditors', { id: 'team-auditors' });
   * payments.grant(auditors, { workspaceAccess: { runs: 'plan', variables: 'read' } });
   * ```
   */
  grant(team: Team | Reference, access: Level | RoleName | GrantOptions): TeamAccess {
    const granted =
      typeof access === 'string' ? { access } : { ...access, access: access.access ?? 'custom' };
    return new TeamAccess(this, freeId(this, `access-${teamName(team)}`), { ...granted, team });
  }

  /**
   * The nearest enclosing project of a construct.
   *
   * @example
   * ```ts
   * const dns = new Workspace(payments, 'dns');
   * console.log(Project.of(dns) === payments, Project.of(network)); // true undefined
   * ```
   */
  static of(construct: IConstruct): Project | undefined {
    return construct.node.scopes.toReversed().find((scope) => scope instanceof Project);
  }
}

function teamName(team: Team | Reference): string {
  if (typeof team === 'string') return team;
  return 'alias' in team ? team.alias : team.name;
}

/** Makes ids of repeated grants unique: `synth` reports duplicate grants with both locations. */
function freeId(scope: Construct, id: string): string {
  let free = id;
  for (let count = 2; scope.node.tryFindChild(free); count++) free = `${id}-${count}`;
  return free;
}

/** The id or name of a team, and its alias. */
export interface TeamProps {
  /** The team's id, `team-...`. */
  readonly id?: string;
  /** The name on the service, which identifies the team without an `id`. @default the alias */
  readonly name?: string;
  /** The alias in plans. @default the ids on the path from the organization to the construct, joined with `-` */
  readonly alias?: string;
}

/**
 * An existing team.
 *
 * @example
 * ```ts
 * const sre = new Team(acme, 'sre', { name: 'Site Reliability' });
 * payments.grant(sre, 'admin');
 * ```
 */
export class Team extends Construct {
  readonly alias: string;
  readonly props: TeamProps;

  constructor(scope: Construct, id: string, props: TeamProps = {}) {
    super(scope, id);
    markCallSite(this, new.target);
    this.alias = props.alias ?? defaultName(this);
    this.props = props;
    this.node.addValidation({ validate: () => checkReference(props) });
  }
}

/** An id needs no look-up, so a name beside it is a mistake. */
function checkReference({ id, name }: { readonly id?: string; readonly name?: string }): string[] {
  if (id === undefined || name === undefined) return [];
  return [`the id ${quote(id)} and the name ${quote(name)} exclude each other: set only one of them`];
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

/** The access of one team to one project. */
export interface TeamAccessProps extends CustomAccess, EndingProps {
  /** @default the nearest enclosing `Project` */
  readonly project?: Project | Reference;
  readonly team: Team | Reference;
  /** A level or a role. Only `custom` and a role of that level accept single permissions. */
  readonly access: Level | 'custom' | RoleName;
}

/**
 * The access of one team to one project; `project.grant` is a shorter form.
 *
 * @example
 * ```ts
 * new TeamAccess(payments, 'developers', { team: developers, access: 'maintain' });
 * ```
 */
export class TeamAccess extends Construct {
  readonly props: TeamAccessProps;

  /** @throws {@link AttuneError} outside of any organization. */
  constructor(scope: Construct, id: string, props: TeamAccessProps) {
    super(scope, id);
    markCallSite(this, new.target);
    organizationScope(this);
    this.props = props;
  }
}
