import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { aliasOf, type Configuration } from '../../desired/configuration.ts';
import { loadConfig } from '../../desired/load-config.ts';
import type { FileKnowledge } from '../../live/workspace-entry.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { slashed } from '../../model/files.ts';
import { type Connection, openConnections } from '../../run/connect.ts';
import { bareConfiguration, invalidFiles } from '../../run/load.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Session } from '../session.ts';

/** The organization of a command on workspaces. */
export interface Target {
  readonly organization: string;
  readonly connection: Connection;
  /** The configuration of the files; empty without files. */
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

/** A file for another organization is not used. */
async function findConfiguration(
  session: Session,
  flags: WorkspaceFlags,
  needsFiles: boolean,
): Promise<Configuration> {
  const { organization } = flags;
  const found = await readConfiguration(session, flags, needsFiles);
  if (found && (organization === undefined || found.desired.organization === organization)) return found;
  if (organization) return bareConfiguration(organization, session.io.cwd);
  throw new AttuneError(
    'workspace commands require an organization: there is no --organization and no attune.yaml',
    {
      code: 'no-organization',
      hint: 'add --organization NAME and --address URL, or --config FILE',
    },
  );
}

/** Files with errors are ignored if the command line has all settings and the command deletes no workspace. */
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
      message: `${file} has errors and is ignored: its aliases and declarations are unknown`,
      hint: 'run `attune validate`',
    },
  ]);
  return undefined;
}

/** The declarations of live workspaces, with paths relative to the working folder. */
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
