import type { AliasKind } from '../model/alias-kind.ts';
import { attributePaths, nestedAttributes } from '../model/attributes.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { LiveScope } from '../model/configuration.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import { type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { noneIfEmpty } from '../model/value.ts';
import { relations } from '../relations/relations.ts';
import { liveKind } from './kinds.ts';
import { byMember, countInScope, inScope, type LiveQuery, queryMembers } from './live-query.ts';
import type { Live } from './read-live.ts';
import { type NamedId, NoLookUpError } from './read-names.ts';
import {
  type Coverage,
  recordedWorkspaces,
  requireCovered,
  requireGrants,
  requireWorkspaces,
  unfit,
} from './snapshot-coverage.ts';

const format = 'attune.snapshot/1';

type LookUps = Readonly<Partial<Record<AliasKind, readonly NamedId[]>>>;

/** The live state at one time, with the query: a plan that needs more must not read missing values as absent ones. */
export interface Snapshot extends Coverage {
  readonly format: typeof format;
  readonly organization: string;
  readonly address: string;
  readonly dialect: Dialect;
  readonly names: Readonly<Record<string, string>>;
  /** The kinds in which the configuration looked up names: complete, so that a plan may use other names. */
  readonly lookUps?: LookUps | undefined;
}

export function takeSnapshot(
  live: Live,
  query: LiveQuery,
  address: string,
  lookUps: ReadonlyMap<AliasKind, readonly NamedId[]>,
): Snapshot {
  const has = (feature: Feature) => !live.missing.includes(feature);
  const { managedProjects } = query;
  const resources = [...live.state.resources.values()]
    .filter((resource) => isRecordedResource(resource, query, live.dialect))
    // A plan from a snapshot is not applied.
    .map(withoutFacts);
  return {
    format,
    organization: query.organization,
    address,
    dialect: live.dialect,
    ...byMember((path) => (has(path) ? [...query[queryMembers[path]]].sort() : [])),
    projects: [...live.projects].sort(),
    workspaces: query.whole ? undefined : recordedWorkspaces(query),
    bindings: query.bindings || undefined,
    managedProjects: managedProjects === 'all' ? managedProjects : managedProjects?.toSorted(),
    without: noneIfEmpty(live.missing),
    names: Object.fromEntries(namesIn(resources, live.names)),
    lookUps: lookUps.size > 0 ? inOrder(lookUps) : undefined,
    resources: resources.sort((a, b) => (a.address < b.address ? -1 : 1)),
  };
}

const rowOrder = new Map<string, number>(
  [...attributePaths, ...nestedAttributes, ...Object.keys(relations)].map((path, index) => [path, index]),
);

/** Values that are read with separate requests would be the last ones. */
function inRowOrder(attributes: WorkspaceResource['attributes']): WorkspaceResource['attributes'] {
  const place = (path: string) => rowOrder.get(path) ?? rowOrder.size;
  const entries = Object.entries(attributes).sort(([a], [b]) => place(a) - place(b));
  return Object.fromEntries(entries);
}

/** A page of workspaces may contain more than the scope and the names of a query. */
function isRecordedResource(
  resource: Resource,
  { whole, scopes = [], names }: LiveQuery,
  dialect: Dialect,
): boolean {
  if (resource.kind !== 'workspace' || whole || names.includes(resource.name)) return true;
  return scopes.some((scope) => inScope(scope, resource, dialect));
}

function namesIn(
  resources: readonly Resource[],
  names: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  const used = new Set(
    resourcesOf(resources, 'workspace').flatMap(({ id = '', attributes }) => {
      const consumers = attributes['remote-state-consumers'];
      return [id, ...(Array.isArray(consumers) ? consumers : [])];
    }),
  );
  return [...names].filter(([id]) => used.has(id)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function inOrder(lookUps: ReadonlyMap<AliasKind, readonly NamedId[]>): LookUps {
  const byKind = [...lookUps].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byKind.map(([kind, found]) => [kind, [...found].sort((a, b) => (a.id < b.id ? -1 : 1))]),
  );
}

export function namesFromSnapshot(snapshot: Snapshot, kind: AliasKind): readonly NamedId[] {
  const known = snapshot.lookUps?.[kind];
  if (known) return known;
  throw new NoLookUpError(kind, 'the snapshot was recorded for a configuration without this name', {
    hint: 'record a new snapshot for this configuration with `attune snapshot --out`; no plan was made',
  });
}

export function liveFromSnapshot(snapshot: Snapshot, query: LiveQuery): Live {
  if (snapshot.organization !== query.organization) {
    throw unfit(
      `the snapshot is of organization ${snapshot.organization}, but the files are for ${query.organization}`,
    );
  }
  if (query.dialect && query.dialect !== snapshot.dialect) {
    throw unfit(`the snapshot is in the ${snapshot.dialect} dialect, but the files declare ${query.dialect}`);
  }
  requireCovered(snapshot, query);
  const missing = snapshot.without ?? [];
  const resources = snapshot.resources.filter((resource) => liveKind(resource.kind).isAsked(resource, query));
  const isWhole = snapshot.workspaces === undefined;
  return {
    state: {
      organization: snapshot.organization,
      resources: new Map(resources.map((resource) => [resource.address, resource])),
    },
    dialect: snapshot.dialect,
    whole: isWhole,
    scopeWhole: isWhole || query.scopes !== undefined,
    workspaceTotal: isWhole ? resourcesOf(snapshot.resources, 'workspace').length : undefined,
    names: new Map(Object.entries(snapshot.names)),
    projects: missing.includes('team-access') ? [] : query.projects,
    missing,
    diagnostics: [],
  };
}

export function countRecordedWorkspaces(snapshot: Snapshot, scope: LiveScope | undefined): number {
  requireWorkspaces(snapshot, { whole: scope === undefined, scopes: scope && [scope], names: [] });
  return countInScope(snapshot.resources, snapshot.dialect, scope);
}

export function countRecordedGrants(snapshot: Snapshot, project: string): number {
  requireGrants(snapshot, [project]);
  return resourcesOf(snapshot.resources, 'team-access').filter(
    ({ attributes }) => attributes.project === project,
  ).length;
}

/** @param check returns how a document violates the published schema */
export function parseSnapshot(
  text: string,
  file: string,
  check: (document: unknown) => readonly string[],
): Snapshot {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw new AttuneError(`${file} is not a complete snapshot: it ends early or is not JSON`, {
      code: 'bad-snapshot',
      cause,
      hint: 'record it again with `attune snapshot --out`',
    });
  }
  if (check(data).length === 0) return data as Snapshot;
  throw new AttuneError(`${file} is not a snapshot of this version (${format})`, {
    code: 'bad-snapshot',
    hint: 'give a file that `attune snapshot --out` wrote',
  });
}

/** What is true only at the time of the read is not recorded. */
function withoutFacts(resource: Resource): Resource {
  const { denied: _denied, ...recorded } = resource;
  if (recorded.kind !== 'workspace') return recorded;
  return { ...recorded, attributes: inRowOrder(recorded.attributes) };
}
