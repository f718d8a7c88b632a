import { type AliasKind, aliasKinds, aliasKindTable, isIdOf, kindOfId } from '../model/alias-kind.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { Aliases, LookUp, LookUpPlace } from './configuration.ts';
import type { AllDeclarations } from './declarations.ts';
import { locateValue } from './files/source.ts';
import type { Loading, Problem, Problems } from './problems.ts';
import { checkText, quote } from './text.ts';

/**
 * The one place that turns what a file writes for a project, team, SSH key, agent pool or VCS connection into an id: an
 * alias wins over a name, a name over an id. What is no id beyond doubt becomes a placeholder and is looked up on the
 * service before a plan is made.
 */
export interface References {
  readonly aliases: Aliases;
  /** Undefined where it is wrong; the problems then say so. */
  resolve(kind: AliasKind, written: string, location: SourceLocation): string | undefined;
  /** The names so far, in the order in which they were met. */
  lookUps(): readonly LookUp[];
}

export function createReferences(declared: AllDeclarations['aliases'], loading: Loading): References {
  const names = createNames(loading.problems);
  const aliases = Object.fromEntries(
    aliasKinds.map((kind) => [kind, readAliases(kind, declared[kind], { loading, names })]),
  ) as Aliases;
  return {
    aliases,
    resolve(kind, written, location) {
      // An alias whose own value is wrong was reported where it is declared.
      if (declared[kind].has(written)) return aliases[kind].get(written);
      const idKind = kindOfId(written);
      if (idKind === kind) return written;
      if (idKind === undefined) {
        const placeholder = isIdOf(kind, written) ? written : standIn(kind, written);
        return names.add({ kind, name: written, placeholder }, { location });
      }
      loading.problems.add(idOfAnother(kind, idKind, { written, location }));
      return undefined;
    },
    lookUps: names.all,
  };
}

interface Names {
  /** @returns its placeholder */
  add(lookUp: Omit<LookUp, 'places'>, place: LookUpPlace): string;
  all(): readonly LookUp[];
}

function createNames(problems: Problems): Names {
  const lookUps = new Map<string, LookUp & { readonly places: LookUpPlace[] }>();
  return {
    add(lookUp, place) {
      checkText(`the ${aliasKindTable[lookUp.kind].noun}`, lookUp.name, {
        problems,
        location: place.location,
      });
      const known = lookUps.get(lookUp.placeholder) ?? { ...lookUp, places: [] };
      known.places.push(place);
      lookUps.set(lookUp.placeholder, known);
      return lookUp.placeholder;
    },
    all: () => [...lookUps.values()],
  };
}

function standIn(kind: AliasKind, name: string): string {
  return `{${kind}:${name}}`;
}

function readAliases(
  kind: AliasKind,
  declared: AllDeclarations['aliases'][AliasKind],
  { loading: { origins, problems }, names }: { readonly loading: Loading; readonly names: Names },
): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const [alias, { value, mapping, location: keyLocation }] of declared) {
    checkText('the alias', alias, { problems, location: keyLocation });
    if (value === undefined) continue;
    const location = locateValue(origins, mapping, alias);
    if (typeof value === 'string' && isIdOf(kind, value)) {
      ids.set(alias, value);
      continue;
    }
    const name = typeof value === 'string' ? value : value.name;
    const idKind = typeof value === 'string' ? kindOfId(value) : undefined;
    if (idKind !== undefined) {
      problems.add(idOfAnother(kind, idKind, { written: String(value), location }));
    } else if (name !== undefined) {
      ids.set(alias, names.add({ kind, name, placeholder: standIn(kind, name) }, { alias, location }));
    }
  }
  return ids;
}

/** A mistake that needs no service to be found: copied from the wrong page. */
function idOfAnother(
  kind: AliasKind,
  idKind: AliasKind,
  { written, location }: { readonly written: string; readonly location: SourceLocation },
): Problem {
  const { article, noun, prefix } = aliasKindTable[kind];
  const other = aliasKindTable[idKind];
  return {
    code: 'bad-id',
    message: `${quote(written)} is the id of ${other.article} ${other.noun}, and ${article} ${noun} is wanted`,
    hint: `write ${prefix}..., or its name; a name that looks like an id stands under ${kind}: {name: ${quote(written)}}`,
    location,
  };
}
