import { AttuneError } from '../../model/attune-error.ts';
import type { Configuration } from '../../model/configuration.ts';
import { type Connection, openConnections } from '../connect.ts';
import type { RunContext } from '../context.ts';
import { loadOptional, otherConfiguration } from '../load.ts';

/** The organization of a command on workspaces. */
export interface Target {
  readonly organization: string;
  readonly connection: Connection;
  /** The configuration of the files; empty without files. */
  readonly configuration: Configuration;
}

export interface TargetOptions {
  /** @default that of the root file */
  readonly organization?: string | undefined;
  /** The root file. @default the `attune.yaml` of the working folder, if it exists */
  readonly config?: string | undefined;
}

/**
 * Finds organization and service by the options, the environment and the root file, in that order, and connects. The
 * connection is closed when the target is disposed of.
 *
 * @throws {RefusedError} if the files have errors and are needed.
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
