import type { AliasKind } from '../model/alias-kind.ts';
import type { LiveScope } from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import { matchesWildcard } from '../model/selector.ts';
import { type Resource, resourcesOf } from '../model/state.ts';
import { firstNames } from '../model/text.ts';
import { canonicalJson, jsonIn, noneIfEmpty } from '../model/value.ts';
import { separateReadings, separateRelations } from '../relations/relations.ts';
import { liveKind } from './kinds.ts';
import {
  type ByMember,
  byMember,
  countInScope,
  inScope,
  type LiveQuery,
  queryMembers,
} from './live-query.ts';
import type { Live, LiveSource } from './read-live.ts';
import { type NamedId, NoLookUpError } from './read-names.ts';

const format = 'attune.snapshot/1';

type LookUps = Readonly<Partial<Record<AliasKind, readonly NamedId[]>>>;

interface RecordedWorkspaces {
  readonly scope?: LiveScope | undefined;
  /** The workspaces that were read by name; the snapshot lacks those that did not exist. */
  readonly names: readonly string[];
}

/**
 * The live state at one time, with the query: a plan that needs more must not read missing values as absent ones. For each
 * relation that is read separately, it has the names of the workspaces.
 */
export interface Snapshot extends ByMember<readonly string[]> {
  readonly format: typeof format;
  readonly organization: string;
  readonly address: string;
  readonly dialect: Dialect;
  readonly names: Readonly<Record<string, string>>;
  /** The kinds in which the configuration looked up names: complete, so that a plan may use other names. */
  readonly lookUps?: LookUps | undefined;
  readonly projects: readonly string[];
  /** The workspaces that were read. @default every workspace of the organization */
  readonly workspaces?: RecordedWorkspaces | undefined;
  readonly bindings?: boolean | undefined;
  readonly managedProjects?: readonly string[] | 'all' | undefined;
  readonly without?: readonly Feature[] | undefined;
  readonly resources: readonly Resource[];
}

export function takeSnapshot(
  live: Live,
  query: LiveQuery,
  address: string,
  lookUps: ReadonlyMap<AliasKind, readonly NamedId[]>,
): Snapshot {
  const has = (feature: Feature) => !live.missing.includes(feature);
  const { managedProjects, scopes: [scope] = [] } = query;
  const resources = [...live.state.resources.values()]
    .filter((resource) => isRecordedResource(resource, query, live.dialect))
    // What the token may not do is true at the time of the read, and a plan from a snapshot is not applied.
    .map(({ denied: _denied, ...resource }) => resource as Resource);
  return {
    format,
    organization: query.organization,
    address,
    dialect: live.dialect,
    ...byMember((path) => (has(path) ? [...query[queryMembers[path]]].sort() : [])),
    projects: [...live.projects].sort(),
    workspaces: query.whole ? undefined : { scope: scope && partsOf(scope), names: [...query.names].sort() },
    bindings: query.bindings || undefined,
    managedProjects: managedProjects === 'all' ? managedProjects : managedProjects?.toSorted(),
    without: noneIfEmpty(live.missing),
    names: Object.fromEntries(namesIn(resources, live)),
    lookUps: lookUps.size > 0 ? inOrder(lookUps) : undefined,
    resources: resources.sort((a, b) => (a.address < b.address ? -1 : 1)),
  };
}

/** A page of workspaces may contain more than the scope and the names of a query. */
function isRecordedResource(resource: Resource, query: LiveQuery, dialect: Dialect): boolean {
  const { whole, scopes = [], names } = query;
  if (resource.kind !== 'workspace' || whole || names.includes(resource.name)) return true;
  return scopes.some((scope) => inScope(scope, resource, dialect));
}

function namesIn(resources: readonly Resource[], live: Live): readonly (readonly [string, string])[] {
  const { names, projectNames = new Map() } = live;
  const used = new Set(
    resourcesOf(resources, 'workspace').flatMap(({ id = '', attributes }) => {
      const consumers = attributes['remote-state-consumers'];
      return [id, attributes.project, ...(Array.isArray(consumers) ? consumers : [])];
    }),
  );
  return [...names, ...projectNames].filter(([id]) => used.has(id)).sort(([a], [b]) => (a < b ? -1 : 1));
}

function inOrder(lookUps: ReadonlyMap<AliasKind, readonly NamedId[]>): LookUps {
  const byKind = [...lookUps].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byKind.map(([kind, found]) => [kind, [...found].sort((a, b) => (a.id < b.id ? -1 : 1))]),
  );
}

export function snapshotSource(snapshot: Snapshot): LiveSource {
  return {
    read: async (query) => liveFromSnapshot(snapshot, query),
    names: async (_, kind) => namesFromSnapshot(snapshot, kind),
    objects: undefined,
    workspaceIds: undefined,
    countWorkspaces: async (_, scope) => {
      requireWorkspaces(snapshot, { whole: scope === undefined, scopes: scope && [scope], names: [] });
      return countInScope(snapshot.resources, snapshot.dialect, scope);
    },
    countGrants: async (project) => {
      requireGrants(snapshot, [project]);
      const grants = resourcesOf(snapshot.resources, 'team-access');
      return grants.filter(({ attributes }) => attributes.project === project).length;
    },
    access: undefined,
  };
}

/** A live state that consists of resources. All else of it is given, or nothing is known of it. */
export function liveOf(
  organization: string,
  resources: readonly Resource[],
  known: Pick<Live, 'dialect'> & Partial<Live>,
): Live {
  return {
    state: { organization, resources: new Map(resources.map((one) => [one.address, one])) },
    whole: false,
    scopeWhole: false,
    names: new Map(),
    projects: [],
    missing: [],
    diagnostics: [],
    ...known,
  };
}

function namesFromSnapshot(snapshot: Snapshot, kind: AliasKind): readonly NamedId[] {
  const known = snapshot.lookUps?.[kind];
  if (known) return known;
  throw new NoLookUpError(kind, 'the snapshot was recorded for a configuration without this name', {
    hint: recordAgain,
  });
}

function liveFromSnapshot(snapshot: Snapshot, query: LiveQuery): Live {
  for (const key of ['organization', 'dialect'] as const)
    if (query[key] !== undefined && query[key] !== snapshot[key])
      throw unfit(`the snapshot is of ${key} ${snapshot[key]}, but the files are for ${query[key]}`);
  requireCovered(snapshot, query);
  const missing = snapshot.without ?? [];
  const resources = snapshot.resources.filter((resource) => liveKind(resource.kind).isAsked(resource, query));
  const isWhole = snapshot.workspaces === undefined;
  const named = Object.entries(snapshot.names);
  const isProject = (id: string) => id.startsWith('prj-');
  return liveOf(snapshot.organization, resources, {
    dialect: snapshot.dialect,
    whole: isWhole,
    scopeWhole: isWhole || query.scopes !== undefined || isScopeOf(snapshot.workspaces, query.within),
    workspaceTotal: isWhole ? resourcesOf(snapshot.resources, 'workspace').length : undefined,
    names: new Map(named.filter(([id]) => !isProject(id))),
    projectNames: new Map(named.filter(([id]) => isProject(id))),
    projects: missing.includes('team-access') ? [] : query.projects,
    missing,
  });
}

/** A declared scope has more than the schema of a snapshot allows. */
function partsOf({ projects, tags, names, tagged }: LiveScope): LiveScope {
  return { projects, tags, names, tagged };
}

function isScopeOf({ scope: own }: RecordedWorkspaces, scope: LiveScope | undefined): boolean {
  return scope !== undefined && canonicalJson(partsOf(scope)) === canonicalJson(own);
}

/** A value that was not read is not an absent value. */
function requireCovered(snapshot: Snapshot, query: LiveQuery): void {
  requireWorkspaces(snapshot, query);
  const live = new Set(resourcesOf(snapshot.resources, 'workspace').map(({ name }) => name));
  // A workspace that does not exist needs no list.
  const existing = (names: ReadonlySet<string>) => [...names].filter((name) => live.has(name));
  const has = (feature: Feature) => !snapshot.without?.includes(feature);
  for (const path of separateRelations.filter(has)) {
    const { noun } = separateReadings[path];
    requireAll(`the ${noun} of`, snapshot[queryMembers[path]], existing(query[queryMembers[path]]));
  }
  requireGrants(snapshot, query.projects);
  if (has('projects')) requireProjects(snapshot, query);
  if (has('tag-bindings') && query.bindings && !snapshot.bindings)
    throw unfit('the snapshot does not contain the key/value tags (tag-bindings)');
}

function requireGrants({ without, projects: recorded }: Snapshot, projects: readonly string[]): void {
  if (!without?.includes('team-access')) requireAll('the team access of', recorded, projects);
}

function requireWorkspaces(
  { workspaces: recorded, resources }: Snapshot,
  { whole, scopes = [], names }: Pick<LiveQuery, 'whole' | 'scopes' | 'names'>,
): void {
  if (recorded === undefined) return;
  const live = new Set(resourcesOf(resources, 'workspace').map(({ name }) => name));
  const unread = names.filter((name) => !live.has(name) && !isRecorded(name, recorded));
  const isMore = whole || !scopes.every((scope) => isScopeOf(recorded, scope));
  const needed = isMore ? 'every workspace of the organization' : firstNames(unread, 5);
  const why = `the snapshot contains only the workspaces of its scope, and the plan needs ${needed}`;
  if (needed !== '') throw unfit(why, everything);
}

function isRecorded(name: string, { scope, names }: RecordedWorkspaces): boolean {
  if (names.includes(name)) return true;
  const { names: patterns, ...others } = scope ?? {};
  const isByName = Object.values(others).every((part) => part === undefined);
  return isByName && (patterns?.some((pattern) => matchesWildcard(pattern, name)) ?? false);
}

function requireProjects(snapshot: Snapshot, { managedProjects }: LiveQuery): void {
  if (managedProjects === undefined || snapshot.managedProjects === 'all') return;
  if (managedProjects === 'all') throw unfit('the snapshot does not contain the settings of every project');
  requireAll('the settings of the projects', snapshot.managedProjects ?? [], managedProjects);
}

function requireAll(what: string, has: readonly string[], needed: readonly string[]): void {
  const known = new Set(has);
  const missing = needed.filter((name) => !known.has(name));
  if (missing.length > 0) throw unfit(`the snapshot does not contain ${what} ${firstNames(missing, 5)}`);
}

const recordAgain =
  'record a new snapshot for this configuration with `attune snapshot --out`; no plan was made';
const everything = 'record a new one with `attune snapshot --everything --out`; no plan was made';
function unfit(message: string, hint = recordAgain): AttuneError {
  return new AttuneError(message, { code: 'bad-snapshot', hint });
}

/** @param check returns how a document violates the published schema */
export function parseSnapshot(
  text: string,
  file: string,
  check: (document: unknown) => readonly string[],
): Snapshot {
  const data = jsonIn(text);
  if (data !== undefined && check(data).length === 0) return data as Snapshot;
  const hint = 'give a complete file that `attune snapshot --out` wrote';
  throw unfit(`${file} is not a snapshot of this version (${format})`, hint);
}
