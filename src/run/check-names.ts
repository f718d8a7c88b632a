import { type AmbiguousName, ambiguousNames } from '../import/portable.ts';
import { ifListed, readObjects } from '../live/read-names.ts';
import { type AliasKind, aliasKinds } from '../model/alias-kind.ts';
import { AttuneError } from '../model/attune-error.ts';
import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { findSource, findTarget } from './import-files.ts';

/** The names of an organization that cannot replace ids. */
export interface CheckedNames {
  readonly organization: string;
  readonly address: string;
  readonly ambiguous: readonly AmbiguousName[];
  /** The kinds that the service does not list to this token. */
  readonly unlisted: readonly AliasKind[];
}

/**
 * Lists the names that several objects of a kind have, and objects without a name.
 *
 * @throws {AttuneError} if the service lists no kind.
 */
export async function checkNames(
  { file, organization }: { readonly file?: string | undefined; readonly organization?: string | undefined },
  context: RunContext,
): Promise<CheckedNames> {
  const target = await findTarget(undefined, file, context.io.cwd);
  const source = await findSource(target, { organization, root: file }, context);
  await using connections = await openConnections([source], context);
  const { client, address } = connections.at(0);
  const { organization: name } = source.desired;
  const listed = await Promise.all(aliasKinds.map((kind) => ifListed(readObjects(client, name, kind))));
  if (listed.every((objects) => objects === undefined))
    throw new AttuneError(
      `no names of organization ${name} can be listed: it does not exist, or this token may not list them`,
      { code: 'no-look-up', hint: 'check the name of the organization, and that the token belongs to it' },
    );
  return {
    organization: name,
    address,
    ambiguous: aliasKinds.flatMap((kind, index) => ambiguousNames(kind, listed[index] ?? [])),
    unlisted: aliasKinds.filter((_, index) => listed[index] === undefined),
  };
}
