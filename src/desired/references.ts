import { type AliasKind, aliasKinds, aliasKindTable } from '../model/alias-kind.ts';
import type { SourceLocation } from '../model/location.ts';
import { nearest } from '../model/nearest.ts';
import type { Aliases } from './configuration.ts';
import type { AllDeclarations } from './declarations.ts';
import type { Loading } from './loading.ts';
import { locateValue } from './origins.ts';
import type { Problem } from './problems.ts';
import { quote } from './quote.ts';

/**
 * The one place that turns what a file writes for a project, team, SSH key, agent pool or VCS connection into an id:
 * an alias wins, then an id. Names are not looked up on the service.
 */
export interface References {
  readonly aliases: Aliases;
  /** Undefined where it is unknown; the problems then say so. */
  resolve(kind: AliasKind, written: string, location: SourceLocation): string | undefined;
}

export function createReferences(declared: AllDeclarations['aliases'], loading: Loading): References {
  const aliases = Object.fromEntries(
    aliasKinds.map((kind) => [kind, readAliases(kind, declared[kind], loading)]),
  ) as Aliases;
  return {
    aliases,
    resolve(kind, written, location) {
      const id = aliases[kind].get(written);
      if (id !== undefined) return id;
      if (isId(kind, written)) return written;
      // An alias whose own value is wrong was reported where it is declared.
      if (!declared[kind].has(written) && !loading.incomplete)
        loading.problems.add(unknownAlias(kind, written, { declared, location }));
      return undefined;
    },
  };
}

function readAliases(
  kind: AliasKind,
  declared: AllDeclarations['aliases'][AliasKind],
  { origins, problems }: Loading,
): ReadonlyMap<string, string> {
  const { prefix } = aliasKindTable[kind];
  const noun = aNoun(kind);
  const ids = new Map<string, string>();
  for (const [alias, { value, mapping }] of declared) {
    if (value === undefined) continue;
    const location = locateValue(origins, mapping, alias);
    if (typeof value !== 'string')
      problems.add({
        code: 'name-lookup',
        message: `${noun} is not looked up by its name, ${quote(value.name ?? alias)}`,
        hint: `write its id: ${quoteKey(alias)}: ${prefix}...`,
        location,
      });
    else if (isId(kind, value)) ids.set(alias, value);
    else
      problems.add({
        code: 'bad-id',
        message: `${quote(value)} is not the id of ${noun}`,
        hint: `write its id: ${prefix}...`,
        location,
      });
  }
  return ids;
}

function isId(kind: AliasKind, written: string): boolean {
  const { prefix } = aliasKindTable[kind];
  return written.startsWith(prefix) && /^[A-Za-z0-9_-]+$/.test(written.slice(prefix.length));
}

function unknownAlias(
  kind: AliasKind,
  written: string,
  { declared, location }: { declared: AllDeclarations['aliases']; location: SourceLocation },
): Problem {
  const { prefix } = aliasKindTable[kind];
  const noun = aNoun(kind);
  return {
    code: 'unknown-alias',
    message: `${quote(written)} is neither an alias under ${kind} nor the id of ${noun} (${prefix}...)`,
    hint: () => {
      const near = nearest(written, declared[kind].keys());
      if (near !== undefined) return `did you mean ${quote(near)}?`;
      const elsewhere = aliasKinds.find((other) => other !== kind && declared[other].has(written));
      if (elsewhere !== undefined) return `it is an alias under ${elsewhere}`;
      return `declare it under ${kind}: "${quoteKey(written)}: ${prefix}..."`;
    },
    location,
  };
}

function quoteKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : quote(key);
}

function aNoun(kind: AliasKind): string {
  const { article, noun } = aliasKindTable[kind];
  return `${article} ${noun}`;
}
