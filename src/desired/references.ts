import { type AliasKind, aliasKinds, aliasKindTable, isIdOf, kindOfId } from '../model/alias-kind.ts';
import type { Aliases, LookUp, LookUpPlace, ManagedName, WrittenId } from '../model/configuration.ts';
import {
  type Diagnostic,
  problem,
  type SourceLocation,
  type Subject,
  showPlace,
} from '../model/diagnostic.ts';
import { mapSelectorProjects, type Selector } from '../model/selector.ts';
import { quote } from '../model/text.ts';
import type { AllDeclarations, Declarations } from './declarations.ts';
import { locateValue } from './files/source.ts';
import type { Loading, Problems } from './problems.ts';
import { checkText } from './problems.ts';
import type { RawAlias, RawProject } from './schema/language.ts';
import { checkSelectedTags } from './tag-bindings.ts';

/**
 * Resolves references to projects, teams, SSH keys, agent pools and VCS connections to ids: an alias overrides a name, a
 * name overrides an id. A reference that may be a name becomes a placeholder, which is looked up on the service before a
 * plan is made.
 */
export interface References {
  readonly aliases: Aliases;
  /** The projects that the files delete, by alias, with their places. */
  readonly deletedProjects: ReadonlyMap<string, SourceLocation>;
  /** Undefined if it is wrong; the problem is reported. */
  resolve(kind: AliasKind, written: string, location: SourceLocation): string | undefined;
  /** The same text for each reference to a project of which the files declare an id and a name, or two names. */
  sameProject(resolved: string): string;
  /** The names so far, in the order in which they were met. */
  lookUps(): readonly LookUp[];
  /** The ids so far, in the order in which they were met. */
  ids(): readonly WrittenId[];
}

/** What reading a declaration with references depends on. */
export interface ReadContext {
  readonly loading: Loading;
  readonly references: References;
}

export function createReferences(declared: AllDeclarations['aliases'], loading: Loading): References {
  const met: Met = { lookUps: new Map(), ids: new Map() };
  const aliases = Object.fromEntries(
    aliasKinds.map((kind) => [kind, readAliases(kind, declared[kind], { loading, met })]),
  ) as Aliases;
  const spellings = spellingsOf(declared.projects, aliases);
  return {
    aliases,
    deletedProjects: deletedProjects(declared.projects),
    resolve(kind, written, location) {
      // An alias whose own value is wrong was reported where it is declared.
      if (declared[kind].has(written)) return aliases[kind].get(written);
      const idKind = kindOfId(written);
      if (idKind === kind) return addId(met, kind, written, { location });
      if (idKind === undefined) {
        const placeholder = isIdOf(kind, written) ? written : standIn(kind, written);
        return addName(met, { kind, name: written, placeholder }, { location }, loading);
      }
      loading.problems.add(idOfAnother(kind, idKind, { written, location }));
      return undefined;
    },
    sameProject: (resolved) => spellings.get(resolved) ?? resolved,
    lookUps: () => [...met.lookUps.values()],
    ids: () => [...met.ids.values()],
  };
}

/** A selector of a file with the ids of its projects. Tags that no workspace can have are reported. */
export function readSelector(raw: Selector, { loading, references }: ReadContext): Selector {
  const { origins } = loading;
  checkSelectedTags(raw, loading);
  return mapSelectorProjects({ ...raw }, (written, index) => {
    const location =
      index === undefined
        ? locateValue(origins, raw, 'project')
        : locateValue(origins, raw.project as readonly string[], index);
    return references.resolve('projects', written, location) ?? written;
  });
}

/** Reports a reference to a project that the same files delete. */
export function checkProjectStays(
  project: string,
  {
    references,
    problems,
    at,
  }: {
    readonly at: Subject;
    readonly references: Pick<References, 'deletedProjects'>;
    readonly problems: Problems;
  },
): void {
  const tombstone = references.deletedProjects.get(project);
  if (tombstone !== undefined)
    problems.add(projectDeleted(project, `by this configuration (${showPlace(tombstone)})`, at));
}

export function projectDeleted(project: string, how: string, at: Subject): Diagnostic {
  return problem('reference-to-tombstone', `the project ${quote(project)} is deleted ${how}`, { at });
}

/** What references to a declared project by its name or its former name resolve to, with what its alias resolves to. */
function spellingsOf(declared: Declarations<RawProject>, { projects }: Aliases): ReadonlyMap<string, string> {
  return new Map(
    [...declared].flatMap(([alias, { value }]) => {
      const id = projects.get(alias);
      if (id === undefined || typeof value !== 'object') return [];
      const names = [value.name, value['renamed-from']].filter((name) => name !== undefined);
      return names.flatMap((name) =>
        [name, standIn('projects', name)].flatMap((key) => (key === id ? [] : [[key, id] as const])),
      );
    }),
  );
}

function deletedProjects(declared: Declarations<RawProject>): ReadonlyMap<string, SourceLocation> {
  return new Map(
    [...declared].flatMap(([alias, { value, location }]) =>
      typeof value === 'object' && value.manage === true && value.state === 'absent'
        ? [[alias, location] as const]
        : [],
    ),
  );
}

/** The names by placeholder and the ids by kind and id, in the order in which they were met. */
interface Met {
  readonly lookUps: Map<string, LookUp & { readonly places: LookUpPlace[] }>;
  readonly ids: Map<string, WrittenId & { readonly places: LookUpPlace[] }>;
}

/** @returns its placeholder */
function addName(
  { lookUps }: Met,
  lookUp: Omit<LookUp, 'places'>,
  place: LookUpPlace,
  { problems }: Loading,
): string {
  const { kind, name, placeholder } = lookUp;
  checkText(`the ${aliasKindTable[kind].noun}`, name, { problems, location: place.location });
  const known = lookUps.get(placeholder);
  const places = known?.places ?? [];
  places.push(place);
  lookUps.set(placeholder, { ...known, ...lookUp, places });
  return placeholder;
}

/** @returns the id */
function addId({ ids }: Met, kind: AliasKind, id: string, place: LookUpPlace): string {
  const key = `${kind} ${id}`;
  const known = ids.get(key) ?? { kind, id, places: [] };
  known.places.push(place);
  ids.set(key, known);
  return id;
}

function standIn(kind: AliasKind, name: string): string {
  return `{${kind}:${name}}`;
}

function readAliases(
  kind: AliasKind,
  declared: AllDeclarations['aliases'][AliasKind],
  { loading, met }: { readonly loading: Loading; readonly met: Met },
): ReadonlyMap<string, string> {
  const { origins, problems } = loading;
  const ids = new Map<string, string>();
  for (const [alias, { value, mapping, location: keyLocation }] of declared) {
    checkText('the alias', alias, { problems, location: keyLocation });
    if (value === undefined) continue;
    const location = locateValue(origins, mapping, alias);
    if (typeof value === 'string' && isIdOf(kind, value)) {
      ids.set(alias, addId(met, kind, value, { alias, location }));
      continue;
    }
    const { id, name, managed } = parts(value, alias);
    if (id !== undefined) {
      const place = { alias, location: locateValue(origins, value as object, 'id') };
      if (isIdOf(kind, id)) ids.set(alias, addId(met, kind, id, place));
      else problems.add(notAnId(kind, { written: id, location: place.location }));
      continue;
    }
    const idKind = typeof value === 'string' ? kindOfId(value) : undefined;
    if (idKind !== undefined) {
      problems.add(idOfAnother(kind, idKind, { written: String(value), location }));
    } else if (name !== undefined) {
      const lookUp = { kind, name, placeholder: standIn(kind, name), ...(managed && { managed }) };
      ids.set(alias, addName(met, lookUp, { alias, location }, loading));
    } else if (typeof value === 'object' && !Object.hasOwn(value, 'name')) {
      problems.error('missing-key', `${quote(alias)} needs the key "name"`, { at: keyLocation });
    }
  }
  return ids;
}

/** The id or name of an alias. Only projects can have both, or be managed. */
function parts(
  value: RawAlias | RawProject,
  alias: string,
): { readonly id?: string | undefined; readonly name?: string | undefined; readonly managed?: ManagedName } {
  if (typeof value === 'string') return { name: value };
  const { id, name, manage, 'renamed-from': formerName }: Exclude<RawProject, string> = value;
  if (manage !== true) return { id, name };
  return { id, name, managed: { alias, ...(formerName !== undefined && { formerName }) } };
}

function notAnId(
  kind: AliasKind,
  { written, location }: { readonly written: string; readonly location: SourceLocation },
): Diagnostic {
  const { article, noun, prefix } = aliasKindTable[kind];
  return problem('bad-id', `invalid id ${quote(written)} of ${article} ${noun}`, {
    at: location,
    hint: `write an id ${prefix}..., or set \`name\` to the name`,
  });
}

/** An id of another kind, which is found without the service. */
function idOfAnother(
  kind: AliasKind,
  idKind: AliasKind,
  { written, location }: { readonly written: string; readonly location: SourceLocation },
): Diagnostic {
  const { article, noun, prefix } = aliasKindTable[kind];
  const other = aliasKindTable[idKind];
  return problem(
    'bad-id',
    `${quote(written)} is the id of ${other.article} ${other.noun}, but ${article} ${noun} is required`,
    {
      at: location,
      hint: `write ${prefix}..., or its name; a name that looks like an id is written as ${kind}: {name: ${quote(written)}}`,
    },
  );
}
