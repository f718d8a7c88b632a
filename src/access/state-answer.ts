import pLimit from 'p-limit';
import { joinRoots } from '../desired/join-roots.ts';
import { diff } from '../diff/diff.ts';
import { joinQueries, type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { Live, LiveSource } from '../live/read-live.ts';
import { ifListed } from '../live/read-names.ts';
import { sharingSwitchOf } from '../model/attributes.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { AttuneError, DiagnosticsError, hasErrors } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import { membersOf, projectOfMembers } from '../model/plan.ts';
import type { AccessQuestion, AccessResult, StateAccessRow } from '../model/results.ts';
import { isWorkspaceId, kindOfAddress, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { hintAt } from '../model/text.ts';
import { compareTexts, isTexts, withoutUndefined } from '../model/value.ts';
import { readConsumerList } from '../relations/relations.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import { bothNames } from '../resolve/needed-names.ts';
import type { NameUse } from '../resolve/plan-request.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { relatedId } from '../service/documents.ts';
import { isHidden } from '../service/service-error.ts';
import { type Access, accessAround, accessIn, everyone, knownOf, type StateRow, stateRow } from './access.ts';
import { labelsOf } from './row-labels.ts';

interface AccessReader {
  readonly client: ServiceReader;
  readonly source: LiveSource;
  readonly dialect?: Dialect | undefined;
}

export interface Asked {
  readonly question: AccessQuestion;
  readonly declared: boolean;
  readonly organization: string;
  /** All root files of the organization; names are resolved as far as an answer needs them. */
  readonly files: Configuration;
  readonly reader: AccessReader;
  readonly cwd: string;
}

export type Answered = Pick<AccessResult, 'rows' | 'diagnostics'>;

export const declaredHint = 'add --declared for the state after the plan';

interface StateNeed extends Partial<LiveQuery> {
  readonly chosen: (address: string) => boolean;
  /** The live workspaces whose lists of consumers the answer depends on. @default none */
  readonly listsOf?: (workspace: WorkspaceResource) => boolean;
}

interface AskedState {
  readonly live: Live;
  readonly access: Access;
  readonly names: ReadonlyMap<string, string>;
  /** Projects and tags of consumers that only a list shows, by key. */
  readonly homes: ReadonlyMap<string, Home>;
}

type Home = Pick<WorkspaceResource['attributes'], 'project' | 'tags'>;

export async function stateAnswer(asked: Asked): Promise<Answered> {
  const { stateOf, stateFor = '' } = asked.question;
  const { state, pairs } = await (stateOf === undefined
    ? statesFor(stateFor, asked)
    : readersOf(stateOf, asked));
  const rows = rowsOf(pairs, asked, state, {});
  if (!rows.some(({ project }) => project?.startsWith('prj-'))) return { rows, diagnostics: [] };
  const projects = await ifListed(asked.reader.source.names(asked.organization, 'projects'));
  return { rows: rowsOf(pairs, asked, state, { projects: projects ?? [] }), diagnostics: [] };
}

async function readersOf(written: string, asked: Asked) {
  const first = await findCalled(written, asked, { lists: 'own' });
  const more = moreFor(first);
  const { key, row, state } = more ? await findCalled(written, asked, { lists: 'own', ...more }) : first;
  const readers = (row.readers ?? [everyone]).flatMap((reader) => {
    const project = projectOfMembers(reader);
    return project === undefined ? reader : state.access.membersOf(project);
  });
  const others = readers.filter((reader) => reader !== key);
  return { state, pairs: others.map((reader) => ({ row, reader, shown: reader })) };
}

async function statesFor(written: string, asked: Asked) {
  const found = await findCalled(written, asked, { ...allWorkspaces, lists: 'others' });
  const { key: reader, row: own, state } = found;
  const keys = [everyone, reader, membersOf(own.owner.attributes.project ?? '')];
  const shared = [...state.access.states].filter(
    ([key, { readers }]) => key !== reader && keys.some((one) => readers?.includes(one) ?? true),
  );
  return { state, pairs: shared.map(([shown, row]) => ({ row, reader, shown })) };
}

/** @param pairs a state and one of its readers; `*` is every workspace. Which of both is shown depends on the question. */
function rowsOf(
  pairs: readonly { readonly row: StateRow; readonly reader: string; readonly shown: string }[],
  { files, cwd }: Asked,
  { access, live, names, homes }: AskedState,
  known: Parameters<typeof labelsOf>[1],
): readonly StateAccessRow[] {
  const labels = labelsOf(files, { ...known, workspaces: names }, cwd);
  const rows = pairs.map(({ row: { owner, via, source }, reader, shown }): StateAccessRow => {
    const project = access.states.get(shown)?.owner.attributes.project ?? homes.get(shown)?.project;
    const name = labels.workspace(reader);
    const { attributes = homes.get(reader) ?? {} } = access.states.get(reader)?.owner ?? {};
    const by = { keys: [name, reader], workspace: { name, attributes: withoutUndefined(attributes) } };
    return {
      workspace: shown === everyone ? shown : labels.workspace(shown),
      project: shown === everyone ? null : project === undefined ? 'unknown' : labels.project(project),
      via,
      source,
      reason: via === 'unknown' ? whyUnknown(owner, live) : undefined,
      ...labels.sharing(owner.name, source, by),
    };
  });
  return rows.sort((a, b) => compareTexts(a.workspace, b.workspace));
}

function whyUnknown({ id, attributes }: WorkspaceResource, { state }: Live): string {
  const former = resourcesOf(state.resources.values(), 'workspace').find((one) => one.id === id);
  if (sharingSwitchOf(attributes)) return 'the project of the workspace is unknown';
  if (former === undefined) return 'the service decides whether a new workspace shares its state';
  const shared = sharingSwitchOf(former.attributes);
  return shared
    ? `the service does not show the stored list while ${shared} is true`
    : 'the list was not read: this token may not read it, or the service has none';
}

const isOfWorkspaces = (address: string) => kindOfAddress(address) !== 'team-access';
const allWorkspaces = { whole: true, names: [] } as const;

function moreFor({ row, state }: Found): Partial<StateNeed> | undefined {
  const { access, names } = state;
  const { via, owner, readers = [] } = row;
  const { project = '' } = owner.attributes;
  if (via === 'project' && !access.hasMembers(project))
    return { scopes: [{ projects: [project] }], names: [] };
  // Some services return bare identifiers: only the list of all workspaces shows their names.
  return readers.some((key) => isWorkspaceId(key) && !names.has(key)) ? allWorkspaces : undefined;
}

interface Found {
  readonly key: string;
  readonly row: StateRow;
  readonly state: AskedState;
}

interface FindNeed extends Partial<Omit<StateNeed, 'listsOf' | 'chosen'>> {
  readonly lists: 'own' | 'others' | 'none';
}

export async function findCalled(written: string, asked: Asked, how: FindNeed): Promise<Found> {
  const { lists, ...need } = how;
  const { files, declared } = asked;
  const declaring = keptWorkspaces(files).filter(({ name }) => name === written);
  const liveNames = new Set([written, ...(declared ? declaring.flatMap(bothNames) : [])]);
  const isOwn = ({ name, id = '' }: WorkspaceResource) => liveNames.has(name) || id === written;
  const resolved = declared ? { ...asked, files: await withIds(asked, isOfWorkspaces) } : asked;
  const state = await readState(resolved, {
    // A plan can move, rename or delete any workspace.
    ...(declared || isWorkspaceId(written) ? allWorkspaces : { names: [written] }),
    ...need,
    chosen: isOfWorkspaces,
    listsOf: (workspace) => lists !== 'none' && isOwn(workspace) === (lists === 'own'),
  });
  const rows = [...state.access.states];
  const found =
    rows.find(([, { owner }]) => owner.name === written) ??
    (isWorkspaceId(written) ? rows.find(([key]) => key === written) : undefined);
  if (!found) throw noSuchWorkspace(written, asked, state.live);
  return { key: found[0], row: found[1], state };
}

function noSuchWorkspace(written: string, { organization, files }: Asked, live: Live): AttuneError {
  const names = keptWorkspaces(files).map(({ name }) => name);
  const absent = `not in organization ${organization}, or not visible to this token`;
  const [why, hint] = [...live.names].flat().includes(written)
    ? ['the plan deletes or renames it', 'remove --declared for the state before the plan']
    : names.includes(written)
      ? [absent, declaredHint]
      : [absent, hintAt(written, names, 'run `attune workspace list` to see the workspaces')];
  return new AttuneError(`unknown workspace ${written}: ${why}`, { code: 'unknown-name', hint });
}

function keptWorkspaces({ desired }: Configuration): readonly WorkspaceResource[] {
  return resourcesOf(desired.resources.values(), 'workspace').filter(({ declared }) => !declared?.absent);
}

/** Lists are read before the plan is made: the plan decides who is in them, and under which name. */
export async function readState(
  { declared, organization, files, reader }: Asked,
  { chosen, listsOf = () => false, ...need }: StateNeed,
): Promise<AskedState> {
  const { source, client, dialect } = reader;
  const options = { chosen, purpose: 'apply' } as const;
  const wanted = { organization, ...readsNothing, ...need, dialect };
  const query = declared ? joinQueries([wanted, liveQueryOf(files, options)]) : wanted;
  const read = await source.read({ ...query, isHidden });
  const { live, homes } = await withLists(read, listsOf, client);
  if (!declared)
    return { live, access: accessIn(live.state.resources.values(), knownOf(live)), names: live.names, homes };
  const difference = diff(files, live, options);
  // Only the plan of all addresses is applied.
  const problems = difference.diagnostics.filter(({ code }) => code !== 'needs-left-out');
  if (hasErrors(problems)) throw new DiagnosticsError([...files.diagnostics, ...problems]);
  const { after } = accessAround(live, difference);
  const named = [...after.states].map(([key, { owner }]) => [key, owner.name] as const);
  return { live, access: after, names: new Map([...live.names, ...named]), homes };
}

async function withLists(
  live: Live,
  isWanted: (workspace: WorkspaceResource) => boolean,
  client: ServiceReader,
): Promise<Pick<AskedState, 'live' | 'homes'>> {
  const limit = pLimit(50);
  const names = new Map(live.names);
  const homes = new Map<string, Home>();
  const resources = new Map(live.state.resources);
  const readConsumers = async (workspace: WorkspaceResource, id: string) => {
    const read = () => readConsumerList(client, id);
    const consumers = await whereOffered(client, 'remote-state-consumers', read).catch((error: unknown) => {
      if (isHidden(error)) return undefined;
      throw error;
    });
    if (consumers === undefined) return;
    for (const consumer of consumers) {
      const { name, 'tag-names': tags } = consumer.attributes;
      const project = relatedId(consumer, 'project');
      if (typeof name === 'string') names.set(consumer.id, name);
      if (project) homes.set(consumer.id, { project, tags: isTexts(tags) ? tags : [] });
    }
    const list = { 'remote-state-consumers': consumers.map((consumer) => consumer.id) };
    resources.set(workspace.address, { ...workspace, attributes: { ...workspace.attributes, ...list } });
  };
  const unread = resourcesOf(resources.values(), 'workspace').filter((workspace) => {
    const { via, source } = stateRow(workspace);
    // While a switch shares the state, the service lists other workspaces than the stored ones.
    return isWanted(workspace) && via === 'unknown' && source === 'remote-state-consumers';
  });
  await Promise.all(unread.map((workspace) => limit(() => readConsumers(workspace, workspace.id ?? ''))));
  return { live: { ...live, state: { ...live.state, resources }, names }, homes };
}

export async function withIds(
  { files, reader: { source } }: Pick<Asked, 'files' | 'reader'>,
  chosen: StateNeed['chosen'],
  also: readonly NameUse[] = [],
): Promise<Configuration> {
  const resolved = await Promise.all(
    rootsOf(files).map((root) =>
      resolveNames(root, { source, selection: { chosen }, purpose: 'apply', also }),
    ),
  );
  return joinRoots(resolved as [Configuration, ...Configuration[]]);
}
