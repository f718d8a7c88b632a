import {
  type AdminGuard,
  type Configuration,
  isSameOrganization,
  shownAs,
} from '../desired/configuration.ts';
import { listed } from '../desired/text.ts';
import type { LiveSource } from '../live/live-source.ts';
import { changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { grantsOfProject } from './guard-input.ts';

/** A root file of a run with its plan. */
export interface GuardedRoot {
  readonly configuration: Configuration;
  readonly plan: Plan;
}

/**
 * Checks `guards.keep-admin` of each root file against the plans of all root files of its organization: each of them can leave an
 * admin that another one revokes. Access is read again only for projects that lose an admin in another root file.
 */
export async function guardTogether<Root extends GuardedRoot>(
  roots: readonly Root[],
  sourceOf: (root: Root) => LiveSource,
): Promise<readonly Root[]> {
  const found = await Promise.all(
    roots.flatMap((root) => {
      const mates = roots.filter((other) => isSameOrganization(root.configuration, other.configuration));
      const guards = mates.length > 1 ? (root.configuration.guards.keepAdmin ?? []) : [];
      return guards.map((guard) => checkGuard(guard, { root, mates, source: sourceOf(root) }));
    }),
  );
  const refused = found.flat();
  return roots.map((root) => {
    const own = refused.flatMap((one) => (one.root === root ? one.diagnostic : []));
    if (own.length === 0) return root;
    return { ...root, plan: { ...root.plan, diagnostics: [...root.plan.diagnostics, ...own] } };
  });
}

interface GuardRun<Root> {
  /** The root file that has the guard. */
  readonly root: Root;
  /** All root files of its organization. */
  readonly mates: readonly Root[];
  readonly source: LiveSource;
}

/** What a plan does with the level of a team. */
interface Movement<Root> extends AdminMovement {
  readonly root: Root;
  readonly change: PlannedChange;
}

export interface AdminMovement {
  readonly project: string;
  readonly team: string;
  readonly wasAdmin: boolean;
  readonly isAdmin: boolean;
}

async function checkGuard<Root extends GuardedRoot>(
  guard: AdminGuard,
  { root, mates, source }: GuardRun<Root>,
): Promise<{ readonly root: Root; readonly diagnostic: Diagnostic }[]> {
  const movements = mates.flatMap(movementsOf);
  const lost = movements.filter(
    ({ team, wasAdmin, isAdmin }) => wasAdmin && !isAdmin && guard.teams.has(team),
  );
  const gone = new Set(
    mates.flatMap(({ plan }) =>
      changesOf(sentChanges(plan.changes), 'project').flatMap(({ action, id }) =>
        action === 'delete' ? id : [],
      ),
    ),
  );
  // The check of a plan alone covers what only its own changes remove.
  const projects = new Set(lost.flatMap((one) => (one.root === root ? [] : one.project)));
  const failing = await Promise.all(
    [...projects].map(async (project) => {
      if (gone.has(project)) return [];
      const { configuration, plan } = root;
      const grants = await grantsOfProject(project, guard, { configuration, dialect: plan.dialect, source });
      const admins = new Set(
        grants.flatMap(({ attributes }) => (attributes.access === 'admin' ? attributes.team : [])),
      );
      for (const { team, isAdmin } of movements.filter((one) => one.project === project)) {
        if (isAdmin) admins.add(team);
        else admins.delete(team);
      }
      return [...guard.teams.keys()].some((team) => admins.has(team)) ? [] : project;
    }),
  );
  const without = failing.flat();
  if (without.length === 0) return [];
  const teams = await source.access?.teams(root.configuration.desired.organization);
  if (teams?.some(({ id, isAdminOfAll }) => isAdminOfAll && guard.teams.has(id))) return [];
  return without.flatMap((project) => {
    const revoked = lost.filter((one) => one.project === project);
    const last = revoked.findLast((one) => one.root !== root);
    return last ? [{ root: last.root, diagnostic: withoutAdmin(guard, last, revoked, source) }] : [];
  });
}

function movementsOf<Root extends GuardedRoot>(root: Root): Movement<Root>[] {
  return sentChanges(root.plan.changes).flatMap((change) => {
    const moved = adminMovement(change);
    return moved ? { root, change, ...moved } : [];
  });
}

/** What a planned change of a grant does with the level of its team. */
export function adminMovement({
  kind,
  action,
  fields,
  facts = {},
}: PlannedChange): AdminMovement | undefined {
  if (kind !== 'team-access') return undefined;
  const field = fields.find(({ path }) => path === 'access');
  const after = action === 'delete' ? undefined : (field?.after ?? facts.access);
  return {
    project: String(facts.project),
    team: String(facts.team),
    wasAdmin: facts.access === 'admin',
    isAdmin: after === 'admin',
  };
}

function withoutAdmin(
  guard: AdminGuard,
  { root: { configuration }, change, project }: Movement<GuardedRoot>,
  revoked: readonly Movement<GuardedRoot>[],
  source: LiveSource,
): Diagnostic {
  const { address, location } = change;
  const teams = [...guard.teams.values()];
  const name = shownAs(configuration, 'projects', project);
  const changes = revoked.map((one) => one.change.address);
  return {
    // A snapshot does not show which teams are admins of all projects, and its plan is not applied.
    severity: source.access ? 'error' : 'warning',
    code: 'keep-admin',
    message: `no team of guards.keep-admin (${teams.join(', ')}) is an admin of project ${name} after the plans of this run: they revoke or lower ${changes.join(', ')}`,
    address,
    ...(location && { location }),
    hint: `keep \`admin\` for ${listed(teams)} in one of the root files`,
  };
}
