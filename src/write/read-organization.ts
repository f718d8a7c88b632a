import { readDetails, serviceDetails } from '../live/detail-reads.ts';
import { includingBindings } from '../live/included.ts';
import { liveKind } from '../live/kinds.ts';
import {
  byMember,
  hasProject,
  inScope,
  type LiveQuery,
  queryMembers,
  readsNothing,
  scopesLists,
} from '../live/live-query.ts';
import { remember } from '../live/live-source.ts';
import { type Live, notOfferedNotes, readLive } from '../live/read-live.ts';
import { readObjects } from '../live/read-names.ts';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Feature } from '../model/feature.ts';
import {
  type GrantResource,
  type ProjectResource,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { type SeparateRelation, separateReadings, separateRelations } from '../relations/relations.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import { readPage, workspacesOf } from '../service/paging.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { type NameReading, readNameIndex } from './aliases.ts';
import {
  canChoose,
  isChosenWorkspace,
  type Selection,
  scopeOf,
  takesProjects,
  takesTeamAccess,
} from './selection.ts';

export interface OrganizationQuery {
  readonly organization: string;
  /** Absent if it is unknown. */
  readonly dialect?: Dialect;
  readonly selection: Selection;
  /** The names of a kind, read from the service once. */
  readonly namesOf: NamesOf;
}

export interface OrganizationReading extends NameReading {
  /** The selected workspaces with all details, and the grants of their projects. */
  readonly live: Live;
  /** Ids of SSH keys, agent pools and VCS connections that workspaces have, and that belong to nothing. */
  readonly dead: ReadonlySet<string>;
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
  const scope = scopeOf(selection);
  const looks = canChoose(selection, 'workspace');
  const base = { organization, ...readsNothing, ...(dialect && { dialect }) };
  const listed = await readListed(reader, {
    namesOf,
    query: { ...base, whole: looks && !scope, ...(looks && scope && { scopes: [scope] }) },
  });
  const part = resourcesOf(listed.state.resources.values(), 'workspace').filter(
    (workspace) =>
      isChosenWorkspace(selection, workspace, listed.dialect) &&
      [selection, selection.scope ?? {}].every((scope) => inScope(scope, workspace, listed.dialect)),
  );
  const chosen = part.filter(({ name }) => !selection.known?.has(name));
  const consumers = new Map(listed.names);
  const [workspaces, index] = await Promise.all([
    readRelations(reader, chosen, consumers),
    readNameIndex(namesOf, kindsOf(chosen, selection)),
  ]);
  const isKnown = listed.state.resources.size > 0 || dialect !== undefined;
  const access = await readLive(reader, {
    ...base,
    ...(isKnown && { dialect: listed.dialect }),
    projects: takesTeamAccess(selection) ? grantProjects(part, selection, index) : [],
  });
  const grants = resourcesOf(access.state.resources.values(), 'team-access');
  const found = grants.length > 0 ? access : listed;
  const managed = await readManaged(reader, { index, selection, organization, isKnown, live: found });
  const isInherited = managed.some(({ attributes }) => typeof attributes['default-agent-pool'] === 'string');
  const later = await readNameIndex(namesOf, [
    ...(grants.length > 0 ? (['teams'] as const) : []),
    ...(isInherited && !index.names.has('agent-pools') ? (['agent-pools'] as const) : []),
  ]);
  return {
    live: joinedLive(reader, { found, managed, workspaces, grants, selection, names: consumers }),
    names: new Map([...index.names, ...later.names]),
    dead: await deadIds(reader, organization, chosen, index),
    unlisted: [...index.unlisted, ...later.unlisted],
  };
}

interface Parts {
  /** The last reading. */
  readonly found: Live;
  readonly managed: readonly ProjectResource[];
  readonly workspaces: readonly WorkspaceResource[];
  readonly grants: readonly GrantResource[];
  readonly selection: Selection;
  readonly names: Live['names'];
}

/** All that was read as one live state. */
function joinedLive(
  reader: ServiceReader,
  { found, managed, workspaces, grants, selection, names }: Parts,
): Live {
  const resources = [...managed, ...workspaces, ...grants].map((resource): [string, Resource] => [
    resource.address,
    resource,
  ]);
  const wanted = { wantsGrants: takesTeamAccess(selection), dialect: found.dialect };
  return {
    ...found,
    ...(managed.length > 0 && { dialect: 'terraform' }),
    missing: reader.capabilities.missing(),
    diagnostics: [
      ...found.diagnostics.filter(({ code }) => code !== 'not-offered'),
      ...notOfferedNotes(leftOut(reader, workspaces, wanted), reader.capabilities),
    ],
    state: { organization: found.state.organization, resources: new Map(resources) },
    names,
  };
}

/**
 * Lists the workspaces, in the terraform dialect with their key/value tags. If the dialect is not known yet, the list of
 * projects implies it, or the first page shows it: the interface document refuses an `include` that it does
 * not know (section 4.8).
 */
async function readListed(
  reader: ServiceReader,
  { namesOf, query }: Pick<OrganizationQuery, 'namesOf'> & { readonly query: LiveQuery },
): Promise<Live> {
  const looks = query.whole || query.scopes !== undefined;
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
  const dialect = query.dialect ?? (looks ? await find() : undefined);
  return readLive(remembering, { ...query, bindings: dialect === 'terraform' });
}

/** The projects, from the list that has their names. Only the terraform dialect has endpoints that write them. */
async function readManaged(
  reader: ServiceReader,
  query: {
    readonly index: NameReading;
    readonly selection: Selection;
    readonly organization: string;
    /** Whether the dialect is known from a document. */
    readonly isKnown: boolean;
    readonly live: Live;
  },
): Promise<readonly ProjectResource[]> {
  const { index, selection, organization, isKnown, live } = query;
  const dialect = isKnown ? live.dialect : (reader.capabilities.dialect() ?? live.dialect);
  const isListed = (index.names.get('projects')?.size ?? 0) > 0;
  if (dialect !== 'terraform' || !isListed || !takesProjects(selection)) return [];
  const wanted = { organization, ...readsNothing, managedProjects: 'all' } as const;
  const details = serviceDetails(reader);
  const reading = await liveKind('project').read(includingBindings(reader), wanted, details);
  const { resources } = await reading.resources(dialect);
  return resourcesOf(resources, 'project').filter(({ id }) => hasProject(selection.scope ?? {}, id));
}

/** The features that an import reads and the service lacks. */
function leftOut(
  { capabilities }: ServiceReader,
  workspaces: readonly Resource[],
  { wantsGrants, dialect }: { readonly wantsGrants: boolean; readonly dialect: Dialect },
): readonly Feature[] {
  const wanted: readonly Feature[] = [
    ...(workspaces.length > 0 ? separateRelations : []),
    ...(workspaces.length > 0 && dialect === 'terraform' ? (['tag-bindings'] as const) : []),
    ...(wantsGrants ? (['team-access'] as const) : []),
  ];
  return capabilities.missing().filter((feature) => wanted.includes(feature));
}

function readRelations(
  reader: ServiceReader,
  workspaces: readonly WorkspaceResource[],
  names: Map<string, string>,
): Promise<readonly WorkspaceResource[]> {
  const holders = byMember((path) => new Set(mayHold(path, workspaces)));
  const isWanted = (path: SeparateRelation, workspace: WorkspaceResource) =>
    holders[queryMembers[path]].has(workspace);
  return readDetails(serviceDetails(reader), isWanted, workspaces, names);
}

/** Many services show in the documents which workspaces have a value; others show it only for each workspace. */
function mayHold(
  path: SeparateRelation,
  workspaces: readonly WorkspaceResource[],
): readonly WorkspaceResource[] {
  const isHeld = ({ attributes }: WorkspaceResource) => separateReadings[path].isHeld?.(attributes);
  return workspaces.every((workspace) => isHeld(workspace) === undefined)
    ? workspaces
    : workspaces.filter(isHeld);
}

const paths: Readonly<Record<Exclude<AliasKind, 'teams'>, string>> = {
  projects: 'project',
  'ssh-keys': 'ssh-key',
  'agent-pools': 'agent-pool-id',
  'vcs-connections': 'vcs-repo.oauth-token-id',
};

/** The service keeps the id of a VCS connection that was deleted. A kind that it does not list has no dead ids. */
async function deadIds(
  reader: ServiceReader,
  organization: string,
  workspaces: readonly WorkspaceResource[],
  { names, unlisted }: NameReading,
): Promise<ReadonlySet<string>> {
  const kinds = (['ssh-keys', 'agent-pools', 'vcs-connections'] as const).filter(
    (kind) => names.has(kind) && !unlisted.includes(kind),
  );
  const dead = await Promise.all(
    kinds.map(async (kind) => {
      const ids = workspaces.flatMap(({ attributes }) => {
        const id = attributes[paths[kind]];
        return typeof id === 'string' && !names.get(kind)?.has(id) ? id : [];
      });
      if (kind !== 'vcs-connections' || ids.length === 0) return ids;
      // A connection can be without a name.
      const known = new Set((await readObjects(reader, organization, kind)).map(({ id }) => id));
      return ids.filter((id) => !known.has(id));
    }),
  );
  return new Set(dead.flat());
}

/** The kinds of alias that the selected workspaces need. */
function kindsOf(workspaces: readonly WorkspaceResource[], selection: Selection): AliasKind[] {
  const isUsed = (kind: AliasKind) =>
    kind !== 'teams' && workspaces.some(({ attributes }) => typeof attributes[paths[kind]] === 'string');
  const isWanted = takesTeamAccess(selection) || takesProjects(selection);
  return aliasKinds.filter((kind) => isUsed(kind) || (kind === 'projects' && isWanted));
}

/** Projects without workspaces have team access, too; it is read if all projects are selected. */
function grantProjects(
  workspaces: readonly WorkspaceResource[],
  { projects, scope = {} }: Selection,
  { names }: NameReading,
): readonly string[] {
  if (projects) return projects.filter((project) => hasProject(scope, project));
  const used = workspaces.flatMap(({ attributes }) =>
    typeof attributes.project === 'string' ? [attributes.project] : [],
  );
  const all = new Set([...used, ...(names.get('projects')?.keys() ?? [])]);
  return [...all].filter((project) => hasProject(scope, project)).sort();
}
