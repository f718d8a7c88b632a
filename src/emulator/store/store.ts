import { createHash } from 'node:crypto';
import type { AttributePath, PermissionPath } from '../../model/attribute-values.ts';
import type { AccessLevel, Permission } from '../../model/permissions.ts';
import type { Value, Values } from '../../model/value.ts';

/** The stored data. Records are never changed in place: a new one replaces the old one. */
export interface Collections {
  organizations: StoredOrganization;
  projects: StoredProject;
  teams: StoredTeam;
  sshKeys: StoredEntity;
  agentPools: StoredEntity;
  vcsConnections: StoredVcsConnection;
  tags: StoredTag;
  workspaces: StoredWorkspace;
  grants: StoredGrant;
  recoverableItems: StoredRecoverableItem;
  tokens: StoredToken;
  generations: { readonly id: string; readonly count: number };
}
type CollectionName = keyof Collections;

export const collectionNames = [
  'organizations',
  'projects',
  'teams',
  'sshKeys',
  'agentPools',
  'vcsConnections',
  'tags',
  'workspaces',
  'grants',
  'recoverableItems',
  'tokens',
  'generations',
] as const satisfies readonly CollectionName[];

export interface StoredOrganization {
  readonly id: string;
  readonly defaultProject: string;
  readonly defaultAgentPool: string | null;
  /** The value of a new workspace whose create omits `global-remote-state`. */
  readonly globalRemoteState: boolean;
  readonly latestVersion: string;
  readonly retention: StoredRetention | null;
  readonly createdAt: string;
  /** @default derived from the name */
  readonly externalId?: string;
  readonly settings: Values;
}

export interface StoredEntity {
  readonly id: string;
  readonly organization: string;
  readonly name: string;
  readonly createdAt?: string;
  readonly settings?: Values;
  readonly related?: Readonly<Record<string, readonly string[]>>;
}

export interface StoredProject extends StoredEntity {
  readonly bindings?: Readonly<Record<string, string | null>>;
  readonly executionMode?: string | undefined;
  readonly agentPool?: string | null | undefined;
  /** The number of its Stacks, which the service has no other trace of. @default 0 */
  readonly stacks?: number | undefined;
}

export interface StoredTeam extends StoredEntity {
  readonly organizationAccess?: readonly string[];
}

/** An OAuth client with its one token. The record's id is the token's. A client may have no name; the record's is empty then. */
interface StoredVcsConnection extends StoredEntity {
  readonly client: string;
  readonly provider: string;
  readonly agentPool?: string | null;
  readonly hasSshKey?: boolean;
  /** The token was deleted, or the client was never connected. */
  readonly tokenless?: boolean | undefined;
}

export interface StoredTag extends StoredEntity {
  readonly createdAt: string;
}

export interface StoredRetention {
  readonly id: string;
  readonly days: number | null;
}

export interface StoredLock {
  readonly by: { readonly type: 'users' | 'teams' | 'runs'; readonly id: string };
  readonly reason: string;
}

interface StoredState {
  readonly id: string | null;
  readonly createdAt: string | null;
  readonly resourceCount: number;
  /** The latest intermediate state version: none, uploaded but not finalized, or finalized. */
  readonly intermediate: 'none' | 'pending' | 'finalized';
  /** Whether the newest state is still being processed, which prevents a safe delete. */
  readonly processing: boolean;
  readonly outputs: readonly {
    readonly id: string;
    readonly name: string;
    readonly value: Value;
    readonly sensitive: boolean;
  }[];
}

export interface StoredWorkspace extends StoredEntity {
  readonly project: string;
  /** The workspace's own values by the paths of the attribute table; effective values are computed on read. */
  readonly attributes: Readonly<Record<AttributePath, Value>>;
  readonly tags: readonly string[];
  readonly bindings: Readonly<Record<string, string | null>>;
  /** Ids; those of deleted workspaces may remain and are omitted on read, because ids are never reused. */
  readonly consumers: readonly string[];
  readonly sshKey: string | null;
  readonly lock: StoredLock | null;
  readonly retention: StoredRetention | null;
  readonly run: { readonly id: string; readonly status: string; readonly createdAt: string } | null;
  readonly state: StoredState;
  readonly readme: string | null;
  /** It has no destroy schedule, whatever that of its project. @default false */
  readonly neverDestroyed?: boolean;
  /** @default true */
  readonly structuredRunOutput?: boolean | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
}

interface StoredRecoverableItem extends StoredEntity {
  readonly workspace: StoredWorkspace;
  readonly deletedBy: string;
  readonly deletedAt: string;
  readonly expiresAt: string;
  readonly permanentlyDeletedAt: string | null;
  readonly recoveredAt: string | null;
}

export interface StoredGrant {
  readonly id: string;
  readonly project: string;
  readonly team: string;
  readonly access: AccessLevel;
  readonly permissions: Readonly<Partial<Record<PermissionPath, Permission>>>;
}

/** The roles of a token, from the most to the least powerful. */
export const roles = ['owner', 'manage-workspaces', 'workspace-admin', 'reader', 'none'] as const;
/** How much a token may do. */
export type Role = (typeof roles)[number];

interface StoredToken {
  readonly id: string;
  readonly organization: string;
  readonly role: Role;
  readonly workspaces: readonly string[] | null;
  readonly teams: readonly string[];
  readonly user: string;
  /** Whose token it is; of a team, the first of the teams. @default 'user' */
  readonly kind?: TokenKind | undefined;
}

/** All of them. */
export const tokenKinds = ['user', 'team', 'organization'] as const;
/** Whose token it is. */
export type TokenKind = (typeof tokenKinds)[number];

/** One change of the stored data. It is idempotent, so it may be applied again. */
export type StoreOperation =
  | readonly ['put', CollectionName, { readonly id: string }]
  | readonly ['remove', CollectionName, string];

type Tables = { readonly [Name in CollectionName]: Map<string, Collections[Name]> };

/** The collections whose records belong to an organization and have a name. */
type OwnedName = {
  [Name in CollectionName]: Collections[Name] extends StoredEntity ? Name : never;
}[CollectionName];

export class Store {
  readonly #tables = Object.fromEntries(
    collectionNames.map((name) => [name, new Map()]),
  ) as unknown as Tables;
  #pending: StoreOperation[] = [];

  get<Name extends CollectionName>(name: Name, id: string): Collections[Name] | undefined {
    return this.#tables[name].get(id);
  }

  all<Name extends CollectionName>(name: Name): Collections[Name][] {
    return [...this.#tables[name].values()];
  }

  /** In the order of their creation; the service's order is arbitrary but stable. */
  ownedBy<Name extends OwnedName>(organization: string, name: Name): Collections[Name][] {
    return this.all(name).filter((record) => record.organization === organization);
  }

  named<Name extends OwnedName>(
    organization: string,
    collection: Name,
    name: string,
  ): Collections[Name] | undefined {
    for (const record of this.#tables[collection].values())
      if (record.name === name && record.organization === organization) return record;
    return undefined;
  }

  grantsOf(project: string): StoredGrant[] {
    return this.all('grants').filter((grant) => grant.project === project);
  }

  countTagged(organization: string, tag: string): number {
    let count = 0;
    for (const workspace of this.#tables.workspaces.values())
      if (workspace.organization === organization && workspace.tags.includes(tag)) count++;
    return count;
  }

  put<Name extends CollectionName>(name: Name, record: Collections[Name]): void {
    this.apply(['put', name, record]);
    this.#pending.push(['put', name, record]);
  }

  remove(name: CollectionName, id: string): void {
    this.apply(['remove', name, id]);
    this.#pending.push(['remove', name, id]);
  }

  /** A new id for an object of that name; ids are never reused. */
  nextId(prefix: string, name: string): string {
    const key = `${prefix} ${name}`;
    const count = this.get('generations', key)?.count ?? 0;
    this.put('generations', { id: key, count: count + 1 });
    return identifier(prefix, name, count);
  }

  takeOperations(): readonly StoreOperation[] {
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  apply([action, name, written]: StoreOperation): void {
    const table = this.#tables[name] as Map<string, { readonly id: string }>;
    if (action === 'put') table.set(written.id, written);
    else table.delete(written);
  }
}

/** Base58, which has no `0`, `O`, `I` and `l`: official clients refuse other ids. */
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const length = 16;

/**
 * An id in the service's form that depends only on its purpose: a prefix, a name, and the number of former ids of that
 * name. Examples print the same ids every time, in whatever order parallel creates arrive.
 */
export function identifier(prefix: string, name: string, generation: number): string {
  const digest = createHash('sha256').update(`${prefix} ${generation} ${name}`).digest();
  let text = '';
  for (const byte of digest.subarray(0, length)) text += alphabet[byte % alphabet.length];
  return `${prefix}-${text}`;
}
