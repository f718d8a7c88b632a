import { readDetails, serviceDetails } from '../live/detail-reads.ts';
import { useTokenThatReadsAccess } from '../live/kinds.ts';
import { hasProject, inScope, type LiveQuery, readsNothing, scopesLists } from '../live/live-query.ts';
import { type Live, notOfferedNotes, readLive, remember } from '../live/read-live.ts';
import { ifListed } from '../live/read-names.ts';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import type { LiveScope } from '../model/configuration.ts';
import { selectorIn } from '../model/declared-selector.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import { matchesAddress, matchesSelector, type Selector } from '../model/selector.ts';
import {
  canMatchKind,
  kindOfAddress,
  nameOfAddress,
  type Resource,
  type ResourceKind,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { type SeparateRelation, separateReadings, separateRelations } from '../relations/relations.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import { readPage, workspacesOf } from '../service/paging.ts';
import { hidesEntries } from '../service/service-error.ts';
import { dialectOf } from '../service/wire-codec.ts';

export interface Selection extends LiveScope {
  /** Globs of addresses, with aliases for projects and teams that have one. */
  readonly only?: readonly string[] | undefined;
  /** The selectors among the patterns of `only`, with ids of projects. They match live values. */
  readonly selectors?: readonly Selector[];
  /** Grants beside those of `only`, as their addresses by id: the import can give a team an alias. */
  readonly grants?: ReadonlySet<string>;
  /** Names of declared workspaces, of which nothing is read. */
  readonly known?: ReadonlySet<string>;
  /** The scope of the files that an import adds to: resources outside of it belong to other configurations. */
  readonly scope?: LiveScope | undefined;
}

interface OrganizationQuery {
  readonly organization: string;
  readonly dialect?: Dialect | undefined;
  readonly selection: Selection;
  readonly namesOf: NamesOf;
}

export interface OrganizationReading {
  readonly live: Live;
  readonly names: NameIndex;
}

/**
 * Reads a part of an organization: the workspaces by one list, filtered if the service can; then the details of each
 * that its document does not contain. No document shows whether a workspace has consumers, so every list is read,
 * except for workspaces that share their state with all.
 *
 * @throws {ServiceError | NetworkError} on any read that fails.
 */
export async function readOrganization(
  reader: ServiceReader,
  { organization, dialect, selection, namesOf }: OrganizationQuery,
): Promise<OrganizationReading> {
  const { capabilities } = reader;
  const { selectors = [] } = selection;
  const scope = scopeOf(selection);
  const looks = canChoose(selection, 'workspace');
  const base = { organization, ...readsNothing, dialect };
  const scopes = looks && scope ? { scopes: [scope] } : { whole: looks };
  const listed = await readListed(reader, namesOf, { ...base, ...scopes });
  const part = resourcesOf(listed.state.resources.values(), 'workspace').filter(
    (workspace) =>
      (isNamed(selection, workspace.address) ||
        selectors.some((selector) => matchesSelector(selector, workspace, listed.dialect))) &&
      [selection, selection.scope ?? {}].every((one) => inScope(one, workspace, listed.dialect)),
  );
  const chosen = part.filter(({ name }) => !selection.known?.has(name));
  const names = new Map(listed.names);
  const [workspaces, index] = await Promise.all([
    readRelations(reader, chosen, names),
    readNameIndex(namesOf, kindsOf(chosen, selection)),
  ]);
  const isKnown = listed.state.resources.size > 0 || dialect !== undefined;
  const isTerraform = (isKnown ? listed.dialect : capabilities.dialect()) === 'terraform';
  const isListed = (index.get('projects')?.size ?? 0) > 0;
  // Only this dialect has endpoints that write projects. They are in the list that has their names.
  const managesProjects = isTerraform && isListed && takes(selection, 'project');
  const projects = takes(selection, 'team-access') ? grantProjects(part, selection, index) : [];
  const query = {
    ...base,
    dialect: isKnown ? listed.dialect : undefined,
    // As the list of projects was read for their names, so that it is read once.
    bindings: dialect !== 'iac',
    managedProjects: managesProjects ? 'all' : [],
    projects,
    isHidden: hidesEntries,
  } as const;
  const access = await readLive(reader, query);
  const others = [...access.state.resources.values()].filter(
    ({ kind, id }) => kind !== 'project' || ownsProject(selection.scope ?? {}, id),
  );
  const hasPools = others.some(({ attributes }) => typeof attributes['default-agent-pool'] === 'string');
  const hasGrants = others.some(({ kind }) => kind === 'team-access');
  const laterKinds = (['teams', 'agent-pools'] as const).filter((kind) =>
    kind === 'teams' ? hasGrants : hasPools && !index.has(kind),
  );
  const later = await readNameIndex(namesOf, laterKinds);
  const found = others.length > 0 ? access : listed;
  const relations: readonly Feature[] = isTerraform
    ? [...separateRelations, 'tag-bindings']
    : separateRelations;
  const lacking = capabilities
    .missing()
    .filter((feature) =>
      feature === 'team-access'
        ? takes(selection, feature)
        : workspaces.length > 0 && relations.includes(feature),
    );
  const leftOut = lacking.includes('team-access') ? [] : leftOutAccess(projects, access, index);
  const resources = [...others, ...workspaces].map((one): [string, Resource] => [one.address, one]);
  return {
    live: {
      ...found,
      names,
      missing: capabilities.missing(),
      state: { organization, resources: new Map(resources) },
      diagnostics: [
        ...found.diagnostics.filter(({ code }) => code !== 'not-offered'),
        ...notOfferedNotes(lacking, capabilities),
        ...leftOut,
      ],
    },
    names: new Map([...index, ...later]),
  };
}

/** A scope of tags or names owns workspaces in projects that are those of others. */
function ownsProject(scope: LiveScope, project: string | undefined): boolean {
  return hasProject(scope, project) && !scope.tags && (scope.names ?? []).every((name) => name === '*');
}

function leftOutAccess(asked: readonly string[], { projects }: Live, names: NameIndex): Diagnostic[] {
  const hidden = asked
    .filter((id) => !projects.includes(id))
    .map((id) => names.get('projects')?.get(id) ?? id);
  if (hidden.length === 0) return [];
  const message = `the team access of ${hidden.join(', ')} is left out: this token may not read it`;
  return [note('access-unread', message, { hint: useTokenThatReadsAccess })];
}

/** By kind and id; without the kinds that the service does not list. */
type NameIndex = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

async function readNameIndex(namesOf: NamesOf, kinds: readonly AliasKind[]): Promise<NameIndex> {
  const entries = kinds.map(async (kind) => {
    const named = await ifListed(namesOf(kind));
    return named ? [[kind, new Map(named.map(({ id, name }) => [id, name]))] as const] : [];
  });
  return new Map((await Promise.all(entries)).flat());
}

/**
 * Lists the workspaces, in the terraform dialect with their key/value tags. If the dialect is not known yet, the list of
 * projects implies it, or the first page shows it: the interface document refuses an `include` that it does
 * not know (section 4.8).
 */
async function readListed(reader: ServiceReader, namesOf: NamesOf, query: LiveQuery): Promise<Live> {
  const isFirst = (path: string, page: Query = {}) =>
    path.endsWith('/workspaces') && page.include === undefined && page['page[number]'] === undefined;
  const remembering = remember(reader, isFirst);
  const find = async () => {
    await readNameIndex(namesOf, ['projects']);
    const implied = reader.capabilities.dialect();
    if (implied) return implied;
    const all = workspacesOf(query.organization);
    const lists = query.scopes && scopesLists(query.scopes, all.path);
    const [first] = (await readPage(remembering, lists?.length === 1 && lists[0] ? lists[0] : all)).items;
    return first && dialectOf(first);
  };
  const looks = query.whole || query.scopes !== undefined;
  const dialect = query.dialect ?? (looks ? await find() : undefined);
  return readLive(remembering, { ...query, bindings: dialect === 'terraform' });
}

/** Many services show in the documents which workspaces have a value; others show it only for each workspace. */
function readRelations(
  reader: ServiceReader,
  workspaces: readonly WorkspaceResource[],
  names: Map<string, string>,
): Promise<readonly WorkspaceResource[]> {
  const isHeld = (path: SeparateRelation, { attributes }: WorkspaceResource) =>
    separateReadings[path].isHeld?.(attributes);
  const hidden = new Set(
    separateRelations.filter((path) => workspaces.every((one) => isHeld(path, one) === undefined)),
  );
  const isWanted = (path: SeparateRelation, workspace: WorkspaceResource) =>
    hidden.has(path) || isHeld(path, workspace) === true;
  return readDetails(serviceDetails(reader), isWanted, workspaces, names);
}

function idsIn(workspaces: readonly WorkspaceResource[], kind: AliasKind): readonly string[] {
  const paths = Object.keys(referencePaths).filter((path) => referencePaths[path] === kind);
  return workspaces.flatMap(({ attributes }) =>
    paths.flatMap((path) => (typeof attributes[path] === 'string' ? [String(attributes[path])] : [])),
  );
}

function kindsOf(workspaces: readonly WorkspaceResource[], selection: Selection): AliasKind[] {
  const isWanted = takes(selection, 'team-access') || takes(selection, 'project');
  return aliasKinds.filter((kind) => (kind === 'projects' && isWanted) || idsIn(workspaces, kind).length > 0);
}

function grantProjects(
  workspaces: readonly WorkspaceResource[],
  { projects, scope = {} }: Selection,
  names: NameIndex,
): readonly string[] {
  const all = new Set([...idsIn(workspaces, 'projects'), ...(names.get('projects')?.keys() ?? [])]);
  return (projects ?? [...all].sort()).filter((project) => hasProject(scope, project));
}

function isNamed({ only = [] }: Selection, address: string): boolean {
  return only.length === 0 || only.some((pattern) => matchesAddress(pattern, address));
}

/** Whether the address of a project or of its team access is selected, or the project itself. */
export function isChosen(selection: Selection, address: string, project: string): boolean {
  const { selectors = [] } = selection;
  return (
    isNamed(selection, address) ||
    selectors.some((selector) => isOfProjects(selector) && [selector.project ?? []].flat().includes(project))
  );
}

function isOfProjects({ project, ...others }: Selector): boolean {
  return project !== undefined && Object.keys(others).length === 0;
}

function canChoose({ only = [], selectors = [] }: Selection, kind: ResourceKind): boolean {
  if (only.length === 0) return true;
  const isSelected = kind === 'workspace' ? selectors.length > 0 : selectors.some(isOfProjects);
  const patterns = only.filter((pattern) => selectorIn(pattern) === undefined);
  return isSelected || patterns.some((pattern) => canMatchKind(pattern, kind));
}

/** Team access belongs to projects: a selection of single workspaces excludes both. */
function takes(selection: Selection, kind: 'project' | 'team-access'): boolean {
  return !selection.tags && !selection.names && canChoose(selection, kind);
}

/**
 * The part of a selection that the service's own filters support. `--only` is used if it selects workspaces only, and
 * no other filter does.
 */
function scopeOf({ projects, tags, names, only = [], scope }: Selection): LiveScope | undefined {
  const chosen =
    only.length > 0 && only.every((pattern) => kindOfAddress(pattern) === 'workspace')
      ? // The service's filter supports `*` only; a pattern for all workspaces needs no filter.
        only.map(nameOfAddress).filter((pattern) => pattern !== '*' && !pattern.includes('?'))
      : [];
  const wanted = names ?? (chosen.length === only.length && chosen.length > 0 ? chosen : undefined);
  if (!projects && !tags && !wanted) return scope;
  return { projects, tags, names: wanted };
}
