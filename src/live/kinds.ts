import type { Dialect } from '../model/dialect.ts';
import type {
  GrantResource,
  ProjectResource,
  Resource,
  ResourceKind,
  ResourceOf,
  WorkspaceResource,
} from '../model/state.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { projectsOf, readList } from '../service/paging.ts';
import type { DetailReads } from './detail-reads.ts';
import { grantFromDocument } from './grant-document.ts';
import { detectOverwrites, withoutOverwrites } from './inherited-execution.ts';
import type { LiveQuery } from './live-query.ts';
import { projectFromDocument } from './project-document.ts';
import { readWorkspaces } from './read-workspaces.ts';
import { readDetails } from './workspace-details.ts';
import { workspaceFromDocument } from './workspace-document.ts';

/** How one kind of resource is read. */
interface LiveKind<Item extends Resource> {
  /** Reads the documents that a query needs, with the fewest requests. */
  read(reader: ServiceReader, query: LiveQuery, details: DetailReads): Promise<KindReading<Item>>;
  /** Whether a resource of a snapshot is part of the answer to a query. */
  isAsked(resource: Item, query: LiveQuery): boolean;
}

/** The documents of one kind, before the dialect of the service is known. */
interface KindReading<Item extends Resource> {
  readonly documents: readonly ResourceObject[];
  /** Converts the documents to resources, and reads the values that they do not contain. */
  resources(dialect: Dialect): Promise<LiveResources<Item>>;
}

/** The resources of one kind, and facts about the organization from the same requests. */
interface LiveResources<Item extends Resource> {
  readonly resources: readonly Item[];
  /** Names of workspaces by id. */
  readonly names?: ReadonlyMap<string, string>;
  /** Whether it contains every workspace of the organization. */
  readonly whole?: boolean;
  /** Whether it contains every workspace of the scope. */
  readonly scopeWhole?: boolean;
  readonly workspaceTotal?: number | undefined;
}

const kinds: { readonly [Kind in ResourceKind]: LiveKind<ResourceOf<Kind>> } = {
  project: {
    read: readProjects,
    isAsked: ({ id = '' }, { managedProjects = [] }) =>
      managedProjects === 'all' || managedProjects.includes(id),
  },
  workspace: { read: readWorkspaceKind, isAsked: () => true },
  'team-access': {
    read: readGrants,
    // Grants of undeclared projects are neither compared nor pruned.
    isAsked: ({ attributes }, { projects }) => projects.includes(attributes.project),
  },
};

export function liveKind(kind: ResourceKind): LiveKind<Resource> {
  return kinds[kind];
}

/** One list has the documents of all projects, and the look-up of their names reads the same list. */
async function readProjects(reader: ServiceReader, query: LiveQuery): Promise<KindReading<ProjectResource>> {
  const { managedProjects = [], organization } = query;
  if (managedProjects.length === 0) return { documents: [], resources: async () => ({ resources: [] }) };
  const list = await whereOffered(reader, 'projects', () => readList(reader, projectsOf(organization)));
  const documents = (list ?? []).filter(
    ({ id }) => managedProjects === 'all' || managedProjects.includes(id),
  );
  return { documents, resources: async () => ({ resources: documents.map(projectFromDocument) }) };
}

async function readWorkspaceKind(
  reader: ServiceReader,
  query: LiveQuery,
  details: DetailReads,
): Promise<KindReading<WorkspaceResource>> {
  const isWanted = query.names.length > 0 || query.whole || query.scope !== undefined;
  const reading = isWanted ? await readWorkspaces(reader, query) : undefined;
  const documents = [...(reading?.documents.values() ?? [])];
  return {
    documents,
    async resources(dialect) {
      const returned = documents.map((document) => workspaceFromDocument(document, dialect));
      await detectOverwrites(reader, query.organization, returned);
      const workspaces = reader.capabilities.lacks('setting-overwrites')
        ? returned.map(withoutOverwrites)
        : returned;
      const names = new Map(workspaces.map(({ id = '', name }) => [id, name]));
      const resources = await Promise.all(
        workspaces.map((workspace) => readDetails(details, query, workspace, names)),
      );
      const { whole = false, scopeWhole = false, total } = reading ?? {};
      return { resources, names, whole, scopeWhole, workspaceTotal: total };
    },
  };
}

async function readGrants(
  _reader: ServiceReader,
  query: LiveQuery,
  details: DetailReads,
): Promise<KindReading<GrantResource>> {
  const found = await Promise.all(
    query.projects.map(async (project) => {
      const documents = (await details.grants(project)) ?? [];
      return documents.map((document) => ({ document, project }));
    }),
  );
  const grants = found.flat();
  return {
    documents: grants.map(({ document }) => document),
    resources: async (dialect) => ({
      resources: grants.map(({ document, project }) => grantFromDocument(document, project, dialect)),
    }),
  };
}
