import { type Configuration, shownAs } from '../desired/configuration.ts';
import type { UndeclaredGrant } from '../model/plan.ts';
import { type GrantResource, grantAddress, pairOf, resourcesOf } from '../model/state.ts';
import type { Comparison } from './comparison.ts';
import { ownsAccess } from './ownership.ts';

/** A live grant with its address and name in the words of the files. */
export interface UnnamedGrant extends Pick<GrantResource, 'address' | 'name'> {
  readonly live: GrantResource;
}

/** The live grants of projects under `team-access` that the files do not name. They are pruned, or reported. */
export function unnamedGrants({ configuration, live, chosen }: Comparison): UnnamedGrant[] {
  const { desired, grantProjects, scope, lookUps } = configuration;
  const declared = resourcesOf(desired.resources.values(), 'team-access');
  const named = new Set(declared.map(pairOf));
  // A run of some addresses can leave names unresolved: then any live grant can be one of the declared ones.
  const open = new Set(lookUps.map(({ placeholder }) => placeholder));
  const isOpen = new Set(
    declared.flatMap(({ attributes: { project, team } }) => (open.has(team) ? project : [])),
  );
  return resourcesOf(live.state.resources.values(), 'team-access')
    .filter(({ attributes: { project } }) => grantProjects.has(project) && !isOpen.has(project))
    .filter((grant) => !named.has(pairOf(grant)) && ownsAccess(scope, grant.attributes.project))
    .map((grant) => shownGrant(grant, configuration))
    .filter(({ address }) => chosen(address));
}

/** The undeclared grants that the plan keeps; none if it prunes them. */
export function undeclaredGrants(comparison: Comparison): readonly UndeclaredGrant[] {
  const { prune, grantProjects, grantProjectLocations } = comparison.configuration;
  const { file, line } = prune.locations?.teamAccess ?? {};
  const place = file === undefined ? '' : ` (${file}:${line})`;
  const { among } = prune;
  // A run with --only-changed keeps what its base prunes as well.
  const isKept = ({ live }: UnnamedGrant) =>
    !prune.teamAccess || among?.(live, comparison.live.dialect) === false;
  const hint = prune.teamAccess
    ? 'plan without --only-changed to revoke it'
    : `declare the access, write \`none\` to revoke it, or set prune.team-access to true${place} to revoke all of it`;
  return unnamedGrants(comparison)
    .filter(isKept)
    .map(({ address, live: { attributes } }) => {
      const { project, team, access = 'custom' } = attributes;
      const location = grantProjectLocations?.get(grantProjects.get(project) ?? project);
      return { address, projectId: project, teamId: team, access, ...(location && { location }), hint };
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** As the file writes the project, and by the alias of the team, else by its name if it was read. */
function shownGrant(live: GrantResource, configuration: Configuration): UnnamedGrant {
  const project = configuration.grantProjects.get(live.attributes.project) ?? live.attributes.project;
  const team = shownAs(configuration, 'teams', live.attributes.team);
  return { address: grantAddress(project, team), name: `${project}/${team}`, live };
}
