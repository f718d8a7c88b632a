import { type AliasKind, aliasKindTable, byAliasKind, isIdOf, kindOfId } from '../model/alias-kind.ts';
import type { Aliases, LookUp, LookUpPlace, ManagedName, WrittenId } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { mapSelectorProjects, type Selector } from '../model/selector.ts';
import { quote } from '../model/text.ts';
import type { AllDeclarations, Declarations } from './declarations.ts';
import { type Loading, reporter } from './problems.ts';
import type { RawAlias, RawProject } from './schema/language.ts';
import { checkSelectedTags } from './tag-bindings.ts';

/**
 * Resolves references to projects, teams, SSH keys, agent pools and VCS connections to ids: an alias overrides a name, a
 * name overrides an id. A reference that may be a name becomes a placeholder, which is looked up on the service before a
 * plan is made.
 */
export function createReferences(declared: AllDeclarations['aliases'], loading: Loading) {
  const met: Met = { lookUps: new Map(), ids: new Map() };
  const aliases: Aliases = byAliasKind((kind) => readAliases(kind, declared[kind], { loading, met }));
  const spellings = spellingsOf(declared.projects, aliases);
  return {
    aliases,
    resolve(kind: AliasKind, written: string, location: SourceLocation): string | undefined {
      // An alias whose own value is wrong was reported where it is declared.
      if (declared[kind].has(written)) return aliases[kind].get(written);
      if (kindOfId(written) === kind) return addId(met, kind, written, { location });
      const placeholder = isIdOf(kind, written) ? written : standIn(kind, written);
      return addName(met, { kind, name: written, placeholder }, { location }, loading);
    },
    /** The same text for each reference to a project of which the files declare an id and a name, or two names. */
    sameProject: (resolved: string) => spellings.get(resolved) ?? resolved,
    lookUps: (): readonly LookUp[] => [...met.lookUps.values()],
    ids: (): readonly WrittenId[] => [...met.ids.values()],
  };
}

export interface ReadContext {
  readonly loading: Loading;
  readonly references: ReturnType<typeof createReferences>;
}

export function readSelector(raw: Selector, { loading, references }: ReadContext): Selector {
  const report = reporter(loading);
  checkSelectedTags(raw, report);
  return mapSelectorProjects({ ...raw }, (written, index) => {
    const location =
      index === undefined
        ? report.atValue(raw, 'project')
        : report.atValue(raw.project as readonly string[], index);
    return references.resolve('projects', written, location) ?? written;
  });
}

export function selectorText({ tagged, ...others }: Selector): string {
  const text = (value: string | readonly string[]) =>
    typeof value === 'string' ? quote(value) : `[${value.map(quote).join(', ')}]`;
  const bindings = Object.entries(tagged ?? {}).map(([key, value]) => `${key}: ${value ?? 'null'}`);
  const parts = Object.entries(others).map(([key, value]) => value && `${key}: ${text(value)}`);
  return `{${[...parts, tagged && `tagged: {${bindings.join(', ')}}`].filter(Boolean).join(', ')}}`;
}

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

interface Met {
  readonly lookUps: Map<string, LookUp & { readonly places: LookUpPlace[] }>;
  readonly ids: Map<string, WrittenId & { readonly places: LookUpPlace[] }>;
}

function addName({ lookUps }: Met, lookUp: Omit<LookUp, 'places'>, place: LookUpPlace, loading: Loading) {
  const { kind, name, placeholder } = lookUp;
  reporter(loading).isLiteral(`the ${aliasKindTable[kind].noun}`, name, place.location);
  const { places = [], ...known } = lookUps.get(placeholder) ?? {};
  places.push(place);
  lookUps.set(placeholder, { ...known, ...lookUp, places });
  return placeholder;
}

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

/** As services generate ids. A shorter one is a name as well. */
const generatedId = /^[a-z]+-[1-9A-HJ-NP-Za-km-z]{16}$/;

function readAliases(
  kind: AliasKind,
  declared: AllDeclarations['aliases'][AliasKind],
  { loading, met }: { readonly loading: Loading; readonly met: Met },
): ReadonlyMap<string, string> {
  const { error, isLiteral, atValue } = reporter(loading);
  const ids = new Map<string, string>();
  for (const [alias, { value, mapping, location: keyLocation }] of declared) {
    isLiteral('the alias', alias, keyLocation);
    if (value === undefined) continue;
    const { id, name, managed } = parts(value, alias, kind);
    const location =
      id !== undefined && typeof value === 'object' ? atValue(value, 'id') : atValue(mapping, alias);
    const { article, noun, prefix } = aliasKindTable[kind];
    const message = `the alias ${quote(alias)} is ${article} ${noun} id, and means another ${noun}`;
    const hint = 'choose another alias: guards, freeze windows and scope can select by this id';
    if (generatedId.test(alias) && kindOfId(alias) === kind && id !== alias)
      error('bad-id', message, keyLocation, hint);
    if (id !== undefined && isIdOf(kind, id)) ids.set(alias, addId(met, kind, id, { alias, location }));
    else if (id !== undefined)
      error(
        'bad-id',
        `invalid id ${quote(id)} of ${article} ${noun}`,
        location,
        `write an id ${prefix}..., or set \`name\` to the name`,
      );
    else if (name !== undefined) {
      const lookUp = { kind, name, placeholder: standIn(kind, name), ...(managed && { managed }) };
      ids.set(alias, addName(met, lookUp, { alias, location }, loading));
    } else if (typeof value === 'object' && !Object.hasOwn(value, 'name'))
      error('missing-key', `${quote(alias)} needs the key "name"`, keyLocation);
  }
  return ids;
}

function parts(
  value: RawAlias | RawProject,
  alias: string,
  kind: AliasKind,
): { readonly id?: string | undefined; readonly name?: string | undefined; readonly managed?: ManagedName } {
  if (typeof value === 'string') return isIdOf(kind, value) ? { id: value } : { name: value };
  const { id, name, manage, 'renamed-from': formerName }: Exclude<RawProject, string> = value;
  if (manage !== true) return { id, name };
  return { id, name, managed: { alias, formerName } };
}
