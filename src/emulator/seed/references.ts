import type { CollectionName, NamedRecord } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import { type Locate, SeedError, type SeedPath } from './seed-error.ts';

/** The kinds of things that a seed names, with the prefix of their ids. */
export const idPrefixes = {
  projects: 'prj',
  teams: 'team',
  sshKeys: 'sshkey',
  agentPools: 'apool',
  vcsConnections: 'ot',
  workspaces: 'ws',
} as const satisfies Partial<Record<CollectionName, string>>;
export type ReferableName = keyof typeof idPrefixes;

/** Finds what a seed refers to: by id, else by name. */
export function createReferences(store: Store, organization: string, locate: Locate) {
  const names = new Map<string, string>();
  return {
    add(kind: ReferableName, record: NamedRecord): void {
      names.set(`${kind} ${record.name}`, record.id);
    },
    idOf(kind: ReferableName, reference: string, path: SeedPath): string {
      const byId = store.get(kind, reference);
      if (byId?.organization === organization) return reference;
      const id =
        names.get(`${kind} ${reference}`) ?? [...names].find(([, known]) => known === reference)?.[1];
      if (id !== undefined) return id;
      throw new SeedError(
        `${locate(path)}: ${path.join('.')}: the seed has no ${kindNames[kind]} ${reference}`,
      );
    },
  };
}
export type References = ReturnType<typeof createReferences>;

const kindNames: Readonly<Record<ReferableName, string>> = {
  projects: 'project',
  teams: 'team',
  sshKeys: 'SSH key',
  agentPools: 'agent pool',
  vcsConnections: 'VCS connection',
  workspaces: 'workspace',
};
