import type { LiveScope } from '../model/configuration.ts';
import type { Dialect } from '../model/dialect.ts';
import { hasBindings, matchesWildcard } from '../model/selector.ts';
import { type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { listTexts, noneIfEmpty, withoutUndefined } from '../model/value.ts';
import { type SeparateRelation, separateRelations } from '../relations/relations.ts';
import type { PagedList } from '../service/paging.ts';

/** The live state that a comparison needs; {@link readLive} reads it with the fewest requests. */
export interface LiveQuery {
  readonly organization: string;
  /** Taken from the first workspace document if it is not given. */
  readonly dialect?: Dialect | undefined;
  /** The workspaces to read, by name. A missing one is not an error. */
  readonly names: readonly string[];
  /** Whether every workspace of the organization is needed, as for a selector. */
  readonly whole: boolean;
  /** Every live workspace of these scopes is needed, for pruning or for a report. */
  readonly scopes?: readonly LiveScope[] | undefined;
  /** Where most of the named workspaces are, so that a filtered list can be shorter than the whole one. */
  readonly within?: LiveScope | undefined;
  /** Names of workspaces whose consumer lists are compared. */
  readonly consumersOf: ReadonlySet<string>;
  /** Names of workspaces whose data retention is compared. */
  readonly retentionOf: ReadonlySet<string>;
  /** Whether key/value tags are read, which workspaces and projects include. */
  readonly bindings?: boolean | undefined;
  /** Ids of the projects whose settings are compared; all of them for a snapshot. */
  readonly managedProjects?: readonly string[] | 'all' | undefined;
  /** Ids of the projects whose grants are compared. */
  readonly projects: readonly string[];
  /** The errors of a read of grants after which their project is left out. @default none */
  readonly isHidden?: ((error: unknown) => boolean) | undefined;
}

export const queryMembers = {
  'remote-state-consumers': 'consumersOf',
  'data-retention': 'retentionOf',
} as const satisfies Record<SeparateRelation, keyof LiveQuery>;

export type ByMember<Item> = Readonly<Record<(typeof queryMembers)[SeparateRelation], Item>>;

export function byMember<Item>(itemOf: (path: SeparateRelation) => Item): ByMember<Item> {
  return Object.fromEntries(
    separateRelations.map((path) => [queryMembers[path], itemOf(path)]),
  ) as ByMember<Item>;
}

const noRelations = byMember((): ReadonlySet<string> => new Set());

export const readsNothing = { names: [], whole: false, ...noRelations, projects: [] } as const satisfies Omit<
  LiveQuery,
  'organization'
>;

export function joinQueries([first, ...others]: readonly [LiveQuery, ...LiveQuery[]]): LiveQuery {
  const queries = [first, ...others];
  if (others.length === 0) return first;
  const all = <Item>(of: (query: LiveQuery) => Iterable<Item> | undefined) => [
    ...new Set(queries.flatMap((query) => [...(of(query) ?? [])])),
  ];
  const managed = new Set(queries.flatMap(({ managedProjects }) => managedProjects ?? []));
  return {
    organization: first.organization,
    dialect: queries.find((query) => query.dialect)?.dialect,
    names: all((query) => query.names),
    whole: queries.some(({ whole }) => whole),
    scopes: noneIfEmpty(all((query) => query.scopes)),
    consumersOf: new Set(all((query) => query.consumersOf)),
    retentionOf: new Set(all((query) => query.retentionOf)),
    bindings: queries.some(({ bindings }) => bindings),
    managedProjects: managed.has('all') ? 'all' : noneIfEmpty([...managed]),
    projects: all((query) => query.projects),
  };
}

export type ScopePart = 'projects' | 'tags' | 'names' | 'tagged';

/** The parts of a scope that do not match a workspace; empty if it is in scope. An omitted part matches all. */
export function scopeMismatches(
  scope: LiveScope,
  workspace: WorkspaceResource,
  dialect: Dialect,
): ScopePart[] {
  const { name, attributes } = workspace;
  const { project } = attributes;
  const has = new Set(listTexts(attributes.tags));
  const spelled = (tag: string) => (dialect === 'terraform' ? tag.toLowerCase() : tag);
  const isMet: Readonly<Record<ScopePart, boolean>> = {
    projects: hasProject(scope, project),
    tags: (scope.tags ?? []).every((tag) => has.has(spelled(tag))),
    names: scope.names === undefined || scope.names.some((pattern) => matchesWildcard(pattern, name)),
    tagged: hasBindings(workspace, scope.tagged ?? {}),
  };
  return (['projects', 'tags', 'names', 'tagged'] as const).filter((part) => !isMet[part]);
}

export function hasProject({ projects }: LiveScope, project: string | undefined): boolean {
  return projects === undefined || (project !== undefined && projects.includes(project));
}

export function inScope(scope: LiveScope, workspace: WorkspaceResource, dialect: Dialect): boolean {
  return scopeMismatches(scope, workspace, dialect).length === 0;
}

export function countInScope(
  resources: Iterable<Resource>,
  dialect: Dialect,
  scope: LiveScope | undefined,
): number {
  const workspaces = resourcesOf(resources, 'workspace');
  return workspaces.filter((one) => scope === undefined || inScope(scope, one, dialect)).length;
}

/**
 * The filtered lists that together contain the scopes, one per project and name pattern; `undefined` if the service's
 * filters (interface, section 4.1) do not support one of them. They may contain more workspaces than the scopes, never fewer.
 */
export function scopesLists(scopes: readonly LiveScope[], path: string): PagedList[] | undefined {
  const lists = scopes.map((scope) => scopeLists(scope, path));
  if (!lists.every((list) => list !== undefined)) return undefined;
  return [...new Map(lists.flat().map((list) => [JSON.stringify(list), list])).values()];
}

function scopeLists(scope: LiveScope, path: string): PagedList[] | undefined {
  const patterns = scope.names ?? [undefined];
  // The service supports `*` at either end only, and a bare `*` filters nothing.
  if (patterns.some((pattern) => pattern !== undefined && !/^\*?[^*]+\*?$/.test(pattern))) return undefined;
  const projects = scope.projects ?? [undefined];
  const tags = scope.tags ?? [];
  // The parameter separates tags by commas. The service may store tags in lower case, but searches them as written.
  if (tags.some((tag) => tag.includes(',') || tag !== tag.toLowerCase())) return undefined;
  const bound = Object.entries(scope.tagged ?? {});
  const isFiltered =
    scope.projects !== undefined || scope.names !== undefined || tags.length + bound.length > 0;
  if (!isFiltered) return undefined;
  return projects.flatMap((project) =>
    patterns.map((pattern) => ({
      path,
      query: {
        ...withoutUndefined({
          'filter[project][id]': project,
          'search[tags]': tags.length > 0 ? tags.join(',') : undefined,
          'search[wildcard-name]': pattern,
        }),
        ...Object.fromEntries(bound.flatMap(bindingFilter)),
      },
    })),
  );
}

/** The service filters by key/value tags in effect. Without a value it returns every value of the key. */
function bindingFilter([key, value]: readonly [string, string | null], index: number): [string, string][] {
  const filter = `filter[tagged][${index}]`;
  return [
    [`${filter}[key]`, key],
    ...(value === null ? [] : [[`${filter}[value]`, value] as [string, string]]),
  ];
}
