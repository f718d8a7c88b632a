import { AttuneError } from '../model/attune-error.ts';
import type { LiveScope } from '../model/configuration.ts';
import type { Feature } from '../model/dialect.ts';
import { matchesWildcard } from '../model/selector.ts';
import { type Resource, resourcesOf } from '../model/state.ts';
import { separateReadings, separateRelations } from '../relations/relations.ts';
import { type ByMember, type LiveQuery, queryMembers } from './live-query.ts';

interface RecordedWorkspaces {
  readonly scope?: LiveScope | undefined;
  /** The workspaces that were read by name; the snapshot lacks those that did not exist. */
  readonly names: readonly string[];
}

/** What a snapshot contains; for each relation that is read separately, the names of the workspaces. */
export interface Coverage extends ByMember<readonly string[]> {
  readonly projects: readonly string[];
  /** The workspaces that were read. @default every workspace of the organization */
  readonly workspaces?: RecordedWorkspaces | undefined;
  readonly bindings?: boolean | undefined;
  readonly managedProjects?: readonly string[] | 'all' | undefined;
  readonly without?: readonly Feature[] | undefined;
  readonly resources: readonly Resource[];
}

export function recordedWorkspaces({ scopes: [scope] = [], names }: LiveQuery): RecordedWorkspaces {
  return { scope: scope && partsOf(scope), names: [...names].sort() };
}

/** A declared scope has more than the schema of a snapshot allows. */
function partsOf({ projects, tags, names, tagged }: LiveScope): LiveScope {
  return { projects, tags, names, tagged };
}

/** A value that was not read is not an absent value. */
export function requireCovered(snapshot: Coverage, query: LiveQuery): void {
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

export function requireGrants({ without, projects: recorded }: Coverage, projects: readonly string[]): void {
  if (!without?.includes('team-access')) requireAll('the team access of', recorded, projects);
}

export function requireWorkspaces(
  { workspaces: recorded, resources }: Coverage,
  { whole, scopes = [], names }: Pick<LiveQuery, 'whole' | 'scopes' | 'names'>,
): void {
  if (recorded === undefined) return;
  if (whole)
    throw outside(
      'the snapshot contains only the workspaces of a scope, and the plan needs those of the whole organization',
    );
  const { scope: wider } = recorded;
  if (scopes.some((scope) => !(wider && isWithin(scope, wider))))
    throw outside(
      'the snapshot was recorded for another scope and does not contain every workspace of this one',
    );
  const live = new Set(resourcesOf(resources, 'workspace').map(({ name }) => name));
  const unread = names.filter((name) => !live.has(name) && !isRecorded(name, recorded));
  if (unread.length > 0) {
    throw outside(
      `the snapshot contains only the workspaces of its scope, and does not show whether these exist: ${few(unread)}`,
    );
  }
}

function isRecorded(name: string, { scope, names }: RecordedWorkspaces): boolean {
  if (names.includes(name)) return true;
  const { names: patterns, ...others } = scope ?? {};
  const isByName = Object.values(others).every((part) => part === undefined);
  return isByName && (patterns?.some((pattern) => matchesWildcard(pattern, name)) ?? false);
}

function isWithin(scope: LiveScope, wider: LiveScope): boolean {
  const anyOf = (part: 'projects' | 'names') =>
    wider[part] === undefined || (scope[part]?.every((item) => wider[part]?.includes(item)) ?? false);
  return (
    anyOf('projects') &&
    anyOf('names') &&
    (wider.tags ?? []).every((tag) => scope.tags?.includes(tag)) &&
    Object.entries(wider.tagged ?? {}).every(([key, value]) => scope.tagged?.[key] === value)
  );
}

function requireProjects(snapshot: Coverage, { managedProjects }: LiveQuery): void {
  if (managedProjects === undefined || snapshot.managedProjects === 'all') return;
  if (managedProjects === 'all') throw unfit('the snapshot does not contain the settings of every project');
  requireAll('the settings of the projects', snapshot.managedProjects ?? [], managedProjects);
}

function requireAll(what: string, has: readonly string[], needed: readonly string[]): void {
  const known = new Set(has);
  const missing = needed.filter((name) => !known.has(name));
  if (missing.length > 0) throw unfit(`the snapshot does not contain ${what} ${few(missing)}`);
}

function few(names: readonly string[]): string {
  return [...names.slice(0, 5), ...(names.length > 5 ? ['…'] : [])].join(', ');
}

export function unfit(message: string): AttuneError {
  return new AttuneError(message, {
    code: 'bad-snapshot',
    hint: 'record a new snapshot for this configuration with `attune snapshot --out`; no plan was made',
  });
}

function outside(message: string): AttuneError {
  return new AttuneError(message, {
    code: 'bad-snapshot',
    hint: 'record a new snapshot for this configuration, or one of the whole organization with `attune snapshot --everything --out`; no plan was made',
  });
}
