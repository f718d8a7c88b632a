import { type DriftDeletion, deletionsIn } from '../check/risks.ts';
import {
  type AppliedChange,
  type ApplyResult,
  type Ending,
  endingOf,
  endings,
  isMade,
  plannedDone,
} from '../model/apply-result.ts';
import type { Action } from '../model/change.ts';
import { hasErrors, type Severity, severities } from '../model/diagnostic.ts';
import { isHeld, type Plan, type PlanSummary, savedRequests, sentChanges } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { organizationKey } from '../service/address.ts';
import type { Report, ReportEntry, ReportKind } from './report.ts';

/* The figures of a report, as one list: sentences join them, and the page shows them as tiles. */

export interface Figure {
  readonly count: number | undefined;
  readonly label: string;
  readonly tone?: string | undefined;
  readonly sign?: string | undefined;
  /** In a sentence; empty if only a tile shows it. @default `count label` */
  readonly text?: string | undefined;
}

/** An apply that did not begin has a plan to show. */
function kindOf(report: Pick<Report, 'kind'>, { kind, plan, result }: ReportEntry): ReportKind {
  const made = kind ?? report.kind;
  return made === 'report' || (made === 'apply' && plan && !result) ? 'plan' : made;
}

export function planOf({ plan, result }: ReportEntry): Plan | undefined {
  return plan ?? result?.plan;
}

function figuresOf(kind: ReportKind, entries: readonly ReportEntry[]): readonly Figure[] {
  const plans = entries.flatMap((entry) => planOf(entry) ?? []);
  const results = kind === 'apply' ? entries.flatMap(({ result }) => result ?? []) : [];
  if (results.length > 0) return appliedFigures(results);
  return plans.length === 0 ? [] : planFigures(kind, plans);
}

/** The figures of a report, their sums over several organizations, and those of each entry in a sentence. */
export function reportFigures(report: Report) {
  const entries = report.entries.map((entry) => entryFigures(kindOf(report, entry), entry));
  return { figures: allFigures(report), totals: totalTexts(report), entries };
}

function allFigures(report: Report): readonly Figure[] {
  const ofKinds = [...groupBy(report.entries, (entry) => kindOf(report, entry))].flatMap(([kind, same]) =>
    figuresOf(kind, same),
  );
  const marks = { error: ['bad', '✗'], warning: ['warning', '!'], note: [] } as const;
  const problems = severities.flatMap((severity): Figure[] => {
    const found = report.entries.flatMap(({ diagnostics }) =>
      diagnostics.filter((one) => one.severity === severity),
    );
    const [tone, sign] = marks[severity];
    if (ofKinds.length > 0 && (found.length === 0 || severity === 'note')) return [];
    return [{ count: found.length, label: found.length === 1 ? severity : `${severity}s`, tone, sign }];
  });
  return [...ofKinds, ...problems];
}

function sentenceOf(figures: readonly Figure[]): string {
  const isCalls = ({ label }: Figure) => label.startsWith('call');
  const parts = (some: readonly Figure[]) =>
    some
      .map(({ count, label, text = `${count} ${label}` }) => text)
      .filter((text) => text !== '')
      .join(', ');
  const calls = parts(figures.filter(isCalls));
  return `${parts(figures.filter((one) => !isCalls(one)))}.${calls === '' ? '' : ` ${calls}.`}`;
}

function planFigures(kind: ReportKind, plans: readonly Plan[]): readonly Figure[] {
  const total = (of: (plan: Plan) => number) => plans.reduce((all, plan) => all + of(plan), 0);
  const sum = (name: keyof PlanSummary) => total(({ summary }) => summary[name] ?? 0);
  const undeclared = total(({ unmanaged }) => unmanaged.length);
  const calls = sum('calls');
  const deleted = (['to delete', 'ended'] as const).map((label): Figure => {
    const count = total((plan) => countDeletions(plan, label));
    return { count, label, tone: 'delete', sign: '−' };
  });
  const isDrift = kind === 'drift';
  const figures: readonly (Figure | readonly Figure[])[] = [
    { count: sum('create'), label: isDrift ? 'missing' : 'to create', tone: 'create', sign: '+' },
    { count: sum('update'), label: isDrift ? 'changed' : 'to update', tone: 'update', sign: '~' },
    isDrift
      ? [undeclaredFigure(plans), ...deleted.filter(({ count }) => count !== 0)]
      : [
          { count: sum('delete'), label: 'to delete', tone: 'delete', sign: '−' },
          { count: undeclared || undefined, label: 'undeclared', tone: 'warning', sign: '?', text: '' },
        ],
    heldFigure(sum('held')),
    { count: sum('unchanged'), label: 'unchanged' },
    isDrift ? [] : { count: calls, label: calls === 1 ? 'call' : 'calls' },
  ];
  return figures.flat();
}

function heldFigure(count = 0): readonly Figure[] {
  return count === 0 ? [] : [{ count, label: 'held', sign: '‖' }];
}

function countDeletions(plan: Plan, which: DriftDeletion): number {
  return [...deletionsIn(plan).values()].filter((one) => one === which).length;
}

/** What `prune` would delete, and undeclared workspaces and access; with the reason if not all undeclared workspaces are counted. */
function undeclaredFigure(plans: readonly Plan[]): Figure {
  const count = plans.reduce(
    (total, plan) => total + plan.unmanaged.length + countDeletions(plan, 'undeclared'),
    0,
  );
  const unchecked = plans.filter(({ overview }) => overview.scope !== 'whole');
  const figure = { count: undefined, label: 'undeclared', tone: 'warning', sign: '?' };
  if (unchecked.length === 0) return { ...figure, count };
  const hasNoScope = unchecked.every(({ overview }) => overview.scope === 'none');
  const reason = hasNoScope ? 'no scope' : 'the scope was not read in full';
  if (count === 0) return { ...figure, text: `undeclared workspaces not checked (${reason})` };
  const which = unchecked.length < plans.length ? 'not all workspaces' : 'workspaces not';
  return { ...figure, count, text: `${count} undeclared (${which} checked: ${reason})` };
}

/** Changes that are done by their action, others by how they ended. */
export function resultCounts(changes: readonly AppliedChange[]) {
  const done = (action: Action) =>
    changes.filter((change) => change.result === 'done' && change.action === action).length;
  const { partial, failed, unknown, skipped } = countEndings(changes);
  const counts = { create: done('create'), update: done('update'), delete: done('delete') };
  const completed = changes.reduce((total, { callsDone }) => total + callsDone, 0);
  const calls = completed - savedRequests(changes.flatMap(plannedDone));
  // As in the plan, a change of which only a part is held counts, too.
  const held = changes.filter((change) => change.held !== undefined || change.result === 'held').length;
  return { ...counts, partial, failed: failed + unknown, skipped, ...(held > 0 && { held }), calls };
}

function appliedFigures(results: readonly ApplyResult[]): readonly Figure[] {
  const changes = results.flatMap((result) => result.changes);
  const ended = countEndings(changes);
  const done = resultCounts(changes);
  const isComplete = changes.every(isMade);
  const left = (['failed', 'unknown', 'partial', 'skipped'] as const)
    .filter((ending) => !isComplete && (ending === 'failed' || ended[ending] > 0))
    .map((ending): Figure => {
      const [tone, sign] = ending === 'skipped' ? ['warning', '⊘'] : ['bad', '✗'];
      return { count: ended[ending], label: ending, tone, sign };
    });
  return [
    { count: done.create, label: 'created', tone: 'create', sign: '+' },
    { count: done.update, label: 'updated', tone: 'update', sign: '~' },
    { count: done.delete, label: 'deleted', tone: 'delete', sign: '−' },
    ...left,
    ...heldFigure(done.held),
    // A call of a change that failed was sent, too, and is not counted.
    { count: done.calls, label: `call${done.calls === 1 ? '' : 's'}${isComplete ? '' : ' completed'}` },
  ];
}

function countEndings(changes: readonly AppliedChange[]): Readonly<Record<Ending, number>> {
  const ended = changes.map(endingOf);
  const counts = endings.map((ending) => [ending, ended.filter((one) => one === ending).length]);
  return Object.fromEntries(counts);
}

/** With what its plan shows instead of changes if it has none. */
function entryFigures(kind: ReportKind, entry: ReportEntry) {
  const plan = planOf(entry);
  return { entry, kind, summary: summaryText(kind, entry), nothing: plan && nothingText(kind, plan) };
}

function summaryText(kind: ReportKind, entry: ReportEntry): string {
  const { plan, result, diagnostics } = entry;
  if (kind === 'apply' && result) return appliedSummary(result);
  if (plan === undefined) {
    if (kind !== 'validate' && !hasErrors(diagnostics))
      return 'Not compared: other files of the run have errors.';
    const count = (severity: Severity) => diagnostics.filter((one) => one.severity === severity).length;
    const parts = severities.map((severity) => counted(count(severity), severity));
    return `${unplanned[kind]}: ${parts.join(', ')}.`;
  }
  const { count, text = `${count} undeclared` } = undeclaredFigure([plan]);
  const figures = sentenceOf(figuresOf(kind, [entry]));
  const shown =
    kind !== 'drift'
      ? `Plan: ${figures}`
      : hasDrift(plan)
        ? `Drift: ${figures}`
        : `${nothingText(kind, plan).slice(0, -1)}: ${counted(plan.summary.unchanged + (plan.summary.held ?? 0), 'resource')} compared, ${text}.`;
  return shown + policySummary(plan);
}

const unplanned: Readonly<Record<ReportKind, string>> = {
  validate: 'Validation',
  plan: 'Planning failed',
  drift: 'Drift detection failed',
  apply: 'Nothing applied',
};

export function appliedSummary(result: ApplyResult): string {
  return `Applied: ${sentenceOf(appliedFigures([result]))}`;
}

function policySummary({ policies = [] }: Plan): string {
  if (policies.length === 0) return '';
  const failed = policies.filter((policy) => policy.failed).length;
  const unused = policies.filter((policy) => policy.notApplicable).length;
  const violated = policies.filter((policy) => !policy.failed && policy.violations > 0).length;
  const counts = { 'not applicable': unused, violated, 'not evaluated': failed };
  const others = Object.entries(counts).flatMap(([what, count]) => (count > 0 ? `${count} ${what}` : []));
  const parts = [`${policies.length - violated - failed - unused} met`, ...others];
  return ` ${policies.length} ${policies.length === 1 ? 'policy' : 'policies'}: ${parts.join(', ')}.`;
}

export const nothingToUndo = 'Nothing to undo: no change of the run is left to revert.';

const lockCodes: ReadonlySet<string> = new Set(['already-locked', 'other-lock', 'nothing-matched']);

function nothingText(
  kind: ReportKind,
  plan: Pick<Plan, 'undo' | 'due' | 'summary' | 'base' | 'diagnostics'>,
): string {
  const { undo, due, summary, base, diagnostics } = plan;
  const { held = 0 } = summary;
  if (held > 0)
    return kind === 'drift'
      ? `No drift other than ${counted(held, 'known difference')}.`
      : `No changes now: ${counted(held, 'change')} held.`;
  if (undo) return nothingToUndo;
  const isOfLocks = diagnostics.some(({ code, location }) => !location && lockCodes.has(code));
  if (isOfLocks && summary.unchanged === 0) return 'No changes. No lock was set or removed.';
  if (due) return 'No changes. No access and no exception has ended since the last apply.';
  const compared = base?.onlyChanged ? 'the changed part of the configuration' : 'the configuration';
  return `${kind === 'drift' ? 'No drift' : 'No changes'}. The live state matches ${compared}.`;
}

/** The sums over several organizations, by what their entries are. */
function totalTexts(report: Report): readonly string[] {
  const { entries } = report;
  if (entries.length < 2 || entries.some(({ source, plan }) => source === undefined && plan === undefined))
    return [];
  const planned = entries.filter(({ plan }) => plan !== undefined);
  return [...groupBy(planned, (entry) => kindOf(report, entry))].flatMap(([kind, same]) => {
    if (same.length < 2) return [];
    const { size } = new Set(same.flatMap(({ plan }) => (plan ? organizationKey(plan) : [])));
    const whose = size > 1 ? `All ${size} organizations` : `All of ${same[0]?.plan?.organization}`;
    const of = same.length < entries.length ? `${same.length} of ${entries.length}` : whose;
    return `${of}: ${sentenceOf(figuresOf(kind, same))}`;
  });
}

export function incompleteText(results: readonly ApplyResult[], retry: string): string | undefined {
  // What the plan does not send is not left undone.
  const changes = results.flatMap((result) => result.changes).filter((change) => !isHeld(change));
  const counts = countEndings(changes);
  const left = endings.filter((ending) => ending !== 'done' && counts[ending] > 0);
  if (left.length === 0) return undefined;
  const parts = left.map((ending) => `${counts[ending]} ${ending}`);
  const ends = changes.flatMap(({ result, held }) => (result === 'held' ? (held?.at(-1)?.until ?? []) : []));
  const later = ends.length > 0 ? `, held changes after ${ends.sort().at(-1)}` : '';
  return `Apply incomplete: ${parts.join(', ')} of ${counted(changes.length, 'change')}. Completed changes are kept; ${retry}${later}.`;
}

export function hasDrift({ changes, unmanaged }: Plan): boolean {
  return sentChanges(changes).length + unmanaged.length > 0;
}
