import { NoLookUpError } from '../live/read-names.ts';
import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { NamesOf } from '../plan/look-up-names.ts';

/** What the service calls the things of one kind, by id. */
export type NameIndex = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

export interface NameReading {
  readonly names: NameIndex;
  /** Kinds that could not be looked up. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The names of whole kinds. A kind that the service does not list has none. */
export async function readNameIndex(namesOf: NamesOf, kinds: readonly AliasKind[]): Promise<NameReading> {
  const diagnostics: Diagnostic[] = [];
  const entries = await Promise.all(
    kinds.map(async (kind) => {
      try {
        const named = await namesOf(kind);
        return [kind, new Map(named.map(({ id, name }) => [id, name]))] as const;
      } catch (error) {
        if (!(error instanceof NoLookUpError)) throw error;
        diagnostics.push(withoutNames(kind));
        return [kind, new Map<string, string>()] as const;
      }
    }),
  );
  return { names: new Map(entries), diagnostics };
}

function withoutNames(kind: AliasKind): Diagnostic {
  const { plural } = aliasKindTable[kind];
  return {
    severity: 'note',
    code: 'aliases-from-ids',
    message: `the service does not list its ${plural} to this token: their aliases are made of their ids`,
    hint: `give the aliases under ${kind} names that people know; they may be changed everywhere at once`,
  };
}
