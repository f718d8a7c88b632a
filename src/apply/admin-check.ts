import { accessFacts } from '../live/access-facts.ts';
import { AttuneError } from '../model/attune-error.ts';
import { type Plan, type PlannedChange, sentChanges } from '../model/plan.ts';
import { adminMovement } from '../plan/guard-roots.ts';
import type { ServiceReader } from '../service/client.ts';
import { relatedId } from '../service/documents.ts';
import { grantsOf, readList } from '../service/paging.ts';

/**
 * A check before a call that takes `admin` from a team of `guards.keep-admin`: another user can have revoked the other
 * admins since the plan. What the plan itself does counts as done, because its calls have no order among projects.
 *
 * @param guardsOf the ids of the teams of each guard that covers a project
 */
export function adminCheck(
  plan: Plan,
  guardsOf: (project: string) => readonly ReadonlySet<string>[],
  reader: ServiceReader,
): (change: PlannedChange) => Promise<void> {
  const movements = sentChanges(plan.changes).flatMap((change) => adminMovement(change) ?? []);
  const access = accessFacts(reader);
  return async (change) => {
    const own = adminMovement(change);
    if (!own?.wasAdmin || own.isAdmin) return;
    const concerned = guardsOf(own.project).filter((teams) => teams.has(own.team));
    if (concerned.length === 0) return;
    const grants = await readList(reader, grantsOf(own.project));
    const admins = new Set(
      grants.flatMap((grant) =>
        grant.attributes.access === 'admin' ? (relatedId(grant, 'team') ?? []) : [],
      ),
    );
    for (const { project, team, isAdmin } of movements) {
      if (project !== own.project) continue;
      if (isAdmin) admins.add(team);
      else admins.delete(team);
    }
    const failing = concerned.filter((teams) => ![...teams].some((team) => admins.has(team)));
    if (failing.length === 0) return;
    const all = await access.teams(plan.organization);
    const isAdminOfAll = (team: string) => all?.some((one) => one.id === team && one.isAdminOfAll);
    if (failing.every((teams) => [...teams].some(isAdminOfAll))) return;
    throw new AttuneError(
      `${change.address} is not changed: another user has revoked the other admins of guards.keep-admin since the plan`,
      { code: 'keep-admin', hint: 'plan again' },
    );
  };
}
