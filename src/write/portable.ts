import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { isRecord, type Value } from '../model/value.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';
import type { ImportAliases, NameReading } from './aliases.ts';
import type { IdReference } from './lay-out.ts';

/** Names instead of ids, as far as a name is known and no other object has it. */
export interface PortableNames {
  readonly reference: IdReference;
  /** The name that replaces an id; undefined if files need the id. */
  nameOf(kind: AliasKind, id: string): string | undefined;
  /** Resolves the names in the files to what was read. */
  readonly namesOf: NamesOf;
}

export function portableNames({ names }: Pick<NameReading, 'names'>): PortableNames {
  const unique = new Map(
    [...names].map(([kind, known]) => [
      kind,
      new Map([...known].filter(([id, name]) => !isBlank(name) && isOnly(id, name, known))),
    ]),
  );
  const nameOf = (kind: AliasKind, id: string) => unique.get(kind)?.get(id);
  return {
    nameOf,
    reference: (kind, id) => {
      const name = nameOf(kind, id);
      return name === undefined ? id : { name };
    },
    namesOf: async (kind) => [...(names.get(kind) ?? [])].map(([id, name]) => ({ id, name })),
  };
}

/** No file refers to such a name. */
function isBlank(name: string): boolean {
  return name.trim() === '';
}

function isOnly(id: string, name: string, known: ReadonlyMap<string, string>): boolean {
  for (const [other, otherName] of known) if (other !== id && otherName === name) return false;
  return true;
}

/** Managed projects without their ids: their names are unique, ignoring case. */
export function withoutIds(projects: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  return new Map(
    [...projects].map(([alias, project]) => {
      if (!isRecord(project)) return [alias, project];
      const { id: _id, ...rest } = project;
      return [alias, rest as Value];
    }),
  );
}

/** A note on each reference that keeps its id. Kinds that cannot be listed have a separate note. */
export function notesOnIds(
  aliases: ImportAliases,
  { nameOf }: PortableNames,
  { names, unlisted }: NameReading,
): Diagnostic[] {
  return [...names].flatMap(([kind, known]) =>
    unlisted.includes(kind)
      ? []
      : [...aliases.added(kind)].flatMap(([alias, id]): Diagnostic | Diagnostic[] => {
          if (nameOf(kind, id) !== undefined) return [];
          const { noun } = aliasKindTable[kind];
          const name = known.get(id);
          const why =
            name === undefined || isBlank(name)
              ? 'it has no name'
              : `other objects are called ${JSON.stringify(name)}, too`;
          return note('id-kept', `the ${noun} ${alias} is written by its id ${id}: ${why}`, {
            hint: 'give it a name that no other has, and import again',
          });
        }),
  );
}
