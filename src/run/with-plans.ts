import { AttuneError, DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Plan } from '../model/plan.ts';
import { unmatchedOnly } from '../resolve/plan-request.ts';
import { configurationsOf } from '../saved/saved-for.ts';
import { isSameOrganization } from '../service/address.ts';
import { withBases } from './base/load-base.ts';
import { type Connections, connectedSources, openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { readJournalFile, readPlanFile } from './files/input-files.ts';
import { hasConfiguration, loadConfigurations } from './load.ts';
import { allPlanned, type Planned, planRoots, type RootsRequest } from './plan-roots.ts';
import { checkSaved, revertRuns } from './revert-runs.ts';
import { commandLine } from './shell-words.ts';
import { lastJournals, refuseJournalAsRoot, requireJournal } from './undo-journals.ts';
import { readUndoRoots, type UndoRoot, undoSettings } from './undo-settings.ts';

interface UndoRequest {
  readonly journal?: string | undefined;
  readonly last?: boolean | undefined;
  readonly plan?: string | undefined;
  readonly force?: boolean | undefined;
}

export type ApplyRequest = { readonly files: readonly string[] } & (
  | { readonly purpose: 'apply' }
  | { readonly purpose: 'replan'; readonly plan: string }
  | ({ readonly purpose: 'undo' } & UndoRequest)
);

export async function withPlans<Result>(
  request: ApplyRequest,
  context: RunContext,
  use: (planned: readonly Planned[]) => Promise<Result>,
): Promise<Result> {
  const { configurations, plansOver } = await prepare(request, context);
  await using connections = await openConnections(configurations, context);
  const planned = await plansOver(connections);
  const unmatched = unmatchedOnly(context.options.only ?? [], planned, context.named('only'));
  if (unmatched.length > 0) throw new DiagnosticsError(unmatched);
  const isSaved = 'plan' in request && request.plan !== undefined;
  return await use(planned.map((one) => ({ ...one, isSaved })));
}

interface Prepared {
  readonly configurations: readonly Configuration[];
  readonly plansOver: (connections: Connections) => Promise<readonly Planned[]>;
}

async function prepare(request: ApplyRequest, context: RunContext): Promise<Prepared> {
  switch (request.purpose) {
    case 'apply':
      return rootPlans(await withBases(await loadConfigurations(request.files, context), context), context, {
        purpose: 'apply',
      });
    case 'replan':
      return savedPlans(request.plan, request.files, context);
    case 'undo':
      return undoPlans(request.files, context, request);
    default:
      return request satisfies never;
  }
}

function rootPlans(
  configurations: readonly Configuration[],
  context: RunContext,
  request: RootsRequest,
): Prepared {
  return {
    configurations,
    plansOver: async (connections) => {
      const sources = connectedSources(connections, context);
      return allPlanned(await planRoots(configurations, sources, context, request), context);
    },
  };
}

async function savedPlans(file: string, files: readonly string[], context: RunContext): Promise<Prepared> {
  const { cwd } = context.io;
  const saved = await readPlanFile(file, cwd);
  refuseHypothetical(saved, file);
  if (!(await hasConfiguration(files, context))) {
    const command = commandLine(['attune', 'apply', 'attune.yaml', '--plan', file]);
    throw new AttuneError(`cannot apply ${file}: there are no configuration files to plan it again`, {
      code: 'no-files',
      hint: `name the root files: ${command}`,
    });
  }
  const configurations = configurationsOf(saved, await loadConfigurations(files, context), cwd);
  return rootPlans(configurations, context, { purpose: 'replan', saved });
}

function refuseHypothetical(saved: readonly Plan[], file: string): void {
  const other = saved.find(({ hypothetical }) => hypothetical);
  if (other === undefined) return;
  throw new AttuneError(
    `${file} cannot be applied: it was made with --at and shows the plan of ${other.at}`,
    { code: 'other-time', hint: 'run `attune plan --out` without --at' },
  );
}

async function undoPlans(
  files: readonly string[],
  context: RunContext,
  { journal, last, plan, force = false }: UndoRequest,
): Promise<Prepared> {
  const { cwd } = context.io;
  if (last) await refuseJournalAsRoot(files, cwd);
  const lastRoots = last ? await readUndoRoots(files, context) : undefined;
  const names = lastRoots ? await lastJournals(lastRoots, cwd) : [await requireJournal(journal, cwd)];
  if (last) context.console.inform(`Undoing ${names.join(', ')}`);
  const journals = names.map(async (file) =>
    (await readJournalFile(file, cwd)).map((run) => ({ ...run, file })),
  );
  const runs = (await Promise.all(journals)).flat();
  const saved = plan === undefined ? undefined : await readPlanFile(plan, cwd);
  if (saved) checkSaved(saved, runs);
  if (saved) refuseHypothetical(saved, plan ?? '');
  const undoRoots = lastRoots ?? (await readUndoRoots(files, context));
  const configurations = await undoSettings(runs, undoRoots, context);
  return {
    configurations,
    plansOver: async (connections) => {
      const planned = await revertRuns(runs, configurations, connections, context, { saved, force });
      return planned.map((one) => ({ ...one, roots: rootsOfOrganization(undoRoots, one.configuration) }));
    },
  };
}

/** The guards of all root files of the organization are needed to revert the undo. */
function rootsOfOrganization(roots: readonly UndoRoot[], own: Configuration): readonly Configuration[] {
  const mates = roots
    .map((root) => root.configuration(own.desired.organization))
    .filter((one) => isSameOrganization(one, own));
  return mates.length > 0 ? mates : [own];
}
