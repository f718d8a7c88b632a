import { workspaceEntry } from '../../live/workspace-entry.ts';
import { counted } from '../../model/text.ts';
import { jsonText } from '../../report/json-text.ts';
import { workspaceLines, workspaceTable } from '../../report/workspace/workspace-table.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { runSession } from '../session/run-session.ts';
import { choiceOf, find } from './find.ts';
import { fileKnowledge, withTarget } from './target.ts';

/** Lists live workspaces: all of them, or those that are chosen. */
export function listWorkspaces(names: readonly string[], flags: WorkspaceFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', (session) =>
    withTarget(session, flags, {}, async (target) => {
      const { organization, connection } = target;
      session.progress.begin(`${organization}: reading`);
      const found = await find(choiceOf(names, flags), target);
      session.progress.end();
      const files = fileKnowledge(target, io.cwd);
      const workspaces = found.map((one) => workspaceEntry(one, files));
      const { console } = session;
      if (flags.format === 'json') {
        const { address } = connection;
        console.result(jsonText({ format: 'attune.workspaces/1', organization, address, workspaces }));
        return 0;
      }
      if (!io.stdout.isTerminal) console.result(workspaceLines(workspaces));
      else if (workspaces.length > 0) {
        console.result(workspaceTable(workspaces, { width: io.stdout.columns ?? 80, paint: console.paint }));
      }
      console.say(`${organization}: ${counted(workspaces.length, 'workspace')}.`);
      return 0;
    }),
  );
}
