import { literalName } from '../desired/mistyped.ts';
import type { Live } from '../live/read-live.ts';
import { type AliasKind, aliasKinds, aliasKindTable, isIdOf } from '../model/alias-kind.ts';
import { listPaths, nestedAttributes } from '../model/attributes.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import { permissionGroups } from '../model/permissions.ts';
import { type Resource, type ResourceKind, resourcesOf } from '../model/state.ts';
import { compareTexts, isRecord, type Value, type Values } from '../model/value.ts';
import type { OrganizationReading } from './read-organization.ts';

/*
 * State to YAML. One function, `declare`, makes the entry of a resource, for live resources (`import`, `accept`) and for
 * desired ones (`render`). One editor, `editYaml`, changes files.
 *
 *   entry   the declaration of one resource: the keys that lead to it in a file, and its values by dotted path
 *   label   the name that replaces an id: an alias, or the key of a project under `team-access`
 *   unfit   a live value that no file can hold; a workspace does not inherit its key either
 *   layer   values that workspaces of a file share: `defaults`, or the template of a project
 *
 *   import  live -> declare -> entries -> layers -> new files, or edits that add the entries to existing ones
 *   accept  differences -> declare -> edits of the chosen values
 *   render  desired -> declare -> one root file
 *
 * Before anything is written, `checkedTexts` loads the texts of an import or an accept and compares them with the live
 * state. An entry that would change something is left out, and the others are tried again.
 */

export interface Entry {
  readonly kind: ResourceKind;
  readonly address: string;
  readonly path: readonly string[];
  /** In the order of a file, by dotted path. */
  readonly values: ReadonlyMap<string, Value>;
  /** Keys that files can omit, as long as no layer declares another value. */
  readonly usual: ReadonlySet<string>;
  /** Keys of values that no file can hold, with the reason to report; an empty one is not reported. */
  readonly unfit: ReadonlyMap<string, string>;
  readonly refusal?: string | undefined;
}

export interface FileLabels {
  /** `undefined` if files cannot refer to the object. */
  readonly of: (kind: AliasKind, id: string) => string | undefined;
  /** The key of a project under `team-access` of existing files. */
  readonly grantProject?: ((id: string) => string | undefined) | undefined;
  /** Whether files find a managed project by its id, and not by its name. */
  readonly hasId: (project: string) => boolean;
  /** Absent for desired resources. */
  readonly live?:
    | {
        readonly dialect: Dialect;
        /** Names of workspaces by id. */
        readonly names: ReadonlyMap<string, string>;
        /** The attributes that any workspace has: some services omit a member that is null. */
        readonly offered: ReadonlySet<string>;
        readonly missing: readonly Feature[];
      }
    | undefined;
}

export interface LiveDeclaration {
  readonly resource: Resource;
  readonly entry: Entry;
}

export function keysOf(path: string): readonly string[] {
  const group = [...nestedAttributes, ...permissionGroups].find((name) => path.startsWith(`${name}.`));
  return group === undefined ? [path] : [group, path.slice(group.length + 1)];
}

export function nested(values: Iterable<readonly [string, Value]>): Values {
  const mapping: Record<string, Value> = {};
  for (const [path, value] of values) {
    const [key = path, inner] = keysOf(path);
    const held = mapping[key];
    mapping[key] = inner === undefined ? value : { ...(isRecord(held) && (held as Values)), [inner]: value };
  }
  return mapping;
}

/** A project or grant as files write it. With only a level, a grant is that level. */
export function entryValue({ values, usual }: Entry): Value {
  const { access, ...others } = nested([...values].filter(([path]) => !usual.has(path)));
  if (access === undefined) return others;
  return Object.keys(others).length === 0 && access !== 'custom' ? access : { access, ...others };
}

/** Layers add to a plain list and to plain key/value tags, so both are exact where several layers declare them. */
export function exact(path: string, value: Value): Value {
  return path === 'tag-bindings' || listPaths.has(path) ? { exactly: value } : value;
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
  { live, names }: OrganizationReading,
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
