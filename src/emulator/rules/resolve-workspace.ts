import { workspaceAttributes } from '../../model/attribute-table.ts';
import type { AttributePath } from '../../model/attribute-values.ts';
import { attributePaths, isRepositoryPath, sharingSwitches } from '../../model/attributes.ts';
import type { Dialect } from '../../model/dialect.ts';
import { wireNameOf } from '../../model/rows.ts';
import type { Value } from '../../model/value.ts';
import { type ErrorObject, invalidAttribute } from '../http/responses.ts';
import { hasAssessments, type World } from '../world.ts';
import { executionDefaults, resolveExecution } from './execution.ts';
import { resolveOwnTriggers, storedSchedule } from './live-rules.ts';
import type { GivenValues, OwnValues, ReadAttributes } from './read-attributes.ts';

const resolvedElsewhere: ReadonlySet<string> = new Set(['execution-mode', 'operations', 'agent-pool-id']);

export function initialValues(world: World, organization: string): OwnValues {
  const record = world.store.get('organizations', organization);
  const values = Object.fromEntries(attributePaths.map((path) => [path, workspaceAttributes[path].default]));
  return {
    ...(values as Record<AttributePath, Value>),
    // No own values: the organization's mode and pool apply.
    'setting-overwrites.execution-mode': false,
    'setting-overwrites.agent-pool': false,
    'global-remote-state': record?.globalRemoteState ?? false,
    'iac-version': record?.latestVersion ?? null,
  };
}

interface ResolveInput {
  readonly world: World;
  readonly organization: string;
  readonly project: string;
  readonly own: OwnValues;
  /** Whether it has no destroy schedule, whatever that of its project. @default false */
  readonly neverDestroyed?: boolean | undefined;
  readonly given: ReadAttributes;
  readonly creating?: boolean;
}

export function resolveWorkspace(input: ResolveInput): {
  readonly own: OwnValues;
  readonly neverDestroyed: boolean;
  readonly errors: readonly ErrorObject[];
} {
  const { world, organization, given, neverDestroyed = false } = input;
  const { store, dialect } = world;
  const project = store.get('projects', input.project);
  const execution = resolveExecution({
    own: resolvePlain(input),
    given: given.values,
    defaults: executionDefaults(store, organization, project),
    flagsAgree: dialect === 'terraform',
    isPool: (id) => store.get('agentPools', id)?.organization === organization,
  });
  const repository = resolveRepository({
    own: execution.own,
    given: given.values,
    repository: given.repository,
    dialect,
    isConnection: (id) => isConnection(world, organization, id),
  });
  const errors = [...given.errors, ...execution.errors, ...repository.errors];
  if (dialect === 'iac') return { own: repository.own, neverDestroyed, errors };
  const triggers = resolveOwnTriggers(repository.own, given.values);
  const schedule = storedSchedule({
    own: triggers.own,
    given: given.values,
    inherits: given.inheritsSchedule,
    neverDestroyed,
    project,
  });
  // The live service shares the state with the organization or with the project.
  if (sharingSwitches.every((path) => schedule.own[path] === true)) {
    const detail = 'Project remote state cannot be enabled when global remote state sharing is enabled';
    errors.push(invalidAttribute('project-remote-state', detail));
  }
  return { ...schedule, errors: [...errors, ...triggers.errors, ...schedule.errors] };
}

function resolvePlain({ world, own, given, creating }: ResolveInput): OwnValues {
  const resolved: Record<AttributePath, Value> = { ...own };
  for (const path of attributePaths) {
    const value = given.values[path];
    if (value === undefined || path.includes('.') || resolvedElsewhere.has(path)) continue;
    const spec = workspaceAttributes[path];
    if ((spec.createOnly && !creating) || (spec.hostedOnly && !hasAssessments(world))) continue;
    resolved[path] = value;
  }
  return resolved;
}

/** An organization without connections accepts every id, so that a quick test needs no seed for it. */
function isConnection(world: World, organization: string, id: string): boolean {
  const known = world.store.get('vcsConnections', id);
  if (known) return known.organization === organization;
  return !world.store.all('vcsConnections').some((connection) => connection.organization === organization);
}

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
