import { createHash } from 'node:crypto';
import {
  type CollectionName,
  type Collections,
  collectionNames,
  type StoredGrant,
  type StoredTag,
  type StoredWorkspace,
} from './records.ts';

/** One change of the stored data. It is idempotent, so it may be applied again. */
export type StoreOperation =
  | readonly ['put', CollectionName, { readonly id: string }]
  | readonly ['remove', CollectionName, string];

type Tables = { readonly [Name in CollectionName]: Map<string, Collections[Name]> };

function emptyTables(): Tables {
  return Object.fromEntries(collectionNames.map((name) => [name, new Map()])) as unknown as Tables;
}

export class Store {
  readonly workspaces = new WorkspaceIndex();
  readonly #tables = emptyTables();
  readonly #tagsByName = new Map<string, StoredTag>();
  readonly #grantsByProject = new Map<string, Map<string, StoredGrant>>();
  #pending: StoreOperation[] = [];

  get<Name extends CollectionName>(name: Name, id: string): Collections[Name] | undefined {
    return this.#tables[name].get(id);
  }

  all<Name extends CollectionName>(name: Name): Collections[Name][] {
    return [...this.#tables[name].values()];
  }

  size(name: CollectionName): number {
    return this.#tables[name].size;
  }

  put<Name extends CollectionName>(name: Name, record: Collections[Name]): void {
    this.#set(name, record);
    this.#pending.push(['put', name, record]);
  }

  remove(name: CollectionName, id: string): void {
    this.#delete(name, id);
    this.#pending.push(['remove', name, id]);
  }

  /** A new id for an object of that name; ids are never reused. */
  nextId(prefix: string, name: string): string {
    const key = `${prefix} ${name}`;
    const count = this.get('generations', key)?.count ?? 0;
    this.put('generations', { id: key, count: count + 1 });
    return identifier(prefix, name, count);
  }

  tagByName(organization: string, name: string): StoredTag | undefined {
    return this.#tagsByName.get(`${organization}/${name}`);
  }

  grantsOf(project: string): StoredGrant[] {
    return [...(this.#grantsByProject.get(project)?.values() ?? [])];
  }

  takeOperations(): readonly StoreOperation[] {
    if (this.#pending.length === 0) return [];
    const taken = this.#pending;
    this.#pending = [];
    return taken;
  }

  apply(operation: StoreOperation): void {
    if (operation[0] === 'put') this.#set(operation[1], operation[2] as Collections[CollectionName]);
    else this.#delete(operation[1], operation[2]);
  }

  #set(name: CollectionName, record: Collections[CollectionName]): void {
    const table = this.#tables[name] as Map<string, Collections[CollectionName]>;
    this.#reindex(name, table.get(record.id), record);
    table.set(record.id, record);
  }

  #delete(name: CollectionName, id: string): void {
    this.#reindex(name, this.#tables[name].get(id), undefined);
    this.#tables[name].delete(id);
  }

  #reindex(name: CollectionName, before: unknown, after: unknown): void {
    if (name === 'workspaces') {
      this.workspaces.replace(before as StoredWorkspace | undefined, after as StoredWorkspace | undefined);
    } else if (name === 'tags') {
      const [old, tag] = [before as StoredTag | undefined, after as StoredTag | undefined];
      if (old) this.#tagsByName.delete(`${old.organization}/${old.name}`);
      if (tag) this.#tagsByName.set(`${tag.organization}/${tag.name}`, tag);
    } else if (name === 'grants') {
      const [old, grant] = [before as StoredGrant | undefined, after as StoredGrant | undefined];
      if (old) this.#grantsByProject.get(old.project)?.delete(old.id);
      if (grant) {
        const grants = this.#grantsByProject.get(grant.project) ?? new Map();
        this.#grantsByProject.set(grant.project, grants.set(grant.id, grant));
      }
    }
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

interface OrganizationIndex {
  readonly byId: Map<string, StoredWorkspace>;
  readonly byName: Map<string, StoredWorkspace>;
  readonly byTag: Map<string, Set<string>>;
  sortedNames: readonly string[] | undefined;
}

class WorkspaceIndex {
  readonly #organizations = new Map<string, OrganizationIndex>();

  byName(organization: string, name: string): StoredWorkspace | undefined {
    return this.#organizations.get(organization)?.byName.get(name);
  }

  /** In the order of their creation; the service's order is arbitrary but stable. */
  all(organization: string): StoredWorkspace[] {
    return [...(this.#organizations.get(organization)?.byId.values() ?? [])];
  }

  sortedByName(organization: string): StoredWorkspace[] {
    const index = this.#organizations.get(organization);
    if (!index) return [];
    index.sortedNames ??= [...index.byName.keys()].sort();
    const sorted: StoredWorkspace[] = [];
    for (const name of index.sortedNames) {
      const record = index.byName.get(name);
      if (record) sorted.push(record);
    }
    return sorted;
  }

  tagged(organization: string, tag: string): ReadonlySet<string> {
    return this.#organizations.get(organization)?.byTag.get(tag) ?? new Set();
  }

  replace(before: StoredWorkspace | undefined, after: StoredWorkspace | undefined): void {
    const organization = (after ?? before)?.organization;
    if (organization === undefined) return;
    const index = this.#index(organization);
    if (before?.name !== after?.name) index.sortedNames = undefined;
    if (before && before.name !== after?.name) index.byName.delete(before.name);
    if (before && !after) index.byId.delete(before.id);
    if (after) {
      index.byName.set(after.name, after);
      index.byId.set(after.id, after);
    }
    if (before?.tags !== after?.tags) this.#replaceTags(index, before, after);
  }

  #replaceTags(
    index: OrganizationIndex,
    before: StoredWorkspace | undefined,
    after: StoredWorkspace | undefined,
  ): void {
    for (const tag of before?.tags ?? []) {
      const carriers = index.byTag.get(tag);
      carriers?.delete(before?.id ?? '');
      if (carriers?.size === 0) index.byTag.delete(tag);
    }
    if (!after) return;
    for (const tag of after.tags) {
      const carriers = index.byTag.get(tag) ?? new Set();
      carriers.add(after.id);
      index.byTag.set(tag, carriers);
    }
  }

  #index(organization: string): OrganizationIndex {
    let index = this.#organizations.get(organization);
    if (!index) {
      index = { byId: new Map(), byName: new Map(), byTag: new Map(), sortedNames: undefined };
      this.#organizations.set(organization, index);
    }
    return index;
  }
}
