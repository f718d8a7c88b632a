import { join } from 'node:path';
import { aliasOf } from '../../desired/configuration.ts';
import { readDetails, serviceDetails } from '../../live/detail-reads.ts';
import { notOfferedNotes } from '../../live/read-live.ts';
import {
  type FileKnowledge,
  type NamedThing,
  type WorkspaceEntry,
  workspaceEntry,
} from '../../live/workspace-entry.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { sharingOf } from '../../model/attributes.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Feature } from '../../model/feature.ts';
import { relativePath } from '../../model/files.ts';
import type { WorkspaceResource } from '../../model/state.ts';
import { separateRelations } from '../../relations/relations.ts';
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
  const { capabilities } = client;
  const documents = found.map(({ resource }) => resource);
  const detailed = await readDetails(serviceDetails(client), () => true, documents, names);
  const missing = separateRelations.filter((feature) => capabilities.lacks(feature));
  const workspaces = found.map((one, index) => ({
    ...workspaceEntry(one, files),
    ...detailsOf(detailed[index]?.attributes ?? {}, { names, missing }),
  }));
  return { workspaces, notes: notOfferedNotes(missing, capabilities) };
}

/** The settings that the document of a workspace does not contain. */
function detailsOf(
  attributes: WorkspaceResource['attributes'],
  { names, missing }: { readonly names: ReadonlyMap<string, string>; readonly missing: readonly Feature[] },
): Partial<WorkspaceEntry> {
  const { 'data-retention': dataRetention } = attributes;
  const sharing = sharingOf(attributes);
  const named = (id: string): NamedThing => {
    const name = names.get(id);
    return { id, ...(name !== undefined && { name }) };
  };
  const consumers =
    sharing.to === 'list'
      ? sharing.ids.map(named).sort((a, b) => ((a.name ?? a.id) < (b.name ?? b.id) ? -1 : 1))
      : sharing.to;
  return {
    ...(consumers !== 'unknown' && { consumers }),
    ...(dataRetention !== undefined && !missing.includes('data-retention') && { dataRetention }),
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
      const file = relativePath(cwd, join(folder, resource.location.file));
      return { ...resource.location, file, protect: resource.declared?.protect === true };
    },
  };
}
