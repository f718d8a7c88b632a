import type { ServiceReader } from '../service/client.ts';
import { grantsOf, workspacesOf } from '../service/lists.ts';
import { readList, readPage } from '../service/paging.ts';
import type { LiveQuery, LiveScope } from './live-query.ts';
import { type Live, readLive } from './read-live.ts';
import { inScope, scopeLists } from './scope.ts';

/**
 * Counts the live workspaces in a scope, or of the organization where there is none. One entry of one page is enough
 * where the service's own filter says the scope; else the scope is read.
 */
export async function countWorkspaces(
  reader: ServiceReader,
  organization: string,
  scope: LiveScope | undefined,
): Promise<number> {
  const all = workspacesOf(organization);
  const lists = scope === undefined ? [all] : scopeLists(scope, all.path);
  const [list, ...others] = lists ?? [];
  if (list && others.length === 0) {
    const page = await readPage(reader, list, 1, 1);
    return page.totalCount ?? (await readList(reader, list)).length;
  }
  return countKnown(await readLive(reader, scopeQuery(organization, scope)), scope);
}

/** Counts the grants of a project. */
export async function countGrants(reader: ServiceReader, project: string): Promise<number> {
  const list = grantsOf(project);
  const page = await readPage(reader, list, 1, 1);
  return page.totalCount ?? (await readList(reader, list)).length;
}

/** The live workspaces in scope among those that were read. */
export function countKnown(live: Live, scope: LiveScope | undefined): number {
  return [...live.state.resources.values()].filter(
    (resource) =>
      resource.kind === 'workspace' && (scope === undefined || inScope(scope, resource, live.dialect)),
  ).length;
}

function scopeQuery(organization: string, scope: LiveScope | undefined): LiveQuery {
  return {
    organization,
    names: [],
    whole: scope === undefined,
    ...(scope && { scope }),
    consumersOf: new Set(),
    retentionOf: new Set(),
    projects: [],
  };
}
