import { changesOf } from '../model/change.ts';
import {
  type Effects,
  type GrantOverview,
  membersOf,
  type Overview,
  type OverviewIds,
  type Plan,
  projectOfMembers,
  type StateAccessChange,
  type WorkspaceOverview,
} from '../model/plan.ts';
import { isUncreatedProject } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { organizationKey } from '../service/address.ts';
import { type AccessView, accessView } from './access-view.ts';
import { escapeTexts } from './escape-controls.ts';
import type { ReportKind } from './report.ts';
import { type SharingView, sharingView } from './sharing-view.ts';

/** State sharing and team access of an organization, from all entries about it. */
export interface OrganizationView {
  readonly kind: ReportKind;
  readonly organization: string;
  readonly address: string;
  /** The positions of its entries. */
  readonly entries: readonly number[];
  readonly overview: OverviewView;
}

/** What was read, with the changes of state access. */
type JoinedOverview = Overview & Pick<Effects, 'stateAccess'>;

export interface OverviewView {
  readonly sharing: SharingView;
  readonly access: AccessView;
}

/** One for each organization and kind of result. */
export function organizationViews(
  parts: readonly { readonly kind: ReportKind; readonly plan: Plan; readonly index: number }[],
): readonly OrganizationView[] {
  const same = groupBy(parts, ({ kind, plan }) => `${kind} ${organizationKey(plan)}`);
  return [...same.values()].flatMap((members) => {
    const overview = overviewOf(members.map(({ plan }) => plan));
    const entries = members.map(({ index }) => index);
    return members.slice(0, 1).map(({ kind, plan: { organization, address } }) => ({
      kind,
      ...escapeTexts({ organization, address }),
      entries,
      overview,
    }));
  });
}

/** One root file has its labels. */
function overviewOf(plans: readonly Plan[]): OverviewView {
  const [plan, another] = plans;
  const read =
    plan && another === undefined
      ? { ...plan.overview, stateAccess: plan.effects.stateAccess }
      : joinOverviews(plans);
  return { sharing: sharingView(read), access: accessView(read) };
}

/**
 * What several root files of an organization have read, as one. A project or team has one label, whatever the root files
 * call it, and no label is that of two. Where one of them changes a workspace or a grant that another one has only read,
 * the change is shown.
 */
export function joinOverviews(plans: readonly Plan[]): JoinedOverview {
  const labels = { projects: labelsOf(plans, 'projects'), teams: labelsOf(plans, 'teams') };
  const overviews = plans.map((_, index) => relabelled(plans, index, labels));
  const workspaces = groupBy(
    overviews.flatMap((one) => one.workspaces),
    ({ name }) => name,
  );
  const grants = groupBy(
    overviews.flatMap((one) => one.grants),
    ({ project, team }) => JSON.stringify([project, team]),
  );
  const stateAccess = groupBy(
    overviews.flatMap((one) => one.stateAccess),
    ({ workspace }) => workspace,
  );
  const read = overviews.flatMap((one) => one.projects ?? one.grants.map(({ project }) => project));
  return {
    workspaces: [...workspaces.values()].map((same) => same.reduce(joinWorkspaces)).sort(byName),
    grants: [...grants.values()].map((same) => same.reduce(joinGrants)),
    stateAccess: [...stateAccess.values()].map((same) => same.reduce(joinStateAccess)),
    projects: [...new Set(read)].sort(),
    scope: 'none',
  };
}

function byName(a: WorkspaceOverview, b: WorkspaceOverview): number {
  return a.name < b.name ? -1 : 1;
}

function joinWorkspaces(one: WorkspaceOverview, other: WorkspaceOverview): WorkspaceOverview {
  const [first, second] = differs(one.readers) || !differs(other.readers) ? [one, other] : [other, one];
  return {
    name: one.name,
    action: one.action ?? other.action,
    project: (one.action === null ? other.project : one.project) ?? one.project ?? other.project,
    readers: {
      before: first.readers.before ?? second.readers.before,
      after: first.readers.after ?? second.readers.after,
    },
  };
}

function joinGrants(one: GrantOverview, other: GrantOverview): GrantOverview {
  return differs(one) || !differs(other) ? one : other;
}

function joinStateAccess(one: StateAccessChange, other: StateAccessChange): StateAccessChange {
  return {
    ...one,
    ...other,
    gains: [...new Set([...one.gains, ...other.gains])],
    loses: [...new Set([...one.loses, ...other.loses])],
  };
}

function differs({ before, after }: { readonly before: unknown; readonly after: unknown }): boolean {
  return JSON.stringify(before) !== JSON.stringify(after);
}

type Labels = Readonly<Record<keyof OverviewIds, ReadonlyMap<string, string>>>;

/** Identifies what a plan calls by a label: by its id, which a new project does not have yet. */
function keyOf(id: string, index: number): string {
  return isUncreatedProject(id) ? `${id} ${index}` : id;
}

/** One label for each project or team: its name if a root file has looked it up, else an alias that only it has. */
function labelsOf(plans: readonly Plan[], kind: keyof OverviewIds): ReadonlyMap<string, string> {
  const known = plans.flatMap(({ overview }, index) =>
    // Names come after aliases.
    Object.entries(overview.ids?.[kind] ?? {})
      .reverse()
      .map(([label, id]) => ({ label, id, key: keyOf(id, index) })),
  );
  const keys = groupBy(known, ({ label }) => label);
  const isUnique = (label: string) => new Set(keys.get(label)?.map(({ key }) => key)).size === 1;
  return new Map(
    [...groupBy(known, ({ key }) => key)].map(([key, same]) => {
      const [first] = same as [(typeof same)[number]];
      const unique = same.find(({ label }) => isUnique(label));
      return [key, unique?.label ?? `${first.label} (${key.replace(first.id, '').trim() || first.id})`];
    }),
  );
}

function relabelled(plans: readonly Plan[], index: number, labels: Labels): JoinedOverview {
  const { overview, effects } = plans[index] as Plan;
  const labelIn = (kind: keyof OverviewIds) => {
    const ids = new Map(Object.entries(overview.ids?.[kind] ?? {}));
    return (own: string) => labels[kind].get(keyOf(ids.get(own) ?? own, index)) ?? own;
  };
  const [projects, teams] = [labelIn('projects'), labelIn('teams')];
  // Its own plan has the new names already.
  const renamed = renamedIn(plans.filter((_, other) => other !== index));
  const workspace = (name: string) => renamed.get(name) ?? name;
  const named = (names: readonly string[]) =>
    names.map((name) => {
      const project = projectOfMembers(name);
      return project === undefined ? workspace(name) : membersOf(projects(project));
    });
  const readers = (side: WorkspaceOverview['readers']['before']) =>
    side === null || side === '*' ? side : named(side);
  return {
    ...overview,
    workspaces: overview.workspaces.map(({ name, action, project, readers: { before, after } }) => ({
      name: workspace(name),
      action,
      project: project === null ? null : projects(project),
      readers: { before: readers(before), after: readers(after) },
    })),
    grants: overview.grants.map((grant) => ({
      ...grant,
      project: projects(grant.project),
      team: teams(grant.team),
    })),
    stateAccess: effects.stateAccess.map((change) => ({
      ...change,
      workspace: workspace(change.workspace),
      gains: named(change.gains),
      loses: named(change.loses),
    })),
    ...(overview.projects && { projects: overview.projects.map((project) => projects(project)) }),
  };
}

/** The new names of workspaces that one of the plans renames, by their former names. */
function renamedIn(plans: readonly Plan[]): ReadonlyMap<string, string> {
  const changes = changesOf(
    plans.flatMap((plan) => plan.changes),
    'workspace',
  );
  return new Map(
    changes.flatMap(({ action, fields }) => {
      const { before, after } = fields.find(({ path }) => path === 'name') ?? {};
      const isRename = action === 'update' && typeof before === 'string' && typeof after === 'string';
      return isRename ? [[before, after] as const] : [];
    }),
  );
}
