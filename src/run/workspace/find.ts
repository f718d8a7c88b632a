import {
  type FindOptions,
  type FoundWorkspace,
  findWorkspaces,
  isPattern,
  type WorkspaceChoice,
} from '../../live/find-workspaces.ts';
import { lockHolder } from '../../live/included.ts';
import { readNames } from '../../live/read-names.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Configuration } from '../../model/configuration.ts';
import type { WorkspaceEntry } from '../../model/results.ts';
import { resourcesOf } from '../../model/state.ts';
import { hintAt } from '../../model/text.ts';
import { isRecord } from '../../model/value.ts';
import { resolveProjects } from '../../resolve/resolve-projects.ts';
import { type Connection, openConnections } from '../connect.ts';
import type { RunContext } from '../context.ts';
import { loadOptional, otherConfiguration } from '../load.ts';

export interface Target {
  readonly organization: string;
  readonly connection: Connection;
  /** The configuration of the files; empty without files. */
  readonly configuration: Configuration;
}

interface TargetOptions {
  readonly organization?: string | undefined;
  /** The root file. @default the `attune.yaml` of the working folder, if it exists */
  readonly config?: string | undefined;
}

/**
 * Finds organization and service by the options, the environment and the root file, in that order, and connects. The
 * connection is closed when the target is disposed of.
 */
export async function openTarget(
  options: TargetOptions,
  context: RunContext,
): Promise<Target & AsyncDisposable> {
  const configuration = await findConfiguration(options, context);
  const connections = await openConnections([configuration], context);
  const { organization } = configuration.desired;
  return {
    organization,
    connection: connections.at(0),
    configuration,
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/** A file for another organization is not used. Files with errors are refused if they are named or needed. */
async function findConfiguration(
  { organization, config }: TargetOptions,
  context: RunContext,
): Promise<Configuration> {
  const files = config === undefined ? [] : [config];
  const isNeeded = config !== undefined || organization === undefined;
  const [found] = await loadOptional(files, context, { isNeeded });
  if (found && (organization === undefined || found.desired.organization === organization)) return found;
  if (organization) return otherConfiguration(organization, found ? [found] : [], context);
  throw new AttuneError(
    'workspace commands require an organization: there is no --organization and no attune.yaml',
    {
      code: 'no-organization',
      hint: 'add --organization NAME and --address URL, or --config FILE',
    },
  );
}

export type Found = readonly FoundWorkspace[];

/** The workspaces that a run works on; projects as an alias, a name or an id. */
export interface Choice extends WorkspaceChoice {
  /** Whether a pattern or a filter selects them, so that the service must be asked which they are. */
  readonly isOpen: boolean;
}

export function choiceOf({ names, projects, tags }: WorkspaceChoice): Choice {
  const all = [...new Set(names)];
  return { names: all, projects, tags, isOpen: all.some(isPattern) || projects.length + tags.length > 0 };
}

export async function find(
  choice: Choice,
  target: Target,
  options: Pick<FindOptions, 'bindings' | 'runs'> = {},
): Promise<Found> {
  const { organization, connection, configuration } = target;
  const { client } = connection;
  const dialect = connection.dialect ?? configuration.service.dialect;
  const namesOf = (kind: AliasKind) => readNames(client, organization, kind);
  const { workspaces, missing } = await findWorkspaces(
    client,
    { ...choice, projects: await resolveProjects(choice.projects, configuration, namesOf, '--project') },
    { organization, ...options, ...(dialect && { dialect }) },
  );
  if (missing.length > 0) throw noSuchWorkspace(missing, choice, target);
  return workspaces;
}

/** The same, but an empty result is an error. */
export async function findSome(
  choice: Choice,
  target: Target,
  options: Pick<FindOptions, 'bindings' | 'runs'> = {},
): Promise<Found> {
  const found = await find(choice, target, options);
  if (found.length > 0) return found;
  throw new AttuneError(
    `no workspace of ${target.organization} matches the names and filters, or none is visible to this token`,
    { code: 'unknown-name', hint: 'run `attune workspace list` to see the workspaces' },
  );
}

function noSuchWorkspace(missing: readonly string[], choice: Choice, target: Target): AttuneError {
  const { organization, configuration } = target;
  const [first = ''] = missing;
  const chosen = choice.projects.length + choice.tags.length > 0 ? ' with these filters' : '';
  const nouns = missing.length === 1 ? 'workspace' : 'workspaces';
  const declared = resourcesOf(configuration.desired.resources.values(), 'workspace').map(({ name }) => name);
  return new AttuneError(
    `unknown ${nouns} ${missing.join(', ')}: not in organization ${organization}${chosen}, or not visible to this token`,
    {
      code: 'unknown-name',
      hint: hintAt(first, declared, 'run `attune workspace list` to see the workspaces'),
    },
  );
}

export function lockOf({ resource, document }: FoundWorkspace): WorkspaceEntry['lock'] {
  const { lock } = resource.attributes;
  const { locked, reason } = isRecord(lock) ? lock : {};
  const by = lockHolder(document);
  return {
    locked: locked === true,
    ...(typeof reason === 'string' && { reason }),
    ...(locked === true && by && { by }),
  };
}
