import type { SourceLocation } from '../model/diagnostic.ts';
import { showPlace } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { type Field, type LayerMap, noLayers } from '../model/fields.ts';
import {
  type Declared,
  type GrantResource,
  type GrantValues,
  grantAddress,
  pairOf,
  type Resource,
  resourcesOf,
} from '../model/state.ts';
import { quote } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import type { AllDeclarations, Declaration } from './declarations.ts';
import { locateKey } from './files/source.ts';
import type { Loading, Problems } from './problems.ts';
import { checkProjectStays, type ReadContext } from './references.ts';
import {
  addPermissions,
  checkImpliedPermissions,
  checkRoles,
  permissionFields,
  resolveRole,
  roleLayers,
} from './roles.ts';
import { readMoment } from './rules/field-rules.ts';
import type { RawGrant } from './schema/language.ts';

/** What reading grants depends on. */
export interface GrantsContext extends ReadContext {
  /** As the file declares it; undefined if the documents of the service decide. */
  readonly dialect: Dialect | undefined;
  /** Receives the layers of each grant and each role. */
  readonly layered: Pick<LayerMap, 'set'>;
  /** Receives each project under `team-access`, also one without teams: id -> as written. */
  readonly grantProjects: Map<string, string>;
  /** Receives the location of each of them, by the project as written. */
  readonly grantProjectLocations: Map<string, SourceLocation>;
}

/** Team access as resources: one per project and team. */
export function declaredGrants(
  { teamAccess: declared, roles }: Pick<AllDeclarations, 'teamAccess' | 'roles'>,
  context: GrantsContext,
): readonly GrantResource[] {
  const resources: GrantResource[] = [];
  checkRoles(roles, context.loading);
  for (const [name, role] of roles)
    context.layered.set(`role.${name}`, roleLayers(name, role, context.loading));
  const { grantProjects, grantProjectLocations, references } = context;
  for (const { project, location, teams } of declared) {
    const projectId = references.resolve('projects', project, location);
    checkProjectStays(project, { references, problems: context.loading.problems, at: { location } });
    if (!grantProjectLocations.has(project)) grantProjectLocations.set(project, location);
    if (projectId !== undefined && !grantProjects.has(projectId)) grantProjects.set(projectId, project);
    for (const [team, declaration] of teams) {
      const teamId = references.resolve('teams', team, declaration.location);
      const resource = readGrant({ project, team, projectId, teamId }, declaration, { ...context, roles });
      if (resource) resources.push(resource);
    }
  }
  checkPairs(resources, context.loading.problems);
  return resources;
}

/** Two keys for one team and project are an error, whether alias, name or id. */
export function checkPairs(resources: Iterable<Resource>, problems: Problems): void {
  const pairs = new Map<string, GrantResource>();
  for (const resource of resourcesOf(resources, 'team-access')) {
    const pair = pairOf(resource);
    const other = pairs.get(pair);
    if (other) reportDuplicate(resource, other, problems);
    else pairs.set(pair, resource);
  }
}

interface GrantNames {
  readonly project: string;
  readonly team: string;
  readonly projectId: string | undefined;
  readonly teamId: string | undefined;
}

function readGrant(
  { project, team, projectId, teamId }: GrantNames,
  { value, mapping, location }: Declaration<RawGrant>,
  context: GrantsContext & Pick<AllDeclarations, 'roles'>,
): GrantResource | undefined {
  if (value === undefined) return undefined;
  const { loading, dialect, layered } = context;
  const address = grantAddress(project, team);
  const attributes: Record<string, Value> = {};
  const locations: Record<string, SourceLocation> = {};
  const place = { address, container: mapping, key: team };
  const { access, holders, level, role } = resolveRole(value, place, context);
  const ending = typeof value === 'string' ? {} : readEnding(value, access, { address, locations, loading });
  const declared: Declared = access === 'none' ? { absent: 'safe' } : { ...ending, locations };
  if (access !== undefined && access !== 'none') {
    attributes.access = access;
    locations.access = typeof value === 'string' ? location : locateKey(loading.origins, value, 'access');
  }
  const named = permissionFields(access === 'custom' ? holders : [], loading);
  if (access === 'custom') addPermissions(named, { address, attributes, locations, loading, dialect });
  else if (typeof value === 'object') checkImpliedPermissions(value, access, { address, loading });
  // Without its ids the grant is dropped: each missing one is reported where it is written.
  if (projectId === undefined || teamId === undefined) return undefined;
  const fields = new Map<string, Field>(access ? [['access', { value: access, raw: access, ...level }]] : []);
  for (const [path, field] of named) fields.set(path, field);
  layered.set(address, { ...noLayers, fields, location, extends: [], ...(role && { role }) });
  const values: GrantValues = { project: projectId, team: teamId, ...attributes };
  return { kind: 'team-access', address, name: `${project}/${team}`, attributes: values, location, declared };
}

/** Until when a grant exists, and why. */
function readEnding(
  grant: Exclude<RawGrant, string>,
  access: string | undefined,
  {
    address,
    locations,
    loading,
  }: {
    readonly address: string;
    readonly locations: Record<string, SourceLocation>;
    readonly loading: Loading;
  },
): Pick<Declared, 'until' | 'reason'> {
  const { reason } = grant;
  const until = readMoment(grant, 'until', loading);
  if (until !== undefined) locations.until = locateKey(loading.origins, grant, 'until');
  if (until !== undefined && access === 'none')
    loading.problems.error('exclusive-settings', '"until" ends no access: access is none', {
      at: { address, location: locateKey(loading.origins, grant, 'until') },
    });
  return { ...(until && { until }), ...(reason !== undefined && { reason }) };
}

function reportDuplicate(second: GrantResource, first: GrantResource, problems: Problems): void {
  for (const [here, there] of [
    [first, second],
    [second, first],
  ] as const) {
    if (!here.location || !there.location) continue;
    problems.error(
      'duplicate-name',
      `duplicate access of one team to one project: also declared as ${quote(there.name)} at ${showPlace(there.location)}`,
      { at: here },
    );
  }
}
