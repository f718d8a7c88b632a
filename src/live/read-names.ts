import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { isMissingEndpoint } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { deniedPermissions, type ResourceObject, relatedIds } from '../service/documents.ts';
import { pathTo, type ReadEndpoint } from '../service/endpoints.ts';
import { readList, readPage, unusable, workspacesOf } from '../service/paging.ts';
import { isHidden, isNotFound } from '../service/service-error.ts';

/** The id of an object of the service, and its name. */
export interface NamedId {
  readonly id: string;
  readonly name: string;
}

/** An object that the service lists. A VCS connection can be without a name. */
export interface ListedObject {
  readonly id: string;
  readonly name?: string | undefined;
  /** What the token may not do with it, such as `can-update`. */
  readonly denied: readonly string[];
}

const endpoints = {
  projects: 'listProjects',
  teams: 'listTeams',
  'ssh-keys': 'listSshKeys',
  'agent-pools': 'listAgentPools',
  'vcs-connections': 'listOauthClients',
} as const satisfies Record<AliasKind, ReadEndpoint>;

/**
 * Reads all names of one kind in an organization, in pages of 100. Names need not be unique among SSH keys, pools and
 * connections. The id of a VCS connection is that of its token (`ot-...`), which is the value of `oauth-token-id`; a
 * connection with several tokens is listed once per token, and one without a name is omitted.
 *
 * @throws {@link NoLookUpError} if the service does not list that kind, or not to this token (403, 404).
 * @throws {@link ServiceError} or {@link NetworkError} on any other read that fails, and if the organization is not found.
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
  const objects = await readObjects(reader, organization, kind, ({ name }) => name !== undefined);
  return objects.flatMap(({ id, name }) => (name === undefined ? [] : { id, name }));
}

/** @param isWanted whether the tokens of a VCS connection are needed, which can take a request */
export async function readObjects(
  reader: ServiceReader,
  organization: string,
  kind: AliasKind,
  isWanted: (object: ListedObject) => boolean = () => true,
): Promise<readonly ListedObject[]> {
  const path = pathTo(endpoints[kind], { organization });
  const documents = await readList(reader, { path }).catch(async (error: unknown) => {
    // An organization that is not found hides every list. That of its workspaces is readable to each member.
    if (isNotFound(error)) await readPage(reader, workspacesOf(organization), 1, 1);
    const isClosed = isMissingEndpoint(error) || isHidden(error);
    throw isClosed ? new NoLookUpError(kind, error.message, { cause: error }) : error;
  });
  const listed = documents.map((document) => {
    const name = nameOf(document, kind, path);
    return { document, object: { id: document.id, name, denied: deniedPermissions(document) } };
  });
  const wanted = listed.filter(({ object }) => isWanted(object));
  if (kind !== 'vcs-connections') return wanted.map(({ object }) => object);
  const connections = await Promise.all(
    wanted.map(async ({ document, object }) =>
      (await tokensOf(reader, document)).map((id) => ({ ...object, id })),
    ),
  );
  return connections.flat();
}

/** `undefined` for a VCS connection without a name, which is optional. */
function nameOf({ id, attributes }: ResourceObject, kind: AliasKind, path: string): string | undefined {
  const { name } = attributes;
  if (typeof name === 'string') return name;
  if (name === null || name === undefined) return undefined;
  throw unusable(path, `the name of the ${aliasKindTable[kind].noun} ${id} is not a string`);
}

/** The document of a client lists its tokens, or only has a link to them. */
async function tokensOf(reader: ServiceReader, client: ResourceObject): Promise<readonly string[]> {
  const listed = relatedIds(client, 'oauth-tokens');
  if (listed !== undefined) return listed;
  const tokens = await readList(reader, { path: pathTo('listOauthClientTokens', { id: client.id }) });
  return tokens.map(({ id }) => id);
}

/**
 * A kind cannot be listed: the service lacks the endpoint, the offering lacks the feature, the token may not see it, or
 * the snapshot does not contain it. References by id work without it.
 *
 * @example
 * ```ts
 * const error = new NoLookUpError('teams', 'the token may not read them');
 * console.log(error.message); // no teams can be looked up by name: the token may not read them
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

export async function ifListed<Found>(lookUp: Promise<Found>): Promise<Found | undefined> {
  try {
    return await lookUp;
  } catch (error) {
    if (error instanceof NoLookUpError) return undefined;
    throw error;
  }
}
