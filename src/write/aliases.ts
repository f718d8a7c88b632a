import { NoLookUpError } from '../live/read-names.ts';
import { type AliasKind, aliasKinds, aliasKindTable } from '../model/alias-kind.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { compareTexts } from '../model/value.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';

/** The aliases of an import, which the files contain instead of ids. */
export interface ImportAliases {
  /** `undefined` if the configuration language does not accept the id. */
  aliasOf(kind: AliasKind, id: string): string | undefined;
  /** The same for a file that uses the alias and therefore has to declare it. */
  use(kind: AliasKind, id: string): string | undefined;
  idOf(kind: AliasKind, alias: string): string | undefined;
  /** Ids by alias, for all aliases that are used and not yet declared. */
  added(kind: AliasKind): ReadonlyMap<string, string>;
}

export type DeclaredAliases = Readonly<Record<AliasKind, ReadonlyMap<string, string>>>;

/**
 * Derives aliases from names: lower case, `-` for each other character than a letter or digit, a number appended to
 * duplicates; a name that is equal to the alias comes first. The same names give the same aliases, whichever of them
 * are used. Aliases that the files declare are kept.
 */
export function createAliases(
  ids: Readonly<Record<AliasKind, Iterable<string>>>,
  names: NameIndex,
  declared?: DeclaredAliases,
): ImportAliases {
  const chosen = new Map(
    aliasKinds.map((kind) => {
      const known = new Set([...ids[kind], ...(names.get(kind)?.keys() ?? [])]);
      return [kind, chooseAliases(kind, [...known], names.get(kind), declared?.[kind])];
    }),
  );
  const used = new Map(aliasKinds.map((kind) => [kind, new Map<string, string>()]));
  const aliasOf = (kind: AliasKind, id: string) => chosen.get(kind)?.get(id);
  return {
    aliasOf,
    use(kind, id) {
      const alias = aliasOf(kind, id);
      if (alias !== undefined && declared?.[kind].get(alias) !== id) used.get(kind)?.set(alias, id);
      return alias;
    },
    idOf: (kind, alias) => [...(chosen.get(kind) ?? [])].find(([, known]) => known === alias)?.[0],
    added: (kind) => new Map([...(used.get(kind) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function chooseAliases(
  kind: AliasKind,
  ids: readonly string[],
  names: ReadonlyMap<string, string> | undefined,
  declared: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, string> {
  const { prefix, noun } = aliasKindTable[kind];
  const aliases = new Map<string, string>();
  for (const [alias, id] of declared) if (!aliases.has(id)) aliases.set(id, alias);
  const taken = new Set(declared.keys());
  const fallback = (id: string) => `${slug(noun)}-${slug(id.slice(prefix.length)) || 'x'}`;
  const wanted = ids
    .filter((id) => isFileId(prefix, id) && !aliases.has(id))
    .map((id) => ({ id, name: names?.get(id), alias: slug(names?.get(id) ?? '') || fallback(id) }))
    // For a reader, `sre: admin` means the team `sre`, not `SRE`.
    .sort(
      (a, b) => rank(a) - rank(b) || compareTexts(a.name ?? '', b.name ?? '') || compareTexts(a.id, b.id),
    );
  for (const { id, alias } of wanted) {
    let free = alias;
    for (let number = 2; taken.has(free); number++) free = `${alias}-${number}`;
    taken.add(free);
    aliases.set(id, free);
  }
  return aliases;
}

/** Whether the configuration language accepts the id for that kind. */
function isFileId(prefix: string, id: string): boolean {
  return id.startsWith(prefix) && /^[A-Za-z0-9_-]+$/.test(id.slice(prefix.length));
}

const longest = 60;

/** `Zürich & Bern` becomes `zurich-bern`. Empty if no character is left. */
function slug(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^-+|-+$/g, '');
}

function rank({ name, alias }: { readonly name: string | undefined; readonly alias: string }): number {
  return name === alias ? 0 : 1;
}

/** The names on the service by id, per kind. */
type NameIndex = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

export interface NameReading {
  readonly names: NameIndex;
  /** Kinds that could not be looked up. */
  readonly unlisted: readonly AliasKind[];
}

/** Reads all names of some kinds. A kind that the service does not list has none. */
export async function readNameIndex(namesOf: NamesOf, kinds: readonly AliasKind[]): Promise<NameReading> {
  const unlisted: AliasKind[] = [];
  const entries = await Promise.all(
    kinds.map(async (kind) => {
      try {
        const named = await namesOf(kind);
        return [kind, new Map(named.map(({ id, name }) => [id, name]))] as const;
      } catch (error) {
        if (!(error instanceof NoLookUpError)) throw error;
        unlisted.push(kind);
        return [kind, new Map<string, string>()] as const;
      }
    }),
  );
  return { names: new Map(entries), unlisted };
}

/** A note for each kind whose aliases are written and are derived from ids. */
export function notesOnAliases(unlisted: readonly AliasKind[], aliases: ImportAliases): Diagnostic[] {
  return unlisted
    .filter((kind) => aliases.added(kind).size > 0)
    .map((kind) =>
      note(
        'aliases-from-ids',
        `the service does not list its ${aliasKindTable[kind].plural} to this token: their ids are used as aliases`,
        { hint: `rename the aliases under ${kind} and all of their uses to known names` },
      ),
    );
}
