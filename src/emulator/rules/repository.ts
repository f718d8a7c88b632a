import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import { attributePaths, isRepositoryPath } from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import { wireNameOf } from '../../model/rows.ts';
import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalidAttribute } from '../http/responses.ts';
import type { GivenValues, OwnValues } from './read-attributes.ts';

const paths = attributePaths.filter(isRepositoryPath);
const token = 'vcs-repo.oauth-token-id';
const installation = 'vcs-repo.vcs-app-installation-id';
const repositoryId = 'vcs-repo.identifier';

export function hasOwnRepository(own: OwnValues): boolean {
  return own[repositoryId] !== null;
}

interface RepositoryInput {
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
  readonly errors: readonly ErrorObject[];
} {
  const { own, repository } = input;
  if (repository === 'removed') return { own: { ...own, ...noRepository }, errors: [] };
  if (repository === 'absent') return { own, errors: [] };
  const given = withoutBlanks(input.given);
  const resolved: Record<AttributePath, Value> = { ...own, ...(!hasOwnRepository(own) && noRepository) };
  for (const path of paths) resolved[path] = given[path] ?? (path in given ? null : resolved[path]);
  if (given[token]) resolved[installation] = null;
  else if (given[installation]) resolved[token] = null;
  return { own: resolved, errors: ruleErrors({ ...input, given }) };
}

function ruleErrors({ own, given, dialect, isConnection }: RepositoryInput): readonly ErrorObject[] {
  const errors: ErrorObject[] = [];
  const nameOf = (path: AttributePath) => wireNameOf(workspaceAttributes, path, dialect);
  const wrong = (path: AttributePath, detail: string) =>
    errors.push(invalidAttribute(`vcs-repo/${nameOf(path)}`, detail));
  const { [token]: connection, [repositoryId]: identifier } = given;
  if (connection && given[installation])
    wrong(installation, `must not be specified together with ${nameOf(token)}`);
  const isNew = !hasOwnRepository(own);
  if (isNew && !connection && !(dialect === 'terraform' && given[installation]))
    wrong(token, 'must be specified for a new repository');
  if (isNew && !identifier) wrong(repositoryId, 'must be specified for a new repository');
  if (typeof identifier === 'string' && !/^[^/\s]+(\/[^/\s]+)+$/.test(identifier))
    wrong(repositoryId, 'must have the form :org/:repo or :org/:project/_git/:repo');
  if (typeof connection === 'string' && !isConnection(connection))
    wrong(token, "Repository doesn't exist or isn't accessible");
  return errors;
}

/** Official clients send an empty string for the kind of connection that they do not use. */
function withoutBlanks(given: GivenValues): GivenValues {
  return Object.fromEntries(
    Object.entries(given).filter(
      ([path, value]) => value !== '' || (path !== token && path !== installation),
    ),
  );
}

const noRepository: GivenValues = Object.fromEntries(
  paths.map((path) => [path, workspaceAttributes[path].default]),
);
