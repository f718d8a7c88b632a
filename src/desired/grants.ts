import type { PermissionPath } from '../model/attribute-values.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { type Dialect, dialectProblem } from '../model/dialect.ts';
import { type DeclaredLayers, type Field, type LayerName, noLayers } from '../model/fields.ts';
import {
  accessLevels,
  type PermissionGroup,
  permissionGroups,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import { type Declared, type GrantResource, grantAddress } from '../model/state.ts';
import { listed, quote, suggestion } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import type { AllDeclarations, Declaration } from './declarations.ts';
import { type Loading, reporter } from './problems.ts';
import type { ReadContext } from './references.ts';
import { readMoment } from './rules/field-rules.ts';
import type { RawGrant, RawRole } from './schema/language.ts';

interface GrantsContext extends ReadContext {
  readonly dialect: Dialect | undefined;
  readonly layered: Map<string, DeclaredLayers>;
  readonly grantProjects: Map<string, string>;
  readonly grantProjectLocations: Map<string, SourceLocation>;
}

export function declaredGrants(
  { teamAccess: declared, roles }: Pick<AllDeclarations, 'teamAccess' | 'roles'>,
  context: GrantsContext,
): readonly GrantResource[] {
  const { grantProjects, grantProjectLocations, references } = context;
  for (const [name, role] of roles) readRole(name, role, context);
  return declared.flatMap(({ project, location, teams }) => {
    const projectId = references.resolve('projects', project, location);
    if (!grantProjectLocations.has(project)) grantProjectLocations.set(project, location);
    if (projectId !== undefined && !grantProjects.has(projectId)) grantProjects.set(projectId, project);
    return [...teams].flatMap(([team, declaration]) => {
      const teamId = references.resolve('teams', team, declaration.location);
      const { value, ...place } = declaration;
      if (value === undefined) return [];
      const address = grantAddress(project, team);
      const names = { address, project, team, projectId, teamId };
      return readGrant(value, { ...context, ...place, ...names, roles }) ?? [];
    });
  });
}

const grantLevels: readonly string[] = [...accessLevels, 'none'];

interface Holder {
  readonly layer: LayerName;
  readonly mapping: Exclude<RawGrant, string>;
}

function readRole(name: string, declaration: Declaration<RawRole>, context: GrantsContext): void {
  const { value, location } = declaration;
  const { loading, layered } = context;
  const { error, atKey } = reporter(loading);
  // It could never be used.
  if (grantLevels.includes(name))
    error('bad-value', `the role ${quote(name)} has the name of a level`, location, 'rename the role');
  const layer = `role.${name}` as const;
  const access = value?.access;
  const fields = new Map<string, Field>();
  if (value && access !== undefined) {
    checkImpliedPermissions(value, access, reporter(loading));
    fields.set('access', { value: access, raw: access, layer, location: atKey(value, 'access') });
    for (const [path, field] of permissionFields([{ layer, mapping: value }], loading))
      fields.set(path, field);
  }
  layered.set(layer, { ...noLayers, fields, location, extends: [] });
}

type GrantContext = GrantsContext &
  Pick<AllDeclarations, 'roles'> &
  Omit<Declaration<RawGrant>, 'value'> &
  Readonly<Record<'address' | 'project' | 'team', string>> &
  Readonly<Record<'projectId' | 'teamId', string | undefined>>;

/** Undefined without the id of the project or the team; each is reported where it is written. */
function readGrant(value: RawGrant, context: GrantContext): GrantResource | undefined {
  const { loading, dialect, address, project, team, projectId, teamId, location, layered } = context;
  const report = reporter(loading, address);
  const { access, holders, level, role } = resolveRole(value, context);
  const isLevel = typeof value === 'string';
  const attributes: Record<string, Value> = {};
  const locations: Record<string, SourceLocation> = {};
  let declared: Declared = { absent: 'safe' };
  const ending = isLevel ? {} : readEnding(value, access, context);
  if (access !== 'none') {
    declared = { ...ending, locations };
    if (ending.until && !isLevel) locations.until = report.atKey(value, 'until');
    if (access !== undefined) {
      attributes.access = access;
      locations.access = isLevel ? location : report.atKey(value, 'access');
    }
  }
  const named = permissionFields(access === 'custom' ? holders : [], loading);
  if (access !== 'custom' && !isLevel) checkImpliedPermissions(value, access, report);
  // An unnamed permission has the least, so that a removed line revokes it.
  for (const path of access === 'custom' ? permissionPaths : []) {
    const field = named.get(path);
    attributes[path] = field?.value ?? permissions[path].customDefault;
    if (!field) continue;
    locations[path] = field.location;
    const only = permissions[path].only;
    const found = dialectProblem(path, { only, dialect }, { address, location: field.location });
    if (found) loading.problems.add(found);
  }
  if (projectId === undefined || teamId === undefined) return undefined;
  const fields = new Map<string, Field>(access ? [['access', { value: access, raw: access, ...level }]] : []);
  for (const [path, field] of named) fields.set(path, field);
  const { until: { written: end } = {} } = declared;
  if (end)
    fields.set('until', { value: end, raw: end, location: locations.until ?? location, layer: 'grant' });
  layered.set(address, { ...noLayers, fields, location, extends: [], role });
  return {
    kind: 'team-access',
    address,
    name: `${project}/${team}`,
    attributes: { project: projectId, team: teamId, ...attributes },
    location,
    declared,
  };
}

function readEnding(
  grant: Exclude<RawGrant, string>,
  access: string | undefined,
  { loading, address }: GrantContext,
): Pick<Declared, 'until' | 'reason'> {
  const { reason } = grant;
  const report = reporter(loading, address);
  const until = readMoment(grant, 'until', report);
  const message = '"until" ends no access: access is none';
  if (until !== undefined && access === 'none')
    report.error('exclusive-settings', message, report.atKey(grant, 'until'));
  return { until, reason };
}

function resolveRole(grant: RawGrant, { address, team, roles, loading, mapping }: GrantContext) {
  const isLevel = typeof grant === 'string';
  const written = isLevel ? grant : grant.access;
  const [levelHolder, levelKey] = isLevel ? [mapping, team] : [grant, 'access'];
  const holders: readonly Holder[] = isLevel ? [] : [{ layer: 'grant', mapping: grant }];
  const { error, atKey, atValue, isLiteral } = reporter(loading, address);
  const level = { layer: 'grant', location: atKey(levelHolder, levelKey) } as const;
  if (written === undefined || grantLevels.includes(written)) return { access: written, holders, level };
  const { value, location } = roles.get(written) ?? {};
  if (location) {
    const role = { name: written, location };
    if (value === undefined) return { access: undefined, holders, level, role };
    const layer = `role.${written}` as const;
    return {
      access: value.access,
      holders: [...holders, { layer, mapping: value }],
      level: { layer, location: atKey(value, 'access') },
      role,
    };
  }
  const place = atValue(levelHolder, levelKey);
  if (!isLiteral('the role', written, place) && !loading.incomplete)
    error(
      'bad-value',
      `${quote(levelKey)} cannot be ${quote(written)}: it is neither a level nor a role`,
      place,
      () =>
        isLevel && /^(until|reason)$/.test(team)
          ? `\`${team}\` is a key of a grant: indent it below the name of a team`
          : (suggestion(written, [...grantLevels, ...roles.keys()]) ?? `levels are ${listed(grantLevels)}`),
    );
  return { access: undefined, holders: [], level };
}

function permissionFields(holders: readonly Holder[], loading: Loading): ReadonlyMap<PermissionPath, Field> {
  const { atKey } = reporter(loading);
  return new Map(
    permissionPaths.flatMap((path) => {
      const [group, key = ''] = path.split('.') as [PermissionGroup, string?];
      const [highest, ...lower] = holders.flatMap(({ layer, mapping }): Field[] => {
        const permissionsOf = mapping[group];
        const value = permissionsOf?.[key];
        if (permissionsOf === undefined || value === undefined) return [];
        return [{ value, raw: value, location: atKey(permissionsOf, key), layer }];
      });
      return highest ? [[path, { ...highest, lower: lower.reverse() }] as const] : [];
    }),
  );
}

function checkImpliedPermissions(
  holder: Holder['mapping'],
  access: string | undefined,
  { error, atKey }: ReturnType<typeof reporter>,
): void {
  if (access === undefined || access === 'custom') return;
  for (const group of permissionGroups) {
    const message = `"${group}" requires access: custom, but access is ${access}`;
    if (Object.hasOwn(holder, group)) error('exclusive-settings', message, atKey(holder, group));
  }
}
