import type { AliasKind } from '../model/alias-kind.ts';
import type { ServiceReader } from '../service/client.ts';
import { countGrants, countWorkspaces } from './count-workspaces.ts';
import type { LiveQuery, LiveScope } from './live-query.ts';
import { type Live, readLive } from './read-live.ts';
import { type NamedId, readNames } from './read-names.ts';
import { liveFromSnapshot, namesFromSnapshot, type Snapshot } from './snapshot.ts';

/** Where the live state comes from: the service, or a snapshot of it. */
export interface LiveSource {
  /** Answers a query, all of it or with an error. */
  read(query: LiveQuery): Promise<Live>;
  /**
   * Everything of one kind.
   *
   * @throws {@link NoLookUpError} where it cannot tell.
   */
  names(organization: string, kind: AliasKind): Promise<readonly NamedId[]>;
  /** Counts the live workspaces in scope, where what was read does not tell. */
  countWorkspaces(organization: string, scope: LiveScope | undefined): Promise<number>;
  /** Counts the grants of a project, by its id. */
  countGrants(project: string): Promise<number>;
}

/**
 * What is live as the service answers it, at the moment it is asked.
 *
 * @example
 * ```ts
 * const source = serviceSource(client);
 * console.log(await source.countWorkspaces('acme', undefined)); // 3
 * ```
 */
export function serviceSource(reader: ServiceReader): LiveSource {
  return {
    read: (query) => readLive(reader, query),
    names: (organization, kind) => readNames(reader, organization, kind),
    countWorkspaces: (organization, scope) => countWorkspaces(reader, organization, scope),
    countGrants: (project) => countGrants(reader, project),
  };
}

/** What is live as a snapshot recorded it. */
export function snapshotSource(snapshot: Snapshot): LiveSource {
  return {
    read: async (query) => liveFromSnapshot(snapshot, query),
    names: async (_, kind) => namesFromSnapshot(snapshot, kind),
    countWorkspaces: async () => snapshot.resources.filter(({ kind }) => kind === 'workspace').length,
    countGrants: async (project) =>
      snapshot.resources.filter(
        ({ kind, attributes }) => kind === 'team-access' && attributes.project === project,
      ).length,
  };
}

/** The same source, which answers a repeated question for the names of a kind from its first answer. */
export function readingNamesOnce(source: LiveSource): LiveSource {
  const answers = new Map<string, Promise<readonly NamedId[]>>();
  return {
    ...source,
    names: (organization, kind) => {
      const key = `${kind} ${organization}`;
      const answer = answers.get(key) ?? source.names(organization, kind);
      answers.set(key, answer);
      return answer;
    },
  };
}
