import { createHash } from 'node:crypto';
import {
  type CollectionName,
  type Collections,
  collectionNames,
  type StoredEntity,
  type StoredGrant,
} from './records.ts';

/** One change of the stored data. It is idempotent, so it may be applied again. */
export type StoreOperation =
  | readonly ['put', CollectionName, { readonly id: string }]
  | readonly ['remove', CollectionName, string];

type Tables = { readonly [Name in CollectionName]: Map<string, Collections[Name]> };

function emptyTables(): Tables {
  return Object.fromEntries(collectionNames.map((name) => [name, new Map()])) as unknown as Tables;
}

/** The collections whose records belong to an organization and have a name. */
type OwnedName = {
  [Name in CollectionName]: Collections[Name] extends StoredEntity ? Name : never;
}[CollectionName];

export class Store {
  readonly #tables = emptyTables();
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
