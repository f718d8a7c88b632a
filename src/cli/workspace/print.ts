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
import { counted } from '../../model/text.ts';
import { jsonText } from '../../report/json-text.ts';
import { workspaceLines, workspaceTable } from '../../report/workspace/workspace-table.ts';
import { workspaceText } from '../../report/workspace/workspace-text.ts';
import type { ServiceReader } from '../../service/client.ts';
import type { Session } from '../session.ts';
import { fileKnowledge, type Target } from './target.ts';

/** Prints a list of workspaces: as JSON, as a table on a terminal, else as lines of columns. */
export function printList(
  found: readonly FoundWorkspace[],
  target: Target,
  { flags, io, console }: Session,
): void {
  const { organization, connection } = target;
  const files = fileKnowledge(target, io.cwd);
  const workspaces = found.map((one) => workspaceEntry(one, files));
  if (flags.format === 'json') {
    const { address } = connection;
    console.result(jsonText({ format: 'attune.workspaces/1', organization, address, workspaces }));
    return;
  }
  if (!io.stdout.isTerminal) console.result(workspaceLines(workspaces));
  else if (workspaces.length > 0) {
    console.result(workspaceTable(workspaces, { width: io.stdout.columns ?? 80, paint: console.paint }));
  }
  console.inform(`${organization}: ${counted(workspaces.length, 'workspace')}.`);
}

/** Reads and prints all settings of workspaces. */
export async function printWhole(
  found: readonly FoundWorkspace[],
  target: Target,
  { flags, io, console, progress }: Session,
): Promise<void> {
  const { organization, connection } = target;
  const { client, address } = connection;
  const files = fileKnowledge(target, io.cwd);
  const names = new Map(found.map(({ resource }) => [resource.id ?? '', resource.name]));
  const workspaces = await Promise.all(found.map((one) => readWhole(one, { files, names, reader: client })));
  progress.end();
  const { capabilities } = client;
  const missing = shown.filter((feature) => capabilities.lacks(feature));
  console.diagnostics(notOfferedNotes(missing, capabilities));
  console.result(
    flags.format === 'json'
      ? jsonText({ format: 'attune.workspaces/1', organization, address, workspaces })
      : workspaces.map((entry) => workspaceText(entry, console.paint)).join('\n'),
  );
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
