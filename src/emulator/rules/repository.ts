import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import { attributePaths, isRepositoryPath } from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import { wireNameOf } from '../../model/rows.ts';
import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalid } from '../http/responses.ts';
import type { GivenValues, OwnValues } from './read-attributes.ts';

const paths = attributePaths.filter(isRepositoryPath);
const token = 'vcs-repo.oauth-token-id';
const installation = 'vcs-repo.vcs-app-installation-id';

/** A workspace has a repository if it has an identifier. */
export function hasOwnRepository(own: OwnValues): boolean {
  return own['vcs-repo.identifier'] !== null;
}

export interface RepositoryInput {
  readonly own: OwnValues;
  readonly given: GivenValues;
  readonly repository: 'absent' | 'removed' | 'given';
  readonly dialect: Dialect;
  readonly isConnection: (id: string) => boolean;
}

/**
 * Merges a repository: only the given keys change, null removes it, and a new one needs a connection and an identifier
 * (interface, section 2.2). The live service also accepts an app installation instead of the connection.
 */
export function resolveRepository(input: RepositoryInput): {
  readonly own: OwnValues;
  readonly errors: ErrorObject[];
} {
  const { own, repository, dialect } = input;
  if (repository === 'removed') return { own: { ...own, ...emptyRepository() }, errors: [] };
  if (repository === 'absent') return { own, errors: [] };
  const given = withoutBlanks(input.given);
  const resolved: Record<AttributePath, Value> = { ...own, ...emptyRepositoryUnless(own) };
  for (const path of paths) resolved[path] = given[path] ?? (path in given ? null : resolved[path]);
  if (given[token]) resolved[installation] = null;
  else if (given[installation]) resolved[token] = null;
  return { own: resolved, errors: [...ruleErrors({ ...input, given }, dialect)] };
}

function* ruleErrors(
  { own, given, isConnection }: RepositoryInput,
  dialect: Dialect,
): Generator<ErrorObject> {
  const pointer = (path: AttributePath) =>
    `/data/attributes/vcs-repo/${wireNameOf(workspaceAttributes, path, dialect)}`;
  if (given[token] && given[installation]) {
    yield invalid(
      pointer(installation),
      `must not be specified together with ${wireNameOf(workspaceAttributes, token, dialect)}`,
    );
  }
  if (!hasOwnRepository(own)) {
    const connected = given[token] || (dialect === 'terraform' && given[installation]);
    if (!connected) yield invalid(pointer(token), 'must be specified for a new repository');
    if (!given['vcs-repo.identifier']) {
      yield invalid(pointer('vcs-repo.identifier'), 'must be specified for a new repository');
    }
  }
  const identifier = given['vcs-repo.identifier'];
  if (typeof identifier === 'string' && !/^[^/\s]+(\/[^/\s]+)+$/.test(identifier)) {
    yield invalid(
      pointer('vcs-repo.identifier'),
      'must have the form :org/:repo or :org/:project/_git/:repo',
    );
  }
  const connection = given[token];
  if (typeof connection === 'string' && !isConnection(connection)) {
    yield invalid(pointer(token), "Repository doesn't exist or isn't accessible");
  }
}

/** Official clients send an empty string for the kind of connection that they do not use. */
function withoutBlanks(given: GivenValues): GivenValues {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([path, value]) => value !== '' || (path !== token && path !== installation),
    ),
  );
}

function emptyRepositoryUnless(own: OwnValues): GivenValues {
  return hasOwnRepository(own) ? {} : emptyRepository();
}

function emptyRepository(): GivenValues {
  return Object.fromEntries(paths.map((path) => [path, workspaceAttributes[path].default]));
}
