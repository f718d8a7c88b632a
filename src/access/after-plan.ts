import { joinRoots } from '../desired/join-roots.ts';
import { diff } from '../diff/diff.ts';
import { joinQueries, type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import type { AccessQuestion, AccessResult } from '../model/access-result.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { hasErrors } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Resource } from '../model/state.ts';
import { liveQueryOf } from '../resolve/live-query-of.ts';
import { resolveNames } from '../resolve/look-up-names.ts';
import type { NameUse } from '../resolve/plan-request.ts';
import type { ServiceReader } from '../service/client.ts';

/** Where the live state of an organization is read. */
export interface AccessReader {
  readonly client: ServiceReader;
  readonly source: LiveSource;
  readonly address: string;
  readonly dialect?: Dialect | undefined;
}

/** A question with the root files, and where the live state is read. */
export interface Asked {
  readonly question: AccessQuestion;
  readonly declared: boolean;
  readonly organization: string;
  readonly configurations: readonly Configuration[];
  readonly reader: AccessReader;
  /** How the user names an option. */
  readonly named: (option: 'declared' | 'project' | 'team') => string;
  /** The folder that shown paths begin in. */
  readonly cwd: string;
}

export type Answered = Pick<AccessResult, 'rows' | 'diagnostics'>;

/** What to do about something that the files declare and the live state does not have. */
export function notLive({ named }: Pick<Asked, 'named'>): string {
  return `it does not exist, or this token may not see it; add ${named('declared')} for the state after the plan`;
}

/** The part of the state that a question needs, beside declared resources. */
export interface StateNeed extends Partial<LiveQuery> {
  /** The declared addresses that the answer depends on. */
  readonly chosen: (address: string) => boolean;
}

/** The state that answers a question. */
export interface AccessState {
  readonly resources: readonly Resource[];
  /** Names of workspaces by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly live: Live;
}

/** Reads the live state that a question needs. */
export async function liveState(
  organization: string,
  { source, dialect }: AccessReader,
  { chosen: _chosen, ...need }: StateNeed,
): Promise<AccessState> {
  const live = await source.read({
    organization,
    ...readsNothing,
    ...need,
    ...(dialect && { dialect }),
  });
  return { resources: [...live.state.resources.values()], names: live.names, live };
}

/**
 * The state after the plan of configurations with ids.
 *
 * @throws {DiagnosticsError} if they have no plan.
 */
export async function stateAfterPlan(
  configurations: readonly Configuration[],
  reader: AccessReader,
  need: StateNeed,
): Promise<AccessState> {
  const { chosen, ...wanted } = need;
  const options = { chosen, purpose: 'apply' } as const;
  const joined = joinRoots(configurations as [Configuration, ...Configuration[]]);
  const { organization } = joined.desired;
  const query = joinQueries([{ organization, ...readsNothing, ...wanted }, liveQueryOf(joined, options)]);
  const { live } = await liveState(organization, reader, { ...query, chosen });
  const difference = diff(joined, live, options);
  // Only the plan of all addresses is applied.
  const problems = difference.diagnostics.filter(({ code }) => code !== 'needs-left-out');
  if (hasErrors(problems)) throw new DiagnosticsError([...joined.diagnostics, ...problems]);
  const resources = difference.after;
  const named = resources.flatMap(({ kind, id, name }) =>
    kind === 'workspace' && id !== undefined ? [[id, name] as const] : [],
  );
  return { resources, names: new Map([...live.names, ...named]), live };
}

/** Resolves the names in the files that the answer depends on. */
export function withIds(
  configurations: readonly Configuration[],
  { source }: AccessReader,
  chosen: StateNeed['chosen'],
  also: readonly NameUse[] = [],
): Promise<readonly Configuration[]> {
  return Promise.all(
    configurations.map((configuration) =>
      resolveNames(configuration, { source, selection: { chosen }, purpose: 'apply', also }),
    ),
  );
}
