import type { LiveScope } from '../model/configuration.ts';
import type { Dialect } from '../model/dialect.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { compareTexts, isRecord, noneIfEmpty } from '../model/value.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { workspaceFromDocument } from './from-document.ts';
import { including, includingBindings, lockHolder } from './included.ts';
import { inScope, type LiveQuery, readsNothing } from './live-query.ts';
import { readWorkspaces } from './read-workspaces.ts';

/** A selection of workspaces: any of the names, any of the projects, all of the tags. An empty part matches all. */
export interface WorkspaceChoice {
  /** Whole names, and patterns with `*`. */
  readonly names: readonly string[];
  readonly projects: readonly string[];
  readonly tags: readonly string[];
  /** Whether a pattern or a filter selects them, so that the service must be asked which they are. */
  readonly isOpen: boolean;
}

export interface FoundWorkspace {
  readonly resource: WorkspaceResource;
  /**
   * For values that the resource does not contain: timestamps, permissions. It includes its project and the holder of its
   * lock, if the service sent them.
   */
  readonly document: ResourceObject;
  readonly lock: {
    readonly locked: boolean;
    readonly reason?: string | undefined;
    readonly by?: ReturnType<typeof lockHolder>;
  };
  /** Its current run, if `runs` are asked for. */
  readonly run?: ReturnType<typeof currentRunOf>;
}

/**
 * With the fewest requests: by name, by the service's own filters if they support the selection, else the whole list. Whole names
 * that no workspace in these projects with these tags has are `missing`.
 */
export async function findWorkspaces(
  reader: ServiceReader,
  choice: WorkspaceChoice,
  {
    organization,
    dialect,
    bindings = false,
    runs = false,
  }: {
    readonly organization: string;
    /** Taken from the first workspace document if it is not given. */
    readonly dialect?: Dialect | undefined;
    /** Whether key/value tags are needed. If the dialect is unknown, they cost a second read. */
    readonly bindings?: boolean | undefined;
    readonly runs?: boolean | undefined;
  },
) {
  const { names, projects, tags, isOpen } = choice;
  const byName = names.length > 0 && !isOpen;
  const scope: LiveScope = { projects: noneIfEmpty(projects), tags, names: noneIfEmpty(names) };
  const base = { organization, ...readsNothing };
  const query: LiveQuery = byName ? { ...base, names } : { ...base, scopes: [scope] };
  const known = dialect ?? reader.capabilities.dialect();
  const read = async (asking: ServiceReader) => {
    const along = including(asking, 'project', 'locked_by', ...(runs ? ['current_run'] : []));
    const { found } = await readWorkspaces(along, query, (document) => document);
    return [...found.values()].map(({ item }) => item);
  };
  let documents = await read(known === 'terraform' ? includingBindings(reader) : reader);
  // The first documents show the dialect.
  const dialects = documents.map(dialectOf);
  if (known === undefined && bindings && dialects.includes('terraform'))
    documents = await read(includingBindings(reader));
  const workspaces = documents
    .flatMap((document): FoundWorkspace | [] => {
      const spoken = dialect ?? dialectOf(document) ?? 'iac';
      const resource = workspaceFromDocument(document, spoken);
      // The read may return more: a first page, or a whole list that took fewer requests.
      return inScope(scope, resource, spoken)
        ? { resource, document, lock: lockOf(resource, document), run: currentRunOf(document) }
        : [];
    })
    .sort((a, b) => compareTexts(a.resource.name, b.resource.name));
  const found = new Set(workspaces.map(({ resource }) => resource.name));
  return { workspaces, missing: names.filter((name) => !name.includes('*') && !found.has(name)) };
}

function lockOf(
  { attributes: { lock } }: WorkspaceResource,
  document: ResourceObject,
): FoundWorkspace['lock'] {
  const { locked, reason } = isRecord(lock) ? lock : {};
  return {
    locked: locked === true,
    reason: typeof reason === 'string' ? reason : undefined,
    by: locked === true ? lockHolder(document) : undefined,
  };
}

function currentRunOf(
  workspace: ResourceObject,
): { readonly id: string; readonly status: string } | undefined {
  const id = relatedId(workspace, 'current-run');
  const status = id ? workspace.included?.get(id)?.attributes.status : undefined;
  return id && typeof status === 'string' ? { id, status } : undefined;
}
