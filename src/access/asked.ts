import pLimit from 'p-limit';
import { joinRoots } from '../desired/join-roots.ts';
import { diff } from '../diff/diff.ts';
import { joinQueries, type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { Live, LiveSource } from '../live/read-live.ts';
import { type Configuration, rootsOf } from '../model/configuration.ts';
import { DiagnosticsError, hasErrors } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { AccessQuestion, AccessResult } from '../model/results.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { isTexts } from '../model/value.ts';
import { readConsumerList } from '../relations/relations.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import type { NameUse } from '../resolve/plan-request.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { relatedId } from '../service/documents.ts';
import { isHidden } from '../service/service-error.ts';
import { type Access, accessAround, accessIn, knownOf, stateRow } from './access.ts';

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

export interface StateNeed extends Partial<LiveQuery> {
  readonly chosen: (address: string) => boolean;
  /** The live workspaces whose lists of consumers the answer depends on. @default none */
  readonly listsOf?: (workspace: WorkspaceResource) => boolean;
}

export interface AskedState {
  readonly live: Live;
  readonly access: Access;
  readonly names: ReadonlyMap<string, string>;
  /** Projects and tags of consumers that only a list shows, by key. */
  readonly homes: ReadonlyMap<string, Home>;
}

type Home = Pick<WorkspaceResource['attributes'], 'project' | 'tags'>;

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
