import pLimit from 'p-limit';
import { ifListed } from '../live/read-names.ts';
import type { StateAccessRow } from '../model/access-result.ts';
import { AttuneError } from '../model/attune-error.ts';
import {
  isWorkspaceId,
  kindOfAddress,
  resourcesOf,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { hintAt } from '../model/text.ts';
import { listTexts } from '../model/value.ts';
import { readConsumerList } from '../relations/relations.ts';
import { consumerRefs } from '../resolve/live-query-of.ts';
import { workspacesLike } from '../resolve/similar-names.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { isNotFound, ServiceError } from '../service/service-error.ts';
import { readersOfState, sharingSourceOf, statesReadBy } from './access-rows.ts';
import {
  type AccessReader,
  type AccessState,
  type Answered,
  type Asked,
  liveState,
  notLive,
  type StateNeed,
  stateAfterPlan,
  withIds,
} from './after-plan.ts';
import { labelsOf } from './row-labels.ts';

const isOfWorkspaces = (address: string) => kindOfAddress(address) !== 'team-access';

/** Who can read the state of a workspace, or whose state it can read. */
export async function stateAnswer(asked: Asked): Promise<Answered> {
  const { stateOf, stateFor = '' } = asked.question;
  const rows = await (stateOf === undefined ? statesFor(stateFor, asked) : readersOf(stateOf, asked));
  return { rows, diagnostics: [] };
}

async function readersOf(name: string, asked: Asked): Promise<readonly StateAccessRow[]> {
  const found = await findWorkspaceCalled(name, asked);
  const { workspace } = found;
  const { project } = workspace.attributes;
  const isInProject = sharingSourceOf(workspace) === 'project-remote-state' && project !== undefined;
  // A plan can move any workspace into the project.
  const all: StateNeed = { chosen: isOfWorkspaces, whole: true };
  const ofProject = asked.declared
    ? all
    : { chosen: isOfWorkspaces, scopes: [{ projects: [project ?? ''] }] };
  const lists = await withLists([workspace], asked.reader);
  const need = isInProject ? ofProject : isUnnamed(lists, found.state) && all;
  const state = need ? await stateOf(asked, need) : found.state;
  return answered(asked, { state, lists }, (input) =>
    readersOfState(lists.workspaces[0] ?? workspace, input),
  );
}

async function statesFor(name: string, asked: Asked): Promise<readonly StateAccessRow[]> {
  const state = await stateOf(asked, { chosen: isOfWorkspaces, whole: true });
  const workspaces = resourcesOf(state.resources, 'workspace');
  const workspace = calledIn(workspaces, name);
  if (!workspace) throw await noSuchWorkspace(name, asked);
  const lists = await withLists(
    workspaces.filter((one) => one !== workspace),
    asked.reader,
  );
  return answered(asked, { state, lists }, (input) =>
    statesReadBy(workspace, { ...input, workspaces: lists.workspaces }),
  );
}

/** Whether a list has a consumer without a name: some services return bare identifiers. */
function isUnnamed({ workspaces, names }: ReadLists, state: AccessState): boolean {
  return workspaces
    .flatMap(({ attributes }) => listTexts(attributes['remote-state-consumers']))
    .some((id) => isWorkspaceId(id) && !names.has(id) && !state.names.has(id));
}

interface ReadLists {
  /** With their lists, as far as they can be read. */
  readonly workspaces: readonly WorkspaceResource[];
  /** Names and projects of consumers, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly homes: ReadonlyMap<string, string>;
}

async function answered(
  { reader, organization, configurations, cwd }: Asked,
  { state, lists }: { readonly state: AccessState; readonly lists: ReadLists },
  rowsOf: (input: Parameters<typeof readersOfState>[1]) => readonly StateAccessRow[],
): Promise<readonly StateAccessRow[]> {
  const workspaces = new Map([...state.names, ...lists.names]);
  const { homes } = lists;
  const inputOf = (known: Parameters<typeof labelsOf>[1]) => ({
    workspaces: resourcesOf(state.resources, 'workspace'),
    homes,
    labels: labelsOf(configurations, { ...known, workspaces }, cwd),
  });
  const rows = rowsOf(inputOf({}));
  if (!rows.some(({ project }) => project?.startsWith('prj-'))) return rows;
  const projects = await ifListed(reader.source.names(organization, 'projects'));
  return rowsOf(inputOf({ projects: projects ?? [] }));
}

/** Reads the lists of consumers that count and were not read yet. */
async function withLists(
  workspaces: readonly WorkspaceResource[],
  { client }: AccessReader,
): Promise<ReadLists> {
  const limit = pLimit(50);
  const names = new Map<string, string>();
  const homes = new Map<string, string>();
  const read = await Promise.all(
    workspaces.map(async (workspace) => {
      const { id, attributes } = workspace;
      const isRead = attributes['remote-state-consumers'] !== undefined;
      if (isRead || id === undefined || sharingSourceOf(workspace) !== 'remote-state-consumers')
        return workspace;
      const consumers = await limit(() => readConsumers(client, id));
      for (const { id: consumer, name, project } of consumers ?? []) {
        if (name !== undefined) names.set(consumer, name);
        if (project !== undefined) homes.set(consumer, project);
      }
      if (!consumers) return workspace;
      return {
        ...workspace,
        attributes: { ...attributes, 'remote-state-consumers': consumers.map((one) => one.id) },
      };
    }),
  );
  return { workspaces: read, names, homes };
}

async function stateOf(
  { declared, organization, configurations, reader }: Asked,
  need: StateNeed,
): Promise<AccessState> {
  if (!declared) return liveState(organization, reader, need);
  return stateAfterPlan(await withIds(configurations, reader, need.chosen), reader, need);
}

/** A workspace by its name or id, live or after the plan. */
export async function findWorkspaceCalled(
  written: string,
  asked: Asked,
): Promise<{ readonly workspace: WorkspaceResource; readonly state: AccessState }> {
  const state = await stateOf(asked, {
    chosen: choiceFor(written, asked.configurations),
    ...(isWorkspaceId(written) ? { whole: true } : { names: [written] }),
  });
  const workspace = calledIn(resourcesOf(state.resources, 'workspace'), written);
  if (workspace) return { workspace, state };
  throw await noSuchWorkspace(written, asked);
}

/** A workspace, with the workspaces and the project that it names: the plan may create them. Selectors can mean any workspace. */
function choiceFor(written: string, configurations: Asked['configurations']): StateNeed['chosen'] {
  const refs = keptWorkspaces(configurations)
    .filter(({ name }) => name === written)
    .flatMap(consumerRefs);
  const names = refs.filter((ref) => typeof ref === 'string');
  if (names.length < refs.length || isWorkspaceId(written)) return isOfWorkspaces;
  const addresses = new Set([written, ...names].map(workspaceAddress));
  return (address) => addresses.has(address) || kindOfAddress(address) === 'project';
}

function calledIn(workspaces: readonly WorkspaceResource[], written: string): WorkspaceResource | undefined {
  return (
    workspaces.find(({ name }) => name === written) ??
    (isWorkspaceId(written) ? workspaces.find(({ id }) => id === written) : undefined)
  );
}

async function noSuchWorkspace(
  written: string,
  { declared, named, organization, configurations, reader: { source, dialect } }: Asked,
): Promise<AttuneError> {
  if (!declared && keptWorkspaces(configurations).some(({ name }) => name === written))
    return new AttuneError(`workspace ${written} is declared, but not in organization ${organization}`, {
      code: 'unknown-name',
      hint: notLive({ named }),
    });
  const live = await workspacesLike([written], source, { organization, ...(dialect && { dialect }) });
  const known = new Set([...keptWorkspaces(configurations).map(({ name }) => name), ...live]);
  return new AttuneError(
    `unknown workspace ${written}: not in organization ${organization}, or not visible to this token`,
    {
      code: 'unknown-name',
      hint: hintAt(written, known, 'run `attune workspace list` to see the workspaces'),
    },
  );
}

function keptWorkspaces(configurations: Asked['configurations']): readonly WorkspaceResource[] {
  return configurations.flatMap(({ desired }) =>
    resourcesOf(desired.resources.values(), 'workspace').filter(({ declared }) => !declared?.absent),
  );
}

/** Whether an error means that the token may not see something. */
export function isHidden(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 403 || isNotFound(error));
}

interface ListedConsumer {
  readonly id: string;
  readonly name?: string;
  /** The id of its project. */
  readonly project?: string;
}

/** The consumers in the list of a workspace, by its id; undefined if they cannot be read. */
async function readConsumers(
  client: ServiceReader,
  workspace: string,
): Promise<readonly ListedConsumer[] | undefined> {
  try {
    const list = await whereOffered(client, 'remote-state-consumers', () =>
      readConsumerList(client, workspace),
    );
    return list?.map(consumerOf);
  } catch (error) {
    if (isHidden(error)) return undefined;
    throw error;
  }
}

function consumerOf(document: ResourceObject): ListedConsumer {
  const { id, attributes } = document;
  const project = relatedId(document, 'project');
  return {
    id,
    ...(typeof attributes.name === 'string' && { name: attributes.name }),
    ...(typeof project === 'string' && { project }),
  };
}
