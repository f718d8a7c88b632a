import type { Difference } from '../diff/diff.ts';
import type { Live } from '../live/read-live.ts';
import { sharingOf } from '../model/attributes.ts';
import type { Action } from '../model/change.ts';
import { aliasOf } from '../model/configuration.ts';
import { impliedPermissions, isFixedLevel, type Permissions, permissionPaths } from '../model/permissions.ts';
import {
  type GrantOverview,
  type GrantState,
  membersOf,
  type Overview,
  type WorkspaceOverview,
} from '../model/plan.ts';
import { type GrantValues, type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { consumerName, type Labels } from '../resolve/labels.ts';

/** State sharing and team access before and after a plan, as far as they were read. */
export function overviewOf(
  live: Live,
  difference: Pick<Difference, 'changes' | 'after'>,
  labels: Labels,
): Omit<Overview, 'scope' | 'projects'> {
  const actions = new Map(difference.changes.map((change) => [change.address, change.action]));
  const before = [...live.state.resources.values()];
  return {
    workspaces: workspaceOverviews(before, difference.after, { actions, labels }),
    grants: grantOverviews(before, difference.after, labels),
  };
}

interface WorkspaceContext {
  readonly actions: ReadonlyMap<string, Action>;
  readonly labels: Labels;
}

function workspaceOverviews(
  before: readonly Resource[],
  after: readonly Resource[],
  { actions, labels }: WorkspaceContext,
): WorkspaceOverview[] {
  const live = resourcesOf(before, 'workspace');
  const planned = resourcesOf(after, 'workspace');
  const wasById = new Map(live.map((workspace) => [workspace.id, workspace]));
  const stays = new Set(planned.map(({ id }) => id));
  const kept = planned.map((resource) => ({ resource, now: resource }));
  const gone = live.filter(({ id }) => !stays.has(id)).map((resource) => ({ resource, now: undefined }));
  return [...kept, ...gone]
    .map(({ resource, now }) => ({
      name: resource.name,
      action: actions.get(resource.address) ?? null,
      project: projectOf(resource, labels),
      readers: {
        before: readersOf(resource.id ? wasById.get(resource.id) : undefined, labels),
        after: readersOf(now, labels),
      },
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function projectOf({ attributes }: WorkspaceResource, { aliases }: Labels): string | null {
  return typeof attributes.project === 'string' ? aliasOf(aliases, 'projects', attributes.project) : null;
}

/** A workspace that does not exist has no readers. */
function readersOf(workspace: WorkspaceResource | undefined, labels: Labels): readonly string[] | '*' | null {
  if (workspace === undefined) return [];
  const sharing = sharingOf(workspace.attributes);
  if (sharing.to === 'all') return '*';
  if (sharing.to === 'project') {
    const project = projectOf(workspace, labels);
    return project === null ? null : [membersOf(project)];
  }
  return sharing.to === 'list' ? sharing.ids.map((key) => consumerName(key, labels.names)).sort() : null;
}

function grantOverviews(
  before: readonly Resource[],
  after: readonly Resource[],
  { aliases }: Labels,
): GrantOverview[] {
  const pairs = new Map<string, { -readonly [Key in keyof GrantOverview]: GrantOverview[Key] }>();
  const add = (side: 'before' | 'after', resources: readonly Resource[]) => {
    for (const { attributes } of resourcesOf(resources, 'team-access')) {
      const project = aliasOf(aliases, 'projects', attributes.project);
      const team = aliasOf(aliases, 'teams', attributes.team);
      const key = `${project}/${team}`;
      const pair = pairs.get(key) ?? { project, team, before: null, after: null };
      pair[side] = grantState(attributes);
      pairs.set(key, pair);
    }
  };
  add('before', before);
  add('after', after);
  return [...pairs.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pair]) => pair);
}

/** The effective permissions of a grant: implied by its level, or set individually under `custom`. */
export function grantState(attributes: GrantValues): GrantState {
  const { access = 'custom' } = attributes;
  if (isFixedLevel(access)) return { access, permissions: impliedPermissions(access) };
  const permissions = permissionPaths.flatMap((path) => {
    const value = attributes[path];
    return value === undefined ? [] : [[path, value] as const];
  });
  return { access, permissions: Object.fromEntries(permissions) as Permissions };
}
