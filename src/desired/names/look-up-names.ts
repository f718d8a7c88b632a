import { type NamedId, NoLookUpError } from '../../live/read-names.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import type { Configuration } from '../configuration.ts';
import type { QueryOptions } from '../live-query-of.ts';
import { neededLookUps } from './needed-look-ups.ts';
import { type FoundNames, resolveNames } from './resolve-names.ts';

/** Tells everything of one kind: asked of the service, or of a snapshot. */
export type NamesOf = (kind: AliasKind) => Promise<readonly NamedId[]>;

/**
 * Looks up what the files call by its name and puts its id there. Each kind is asked for once, and only where something
 * that the run looks at depends on it; a configuration without names comes back as it is.
 *
 * @throws {@link DiagnosticsError} where a name is unknown, ambiguous, or of a kind that cannot be looked up.
 * @throws {@link ServiceError} or {@link NetworkError} where a read fails.
 * @example
 * ```ts
 * const { organization } = declared.desired;
 * const named = await lookUpNames(declared, (kind) => readNames(client, organization, kind));
 * console.log(named.aliases.projects.get('payments')); // prj-payments
 * ```
 */
export async function lookUpNames(
  configuration: Configuration,
  namesOf: NamesOf,
  options: QueryOptions = {},
): Promise<Configuration> {
  const needed = neededLookUps(configuration, options);
  if (needed.length === 0) return configuration;
  const kinds = [...new Set(needed.map(({ kind }) => kind))];
  const found = await Promise.all(
    kinds.map(async (kind) => [kind, await namesOrNone(namesOf, kind)] as const),
  );
  return resolveNames(configuration, new Map(found) satisfies FoundNames, needed);
}

/** That a kind is not told may be of no matter: what could be an id then is one. */
async function namesOrNone(namesOf: NamesOf, kind: AliasKind): Promise<readonly NamedId[] | NoLookUpError> {
  try {
    return await namesOf(kind);
  } catch (error) {
    if (error instanceof NoLookUpError) return error;
    throw error;
  }
}
