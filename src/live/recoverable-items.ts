import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedId } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { readList } from '../service/paging.ts';
import { type AccessFacts, accessFacts, ifShown } from './access-facts.ts';

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
  const items = await ifShown(() => readList(reader, { path, query }));
  if (items === undefined) return undefined;
  const wanted = new Set(workspaces);
  return new Map(
    items.flatMap((item) => {
      const workspace = relatedId(item, 'recoverable');
      const { 'expires-at': expiresAt } = item.attributes;
      if (!workspace || !wanted.has(workspace) || typeof expiresAt !== 'string') return [];
      return [[workspace, itemOf(item, expiresAt)] as const];
    }),
  );
}

function itemOf({ id, attributes }: ResourceObject, expiresAt: string): RecoverableItem {
  return { id, expiresAt, isPermanentlyDeleted: typeof attributes['permanently-deleted-at'] === 'string' };
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
