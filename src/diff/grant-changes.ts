import { aliasOf, type Configuration } from '../desired/configuration.ts';
import type { Live } from '../live/read-live.ts';
import { type FieldChange, type GrantChange, permissionChanges } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { impliedPermissions, isFixedLevel, permissionPaths } from '../model/permissions.ts';
import { type GrantResource, grantAddress } from '../model/state.ts';
import { grantTarget } from './grant-target.ts';
import type { Chosen } from './match-workspaces.ts';

/** Compares the declared grants with the live ones of their projects; the rest is pruned where that is asked for. */
export function grantChanges(
  configuration: Configuration,
  live: Live,
  chosen: Chosen,
  diagnostics: Diagnostic[],
): { changes: GrantChange[]; unchanged: number; after: GrantResource[] } {
  const current = new Map<string, GrantResource>();
  for (const resource of live.state.resources.values()) {
    if (resource.kind === 'team-access') current.set(pairOf(resource), resource);
  }
  const changes: GrantChange[] = [];
  const after = new Map(current);
  let unchanged = 0;
  const listed = new Set<string>();
  for (const desired of configuration.desired.resources.values()) {
    if (desired.kind !== 'team-access') continue;
    listed.add(pairOf(desired));
    if (!chosen(desired.address)) continue;
    const target = grantTarget(desired, current.get(pairOf(desired)), live.dialect, diagnostics);
    const change = grantChange(target, current.get(pairOf(desired)));
    if (change) changes.push(change);
    else unchanged += 1;
    if (desired.declared?.absent) after.delete(pairOf(desired));
    else after.set(pairOf(desired), target);
  }
  if (configuration.prune.teamAccess) {
    for (const [pair, grant] of current) {
      if (listed.has(pair)) continue;
      const pruned = prunedGrant(grant, configuration);
      if (!chosen(pruned.address)) continue;
      changes.push(pruned);
      after.delete(pair);
    }
  }
  return { changes, unchanged, after: [...after.values()] };
}

function pairOf(grant: GrantResource): string {
  return `${grant.attributes.project}/${grant.attributes.team}`;
}

function grantChange(desired: GrantResource, live: GrantResource | undefined): GrantChange | undefined {
  const { address, name, location } = desired;
  const base = { address, kind: 'team-access', name, ...(location && { location }) } as const;
  if (desired.declared?.absent) {
    return live && { ...base, action: 'delete', live, fields: [], grants: impliedChanges(live, undefined) };
  }
  const custom = desired.attributes.access === 'custom';
  const managed = permissionPaths.filter((path) => custom && desired.attributes[path] !== undefined);
  const fields = ['access', ...managed].flatMap((path): FieldChange[] => {
    const before = live?.attributes[path] ?? null;
    const after = desired.attributes[path] ?? null;
    return before === after ? [] : [{ path, before, after }];
  });
  if (live && fields.length === 0) return undefined;
  // Under `custom` each permission is a managed key of its own; what a level implies is told beside the fields.
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

/** What a level implies and thereby gives or takes; under `custom` each permission is a field of its own. */
function impliedChanges(live: GrantResource | undefined, target: GrantResource | undefined): FieldChange[] {
  const level = target?.attributes.access;
  return permissionChanges(live?.attributes, isFixedLevel(level) ? impliedPermissions(level) : undefined);
}

function prunedGrant(live: GrantResource, configuration: Configuration): GrantChange {
  const project = aliasOf(configuration.aliases, 'projects', String(live.attributes.project));
  const team = aliasOf(configuration.aliases, 'teams', String(live.attributes.team));
  return {
    address: grantAddress(project, team),
    kind: 'team-access',
    name: `${project}/${team}`,
    action: 'delete',
    live,
    fields: [],
    grants: impliedChanges(live, undefined),
  };
}
