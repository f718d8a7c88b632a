import { type NamedId, NoLookUpError } from '../live/read-names.ts';
import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import {
  aliasOf,
  bothLive,
  type Configuration,
  type LookUp,
  type LookUpPlace,
  type ManagedName,
} from '../model/configuration.ts';
import { matchesDeclared } from '../model/declared-selector.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { mapSelectorProjects, type Selector, selectedProjects } from '../model/selector.ts';
import { projectAddress, resourcesOf, uncreatedProject, type WorkspaceResource } from '../model/state.ts';
import { quote, suggestion } from '../model/text.ts';
import { selectingByProject } from './needed-names.ts';

interface NamePlace {
  readonly lookUp: LookUp;
  readonly place: LookUpPlace;
  readonly configuration: Configuration;
}

/** The owners have all access: no hint proposes a grant to them. */
export function isOwners(kind: AliasKind, name: string): boolean {
  return kind === 'teams' && name === 'owners';
}

/** The id of a name, else the problem at each of its places. */
export function answerTo(
  lookUp: LookUp,
  known: readonly NamedId[] | NoLookUpError,
  configuration: Configuration,
): string | ((place: LookUpPlace) => Diagnostic) {
  // The service ignores case when it compares names of projects; references are compared exactly.
  const cased = (name: string) => (lookUp.managed ? name.toLowerCase() : name);
  const objects = known instanceof NoLookUpError ? [] : known;
  const named = (name: string) => objects.filter((one) => cased(one.name) === cased(name));
  const matches = named(lookUp.name);
  const [match, another] = matches;
  if (lookUp.managed && !(known instanceof NoLookUpError)) return managedId(lookUp.managed, match, named);
  if (match && !another) return match.id;
  const { name, placeholder } = lookUp;
  const mayBeId = known instanceof NoLookUpError || known.some(({ id }) => id === name);
  if (!match && placeholder === name && mayBeId) return name;
  return (place) => {
    const about = { lookUp, place, configuration };
    if (match) return ambiguousName(matches, about);
    return known instanceof NoLookUpError ? closedKind(known, about) : unknownName(known, about);
  };
}

function managedId(
  { alias, formerName }: ManagedName,
  match: NamedId | undefined,
  named: (name: string) => readonly NamedId[],
): string | ((place: LookUpPlace) => Diagnostic) {
  const [former] = formerName === undefined ? [] : named(formerName);
  if (!match) return former?.id ?? uncreatedProject(alias);
  if (!former) return match.id;
  return ({ location }) => bothLive(match.name, former.name, { address: projectAddress(alias), location });
}

function unknownName(known: readonly NamedId[], { lookUp, place, configuration }: NamePlace): Diagnostic {
  const { kind, name } = lookUp;
  const { article, noun } = aliasKindTable[kind];
  const { aliases, desired } = configuration;
  const named = `the name of ${article} ${noun} of ${desired.organization} that this token may see`;
  const names = known.map((one) => one.name).filter((one) => !isOwners(kind, one));
  const message =
    (place.alias === undefined
      ? `${quote(name)} is neither an alias under ${kind} nor ${named}`
      : `${quote(name)} is not ${named}`) + (kind === 'teams' ? '; Attune does not create teams' : '');
  return problem('unknown-name', message, {
    at: place.location,
    hint: () => {
      const candidates = place.alias === undefined ? [...aliases[kind].keys(), ...names] : names;
      return suggestion(name, new Set(candidates)) ?? writeId({ lookUp, place });
    },
  });
}

function ambiguousName(matches: readonly NamedId[], { lookUp, place, configuration }: NamePlace): Diagnostic {
  const { kind, name } = lookUp;
  const { organization } = configuration.desired;
  const ids = matches.map(({ id }) => id).sort();
  return problem(
    'ambiguous-name',
    `${quote(name)} is the name of ${matches.length} ${aliasKindTable[kind].plural} of ${organization}: ${ids.join(', ')}`,
    { at: place.location, hint: writeId({ lookUp, place }, ids[0]) },
  );
}

function closedKind(error: NoLookUpError, { lookUp, place }: NamePlace): Diagnostic {
  return problem(error.code, `${quote(lookUp.name)} is not an id, and ${error.message}`, {
    at: place.location,
    hint: error.hint ?? writeId({ lookUp, place }),
  });
}

function writeId(
  { lookUp: { kind, name }, place }: Pick<NamePlace, 'lookUp' | 'place'>,
  id?: string | undefined,
): string {
  const { prefix } = aliasKindTable[kind];
  const key = (alias: string) => (/^[\w-]+$/.test(alias) ? alias : `'${alias.replaceAll("'", "''")}'`);
  const line = (alias: string) => `"${key(alias)}: ${id ?? `${prefix}...`}"`;
  return place.alias === undefined
    ? `declare it by its id under ${kind}: ${line(name)}`
    : `write its id: ${line(place.alias)}`;
}

/** Templates are selected before names are looked up. Each spelling of a project that one of them misses, once. */
export function missedSelections(
  written: Configuration,
  resolved: Configuration,
  ids: ReadonlyMap<string, string>,
  isChecked: (address: string) => boolean,
): Diagnostic[] {
  return selectingByProject(resolved).flatMap(({ template, when, selects }) => {
    const selector = mapSelectorProjects(selects.selector, (id) => ids.get(id) ?? id);
    // The layers of a workspace are computed at each read.
    const before = new Set(selectedBy(selects.selector, written).map(({ address }) => address));
    const reported = new Set<unknown>();
    return selectedBy(selector, resolved).flatMap(({ address, attributes }) => {
      if (before.has(address) || !isChecked(address)) return [];
      const { templates = [], fields } = resolved.layered.get(address) ?? {};
      const own = fields?.get('project')?.raw;
      if (templates.includes(template) || reported.has(own)) return [];
      reported.add(own);
      const id = String(attributes.project);
      const { name = id } = written.lookUps.find(({ placeholder }) => ids.get(placeholder) === id) ?? {};
      const index = selectedProjects(selector).indexOf(id);
      const other = [when.project ?? []].flat()[index] ?? aliasOf(resolved.aliases, 'projects', id);
      return problem(
        'when-project',
        `the template ${quote(template)} does not select ${address}: it selects by the project ${quote(other)}, and the workspace has the same project as ${quote(String(own))}`,
        {
          at: { address, location: selects.location },
          hint: `use one spelling for both, or declare id and name under one alias of projects: "{id: ${id}, name: ${name}}"`,
        },
      );
    });
  });
}

function selectedBy(selector: Selector, { desired, service }: Configuration): readonly WorkspaceResource[] {
  const resources = [...desired.resources.values()];
  const projects = resourcesOf(resources, 'project');
  return resourcesOf(resources, 'workspace').filter((workspace) =>
    matchesDeclared(selector, workspace, { projects, dialect: service.dialect }),
  );
}
