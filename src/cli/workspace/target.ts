import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { aliasOf, type Configuration } from '../../desired/configuration.ts';
import { loadConfig } from '../../desired/load-config.ts';
import type { FileKnowledge } from '../../live/workspace-entry.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { slashed } from '../../model/files.ts';
import type { WorkspaceFlags } from '../flags.ts';
import { type Connection, openConnections } from '../organizations/connect.ts';
import { bareConfiguration, invalidFiles } from '../organizations/load.ts';
import type { Session } from '../session.ts';

/** The organization that a command on workspaces is about. */
export interface Target {
  readonly organization: string;
  readonly connection: Connection;
  /** The configuration of the files; without files it declares nothing. */
  readonly configuration: Configuration;
}

/**
 * Finds organization and service by the flags, the environment and the root file, in that order, and connects. The
 * connection is closed when the target is disposed of.
 *
 * @throws {RefusedError} if the files have errors and are needed, because they declare what is protected.
 */
export async function openTarget(
  session: Session,
  flags: WorkspaceFlags,
  { needsFiles = false }: { readonly needsFiles?: boolean } = {},
): Promise<Target & AsyncDisposable> {
  const configuration = await findConfiguration(session, flags, needsFiles);
  const connections = await openConnections([configuration], session);
  const { organization } = configuration.desired;
  return {
    organization,
    connection: connections.at(0),
    configuration,
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

/** A file for another organization says nothing. */
async function findConfiguration(
  session: Session,
  flags: WorkspaceFlags,
  needsFiles: boolean,
): Promise<Configuration> {
  const { organization } = flags;
  const found = await readConfiguration(session, flags, needsFiles);
  if (found && (organization === undefined || found.desired.organization === organization)) return found;
  if (organization) return bareConfiguration(organization, session.io.cwd);
  throw new AttuneError('no organization: there is no attune.yaml here, and none was given', {
    code: 'no-organization',
    hint: 'give --organization NAME and --address URL, or --config FILE',
  });
}

/** Files with errors are ignored if the command line names all that is needed, and nothing is deleted. */
async function readConfiguration(
  session: Session,
  { organization, config, address }: WorkspaceFlags,
  needsFiles: boolean,
): Promise<Configuration | undefined> {
  const { io, console } = session;
  const found = await stat(join(io.cwd, 'attune.yaml')).catch(() => undefined);
  const file = config ?? (found ? 'attune.yaml' : undefined);
  if (file === undefined) return undefined;
  const loaded = await loadConfig(file, { cwd: io.cwd });
  const [configuration] = loaded.configurations;
  if (configuration) return configuration;
  const isGiven = organization !== undefined && Boolean(address || io.env.ATTUNE_ADDRESS);
  if (needsFiles || config !== undefined || !isGiven) {
    throw invalidFiles(loaded, session);
  }
  console.diagnostics([
    {
      severity: 'warning',
      code: 'files-left-aside',
      message: `${file} has errors and is left aside: its aliases and declarations are not known here`,
      hint: 'attune validate',
    },
  ]);
  return undefined;
}

/** What the files declare about live workspaces, with paths from the working folder. */
export function fileKnowledge({ configuration }: Target, cwd: string): FileKnowledge {
  const { aliases, desired, folder } = configuration;
  const alias = (kind: AliasKind, id: string) => {
    const called = aliasOf(aliases, kind, id);
    return called === id ? undefined : called;
  };
  return {
    projectAlias: (id) => alias('projects', id),
    sshKeyAlias: (id) => alias('ssh-keys', id),
    declaration: (name) => {
      const resource = desired.resources.get(`workspace.${name}`);
      if (!resource?.location || resource.declared?.absent) return undefined;
      const file = slashed(relative(cwd, join(folder, resource.location.file)));
      return { ...resource.location, file, protect: resource.declared?.protect === true };
    },
  };
}
