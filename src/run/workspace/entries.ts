import { join, relative } from 'node:path';
import { aliasOf } from '../../desired/configuration.ts';
import { readRetentionPolicy } from '../../live/detail-reads.ts';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { notOfferedNotes } from '../../live/read-live.ts';
import { readConsumerIds } from '../../live/workspace-details.ts';
import {
  type FileKnowledge,
  type NamedThing,
  type WorkspaceEntry,
  workspaceEntry,
} from '../../live/workspace-entry.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { slashed } from '../../model/files.ts';
import type { ServiceReader } from '../../service/client.ts';
import type { Found } from './find.ts';
import type { Target } from './open-target.ts';

/** The entries of workspaces, from their documents and the files. */
export function workspaceEntries(found: Found, target: Target, cwd: string): readonly WorkspaceEntry[] {
  const files = fileKnowledge(target, cwd);
  return found.map((one) => workspaceEntry(one, files));
}

/** The same with all settings that have their own requests, and notes on those that the service does not offer. */
export async function wholeEntries(
  found: Found,
  target: Target,
  cwd: string,
): Promise<{ readonly workspaces: readonly WorkspaceEntry[]; readonly notes: readonly Diagnostic[] }> {
  const { client } = target.connection;
  const files = fileKnowledge(target, cwd);
  const names = new Map(found.map(({ resource }) => [resource.id ?? '', resource.name]));
  const workspaces = await Promise.all(found.map((one) => readWhole(one, { files, names, reader: client })));
  const { capabilities } = client;
  const missing = shown.filter((feature) => capabilities.lacks(feature));
  return { workspaces, notes: notOfferedNotes(missing, capabilities) };
}

/** Settings that need their own requests. */
const shown = ['remote-state-consumers', 'data-retention'] as const;

interface ShowContext {
  readonly files: FileKnowledge;
  /** Names of workspaces by id; consumers are added as they are read. */
  readonly names: Map<string, string>;
  readonly reader: ServiceReader;
}

/** Adds the settings that the document of a workspace does not contain. */
async function readWhole(
  found: FoundWorkspace,
  { files, names, reader }: ShowContext,
): Promise<WorkspaceEntry> {
  const { attributes, id = '' } = found.resource;
  const isShared = attributes['global-remote-state'] === true;
  const [consumers, dataRetention] = await Promise.all([
    isShared ? undefined : readConsumerIds(reader, id, names),
    attributes['data-retention'] === null ? null : readRetentionPolicy(reader, id),
  ]);
  const readers = consumers
    ?.map((consumer): NamedThing => {
      const name = names.get(consumer);
      return { id: consumer, ...(name !== undefined && { name }) };
    })
    .sort((a, b) => ((a.name ?? a.id) < (b.name ?? b.id) ? -1 : 1));
  const { capabilities } = reader;
  return {
    ...workspaceEntry(found, files),
    ...((isShared || readers) && { consumers: readers ?? 'all' }),
    ...(!capabilities.lacks('data-retention') && { dataRetention }),
  };
}

/** The declarations of live workspaces, with paths relative to the working folder. */
function fileKnowledge({ configuration }: Target, cwd: string): FileKnowledge {
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
