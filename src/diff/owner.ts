import { hasProject, inScope } from '../live/live-query.ts';
import {
  type BaseDeclarations,
  type Configuration,
  rootOf,
  rootsOf,
  type Scope,
} from '../model/configuration.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Resource } from '../model/state.ts';

/** Whether a scope includes the team access of a project. A scope without projects includes that of all projects. */
export function ownsAccess(scope: Scope | undefined, project: string): boolean {
  return scope === undefined || hasProject(scope, project);
}

/** Whether an undeclared live resource is in the scope of a root file. Grants are those of the projects under `team-access`. */
function owns({ scope, grantProjects }: BaseDeclarations, live: Resource, dialect: Dialect): boolean {
  if (live.kind === 'workspace') return scope !== undefined && inScope(scope, live, dialect);
  if (live.kind === 'project') return false;
  const { project } = live.attributes;
  return grantProjects.has(project) && ownsAccess(scope, project);
}

/** Whether a root file deletes an undeclared live resource. */
export function prunes(root: BaseDeclarations, live: Resource, dialect: Dialect): boolean {
  const { workspaces, teamAccess, among } = root.prune;
  const isPruned = live.kind === 'workspace' ? workspaces !== 'keep' : teamAccess;
  return isPruned && owns(root, live, dialect) && among?.(live, dialect) !== false;
}

/** The root file whose rules apply to an undeclared live resource: of those that own it, the first that prunes it. */
export function ownerOf(
  live: Resource,
  configuration: Configuration,
  dialect: Dialect,
): Configuration | undefined {
  const owners = rootsOf(configuration).filter((root) => owns(root, live, dialect));
  return owners.find((root) => prunes(root, live, dialect)) ?? owners[0];
}

/** The root file that declares a resource, or whose rules apply to it. */
export function rootFor(
  address: string,
  live: Resource | undefined,
  { configuration, dialect }: { readonly configuration: Configuration; readonly dialect: Dialect },
): Configuration {
  const declaring = rootOf(configuration, address) ?? (live && ownerOf(live, configuration, dialect));
  return declaring ?? (rootsOf(configuration)[0] as Configuration);
}
