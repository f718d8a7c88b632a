import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedIds } from '../service/documents.ts';
import { pathTo, type ReadEndpoint } from '../service/endpoints.ts';
import { readList } from '../service/paging.ts';
import { NetworkError, ServiceError } from '../service/service-error.ts';

/** A thing of the service by the id that configurations need and the name that people know. */
export interface NamedId {
  readonly id: string;
  readonly name: string;
}

const endpoints = {
  projects: 'listProjects',
  teams: 'listTeams',
  'ssh-keys': 'listSshKeys',
  'agent-pools': 'listAgentPools',
  'vcs-connections': 'listOauthClients',
} as const satisfies Record<AliasKind, ReadEndpoint>;

/**
 * Reads everything of one kind that an organization has, a page of 100 per request. Names need not be unique among SSH
 * keys, pools and connections. A VCS connection's id is its token's (`ot-...`), which is what `oauth-token-id` takes;
 * one with several tokens comes once per token, and one that was never given a name not at all.
 *
 * @throws {@link NoLookUpError} where the service does not list that kind, or not to this token (403, 404).
 * @throws {@link ServiceError} or {@link NetworkError} on any other read that fails.
 * @example
 * ```ts
 * const [first] = await readNames(client, 'acme', 'vcs-connections');
 * console.log(first); // { id: 'ot-github', name: 'github' }
 * ```
 */
export async function readNames(
  reader: ServiceReader,
  organization: string,
  kind: AliasKind,
): Promise<readonly NamedId[]> {
  const path = pathTo(endpoints[kind], { organization });
  const documents = await readList(reader, { path }).catch((error: unknown) => {
    const isClosed = error instanceof ServiceError && (error.status === 404 || error.status === 403);
    throw isClosed ? new NoLookUpError(kind, error.message, { cause: error }) : error;
  });
  const named = documents.flatMap((document) => {
    const name = nameOf(document, kind, path);
    return name === undefined ? [] : [{ document, name }];
  });
  if (kind !== 'vcs-connections') return named.map(({ document: { id }, name }) => ({ id, name }));
  const connections = await Promise.all(
    named.map(async ({ document, name }) => (await tokensOf(reader, document)).map((id) => ({ id, name }))),
  );
  return connections.flat();
}

/** `undefined` where it has none: a VCS connection needs no name. */
function nameOf({ id, attributes }: ResourceObject, kind: AliasKind, path: string): string | undefined {
  const { name } = attributes;
  if (typeof name === 'string') return name;
  if (name === null || name === undefined) return undefined;
  throw new NetworkError(
    { method: 'GET', path },
    `the response is not usable: the name of the ${aliasKindTable[kind].noun} ${id} is not a string`,
    { hint: 'check that the address is the service itself' },
  );
}

/** The document of a client lists its tokens, or only tells where they are. */
async function tokensOf(reader: ServiceReader, client: ResourceObject): Promise<readonly string[]> {
  const listed = relatedIds(client, 'oauth-tokens');
  if (listed !== undefined) return listed;
  const tokens = await readList(reader, { path: pathTo('listOauthClientTokens', { id: client.id }) });
  return tokens.map(({ id }) => id);
}

/**
 * Nobody tells what there is of a kind: a service without that endpoint, an offering without that feature, a token that
 * may not see it, a snapshot that does not hold it. What is called by its id works all the same.
 *
 * @example
 * ```ts
 * const error = await readNames(client, 'nowhere', 'teams').catch((reason: unknown) => reason);
 * console.log(error instanceof NoLookUpError && error.kind); // teams
 * ```
 */
export class NoLookUpError extends AttuneError {
  override readonly name = 'NoLookUpError';
  override readonly code = 'no-look-up';
  readonly kind: AliasKind;

  constructor(kind: AliasKind, why: string, options: ErrorOptions & { hint?: string } = {}) {
    super(`no ${aliasKindTable[kind].plural} can be looked up by name: ${why}`, options);
    this.kind = kind;
  }
}
