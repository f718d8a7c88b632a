import { literalName } from '../desired/mistyped.ts';
import type { Live } from '../live/read-live.ts';
import { ifListed } from '../live/read-names.ts';
import { type AliasKind, aliasKinds, aliasKindTable, isIdOf } from '../model/alias-kind.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import { resourcesOf } from '../model/state.ts';
import { compareTexts, type Value } from '../model/value.ts';
import type { NamesOf } from '../resolve/look-up-names.ts';
import type { FileLabels } from './entry.ts';

/** By kind and id; without the kinds that the service does not list. */
export type NameIndex = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

export async function readNameIndex(namesOf: NamesOf, kinds: readonly AliasKind[]): Promise<NameIndex> {
  const entries = kinds.map(async (kind) => {
    const named = await ifListed(namesOf(kind));
    return named ? [[kind, new Map(named.map(({ id, name }) => [id, name]))] as const] : [];
  });
  return new Map((await Promise.all(entries)).flat());
}

export function declaredLabels({ aliases, grantProjects }: Configuration, live: Live): FileLabels {
  return {
    of: (kind, id) => aliasOf(aliases, kind, id),
    grantProject: (id) => grantProjects.get(id),
    hasId: () => true,
    live: factsOf(live),
  };
}

export interface ImportLabels extends FileLabels {
  /** The value of an alias in the section of its kind: the id, or the name that replaces it. */
  readonly reference: (kind: AliasKind, id: string) => Value;
  readonly isDeclared: (kind: AliasKind, alias: string) => boolean;
}

/**
 * Derives aliases from names: lower case, `-` for each other character than a letter or digit, a number appended to
 * duplicates; a name that is equal to the alias comes first. The same names give the same aliases, whichever of them
 * are used.
 */
export function importLabels(
  { live, names }: { readonly live: Live; readonly names: NameIndex },
  isPortable: boolean,
  existing: Pick<Configuration, 'aliases' | 'grantProjects'> | undefined,
): ImportLabels {
  const chosen = new Map(
    aliasKinds.map((kind) => [kind, aliasesOf(kind, names.get(kind) ?? new Map(), existing?.aliases[kind])]),
  );
  const reference = (kind: AliasKind, id: string) => {
    const known = isPortable ? names.get(kind) : undefined;
    const name = known?.get(id);
    // No file refers to a blank name, to one of several objects, or to a name that looks interpolated.
    const isUnique = name?.trim() && [...(known?.values() ?? [])].filter((one) => one === name).length === 1;
    return name && isUnique && !literalName(name) ? { name } : id;
  };
  return {
    of: (kind, id) => chosen.get(kind)?.(id),
    grantProject: (id) => existing?.grantProjects.get(id),
    hasId: () => !isPortable,
    live: factsOf(live),
    reference,
    isDeclared: (kind, alias) => existing?.aliases[kind].has(alias) ?? false,
  };
}

function factsOf({ dialect, names, missing, state }: Live): NonNullable<FileLabels['live']> {
  const offered = new Set<string>();
  for (const { attributes } of resourcesOf(state.resources.values(), 'workspace'))
    for (const [path, value] of Object.entries(attributes)) if (value !== undefined) offered.add(path);
  return { dialect, names, offered, missing };
}

function aliasesOf(
  kind: AliasKind,
  names: ReadonlyMap<string, string>,
  declared: ReadonlyMap<string, string> = new Map(),
): (id: string) => string | undefined {
  const { prefix, noun } = aliasKindTable[kind];
  // Short enough not to look like the id of a team.
  const fromId = (id: string) => `${slug(noun)}-${slug(id.slice(prefix.length)).slice(0, 8) || 'x'}`;
  const aliases = new Map<string, string>();
  for (const [alias, id] of declared) if (!aliases.has(id)) aliases.set(id, alias);
  const taken = new Set(declared.keys());
  const choose = (id: string, wanted: string) => {
    let alias = wanted;
    for (let number = 2; taken.has(alias); number++) alias = `${wanted}-${number}`;
    taken.add(alias);
    aliases.set(id, alias);
    return alias;
  };
  const named = [...names]
    .filter(([id]) => isIdOf(kind, id) && !aliases.has(id))
    .map(([id, name]) => ({ id, name, alias: slug(name) || fromId(id) }))
    // For a reader, `sre: admin` means the team `sre`, not `SRE`.
    .sort(
      (a, b) =>
        Number(b.name === b.alias) - Number(a.name === a.alias) ||
        compareTexts(a.name, b.name) ||
        compareTexts(a.id, b.id),
    );
  for (const { id, alias } of named) choose(id, alias);
  return (id) => aliases.get(id) ?? (isIdOf(kind, id) ? choose(id, fromId(id)) : undefined);
}

const longest = 60;

function slug(name: string): string {
  return name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, longest)
    .replaceAll(/^-+|-+$/g, '');
}
