import { dirname, resolve } from 'node:path';
import pLimit from 'p-limit';
import { type ApplyOptions, applyPlan } from '../apply/apply-plan.ts';
import { adminGuardsOf } from '../check/guards.ts';
import { type ApplyResult, isMade } from '../model/apply-result.ts';
import { rootsOf } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, hasErrors, problem } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import { type Plan, sentChanges } from '../model/plan.ts';
import { lastEnd } from '../model/rules.ts';
import { counted } from '../model/text.ts';
import { divideResult, withParts } from '../plan/divide.ts';
import { escapeControls } from '../report/escape-controls.ts';
import { appliedSummary } from '../report/figures.ts';
import { plain } from '../report/paint.ts';
import type { Report, ReportEntry } from '../report/report.ts';
import { resultText } from '../report/text/text.ts';
import { aliasesForUndo } from '../resolve/labels.ts';
import { embedded, embeddedData } from '../service/address.ts';
import { openJournals, type RunJournalFile } from './apply-journals.ts';
import { organizationsAtATime, valueOrThrow } from './connect.ts';
import { organizationsLabel, type RunContext } from './context.ts';
import { errorDiagnostics, failureOf, RefusedError } from './errors.ts';
import type { Planned } from './plan-roots.ts';
import { type ConfiguredPlan, entriesOfPlans, entryOf, withDiagnostics } from './report-entry.ts';

type Reviewed = Awaited<ReturnType<typeof reviewPlans>>;

export async function reviewPlans(
  plans: readonly Planned[],
  context: RunContext,
  show: (entries: readonly ReportEntry[]) => Promise<void> = async () => {},
) {
  const planned = refuseFrozen(plans, context);
  const entries = entriesOfPlans(planned, context);
  await show(entries);
  if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) throw new RefusedError(entries);
  const changes = planned.reduce((sum, { plan }) => sum + sentChanges(plan.changes).length, 0);
  return { planned, entries, changes };
}

/**
 * Plans that are about to be applied. One for another time has an error, and one with frozen changes, unless the run applies
 * only the rest.
 */
function refuseFrozen(
  planned: readonly Planned[],
  { options }: Pick<RunContext, 'options'>,
): readonly Planned[] {
  return planned.map((one) => {
    const parts = one.parts.map((part) => {
      const error = whyNotApplied(part, options.skipFrozen);
      return error ? { ...part, diagnostics: [...part.diagnostics, error] } : part;
    });
    return { ...one, ...withParts(one.plan, parts) };
  });
}

function whyNotApplied({ changes, at, hypothetical, undo }: Plan, skipsFrozen: boolean | undefined) {
  if (hypothetical)
    return problem('other-time', `the plan shows ${at}, and is not applied`, { hint: 'plan without --at' });
  if (skipsFrozen) return undefined;
  const frozen = changes.flatMap(({ address, held = [] }) =>
    held.flatMap(({ by, until, reason }) => (by === 'freeze' ? { address, until, reason } : [])),
  );
  const [first] = frozen;
  if (!first) return undefined;
  const count = new Set(frozen.map(({ address }) => address)).size;
  const reasons = [...new Set(frozen.map(({ reason }) => reason))];
  // A change that needs another one has its reason, too.
  const own = reasons.filter((reason) => !reasons.some((other) => reason.endsWith(`: ${other}`)));
  const what = count === 1 ? `${first.address} is` : `${counted(count, 'change')} are`;
  const alone = undo ? '' : '; --base HEAD^1 --only-changed limits that to the last commit';
  return problem('frozen', `${what} frozen until ${lastEnd(frozen)}: ${own.join(', ')}`, {
    at: { address: first.address },
    // A saved plan keeps what the window held when it was made.
    hint: `apply a new plan after that time, the rest with --skip-frozen, or, without --plan, all with --override-freeze REASON${alone}`,
  });
}

export async function applyReviewed({ planned, entries }: Reviewed, context: RunContext, stop: AbortSignal) {
  const applied = await applyPlanned(planned, context, stop);
  const { results, unclosed } = applied;
  const report: Report = { kind: 'apply', entries: withResults(entries, planned, results, context) };
  return {
    ...applied,
    report: withDiagnostics(report, unclosed),
    isComplete: unclosed.length === 0 && results.every(isComplete),
    /** An undo that is not complete is continued: to revert it is not the next step. */
    isContinued: planned.some(({ undoes }, index) => {
      const result = results[index];
      return undoes !== undefined && !(result && isComplete(result));
    }),
  };
}

/**
 * Applies plans without a question, and writes their journals. Organizations are applied at the same time, as they are
 * read, or one after the other with `--journal`, whose file they share. From here on, the run states what it has written if
 * it ends early.
 */
export async function applyPlanned(
  planned: readonly Planned[],
  context: RunContext,
  stop: AbortSignal,
  keepsRefused = true,
) {
  const journals = await openJournals(planned, context);
  const runs = planned.map((one): ApplyRun => ({ ...one, journal: journals.of(one), callsDone: 0 }));
  context.io.run.describeWrites = (detail) => describeApply(runs, detail);
  const failure = new AbortController();
  const stopAny = AbortSignal.any([stop, failure.signal]);
  const limit = pLimit(context.options.journal === undefined ? organizationsAtATime : 1);
  const calls = planned.reduce((sum, { plan }) => sum + callsOf(plan), 0);
  context.progress.begin(
    `${organizationsLabel(planned.map(({ plan }) => plan.organization))}: applying`,
    calls,
  );
  const outcomes = await Promise.allSettled(
    runs.map((run) =>
      limit(() => runPlan(run, context, stopAny)).catch((error: unknown) => {
        failure.abort();
        throw error;
      }),
    ),
  );
  context.progress.end();
  for (const outcome of outcomes) valueOrThrow(outcome);
  const results = runs.flatMap(({ result }) => result ?? []);
  const unclosed = await failureOf(journals.close(keepsRefused), context);
  return { results, unclosed, undoCommand: journals.undoCommand() };
}

export function withResults(
  entries: readonly ReportEntry[],
  planned: readonly ConfiguredPlan[],
  results: readonly ApplyResult[],
  context: RunContext,
): ReportEntry[] {
  const divided = planned.flatMap(({ configuration, parts }, index) => {
    const result = results[index];
    const own = result ? divideResult(result, parts) : [];
    return rootsOf(configuration).map(({ folder }, at) => ({ folder, result: own[at] }));
  });
  return entries.map((entry, index) => {
    const { folder, result } = divided[index] ?? {};
    if (folder === undefined || result === undefined) return entry;
    const noticed = entryOf(context, folder, { diagnostics: result.diagnostics });
    const diagnostics = entry.diagnostics.map((one) => afterApply(one, result)).concat(noticed.diagnostics);
    return { ...entry, result, diagnostics };
  });
}

function afterApply(one: Diagnostic, { changes }: ApplyResult): Diagnostic {
  const { result } = changes.find(({ address }) => address === one.address) ?? {};
  if (result !== 'done' && result !== 'partial') return one;
  // The line that makes it a rename is too late.
  if (one.code === 'looks-like-rename') return { ...one, hint: `undo this apply, then add ${one.hint}` };
  return one.code === 'access-ended' ? { ...one, severity: 'note', hint: 'remove the entry' } : one;
}

function isComplete({ changes, diagnostics }: ApplyResult): boolean {
  return !hasErrors(diagnostics) && changes.every(isMade);
}

interface ApplyRun extends Planned {
  readonly journal: RunJournalFile | undefined;
  hasBegun?: boolean;
  callsDone: number;
  result?: ApplyResult;
}

async function runPlan(run: ApplyRun, context: RunContext, stop: AbortSignal): Promise<void> {
  run.hasBegun = true;
  try {
    run.result = await applyPlan(run.plan, { ...applyOptions(run, context), stop });
  } catch (error) {
    // A known error comes before the first call; what is applied for other organizations is still a result.
    if (!(error instanceof AttuneError)) throw error;
    run.result = notAttempted(run.plan, errorDiagnostics(error, context));
  }
}

function applyOptions(run: ApplyRun, { io, progress, console }: RunContext): ApplyOptions {
  const { plan, configuration, readAt, journal, connection, undoes, undoesPart } = run;
  const inJournalFolder = (path: string) => relativePath(dirname(journal?.path ?? ''), path);
  return {
    client: connection.client,
    parallelism: connection.parallelism,
    clock: io.clock,
    date: io.date,
    readAt,
    keepAdmin: adminGuardsOf(configuration),
    observe: ({ result, error }) => {
      progress.step();
      if (result === 'done') run.callsDone += 1;
      if (error !== undefined && !(error instanceof AttuneError)) console.unknownError(error);
    },
    journal: journal?.journal,
    aliases: aliasesForUndo(configuration, plan),
    data: connection.address === embedded ? inJournalFolder(embeddedData(configuration)) : undefined,
    undoes: undoes && inJournalFolder(resolve(io.cwd, undoes)),
    undoesPart,
  };
}

function notAttempted(plan: Plan, diagnostics: readonly Diagnostic[]): ApplyResult {
  const why = diagnostics.map(({ message }) => message).join('; ');
  const changes = plan.changes.map(
    (change) =>
      ({ ...change, result: 'skipped', callsDone: 0, error: { message: `not attempted: ${why}` } }) as const,
  );
  return { plan, changes, diagnostics };
}

/** The calls that end one by one, although some of them are sent together. */
function callsOf({ changes }: Plan): number {
  return changes.reduce((sum, change) => sum + change.calls.length, 0);
}

function describeApply(runs: readonly ApplyRun[], detail: 'changes' | 'figures'): string {
  const texts = runs.map(({ plan, result, hasBegun, callsDone }) => {
    const organization = escapeControls(plan.organization);
    if (result) {
      if (detail === 'figures' || result.changes.length === 0)
        return `${organization}: ${appliedSummary(result)}`;
      const entry = { plan, result, diagnostics: [], path: (file: string) => file };
      const text = resultText({ kind: 'apply', entries: [entry] }, { paint: plain });
      return `${organization}:\n${text.trimEnd()}`;
    }
    if (!hasBegun || plan.changes.length === 0) return `${organization}: not attempted`;
    const calls = `${callsDone} of ${counted(callsOf(plan), 'call')}`;
    return `${organization}: ${calls} confirmed by the service; calls that were running may have taken effect`;
  });
  return `${texts.join('\n')}\n`;
}
