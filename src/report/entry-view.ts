import { type Ending, isMade } from '../model/apply-result.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { hasDifference, type Plan, type PlanSummary, sentChanges } from '../model/plan.ts';
import type { PolicyResult } from '../model/policy.ts';
import { type ChangeView, changeViews } from './change-view.ts';
import { type DiagnosticView, diagnosticView } from './diagnostic-view.ts';
import { escapeControls, escapeTexts } from './escape-controls.ts';
import type { ReportEntry, ReportKind } from './report.ts';
import { type RiskView, riskViews } from './risk-view.ts';
import { completedRequests, countEndings, hasDrift, nothingText, summaryText } from './summaries.ts';

/** What a report shows of one root file. */
export interface EntryView {
  readonly kind: ReportKind;
  /** What identifies it in the report: the path of the root file, or the organization, or the document. */
  readonly title: string;
  readonly status: RootStatus;
  /** The status in words. */
  readonly statusText: string;
  /** Absent where the run failed before it was known. */
  readonly organization?: string | undefined;
  /** The document that the entry was read from; the root file if it `failed`. */
  readonly source?: string | undefined;
  /** The root file has no plan, and others of its run have. */
  readonly failed?: true;
  readonly summary: string;
  /** Sentences about the age of what is shown. */
  readonly about?: string | undefined;
  readonly diagnostics: readonly DiagnosticView[];
  /** Absent for `validate`, and where the run failed before there was a plan. */
  readonly plan?: PlanView | undefined;
}

export interface PlanView {
  readonly organization: string;
  readonly address: string;
  readonly figures: Figures;
  /** Present once apply has begun. */
  readonly applied?: AppliedFigures;
  /** What needs attention, the most severe kind first. */
  readonly risks: readonly RiskView[];
  readonly changes: readonly ChangeView[];
  /** The sentence instead of changes if there are none. */
  readonly nothing: string;
  readonly policies: readonly PolicyResult[];
}

export interface Figures extends PlanSummary {
  /** Absent where undeclared workspaces were not looked for. */
  readonly undeclared?: number | undefined;
}

export interface AppliedFigures extends Readonly<Record<Ending, number>> {
  readonly calls: number;
}

export function organizationOf({ plan, result, organization }: ReportEntry): string | undefined {
  return plan?.organization ?? result?.plan.organization ?? organization;
}

export function entryView(kind: ReportKind, entry: ReportEntry, title: string): EntryView {
  const { plan = entry.result?.plan, diagnostics, path } = entry;
  const organization = organizationOf(entry);
  const shown = plan && planView(kind, plan, entry);
  const status = rootStatus(kind, entry, (shown?.risks.length ?? 0) > 0);
  return {
    kind,
    title: escapeControls(title),
    status,
    statusText: statusText(kind, status, plan !== undefined),
    organization: organization === undefined ? undefined : escapeControls(organization),
    source: entry.source === undefined ? undefined : escapeControls(entry.source),
    ...(entry.failed && { failed: true }),
    summary: summaryText(kind, entry),
    about: entry.about,
    diagnostics: diagnostics.map((diagnostic) => diagnosticView(diagnostic, path)),
    plan: shown,
  };
}

function planView(kind: ReportKind, plan: Plan, entry: ReportEntry): PlanView {
  const { organization, address, summary, unmanaged, policies = [], overview } = plan;
  const found = unmanaged.length + (kind === 'drift' ? summary.delete : 0);
  const isCounted = (kind === 'drift' && overview.scope === 'whole') || found > 0;
  const { path } = entry;
  const changes = changeViews(kind, plan, entry, path);
  const isApplied = kind === 'apply' && entry.result !== undefined;
  return {
    organization: escapeControls(organization),
    address: escapeControls(address),
    figures: { ...summary, undeclared: isCounted ? found : undefined },
    ...(isApplied && {
      applied: {
        ...countEndings(changes.map(({ outcome }) => outcome)),
        calls: completedRequests(changes),
      },
    }),
    risks: riskViews(kind, plan, path),
    changes,
    nothing: nothingText(kind, plan),
    policies: escapeTexts(policies.map((policy) => ({ ...policy, file: path(policy.file) }))),
  };
}

/** How much a root file of a report needs attention: the most urgent first. */
const rootStatuses = ['failed', 'errors', 'risks', 'differences', 'same'] as const;
export type RootStatus = (typeof rootStatuses)[number];

/** `failed` has no plan, or an apply that is not complete; `errors` has a plan that is refused. */
export function rootStatus(
  kind: ReportKind,
  { plan, result, diagnostics }: ReportEntry,
  hasRisks: boolean,
): RootStatus {
  const isRefused = hasErrors(diagnostics);
  if (plan === undefined && result === undefined) return isRefused ? 'failed' : 'same';
  const applied = kind === 'apply' ? (result?.changes ?? []) : [];
  if (applied.some((change) => !isMade(change))) return 'failed';
  if (isRefused) return 'errors';
  if (hasRisks) return 'risks';
  const shown = plan ?? result?.plan;
  return shown && differs(kind, shown) ? 'differences' : 'same';
}

function differs(kind: ReportKind, plan: Plan): boolean {
  if (kind === 'drift') return hasDrift(plan);
  return kind === 'apply' ? sentChanges(plan.changes).length > 0 : hasDifference(plan);
}

/** The status in the words of a report. */
export function statusText(kind: ReportKind, status: RootStatus, hasPlan: boolean): string {
  switch (status) {
    case 'failed':
      return hasPlan ? 'incomplete' : 'failed';
    case 'errors':
      return 'errors';
    case 'risks':
      return 'needs attention';
    case 'differences':
      return { drift: 'drift', apply: 'applied' }[String(kind)] ?? 'changes';
    case 'same':
      if (!hasPlan) return 'no errors';
      return kind === 'drift' ? 'no drift' : 'no changes';
    default:
      return status satisfies never;
  }
}

/** The root files, those that need attention most urgently first. */
export function byAttention<Entry extends { readonly status: RootStatus }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return [...entries].sort((a, b) => rootStatuses.indexOf(a.status) - rootStatuses.indexOf(b.status));
}
