import type { Base, BaseDeclarations } from '../../desired/configuration.ts';
import { inScope } from '../../live/live-query.ts';
import type { Dialect } from '../../model/dialect.ts';
import { pairOf, type Resource, workspaceAddress } from '../../model/state.ts';
import { ownsAccess } from '../ownership.ts';

/** What the base of a run declares, by the identity of each resource. */
export interface DeclaredByBase {
  /** What it declares for a resource of the files: under its address, its former name, or its ids. */
  counterpart(declared: Resource): Resource | undefined;
  /** Whether the base deletes an undeclared live resource as well. */
  prunes(live: Resource, dialect: Dialect): boolean;
}

/** Indexes a base that was loaded. */
export function declaredByBase({ declared, elsewhere = [] }: Base): DeclaredByBase {
  const all = [...(declared ? [declared] : []), ...elsewhere];
  const indexes = all.map(({ desired }) => indexOf(desired.resources.values()));
  const find = (keys: readonly string[]) => {
    for (const index of indexes)
      for (const key of keys) {
        const found = index.get(key);
        if (found) return found;
      }
    return undefined;
  };
  return {
    counterpart: (resource) => find(identityKeys(resource)),
    prunes: (live, dialect) =>
      find(identityKeys(live)) === undefined && all.some((base) => prunesIn(base, live, dialect)),
  };
}

/** Resources by each of {@link identityKeys}. */
export function indexOf(resources: Iterable<Resource>): ReadonlyMap<string, Resource> {
  const index = new Map<string, Resource>();
  for (const resource of resources)
    for (const key of identityKeys(resource)) if (!index.has(key)) index.set(key, resource);
  return index;
}

/** The texts under which a resource is found in other files: those of a renamed one include its former name. */
export function identityKeys(resource: Resource): readonly string[] {
  const { kind, address, id, declared } = resource;
  switch (kind) {
    case 'workspace':
      return declared?.renamedFrom === undefined
        ? [address]
        : [address, workspaceAddress(declared.renamedFrom)];
    case 'project':
      return id === undefined ? [address] : [address, id];
    case 'team-access':
      return [pairOf(resource)];
    default:
      return kind satisfies never;
  }
}

function prunesIn(
  { prune, scope, grantProjects }: BaseDeclarations,
  live: Resource,
  dialect: Dialect,
): boolean {
  switch (live.kind) {
    case 'workspace':
      return prune.workspaces !== 'keep' && scope !== undefined && inScope(scope, live, dialect);
    case 'project':
      return false;
    case 'team-access': {
      const { project } = live.attributes;
      return prune.teamAccess && grantProjects.has(project) && ownsAccess(scope, project);
    }
    default:
      return live satisfies never;
  }
}
