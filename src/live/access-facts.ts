import { isRecord } from '../model/value.ts';
import { isMissingEndpoint } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, related, relatedId, relatedIds, resourceOf } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { readList } from '../service/paging.ts';
import { isNotFound, ServiceError } from '../service/service-error.ts';

/** Whose token a request carries. */
export interface Caller {
  /** The type of the resource, as in `teams`; undefined if the service does not show it. */
  readonly kind: string | undefined;
  readonly id: string;
  /** The user name. A token of a team or an organization has a user, too. */
  readonly name: string | undefined;
}

/** A team that the token can see. */
export interface TeamFacts {
  readonly id: string;
  readonly name: string;
  /** The ids of its members; undefined if the service does not show them. */
  readonly members: readonly string[] | undefined;
  /** Its permissions in the organization, with `owners` for the owners; undefined if the service does not show them. */
  readonly organizationAccess: readonly string[] | undefined;
  /** Whether its permissions in the organization give it admin access to every project (interface, section 2.4). */
  readonly isAdminOfAll: boolean;
  /** Whether its members see secret teams, which an owner does, too. */
  readonly seesSecretTeams: boolean;
}

/** What an organization shows about access, beside the grants. Each fact is read once. */
export interface AccessFacts {
  /**
   * Whose token it is; undefined if the service does not show it.
   *
   * @throws {@link ServiceError} if the service does not accept the token.
   */
  caller(): Promise<Caller | undefined>;
  /** The visible teams; undefined if the service does not list them. */
  teams(organization: string): Promise<readonly TeamFacts[] | undefined>;
  /** The settings of the organization; undefined if this token may not read them or the service does not show them. */
  organization(organization: string): Promise<OrganizationFacts>;
  /** The same, without a request: undefined if they were not read before. */
  organizationIfRead(organization: string): Promise<OrganizationFacts | undefined>;
}

/** What the token may read of an organization. */
export interface OrganizationFacts {
  /** Undefined if the service does not show it: the interface has no such endpoint. */
  readonly isReadable: boolean | undefined;
  /** Whether the service's own answer is 404: it does not exist, or the service does not show organizations. */
  readonly isUnknown?: boolean;
  readonly document?: ResourceObject | undefined;
}

/** Undefined if the service does not show it. Owners see all teams, and so do the members of a team with access to secret teams. */
export async function seesAllTeams(
  organization: string,
  access: AccessFacts | undefined,
): Promise<boolean | undefined> {
  const permissions = (await access?.organization(organization))?.document?.attributes.permissions;
  // Only owners may delete an organization.
  const isOwner = isRecord(permissions) ? permissions['can-destroy'] : undefined;
  if (access === undefined || typeof isOwner !== 'boolean') return undefined;
  if (isOwner) return true;
  const caller = await access.caller();
  if (caller?.kind === 'organizations') return true;
  const teams = await access.teams(organization);
  if (caller?.kind === undefined || teams === undefined) return undefined;
  const { kind, id } = caller;
  return teams.some(
    (team) => team.seesSecretTeams && (kind === 'teams' ? team.id === id : team.members?.includes(id)),
  );
}

/**
 * Reads the facts when they are needed. The account belongs to no endpoint of the interface: hosted services have it, and
 * others answer 404.
 */
export function accessFacts(reader: ServiceReader): AccessFacts {
  const answers = new Map<string, Promise<unknown>>();
  const once = <Result>(key: string, read: () => Promise<Result>) => {
    const answer = answers.get(key) ?? read();
    answers.set(key, answer);
    return answer as Promise<Result>;
  };
  return {
    caller: () =>
      once('caller', async () => {
        const document = await ifShown(reader.get('/account/details'));
        return document && callerOf(resourceOf(document));
      }),
    teams: (organization) =>
      once(`teams ${organization}`, async () => {
        const path = pathTo('listTeams', { organization });
        return (await ifShown(readList(reader, { path })))?.map(teamFacts);
      }),
    organization: (organization) =>
      once(`organization ${organization}`, () => readOrganizationFacts(reader, organization)),
    organizationIfRead: async (organization) =>
      answers.get(`organization ${organization}`) as Promise<OrganizationFacts> | undefined,
  };
}

/**
 * A service without the endpoint, or a token that may not use it, shows nothing. A 401 is an error: it means that the
 * service does not accept the token.
 */
async function ifShown<Result>(reading: Promise<Result>): Promise<Result | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof ServiceError && [403, 404, 405, 501].includes(error.status)) return undefined;
    throw error;
  }
}

function callerOf(user: ResourceObject | undefined): Caller | undefined {
  if (user === undefined) return undefined;
  const { username, 'is-service-account': isService } = user.attributes;
  const name = typeof username === 'string' ? username : undefined;
  const resource = related(user, 'authenticated-resource');
  if (resource) return { kind: resource.type, id: resource.id, name };
  return { kind: isService === false ? 'users' : undefined, id: user.id, name };
}

function teamFacts(team: ResourceObject): TeamFacts {
  const { name, 'organization-access': access } = team.attributes;
  const granted = isRecord(access) ? Object.keys(access).filter((key) => access[key] === true) : undefined;
  return {
    id: team.id,
    name: typeof name === 'string' ? name : team.id,
    members: relatedIds(team, 'users'),
    organizationAccess: name === 'owners' ? ['owners', ...(granted ?? [])] : granted,
    isAdminOfAll: name === 'owners' || (isRecord(access) && access['manage-projects'] === true),
    seesSecretTeams: name === 'owners' || (isRecord(access) && access['access-secret-teams'] === true),
  };
}

async function readOrganizationFacts(
  reader: ServiceReader,
  organization: string,
): Promise<OrganizationFacts> {
  try {
    const document = resourceOf(await reader.get(pathTo('showOrganization', { organization })));
    return { isReadable: true, document };
  } catch (error) {
    if (isMissingEndpoint(error)) return { isReadable: undefined };
    if (isNotFound(error)) return { isReadable: undefined, isUnknown: true };
    if (error instanceof ServiceError && error.status === 403) return { isReadable: false };
    throw error;
  }
}

export interface RecoverableItem {
  readonly id: string;
  readonly expiresAt: string;
  readonly isPermanentlyDeleted: boolean;
}

/** Undefined if its document does not show it: it is a public beta of the live service. */
export async function keepsDeleted(
  access: Pick<AccessFacts, 'organization'>,
  organization: string,
): Promise<boolean | undefined> {
  const { document } = await access.organization(organization);
  const enabled = document?.attributes['recoverable-items-enabled'];
  return typeof enabled === 'boolean' ? enabled : undefined;
}

/** The newest item of each workspace, by the id of the workspace; undefined if this token may not list them. */
export async function recoverableItems(
  reader: ServiceReader,
  organization: string,
  workspaces: readonly string[],
): Promise<ReadonlyMap<string, RecoverableItem> | undefined> {
  if (workspaces.length === 0) return new Map();
  const path = pathTo('listRecoverableItems', { organization });
  const query = { 'filter[recoverable_type]': 'workspaces', sort: 'expires_at' };
  const items = await ifShown(readList(reader, { path, query }));
  if (items === undefined) return undefined;
  const wanted = new Set(workspaces);
  return new Map(
    items.flatMap((item) => {
      const workspace = relatedId(item, 'recoverable');
      const { 'expires-at': expiresAt } = item.attributes;
      if (!workspace || !wanted.has(workspace) || typeof expiresAt !== 'string') return [];
      const isPermanentlyDeleted = typeof item.attributes['permanently-deleted-at'] === 'string';
      return [[workspace, { id: item.id, expiresAt, isPermanentlyDeleted }] as const];
    }),
  );
}

/** The items of workspaces of an organization that keeps what is deleted. Elsewhere one request finds that out. */
export async function itemsIfKept(
  reader: ServiceReader,
  organization: string,
  workspaces: readonly string[],
): Promise<ReadonlyMap<string, RecoverableItem> | undefined> {
  if (workspaces.length === 0 || !(await keepsDeleted(accessFacts(reader), organization))) return new Map();
  return recoverableItems(reader, organization, workspaces);
}
