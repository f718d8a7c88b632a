import {
  type AppliedChange,
  type ApplyResult,
  type Ending,
  endingOf,
  endings,
  isMade,
} from '../model/apply-result.ts';
import type { Action } from '../model/change.ts';
import { type CheckResult, type CheckStatus, checkStatuses, type Diagnosis } from '../model/diagnosis.ts';
import {
  isHeld,
  type Plan,
  type PlannedChange,
  type PlanSummary,
  savedRequests,
  sentChanges,
} from '../model/plan.ts';
import { counted } from '../model/text.ts';
import { organizationKey } from '../service/address.ts';
import { escapeControls } from './escape-controls.ts';
import type { Paint, Style } from './paint.ts';
import type { Report, ReportEntry, ReportKind } from './report.ts';

const noDrift = (plan: Pick<Plan, 'base'>) => `No drift. The live state matches ${compared(plan)}.`;
export const nothingToUndo = 'Nothing to undo: every value is restored already or changed after the run.';

/** The sentence of a report without changes. */
export function nothingText(
  kind: ReportKind,
  plan: Pick<Plan, 'undo' | 'summary' | 'base' | 'diagnostics'>,
): string {
  const { undo, summary, diagnostics } = plan;
  const { held = 0 } = summary;
  if (held > 0)
    return kind === 'drift'
      ? `No drift other than ${known(held)}.`
      : `No changes now: ${counted(held, 'change')} held.`;
  if (undo) return nothingToUndo;
  if (diagnostics.some(({ code }) => code === 'already-locked'))
    return 'No changes. The workspaces are locked already.';
  return kind === 'drift' ? noDrift(plan) : `No changes. The live state matches ${compared(plan)}.`;
}

/** What a plan compares with the live state. */
function compared({ base }: Pick<Plan, 'base'>): string {
  return base?.onlyChanged ? 'the changed part of the configuration' : 'the configuration';
}

function known(held: number): string {
  return counted(held, 'known difference');
}

/** The sentence that summarizes an entry in every format. */
export function summaryText(kind: ReportKind, { plan, result, diagnostics }: ReportEntry): string {
  if (kind === 'apply' && result) return appliedSummary(result);
  if (plan)
    return (kind === 'drift' ? driftSummary(plan) : `Plan: ${plannedFigures([plan])}`) + policySummary(plan);
  const count = (severity: string) => diagnostics.filter((one) => one.severity === severity).length;
  const parts = (['error', 'warning', 'note'] as const).map((severity) => counted(count(severity), severity));
  return `${unplanned[kind]}: ${parts.join(', ')}.`;
}

/** What a report without a plan is about. */
const unplanned: Readonly<Record<ReportKind, string>> = {
  validate: 'Validation',
  export: 'Export',
  plan: 'Planning failed',
  drift: 'Drift detection failed',
  apply: 'Nothing applied',
};

/** What an entry of a report is the result of. */
export function kindOf(report: Report, { kind }: ReportEntry): ReportKind {
  if (kind !== undefined) return kind;
  return report.kind === 'report' ? 'plan' : report.kind;
}

/**
 * The sums over several organizations. Where a report of several runs has entries of several kinds, or of failed runs,
 * there is one sum for each kind, and the failed ones are named.
 */
export function totalTexts(report: Report): readonly string[] {
  const { kind, entries } = report;
  const failed = entries.filter(({ source, plan }) => source !== undefined && plan === undefined);
  if (kind !== 'report' && failed.length === 0) {
    const total = totalOf(kind, entries);
    return total === undefined ? [] : [total];
  }
  const sums = (['plan', 'drift', 'apply'] as const).flatMap((one) => {
    const same = entries.filter((entry) => entry.plan !== undefined && kindOf(report, entry) === one);
    const plans = same.flatMap(({ plan }) => plan ?? []);
    const organizations = counted(organizationsOf(plans).size, 'organization');
    return plans.length === 0 ? [] : [`${sumLabels[one]}, ${organizations}: ${figuresOf(one, same)}`];
  });
  if (failed.length === 0) return sums;
  const what = failed.every((entry) => entry.failed) ? 'root file' : 'document';
  const names = failed.map(({ source = '' }) => escapeControls(source));
  const listed = names.slice(0, mostNames).join(', ');
  const rest = names.length > mostNames ? ` and ${names.length - mostNames} more` : '';
  return [...sums, `Failed, ${names.length} of ${counted(entries.length, what)}: ${listed}${rest}.`];
}

const sumLabels = { plan: 'Plan', drift: 'Drift', apply: 'Applied' } as const;
/** The maximum of failed documents that a sum names. */
const mostNames = 10;

function figuresOf(kind: keyof typeof sumLabels, entries: readonly ReportEntry[]): string {
  const plans = entries.flatMap(({ plan }) => plan ?? []);
  if (kind === 'apply') return appliedFigures(entries.flatMap(({ result }) => result ?? []));
  return comparedFigures(kind, plans);
}

function comparedFigures(kind: ReportKind, plans: readonly Plan[]): string {
  return kind === 'drift' ? driftFigures(plans) : plannedFigures(plans);
}

/** The sum over several organizations, if each has a plan and, once apply has begun, a result. */
function totalOf(kind: ReportKind, entries: readonly ReportEntry[]): string | undefined {
  const plans = entries.flatMap(({ plan }) => plan ?? []);
  const results = kind === 'apply' ? entries.flatMap(({ result }) => result ?? []) : [];
  const isWhole = plans.length === entries.length && [0, plans.length].includes(results.length);
  if (plans.length < 2 || !isWhole) return undefined;
  const organizations = organizationsOf(plans);
  const all =
    organizations.size > 1 ? `All ${organizations.size} organizations` : `All of ${plans[0]?.organization}`;
  if (results.length > 0) return `${all}: ${appliedFigures(results)}`;
  return `${all}: ${comparedFigures(kind, plans)}`;
}

/** How many policies the plan meets; nothing without policies. */
function policySummary({ policies = [] }: Plan): string {
  if (policies.length === 0) return '';
  const failed = policies.filter((policy) => policy.failed).length;
  const unused = policies.filter((policy) => policy.notApplicable).length;
  const violated = policies.filter((policy) => !policy.failed && policy.violations > 0).length;
  const parts = [
    `${policies.length - violated - failed - unused} met`,
    ...(unused > 0 ? [`${unused} not applicable`] : []),
    ...(violated > 0 ? [`${violated} violated`] : []),
    ...(failed > 0 ? [`${failed} not evaluated`] : []),
  ];
  return ` ${policies.length} ${policies.length === 1 ? 'policy' : 'policies'}: ${parts.join(', ')}.`;
}

function organizationsOf(plans: readonly Plan[]): ReadonlySet<string> {
  return new Set(plans.map(organizationKey));
}

function driftSummary(plan: Plan): string {
  const { summary } = plan;
  if (hasDrift(plan)) return `Drift: ${driftFigures([plan])}`;
  const { held = 0 } = summary;
  const nothing = held > 0 ? `No drift other than ${known(held)}` : noDrift(plan).slice(0, -1);
  return `${nothing}: ${counted(summary.unchanged, 'resource')} compared, ${undeclaredFigure([plan])}.`;
}

const endedHow: Readonly<Record<Exclude<Ending, 'done'>, (count: number) => string>> = {
  failed: () => 'failed',
  unknown: () => 'ended with an unknown result',
  partial: (count) => `${count === 1 ? 'was' : 'were'} done in part`,
  skipped: (count) => `${count === 1 ? 'was' : 'were'} skipped`,
  held: (count) => `${count === 1 ? 'was' : 'were'} held by a freeze window that began`,
};

/**
 * Which changes an apply left undone; `undefined` if it is complete.
 *
 * @param retry how to make them
 */
export function incompleteText(results: readonly ApplyResult[], retry: string): string | undefined {
  // What the plan does not send is not left undone.
  const changes = results.flatMap((result) => result.changes).filter((change) => !isHeld(change));
  const total = counted(changes.length, 'change');
  const counts = countEndings(changes.map(endingOf));
  const parts = endings.flatMap((ending) => {
    const count = counts[ending];
    return ending === 'done' || count === 0 ? [] : [{ count, words: endedHow[ending](count) }];
  });
  const [first, ...others] = parts;
  if (first === undefined) return undefined;
  const rest = others.map(({ count, words }) => `${count} ${words}`);
  const last = rest.pop();
  const what = [`${first.count} of ${total} ${first.words}`, ...rest].join(', ');
  const whole = last === undefined ? what : `${what} and ${last}`;
  return `Apply incomplete: ${whole}. Completed changes are kept; ${retry}.`;
}

export function appliedSummary(result: ApplyResult): string {
  return `Applied: ${appliedFigures([result])}`;
}

function plannedFigures(plans: readonly Plan[]): string {
  const { create, update, delete: deletes, held, unchanged, calls } = sums(plans);
  return `${create} to create, ${update} to update, ${deletes} to delete, ${heldFigure(held)}${unchanged} unchanged. ${counted(calls, 'call')}.`;
}

function driftFigures(plans: readonly Plan[]): string {
  const { create, update, held, unchanged } = sums(plans);
  return `${create} missing, ${update} changed, ${undeclaredFigure(plans)}, ${heldFigure(held)}${unchanged} unchanged.`;
}

function heldFigure(held: number): string {
  return held === 0 ? '' : `${held} held, `;
}

/** What `prune` and tombstones would delete, and undeclared workspaces and access; with the reason if undeclared workspaces are not counted, or not all of them. */
function undeclaredFigure(plans: readonly Plan[]): string {
  const count = plans.reduce((sum, { unmanaged, summary }) => sum + unmanaged.length + summary.delete, 0);
  const unchecked = plans.filter(({ overview }) => overview.scope !== 'whole');
  if (unchecked.length === 0) return `${count} undeclared`;
  const hasNoScope = unchecked.every(({ overview }) => overview.scope === 'none');
  const reason = hasNoScope ? 'no scope' : 'the scope was not read in full';
  if (unchecked.length < plans.length)
    return `${count} undeclared (${unchecked.length} of ${counted(plans.length, 'root file')} not checked: ${reason})`;
  return count === 0
    ? `undeclared workspaces not checked (${reason})`
    : `${count} undeclared (workspaces not checked: ${reason})`;
}

function sums(plans: readonly Plan[]): Required<PlanSummary> {
  const sum = (name: keyof PlanSummary) =>
    plans.reduce((total, { summary }) => total + (summary[name] ?? 0), 0);
  return {
    create: sum('create'),
    update: sum('update'),
    delete: sum('delete'),
    held: sum('held'),
    unchanged: sum('unchanged'),
    calls: sum('calls'),
  };
}

function appliedFigures(results: readonly ApplyResult[]): string {
  const changes = results.flatMap((result) => result.changes);
  const done = (action: Action) =>
    changes.filter((change) => change.result === 'done' && change.action === action).length;
  const ended = countEndings(changes.map(endingOf));
  const calls = completedRequests(changes);
  const isComplete = changes.every(isMade);
  const listed = (['failed', 'unknown', 'partial', 'skipped'] as const)
    .filter((ending) => ending === 'failed' || ended[ending] > 0)
    .map((ending) => `, ${ended[ending]} ${ending}`);
  const failures = isComplete ? '' : listed.join('');
  // A call of a change that failed was sent, too, and is not counted.
  const sent = isComplete ? counted(calls, 'call') : `${counted(calls, 'call')} completed`;
  // As in the plan, a change of which only a part is held counts, too.
  const waiting = changes.filter((change) => change.held !== undefined || change.result === 'held').length;
  const held = waiting > 0 ? `, ${waiting} held` : '';
  return `${done('create')} created, ${done('update')} updated, ${done('delete')} deleted${failures}${held}. ${sent}.`;
}

/** How many changes ended in each way. */
export function countEndings(ended: readonly (Ending | undefined)[]): Readonly<Record<Ending, number>> {
  const counts = endings.map((ending) => [ending, ended.filter((one) => one === ending).length]);
  return Object.fromEntries(counts);
}

/** How many requests have made the completed calls. */
export function completedRequests(
  changes: readonly (Pick<PlannedChange, 'calls'> &
    Partial<Pick<AppliedChange, 'callsDone' | 'extraCalls'>>)[],
): number {
  const calls = changes.reduce((sum, { callsDone = 0, extraCalls = 0 }) => sum + callsDone + extraCalls, 0);
  return calls - savedRequests(changes.flatMap((change) => change.calls.slice(0, change.callsDone ?? 0)));
}

/** Whether a drift report of the plan shows a difference. */
export function hasDrift({ changes, unmanaged }: Plan): boolean {
  return sentChanges(changes).length + unmanaged.length > 0;
}

const styles: Readonly<Record<CheckStatus, Style>> = {
  ok: 'green',
  failed: 'red',
  warning: 'yellow',
  skipped: 'dim',
};
const statusWidth = Math.max(...checkStatuses.map(({ length }) => length));

/** The diagnoses as text: a line per check, and one below it for what to do. */
export function doctorText(diagnoses: readonly Diagnosis[], paint: Paint): string {
  const checks = diagnoses.flatMap((diagnosis) => diagnosis.checks);
  const nameWidth = Math.max(...checks.map(({ check }) => check.length));
  const blocks = diagnoses.map(({ organization, file, checks: own }) => {
    const head = escapeControls([organization, file].filter(Boolean).join('  '));
    return [paint('bold', head), '', ...own.flatMap((check) => checkLines(check, nameWidth, paint)), ''];
  });
  const counts = checkStatuses.flatMap((status) => {
    const count = checks.filter((check) => check.status === status).length;
    return count > 0 ? `${count} ${status}` : [];
  });
  return [...blocks.flat(), `${counted(checks.length, 'check')}: ${counts.join(', ')}.`, ''].join('\n');
}

function checkLines(
  { check, status, evidence, fix }: CheckResult,
  nameWidth: number,
  paint: Paint,
): string[] {
  const indent = ' '.repeat(2 + statusWidth + 2 + nameWidth + 2);
  const state = paint(styles[status], status.padEnd(statusWidth));
  return [
    `  ${state}  ${check.padEnd(nameWidth)}  ${escapeControls(evidence)}`,
    ...(fix === undefined ? [] : [`${indent}fix: ${escapeControls(fix)}`]),
  ];
}

/** The document of `doctor --format json`, `attune.doctor/1`. */
export function doctorDocument(diagnoses: readonly Diagnosis[]): Record<string, unknown> {
  return { format: 'attune.doctor/1', organizations: diagnoses };
}
