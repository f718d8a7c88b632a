/*
 * Who may do what, and who may read which state.
 *
 * Premise: both follow from one State and from what is known beside it (`KnownOfState`). The live State and the State after a
 * plan are asked in the same way, so everything that a plan changes in access is the difference of two answers:
 *
 *     live State           ── accessIn ──> before ──┐
 *                                                   ├── effects.ts: overview and effects of a plan; guards
 *     State after the plan ── accessIn ──> after  ──┤
 *                                                   └── state-answer.ts, team-answer.ts: rows of `attune access`; data of policies
 *
 * Terms: a workspace goes by its *key*, the id or a placeholder until it has one, so that a rename changes no answer. The
 * *readers* of a state are all workspaces, those of its project or those of its list, whichever setting decides first. A
 * *right* is what gives a team access to a project: its grant, or one of its permissions in the organization.
 *
 * Unknown is what was not read or what the service does not show: the rights in a project whose grants the token may not
 * read, the workspaces of a project of which only some were read, and the stored list behind a switch, because the service
 * lists other workspaces while the switch is on. Nothing is concluded from an unknown side.
 */

import type { Difference } from '../diff/diff.ts';
import { consumerKey } from '../diff/expand-consumers.ts';
import { inDefaultProject } from '../diff/settings-in-effect.ts';
import type { TeamFacts } from '../live/access-facts.ts';
import type { Live } from '../live/read-live.ts';
import { sharingSwitchOf } from '../model/attributes.ts';
import { grantState } from '../model/lowered-access.ts';
import {
  type AccessLevel,
  fixedLevels,
  impliedPermissions,
  type Permissions,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import { membersOf } from '../model/plan.ts';
import type { SharingSource } from '../model/results.ts';
import {
  type GrantResource,
  isPlaceholder,
  isUncreatedProject,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { groupBy } from '../model/value.ts';

interface KnownOfState {
  readonly hasGrants: (project: string) => boolean;
  readonly hasMembers: (project: string) => boolean;
  /** Ids of workspaces that the plan deletes: the service removes them from lists that no file declares. */
  readonly deleted?: ReadonlySet<string | undefined>;
  readonly teams?: readonly TeamFacts[] | undefined;
}

export const everyone = '*';

export interface StateRow {
  readonly owner: WorkspaceResource;
  readonly source: SharingSource;
  readonly via: 'all' | 'project' | 'list' | 'unknown';
  /** By key: `*` for all workspaces, `<project>/*` for those of its project. Undefined if they are unknown. */
  readonly readers: readonly string[] | undefined;
}

export interface Right {
  readonly level: AccessLevel;
  readonly permissions: Permissions;
  readonly grant?: GrantResource;
  readonly permission?: string;
}

export interface Access {
  readonly resources: readonly Resource[];
  readonly states: ReadonlyMap<string, StateRow>;
  readonly membersOf: (project: string) => readonly string[];
  readonly hasMembers: KnownOfState['hasMembers'];
  readonly projects: readonly string[];
  readonly hasGrants: KnownOfState['hasGrants'];
  /** The rights of each team in a project, the grant first. Grants that were not read are missing. */
  readonly rightsIn: (project: string) => ReadonlyMap<string, readonly Right[]>;
}

export function accessIn(resources: Iterable<Resource>, facts: KnownOfState): Access {
  const { hasGrants, hasMembers, deleted, teams = [] } = facts;
  const all = [...resources];
  const rows = resourcesOf(all, 'workspace').map(
    (owner) => [consumerKey(owner), stateRow(owner, deleted)] as const,
  );
  const states = new Map(rows);
  const members = groupBy(states.keys(), (key) => states.get(key)?.owner.attributes.project);
  const grants = groupBy(resourcesOf(all, 'team-access'), ({ attributes }) => attributes.project);
  const general = teams.map((team) => [team.id, organizationRights(team)] as const);
  return {
    resources: all,
    states,
    membersOf: (project) => members.get(project) ?? [],
    hasMembers,
    projects: [...grants.keys()],
    hasGrants,
    rightsIn(project) {
      const rights = new Map<string, Right[]>();
      for (const grant of grants.get(project) ?? []) {
        const { access: level, permissions } = grantState(grant.attributes);
        rights.set(grant.attributes.team, [{ level, permissions, grant }]);
      }
      for (const [team, more] of general)
        if (more.length > 0) rights.set(team, (rights.get(team) ?? []).concat(more));
      return rights;
    },
  };
}

/** The one answer to who reads a state. */
export function stateRow(owner: WorkspaceResource, deleted?: KnownOfState['deleted']): StateRow {
  const { attributes, id } = owner;
  const shared = sharingSwitchOf(attributes);
  const row = (via: StateRow['via'], readers?: readonly string[]): StateRow => {
    return { owner, source: shared ?? 'remote-state-consumers', via, readers };
  };
  if (shared === 'global-remote-state') return row('all', [everyone]);
  if (shared) return attributes.project ? row('project', [membersOf(attributes.project)]) : row('unknown');
  const list = attributes['remote-state-consumers'];
  const own = consumerKey(owner);
  if (Array.isArray(list))
    return row(
      'list',
      list.filter((key) => key !== own && !deleted?.has(key)),
    );
  // Administrators can choose that new workspaces share their state, unless the creation sets it.
  const isUnshared = (id === undefined || isPlaceholder(id)) && attributes['global-remote-state'] === false;
  return isUnshared ? row('list', []) : row('unknown');
}

/**
 * Permissions of a team in the organization that give it access to every project or every workspace, the most first, with
 * what they permit. The team `owners` needs none. Who manages all workspaces still needs a project to move one.
 */
const organizationPermissions: ReadonlyMap<string, Permissions> = new Map([
  ['owners', impliedPermissions.admin],
  ['manage-projects', impliedPermissions.admin],
  [
    'manage-workspaces',
    {
      'project-access.settings': 'read',
      'project-access.teams': 'none',
      ...Object.fromEntries(
        permissionPaths
          .filter((path) => path.startsWith('workspace-access.'))
          .map((path) => [path, impliedPermissions.admin[path]] as const),
      ),
      'workspace-access.move': false,
    },
  ],
  ['read-projects', impliedPermissions.read],
  ['read-workspaces', impliedPermissions.read],
]);

function organizationRights({ organizationAccess = [] }: TeamFacts): readonly Right[] {
  return [...organizationPermissions].flatMap(([permission, permissions]) =>
    organizationAccess.includes(permission) ? { level: levelOf(permissions), permissions, permission } : [],
  );
}

/** The level that implies these permissions, else `custom`. */
export function levelOf(permissions: Permissions): AccessLevel {
  return fixedLevels.find((level) => samePermissions(impliedPermissions[level], permissions)) ?? 'custom';
}

/** Compares what every level is documented to imply. */
export function samePermissions(one: Permissions, other: Permissions): boolean {
  return permissionPaths.every((path) => permissions[path].only !== undefined || one[path] === other[path]);
}

export function knownOf({ projects, whole, wholeProjects = [] }: Live): KnownOfState {
  const [read, complete] = [new Set(projects), new Set(wholeProjects)];
  // A project that does not exist yet has no other workspaces, and no team has access to it.
  return {
    hasGrants: (project) => read.has(project) || isUncreatedProject(project),
    hasMembers: (project) => whole || complete.has(project) || isUncreatedProject(project),
  };
}

export type PlanAccess = ReturnType<typeof accessAround>;

export function accessAround(live: Live, { after }: Pick<Difference, 'after'>, facts = knownOf(live)) {
  const before = [...live.state.resources.values()];
  const placed = after.map((one) => (one.kind === 'workspace' ? inDefaultProject(one, live) : one));
  const stays = new Set(resourcesOf(placed, 'workspace').map(({ id }) => id));
  const deleted = new Set(resourcesOf(before, 'workspace').flatMap(({ id }) => (stays.has(id) ? [] : id)));
  return { before: accessIn(before, facts), after: accessIn(placed, { ...facts, deleted }) };
}
