import type { Configuration } from '../desired/configuration.ts';
import type { LiveSource } from '../live/live-source.ts';
import { type NamedId, NoLookUpError } from '../live/read-names.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import type { NamesOf } from './look-up-names.ts';

/** Names by id, of the kinds that were read. */
export type PolicyNames = ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;

/** The fields of policies that have the names of a kind. */
const nameFields = { projects: 'projectName', teams: 'teamName' } as const;
const namedKinds = ['projects', 'teams'] as const;

/** The kinds whose names the policies use. */
export function kindsNamedBy({ policies = [] }: Pick<Configuration, 'policies'>): readonly AliasKind[] {
  return namedKinds.filter((kind) => policies.some(({ fields }) => fields.includes(nameFields[kind])));
}

/** The names that the policies use. A kind that the service does not list to the token is unknown. */
export async function readPolicyNames(
  configuration: Configuration,
  source: Pick<LiveSource, 'names'>,
  { bindings = false }: { readonly bindings?: boolean | undefined },
): Promise<PolicyNames> {
  const { organization } = configuration.desired;
  const found = await readNamesOf(kindsNamedBy(configuration), (kind) =>
    source.names(organization, kind, { bindings }),
  );
  return new Map([...found].map(([kind, names]) => [kind, new Map(names.map(({ id, name }) => [id, name]))]));
}

/** The names of kinds, without those that cannot be listed. */
export async function readNamesOf(
  kinds: Iterable<AliasKind>,
  namesOf: NamesOf,
): Promise<ReadonlyMap<AliasKind, readonly NamedId[]>> {
  const found = await Promise.all(
    [...kinds].map(async (kind) => {
      const names = await namesOf(kind).catch((error: unknown) => {
        if (error instanceof NoLookUpError) return undefined;
        throw error;
      });
      return names ? [[kind, names] as const] : [];
    }),
  );
  return new Map(found.flat());
}
