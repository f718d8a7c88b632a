import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { readJournalFile, readPlanFile } from './files/input-files.ts';
import { type Planned, requireMatches } from './plan-roots.ts';
import { checkSaved, planUndo, undoSettings } from './plan-undo.ts';
import { readSavedSettings } from './saved-settings.ts';
import { lastJournals, refuseJournalAsRoot, requireJournal } from './undo-journals.ts';

export interface PlanForUndoOptions {
  /** The journal to undo. */
  readonly journal?: string | undefined;
  /** Undoes the newest journal of each root file instead. */
  readonly last?: boolean | undefined;
  /** A plan that was saved for this undo; it is planned again and compared. */
  readonly plan?: string | undefined;
  /** Deletes workspaces that the run created even if they manage resources. */
  readonly force?: boolean | undefined;
}

/**
 * Plans the changes that revert journals, and calls a function with the plans and the paths of the journals.
 *
 * @param roots root files with the settings of the service
 * @throws {RefusedError} if some of the runs have no plan; with the reasons of all.
 */
export async function planForUndo<Result>(
  roots: readonly string[],
  context: RunContext,
  { journal, last, plan, force }: PlanForUndoOptions,
  use: (planned: readonly Planned[], journals: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const { cwd } = context.io;
  if (last) await refuseJournalAsRoot(roots, cwd);
  const lastSettings = last ? await readSavedSettings(roots, context) : undefined;
  const names = lastSettings ? await lastJournals(lastSettings, cwd) : [await requireJournal(journal, cwd)];
  if (last) context.console.inform(`Undoing ${names.join(', ')}`);
  const journals = names.map(async (file) =>
    (await readJournalFile(file, cwd)).map((run) => ({ ...run, file })),
  );
  const runs = (await Promise.all(journals)).flat();
  const saved = plan === undefined ? undefined : await readPlanFile(plan, cwd);
  if (saved) checkSaved(saved, runs);
  const configurations = undoSettings(
    runs,
    lastSettings ?? (await readSavedSettings(roots, context)),
    context,
  );
  await using connections = await openConnections(configurations, context);
  const planned = await planUndo(runs, configurations, connections, context, {
    saved,
    force: force === true,
  });
  requireMatches(context.options.only, planned);
  return await use(planned, names);
}
