import { stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Aliases, Configuration } from '../../desired/configuration.ts';
import { loadConfig } from '../../desired/load-config.ts';
import type { FileKnowledge } from '../../live/workspace-entry.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { type Connection, connect } from '../connect.ts';
import { entryOf } from '../emit.ts';
import type { WorkspaceFlags } from '../flags.ts';
import { RefusedError } from '../refused-error.ts';
import type { Session } from '../session.ts';

/** The organization that a command on workspaces is about. */
export interface Target {
  readonly organization: string;
  readonly connection: Connection;
  /** The files that declare it, where there are any. */
  readonly configuration?: Configuration;
}

export interface TargetOptions {
  /** Whether the files must be sound: they say what is protected. */
  readonly needsFiles?: boolean;
}

/**
 * Finds organization and service by the flags, the environment and the root file, in that order, and connects. The
 * connection is closed afterwards, whatever happens.
 *
 * @throws {RefusedError} where the files have errors and are needed.
 */
export async function withTarget(
  session: Session,
  flags: WorkspaceFlags,
  { needsFiles = false }: TargetOptions,
  use: (target: Target) => Promise<number>,
): Promise<number> {
  const configuration = await readConfiguration(session, flags, needsFiles);
  const organization = flags.organization ?? configuration?.desired.organization;
  if (!organization) throw noOrganization();
  const { io, progress } = session;
  const connection = await connect(
    {
      service: configuration?.service ?? {},
      folder: configuration?.folder ?? io.cwd,
      desired: { organization },
    },
    { ...session, observe: progress.observe },
  );
  try {
    const isTheirs = configuration?.desired.organization === organization;
    return await use({ organization, connection, ...(isTheirs && { configuration }) });
  } finally {
    progress.end();
    await connection.close();
  }
}

/** Files with errors stand in nobody's way who says all that is needed, as long as nothing is deleted. */
async function readConfiguration(
  session: Session,
  { organization, config, address }: WorkspaceFlags,
  needsFiles: boolean,
): Promise<Configuration | undefined> {
  const { io, console } = session;
  const found = await stat(join(io.cwd, 'attune.yaml')).catch(() => undefined);
  const file = config ?? (found ? 'attune.yaml' : undefined);
  if (file === undefined) return undefined;
  const { configurations, roots } = await loadConfig(file, { cwd: io.cwd });
  const [configuration] = configurations;
  if (configuration) return configuration;
  const isTold = organization !== undefined && Boolean(address || io.env.ATTUNE_ADDRESS);
  if (needsFiles || config !== undefined || !isTold) {
    throw new RefusedError(roots.map(({ folder, diagnostics }) => entryOf(session, folder, { diagnostics })));
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

function noOrganization(): AttuneError {
  return new AttuneError('no organization: there is no attune.yaml here, and none was given', {
    code: 'no-organization',
    hint: 'give --organization NAME and --address URL, or --config FILE',
  });
}

/** What the files know of live workspaces, told from where the command runs. */
export function fileKnowledge({ configuration }: Target, cwd: string): FileKnowledge {
  const alias = (kind: AliasKind, id: string) => configuration && aliasFor(configuration.aliases, kind, id);
  return {
    projectAlias: (id) => alias('projects', id),
    sshKeyAlias: (id) => alias('ssh-keys', id),
    declaration: (name) => {
      const resource = configuration?.desired.resources.get(`workspace.${name}`);
      if (!configuration || !resource?.location || resource.declared?.absent) return undefined;
      const file = relative(cwd, join(configuration.folder, resource.location.file)).replaceAll('\\', '/');
      return { ...resource.location, file, protect: resource.declared?.protect === true };
    },
  };
}

function aliasFor(aliases: Aliases, kind: AliasKind, id: string): string | undefined {
  for (const [alias, aliased] of aliases[kind]) if (aliased === id) return alias;
  return undefined;
}
