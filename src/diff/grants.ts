import type { PermissionPath } from '../model/attribute-values.ts';
import { type FieldChange, type GrantChange, permissionChanges } from '../model/change.ts';
import { shownAs } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../model/dialect.ts';
import { impliedPermissions, isFixedLevel, permissionPaths, permissions } from '../model/permissions.ts';
import type { UndeclaredGrant } from '../model/plan.ts';
import {
  findAmong,
  type GrantResource,
  type GrantValues,
  grantAddress,
  identity,
  resourcesOf,
} from '../model/state.ts';
import { compareTexts, type Value } from '../model/value.ts';
import { type Comparison, changing, type KindDifference, located, type Owner } from './comparison.ts';
import { changedValues } from './fields.ts';

export function compareGrants(comparison: Comparison): KindDifference<'team-access'> {
  const { configuration, live, chosen, purpose } = comparison;
  const after = new Map(
    resourcesOf(live.state.resources.values(), 'team-access').map((grant) => [identity(grant)[0], grant]),
  );
  const declared = resourcesOf(configuration.desired.resources.values(), 'team-access').filter(
    ({ address }) => chosen(address),
  );
  const diagnostics: Diagnostic[] = [];
  const changes = declared.flatMap((desired): GrantChange[] => {
    const [pair] = identity(desired);
    const current = after.get(pair);
    const { absent, until } = desired.declared ?? {};
    const target = grantTarget(desired, current, live.dialect, absent ? [] : diagnostics);
    // Under `custom` each permission is a managed key; the effects of a fixed level are listed beside the fields.
    const grants = target.attributes.access === 'custom' ? [] : impliedChanges(current, target);
    const fields = fieldsOf(target, current);
    if (absent) {
      after.delete(pair);
      // Drift shows whether access that has ended is still as it was declared.
      const since = until && purpose === 'drift' ? [...fields, ...grants] : [];
      return current ? revoking(desired, current, since) : [];
    }
    after.set(pair, target);
    return changing({ desired, live: current, target }, fields, grants.length > 0 ? { grants } : {});
  });
  const unnamed = unnamedGrants(comparison);
  const pruned = unnamed.filter(({ owner }) => owner.prunes);
  for (const grant of pruned) after.delete(identity(grant.live)[0]);
  // An undo plans single grants of a project.
  const undeclaredAccess = purpose === 'undo' ? [] : undeclaredGrants(unnamed);
  return {
    changes: [...changes, ...pruned.flatMap((grant) => revoking(grant, grant.live))],
    unchanged: declared.length - changes.length,
    unmanaged: undeclaredAccess.map(({ address }) => address),
    undeclaredAccess,
    owners: new Map(unnamed.map(({ address, owner }) => [address, owner])),
    after: [...after.values()],
    diagnostics,
  };
}

function revoking(
  desired: Pick<GrantResource, 'address' | 'name' | 'location'>,
  live: GrantResource,
  fields: readonly FieldChange[] = [],
): GrantChange[] {
  return changing({ desired, live }, fields, { grants: impliedChanges(live, undefined) });
}

function fieldsOf({ attributes }: GrantResource, live: GrantResource | undefined): FieldChange[] {
  const managed = attributes.access === 'custom' ? permissionPaths : [];
  return changedValues(['access', ...managed], attributes, live?.attributes);
}

function impliedChanges(live: GrantResource | undefined, target: GrantResource | undefined): FieldChange[] {
  const level = target?.attributes.access;
  return permissionChanges(live?.attributes, isFixedLevel(level) ? impliedPermissions[level] : undefined);
}

/**
 * The declared grant without the permissions that this service does not support. An explicitly declared permission of
 * the other dialect is an error. A permission that the server does not return for a custom grant is ignored.
 */
export function grantTarget(
  desired: GrantResource,
  live: GrantResource | undefined,
  dialect: Dialect,
  diagnostics: Diagnostic[],
): GrantResource {
  if (desired.attributes.access !== 'custom') return desired;
  const attributes: GrantValues & Record<string, Value> = { ...desired.attributes };
  for (const path of permissionPaths) {
    const { only } = permissions[path];
    if (attributes[path] === undefined || live?.attributes[path] !== undefined) continue;
    const isNamed =
      desired.declared?.locations?.[path] !== undefined ||
      desired.attributes[path] !== permissions[path].customDefault;
    const isMissing = (only ?? dialect) !== dialect || live?.attributes.access === 'custom';
    // An undeclared default is not sent, because the server may not support it.
    if (isMissing || (only && !isNamed)) delete attributes[path];
    if (isMissing && isNamed) diagnostics.push(notOffered(desired, path, dialect));
  }
  return { ...desired, attributes };
}

function notOffered(desired: GrantResource, path: PermissionPath, dialect: Dialect): Diagnostic {
  const at = located(desired, path);
  return (
    dialectProblem(path, { only: permissions[path].only, dialect }, at) ??
    note('not-offered', `${path} of "${desired.name}" is ignored: this service does not return it`, { at })
  );
}

interface UnnamedGrant extends Pick<GrantResource, 'address' | 'name'> {
  readonly live: GrantResource;
  readonly owner: Owner;
}

function unnamedGrants({ configuration, live, owners, chosen }: Comparison): UnnamedGrant[] {
  const { desired, lookUps } = configuration;
  const declared = resourcesOf(desired.resources.values(), 'team-access');
  const declaredAs = findAmong(declared);
  // A run of some addresses can leave names unresolved: then any live grant can be one of the declared ones.
  const open = new Set(lookUps.map(({ placeholder }) => placeholder));
  const isOpen = new Set(
    declared.flatMap(({ attributes: { project, team } }) => (open.has(team) ? project : [])),
  );
  return resourcesOf(live.state.resources.values(), 'team-access').flatMap((grant) => {
    const { project: id, team: teamId } = grant.attributes;
    const owner = owners.get(grant.address);
    if (owner === undefined || declaredAs(identity(grant)) || isOpen.has(id)) return [];
    const project = owner.root.grantProjects.get(id) ?? id;
    const shown = shownAs(owner.root, 'teams', teamId);
    // Another root file can call another team so.
    const team = desired.resources.has(grantAddress(project, shown)) ? teamId : shown;
    const address = grantAddress(project, team);
    return chosen(address) ? { address, name: `${project}/${team}`, live: grant, owner } : [];
  });
}

function undeclaredGrants(unnamed: readonly UnnamedGrant[]): readonly UndeclaredGrant[] {
  return unnamed
    .filter(({ owner }) => !owner.prunes)
    .map(({ address, live: { attributes }, owner }) => {
      const { prune, grantProjects, grantProjectLocations } = owner.root;
      const { project, team, access = 'custom' } = attributes;
      const location = grantProjectLocations?.get(grantProjects.get(project) ?? project);
      const { file, line } = prune.locations?.teamAccess ?? {};
      const place = file === undefined ? '' : ` (${file}:${line})`;
      // A run with --only-changed keeps what its base prunes as well.
      const hint = prune.teamAccess
        ? 'plan without --only-changed to revoke it'
        : `declare the access, write \`none\` to revoke it, or set prune.team-access to true${place} to revoke all of it`;
      return { address, projectId: project, teamId: team, access, location, hint };
    })
    .sort((a, b) => compareTexts(a.address, b.address));
}
