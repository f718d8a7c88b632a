import {
  onlyDialect,
  type PermissionGroup,
  type PermissionPath,
  permissionGroups,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import { type GrantResource, grantAddress } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { ImportAliases } from './aliases.ts';
import type { ImportNotices } from './notices.ts';
import { isChosen, isChosenProject, type Selection } from './selection.ts';

/** A grant as it is declared in a file. */
export interface StatedGrant {
  /** In the spelling of the file. */
  readonly project: string;
  readonly projectId: string;
  readonly team: string;
  readonly address: string;
  readonly value: Value;
}

export interface StateGrantContext {
  readonly aliases: ImportAliases;
  readonly notices: ImportNotices;
  readonly selection: Selection;
  /** Whether permissions that have the custom default are declared, too. */
  readonly full: boolean;
  /** Existing keys of `team-access` by project id. */
  readonly grantProjects?: ReadonlyMap<string, string> | undefined;
}

/** `undefined` if the grant is not selected, or cannot be declared. */
export function stateGrant(grant: GrantResource, context: StateGrantContext): StatedGrant | undefined {
  const { aliases, notices, selection } = context;
  const { access } = grant.attributes;
  const [projectId, teamId] = [String(grant.attributes.project), String(grant.attributes.team)];
  const unknown = permissionPaths.find(
    (path) => access === 'custom' && !isKnown(path, grant.attributes[path]),
  );
  const written = context.grantProjects?.get(projectId);
  const project = written ?? aliases.aliasOf('projects', projectId);
  const team = aliases.aliasOf('teams', teamId);
  if (unknown !== undefined) {
    notices.omit(
      grantAddress(project ?? projectId, team ?? teamId),
      `its ${unknown} is not supported by the configuration language`,
    );
    return undefined;
  }
  if (project === undefined || team === undefined) {
    notices.omit(grant.address, 'its project or team has no valid id');
    return undefined;
  }
  const address = grantAddress(project, team);
  const isListed = selection.grants?.has(`${projectId}/${teamId}`) || isChosenProject(selection, projectId);
  if (!isListed && !isChosen(selection, address)) return undefined;
  if (written === undefined) aliases.use('projects', projectId);
  aliases.use('teams', teamId);
  const value = access === 'custom' ? customGrant(grant, context.full) : String(access);
  return { project, projectId, team, address, value };
}

function isKnown(path: PermissionPath, value: Value | undefined): boolean {
  if (value === undefined && onlyDialect(path)) return true;
  return permissions[path].values.some((known) => known === value);
}

/** An omitted permission has its custom default, which is the least. */
function customGrant({ attributes }: GrantResource, isFull: boolean): Value {
  const named = permissionGroups.map((group): [PermissionGroup, Record<string, Value>] => [
    group,
    Object.fromEntries(
      permissionPaths
        .filter((path) => path.startsWith(`${group}.`) && attributes[path] !== undefined)
        .filter((path) => isFull || attributes[path] !== permissions[path].customDefault)
        .map((path) => [path.slice(group.length + 1), attributes[path] ?? null]),
    ),
  ]);
  const groups = named.filter(([, values]) => Object.keys(values).length > 0);
  return { access: 'custom', ...Object.fromEntries(groups) };
}
