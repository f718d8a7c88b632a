import { join, relative } from 'node:path';
import type { NamedId, NoLookUpError } from '../live/read-names.ts';
import { type AliasKind, aliasKinds, aliasKindTable } from '../model/alias-kind.ts';
import type { Configuration, LookUp, LookUpPlace } from '../model/configuration.ts';
import { type Diagnostic, problem, type SourceLocation, showPlace, warning } from '../model/diagnostic.ts';
import { slashed } from '../model/files.ts';
import type { ProjectResource } from '../model/state.ts';
import { listed, nearest, quote } from '../model/text.ts';

interface NamePlace {
  readonly lookUp: LookUp;
  readonly place: LookUpPlace;
  readonly configuration: Configuration;
}

const shortList = 12;

/** The owners have all access: no hint proposes a grant to them. */
export function isOwners(kind: AliasKind, name: string): boolean {
  return kind === 'teams' && name === 'owners';
}

export function unknownName(
  known: readonly NamedId[],
  { lookUp, place, configuration }: NamePlace,
): Diagnostic {
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
      const near = nearest(name, candidates);
      if (near !== undefined) return `did you mean ${quote(near)}?`;
      const elsewhere = aliasKinds.find((other) => other !== kind && aliases[other].has(name));
      if (elsewhere !== undefined)
        return `use a reference to the right kind: it is an alias under ${elsewhere}`;
      const byId = writeId(kind, { name, place });
      if (candidates.length === 0) return `create ${article} ${noun} with this name, or ${byId}`;
      return candidates.length > shortList ? byId : `write ${listed([...new Set(candidates)].map(quote))}`;
    },
  });
}

export function ambiguousName(
  matches: readonly NamedId[],
  { lookUp, place, configuration }: NamePlace,
): Diagnostic {
  const { kind, name } = lookUp;
  const { organization } = configuration.desired;
  const ids = matches.map(({ id }) => id).sort();
  return problem(
    'ambiguous-name',
    `${quote(name)} is the name of ${matches.length} ${aliasKindTable[kind].plural} of ${organization}: ${ids.join(', ')}`,
    { at: place.location, hint: writeId(kind, { name, place, id: ids[0] }) },
  );
}

/**
 * The name of a project that the run renames: it is not found by this name after the apply. `elsewhere` is where another
 * root file that renames it is; it is absent if the same files do.
 */
export function formerName(
  { name: alias, id, attributes, location }: ProjectResource,
  { lookUp, place }: NamePlace,
  elsewhere?: { readonly folder: string; readonly cwd: string },
): Diagnostic {
  const file = (name: string) =>
    elsewhere ? slashed(relative(elsewhere.cwd, join(elsewhere.folder, name))) : name;
  const there = location ? ` (${showPlace({ ...location, file: file(location.file) })})` : '';
  const byId = () => writeId(lookUp.kind, { name: lookUp.name, place, id });
  const byAlias = () =>
    place.alias === undefined
      ? `refer to it as ${quote(alias)}`
      : `remove this alias and refer to the project as ${quote(alias)}, or ${byId()}`;
  return warning(
    'former-name',
    `${elsewhere ? 'another root file' : 'this configuration'} renames the project ${quote(lookUp.name)} to ${quote(attributes.name)}${there}: the next plan does not find it by its former name`,
    { at: place.location, hint: elsewhere ? byId() : byAlias() },
  );
}

/** A template that misses a workspace because each has another spelling of its project. */
export function missedSelection(
  {
    template,
    address,
    location,
  }: { readonly address: string; readonly location: SourceLocation | undefined } & {
    readonly template: string;
  },
  project: NamedId & { readonly own: string; readonly other: string },
): Diagnostic {
  return problem(
    'when-project',
    `the template ${quote(template)} does not select ${address}: it selects by the project ${quote(project.other)}, and the workspace has the same project as ${quote(project.own)}`,
    {
      at: location,
      hint: `use one spelling for both, or declare id and name under one alias of projects: "{id: ${project.id}, name: ${project.name}}"`,
    },
  );
}

export function closedKind(error: NoLookUpError, { lookUp: { kind, name }, place }: NamePlace): Diagnostic {
  return problem(error.code, `${quote(name)} is not an id, and ${error.message}`, {
    at: place.location,
    hint: error.hint ?? writeId(kind, { name, place }),
  });
}

function writeId(
  kind: AliasKind,
  {
    name,
    place,
    id,
  }: { readonly name: string; readonly place: LookUpPlace; readonly id?: string | undefined },
): string {
  const { prefix } = aliasKindTable[kind];
  const line = (alias: string) => `"${quoteKey(alias)}: ${id ?? `${prefix}...`}"`;
  return place.alias === undefined
    ? `declare it by its id under ${kind}: ${line(name)}`
    : `write its id: ${line(place.alias)}`;
}

function quoteKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : `'${key.replaceAll("'", "''")}'`;
}
