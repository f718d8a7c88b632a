import type { CollectionName, StoredEntity, StoredRetention } from '../store/records.ts';
import type { World } from '../world.ts';
import { type Locate, type OrganizationSeed, type RetentionSeed, SeedError, type SeedPath } from './seed.ts';

export interface SeedInput {
  readonly world: World;
  readonly organization: string;
  readonly seed: OrganizationSeed;
  readonly path: SeedPath;
  readonly locate: Locate;
}

export const idPrefixes = {
  projects: 'prj',
  teams: 'team',
  sshKeys: 'sshkey',
  agentPools: 'apool',
  vcsConnections: 'ot',
  workspaces: 'ws',
} as const satisfies Partial<Record<CollectionName, string>>;
type ReferableName = keyof typeof idPrefixes;

const kindNames: Readonly<Record<ReferableName, string>> = {
  projects: 'project',
  teams: 'team',
  sshKeys: 'SSH key',
  agentPools: 'agent pool',
  vcsConnections: 'VCS connection',
  workspaces: 'workspace',
};

export interface SeedScope extends SeedInput {
  /** A new id, unless one is given, for an object that references then find. */
  define(kind: ReferableName, name: string, given?: string): StoredEntity;
  /** Resolves a reference, if there is one: by id, else by name. The last keys of the path are those below the organization. */
  idOf(kind: ReferableName, reference: string, ...place: SeedPath): string;
  retentionOf(owner: string, retention: RetentionSeed | undefined): StoredRetention | null;
  refusal(place: SeedPath, problem: string): SeedError;
}

export function createSeedScope(input: SeedInput): SeedScope {
  const { world, organization, path, locate } = input;
  const { store } = world;
  const names = new Map<string, string>();
  const refusal = (place: SeedPath, problem: string) => {
    const keys = [...path, ...place];
    return new SeedError(`${locate(keys)}: ${keys.join('.')}: ${problem}`);
  };
  return {
    ...input,
    refusal,
    define(kind, name, given) {
      const id = given ?? store.nextId(idPrefixes[kind], `${organization}/${name}`);
      names.set(`${kind} ${name}`, id);
      return { id, organization, name };
    },
    idOf(kind, reference, ...place) {
      if (store.get(kind, reference)?.organization === organization) return reference;
      const id =
        names.get(`${kind} ${reference}`) ?? [...names].find(([, known]) => known === reference)?.[1];
      if (id !== undefined) return id;
      throw refusal(place, `the seed has no ${kindNames[kind]} ${reference}`);
    },
    retentionOf(owner, retention) {
      if (!retention) return null;
      const days = 'delete-older-than-days' in retention ? retention['delete-older-than-days'] : null;
      return { id: store.nextId('drp', owner), days };
    },
  };
}
