import type { CollectionName, StoredEntity } from '../store/records.ts';
import type { World } from '../world.ts';
import { type Locate, type OrganizationSeed, type RetentionSeed, SeedError, type SeedPath } from './seed.ts';

/** The seed of one organization. */
export interface SeedInput {
  readonly world: World;
  readonly organization: string;
  readonly seed: OrganizationSeed;
  /** The position of the organization in the seed. */
  readonly path: SeedPath;
  readonly locate: Locate;
}

/** The kinds of objects in a seed, with the prefix of their ids. */
export const idPrefixes = {
  projects: 'prj',
  teams: 'team',
  sshKeys: 'sshkey',
  agentPools: 'apool',
  vcsConnections: 'ot',
  workspaces: 'ws',
} as const satisfies Partial<Record<CollectionName, string>>;
export type ReferableName = keyof typeof idPrefixes;

/** The seed of one organization, with what it has defined so far. */
export interface SeedScope extends SeedInput {
  /** Makes an object known to references. */
  add(kind: ReferableName, record: StoredEntity): void;
  /** Resolves a reference: by id, else by name. */
  idOf(kind: ReferableName, reference: string, path: SeedPath): string;
  /** The error of one place. */
  refusal(path: SeedPath, problem: string): SeedError;
}

export function createSeedScope(input: SeedInput): SeedScope {
  const { world, organization, locate } = input;
  const names = new Map<string, string>();
  const refusal = (path: SeedPath, problem: string) =>
    new SeedError(`${locate(path)}: ${path.join('.')}: ${problem}`);
  return {
    ...input,
    refusal,
    add(kind, record) {
      names.set(`${kind} ${record.name}`, record.id);
    },
    idOf(kind, reference, path) {
      const byId = world.store.get(kind, reference);
      if (byId?.organization === organization) return reference;
      const id =
        names.get(`${kind} ${reference}`) ?? [...names].find(([, known]) => known === reference)?.[1];
      if (id !== undefined) return id;
      throw refusal(path, `the seed has no ${kindNames[kind]} ${reference}`);
    },
  };
}

const kindNames: Readonly<Record<ReferableName, string>> = {
  projects: 'project',
  teams: 'team',
  sshKeys: 'SSH key',
  agentPools: 'agent pool',
  vcsConnections: 'VCS connection',
  workspaces: 'workspace',
};

/** Null: nothing is ever deleted. */
export function retentionDays(retention: RetentionSeed): number | null {
  return 'delete-older-than-days' in retention ? retention['delete-older-than-days'] : null;
}
