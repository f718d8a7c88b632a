import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { notOfferedNotes } from '../../live/read-live.ts';
import { readConsumerIds, readRetentionPolicy } from '../../live/workspace-details.ts';
import {
  type FileKnowledge,
  type NamedThing,
  type WorkspaceEntry,
  workspaceEntry,
} from '../../live/workspace-entry.ts';
import { jsonText } from '../../report/json-text.ts';
import { workspaceText } from '../../report/workspace/workspace-text.ts';
import type { ServiceReader } from '../../service/client.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { runSession } from '../session/run-session.ts';
import { choiceOf, findSome, requireChoice } from './find.ts';
import { fileKnowledge, withTarget } from './target.ts';

/** Tells everything that can be read about workspaces. */
export function showWorkspaces(names: readonly string[], flags: WorkspaceFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', (session) => {
    const choice = choiceOf(names, flags);
    requireChoice(choice, 'show');
    return withTarget(session, flags, {}, async (target) => {
      const { organization, connection } = target;
      session.progress.begin(`${organization}: reading`);
      const found = await findSome(choice, target);
      const files = fileKnowledge(target, io.cwd);
      const names = new Map(found.map(({ resource }) => [resource.id ?? '', resource.name]));
      const workspaces = await Promise.all(
        found.map((one) => readWhole(one, { files, names, reader: connection.client })),
      );
      session.progress.end();
      const { console } = session;
      console.diagnostics(
        notOfferedNotes(shown.filter((feature) => connection.client.capabilities.lacks(feature))),
      );
      const { address } = connection;
      console.result(
        flags.format === 'json'
          ? jsonText({ format: 'attune.workspaces/1', organization, address, workspaces })
          : workspaces.map((entry) => workspaceText(entry, console.paint)).join('\n'),
      );
      return 0;
    });
  });
}

/** What is read beside the documents of workspaces. */
const shown = ['remote-state-consumers', 'data-retention'] as const;

interface ShowContext {
  readonly files: FileKnowledge;
  /** Names of workspaces by id; consumers are added as they are read. */
  readonly names: Map<string, string>;
  readonly reader: ServiceReader;
}

/** With what the document of a workspace does not hold. */
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
