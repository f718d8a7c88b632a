import type { PermissionPath } from '../model/attribute-values.ts';
import { type FieldChange, type GrantChange, permissionChanges } from '../model/change.ts';
import { shownAs } from '../model/configuration.ts';
import { about, type Diagnostic, note } from '../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../model/dialect.ts';
import {
  impliedPermissions,
  isFixedLevel,
  onlyDialect,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import type { UndeclaredGrant } from '../model/plan.ts';
import {
  type GrantResource,
  type GrantValues,
  grantAddress,
  pairOf,
  resourcesOf,
  type State,
} from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { type Comparison, type KindDifference, located, type Owner } from './comparison.ts';
import { sameAttribute } from './normalize.ts';
import { outsideGrant, outsidePruning } from './ownership.ts';

/** Compares the declared grants with the live ones of their projects; prunes undeclared ones if that is configured. */
export function compareGrants(comparison: Comparison): KindDifference<'team-access'> {
  const { configuration, live, chosen } = comparison;
  const current = new Map(
    resourcesOf(live.state.resources.values(), 'team-access').map((grant) => [pairOf(grant), grant]),
  );
  const declared = resourcesOf(configuration.desired.resources.values(), 'team-access');
  const diagnostics = outsidePruning(comparison);
  const changes: GrantChange[] = [];
  const after = new Map(current);
  let unchanged = 0;
  for (const desired of declared) {
    if (!chosen(desired.address)) continue;
    diagnostics.push(...outsideGrant(desired, comparison));
    const pair = pairOf(desired);
    const target = grantTarget(desired, current.get(pair), live.dialect, diagnostics);
    const change = grantChange(target, current.get(pair));
    if (change) changes.push(change);
    else unchanged += 1;
    if (desired.declared?.absent) after.delete(pair);
    else after.set(pair, target);
  }
  const unnamed = unnamedGrants(comparison);
  for (const grant of unnamed) {
    if (!grant.owner.prunes) continue;
    changes.push(prunedGrant(grant));
    after.delete(pairOf(grant.live));
  }
  // An undo plans single grants of a project.
  const undeclaredAccess = comparison.purpose === 'undo' ? [] : undeclaredGrants(unnamed);
  return {
    changes,
    unchanged,
    unmanaged: undeclaredAccess.map(({ address }) => address),
    undeclaredAccess,
    owners: new Map(unnamed.map(({ address, owner }) => [address, owner])),
    after: [...after.values()],
    diagnostics,
  };
}

function grantChange(desired: GrantResource, live: GrantResource | undefined): GrantChange | undefined {
  const base = { kind: 'team-access', name: desired.name, ...about(desired) } as const;
  if (desired.declared?.absent) {
    return live && { ...base, action: 'delete', live, fields: [], grants: impliedChanges(live, undefined) };
  }
  const custom = desired.attributes.access === 'custom';
  const managed = permissionPaths.filter((path) => custom && desired.attributes[path] !== undefined);
  const fields = ['access', ...managed].flatMap((path): FieldChange[] => {
    const before = live?.attributes[path] ?? null;
    const after = desired.attributes[path] ?? null;
    return sameAttribute(path, before, after) ? [] : [{ path, before, after }];
  });
  if (live && fields.length === 0) return undefined;
  // Under `custom` each permission is a managed key; the effects of a fixed level are listed beside the fields.
  const grants = custom ? [] : impliedChanges(live, desired);
  return {
    ...base,
    action: live ? 'update' : 'create',
    ...(live && { live }),
    target: desired,
    fields,
    ...(grants.length > 0 && { grants }),
  };
}

/** The permissions that a fixed level adds or removes; under `custom` each permission is a field. */
function impliedChanges(live: GrantResource | undefined, target: GrantResource | undefined): FieldChange[] {
  const level = target?.attributes.access;
  return permissionChanges(live?.attributes, isFixedLevel(level) ? impliedPermissions(level) : undefined);
}

function prunedGrant({ address, name, live }: UnnamedGrant): GrantChange {
  return {
    address,
    kind: 'team-access',
    name,
    action: 'delete',
    live,
    fields: [],
    grants: impliedChanges(live, undefined),
  };
}

/**
 * The declared grant without the permissions that this service does not support. An explicitly declared permission of
 * the other dialect is an error. A permission that an older server does not return is ignored.
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
    const only = onlyDialect(path);
    if (!only || live?.attributes[path] !== undefined) continue;
    const isNamed =
      desired.declared?.locations?.[path] !== undefined ||
      desired.attributes[path] !== permissions[path].customDefault;
    const isMissing = only !== dialect || live?.attributes.access === 'custom';
    // An undeclared default is not sent, because the server may not support it.
    if (isMissing || !isNamed) delete attributes[path];
    if (isMissing && isNamed) diagnostics.push(notOffered(desired, path, dialect));
  }
  return { ...desired, attributes };
}

function notOffered(desired: GrantResource, path: PermissionPath, dialect: Dialect): Diagnostic {
  const at = located(desired, path);
  return (
    dialectProblem(path, { only: onlyDialect(path), dialect }, at) ??
    note('not-offered', `${path} of "${desired.name}" is ignored: this service does not return it`, { at })
  );
}

/** A live grant with its address and name in the words of the files. */
interface UnnamedGrant extends Pick<GrantResource, 'address' | 'name'> {
  readonly live: GrantResource;
  readonly owner: Owner;
}

/** The live grants of projects under `team-access` that the files do not name. They are pruned, or reported. */
function unnamedGrants({ configuration, live, owners, chosen }: Comparison): UnnamedGrant[] {
  const { desired, lookUps } = configuration;
  const declared = resourcesOf(desired.resources.values(), 'team-access');
  const named = new Set(declared.map(pairOf));
  // A run of some addresses can leave names unresolved: then any live grant can be one of the declared ones.
  const open = new Set(lookUps.map(({ placeholder }) => placeholder));
  const isOpen = new Set(
    declared.flatMap(({ attributes: { project, team } }) => (open.has(team) ? project : [])),
  );
  return resourcesOf(live.state.resources.values(), 'team-access')
    .filter((grant) => !named.has(pairOf(grant)) && !isOpen.has(grant.attributes.project))
    .flatMap((grant) => {
      const owner = owners.get(grant.address);
      return owner ? shownGrant(grant, owner, desired) : [];
    })
    .filter(({ address }) => chosen(address));
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
      return { address, projectId: project, teamId: team, access, ...(location && { location }), hint };
    })
    .sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** As the file writes the project, and by the alias of the team, else by its name if it was read. */
function shownGrant(live: GrantResource, owner: Owner, { resources }: State): UnnamedGrant {
  const { project: id, team: teamId } = live.attributes;
  const project = owner.root.grantProjects.get(id) ?? id;
  const shown = shownAs(owner.root, 'teams', teamId);
  // Another root file can call another team so.
  const team = resources.has(grantAddress(project, shown)) ? teamId : shown;
  return { address: grantAddress(project, team), name: `${project}/${team}`, live, owner };
}
