import { isMade } from '../model/apply-result.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { hasDifference, sentChanges } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { escapeControls, escapeTexts } from './escape-controls.ts';
import { type Figure, hasDrift, planOf, reportFigures } from './figures.ts';
import { countOf, type Item, type ShownChange, type ShownEntry } from './items.ts';
import type { Report, ReportEntry, ReportKind } from './report.ts';
import { reportRisks } from './risks.ts';
import { reportSections, type Section, type SectionOptions } from './sections.ts';
import { placeOf } from './text/diagnostics-text.ts';
import { figure } from './words.ts';

/*
 * A report is a list of sections with items. Text, Markdown, HTML, annotations of GitHub, SARIF, JUnit and messages render this
 * list and nothing else of a plan; what else a format has, such as filters or folds, it adds itself.
 *
 *   Report -> entries: one of each root file, with its figures and its summary
 *          -> sections: errors, what needs attention, changes, what is undeclared or held, effects, warnings and notes
 */
export interface ReportView {
  readonly kind: Report['kind'];
  readonly entries: readonly EntryView[];
  /** Whether it has several entries: then formats begin with what needs attention in all, and an overview. */
  readonly isJoint: boolean;
  /** An apply that wrote nothing: its entries show their plans. */
  readonly isRefused: boolean;
  /** What the titles of entries are. */
  readonly titles: 'Root files' | 'Organizations';
  readonly sections: readonly Section[];
  readonly figures: readonly Figure[];
  /** The sums over several organizations, and what a report of several runs lacks. */
  readonly totals: readonly string[];
}

export interface EntryView {
  readonly kind: ReportKind;
  /** What identifies it in the report: the path of the root file, or the organization, or the document. */
  readonly title: string;
  /** The same in a report of one: the organization of a plan, or the document. */
  readonly name?: string | undefined;
  readonly status: RootStatus;
  readonly statusText: string;
  readonly organization?: string | undefined;
  readonly address?: string | undefined;
  /** The document that the entry was read from; the root file if it `failed`. */
  readonly source?: string | undefined;
  /** The root file has no plan, and others of its run have. */
  readonly failed?: boolean | undefined;
  readonly summary: string;
  readonly changes: number;
  readonly risks: number;
  readonly nothing?: string | undefined;
  readonly about?: string | undefined;
}

export function reportView(report: Report, options: SectionOptions = {}): ReportView {
  const { kind, entries } = report;
  const isJoint = entries.length > 1;
  // One root file that is refused stops all.
  const isRefused =
    kind === 'apply' &&
    entries.every(({ result }) => result === undefined) &&
    entries.some(({ plan }) => plan !== undefined && hasErrors(plan.diagnostics));
  const titles = titlesOf(entries);
  const { figures, totals, entries: figured } = reportFigures(report);
  const shown = figured.map(({ entry, kind, ...texts }, index): ShownEntry => {
    const plan = planOf(entry);
    const result = kind === 'apply' ? entry.result : undefined;
    const changes = sentChanges<ShownChange>(result?.changes ?? plan?.changes ?? []);
    // An apply does not read the scope again, so its result does not list what is undeclared.
    const undeclared = result ? [] : (plan?.unmanaged ?? []);
    const title = escapeControls(titles[index] ?? '');
    return { entry, kind, ...texts, title, index, isJoint, plan, changes, undeclared };
  });
  const risks = reportRisks(shown, options.full === true);
  const views = shown.map((one, index) => entryView(one, risks.byEntry[index] ?? [], isRefused));
  const urgent = isJoint ? [...failureItems(shown, views), ...risks.all] : [];
  return {
    kind,
    isJoint,
    isRefused,
    titles: entries.some(rootOf) ? 'Root files' : 'Organizations',
    entries: views,
    sections: reportSections(shown, risks.byEntry, urgent, options),
    figures,
    totals,
  };
}

function entryView(shown: ShownEntry, risks: readonly Item[], isRefused: boolean): EntryView {
  const { kind, entry, title, isJoint, plan, changes, summary, nothing } = shown;
  const { source, failed, about } = entry;
  const status = rootStatus(kind, entry, risks.length > 0);
  const found = countOf(risks);
  const attention = found === 0 ? '' : ` ${figure(found)} ${found === 1 ? 'needs' : 'need'} attention.`;
  const name = isJoint ? title : (plan?.organization ?? source);
  return {
    kind,
    title,
    status,
    statusText: statusText(kind, status, plan !== undefined),
    ...escapeTexts({ name, organization: organizationOf(entry), address: plan?.address, source }),
    failed,
    summary: (isRefused ? 'No changes were made. ' : '') + summary + (kind === 'plan' ? attention : ''),
    changes: changes.length,
    risks: found,
    nothing,
    about,
  };
}

function failureItems(shown: readonly ShownEntry[], views: readonly EntryView[]): readonly Item[] {
  const urgent = byAttention(views).filter(({ status }) => status === 'failed' || status === 'errors');
  return urgent.map((view): Item => {
    const { title, statusText: label, summary } = view;
    const entry = views.indexOf(view);
    const { diagnostics = [], path = String } = shown[entry]?.entry ?? {};
    const [first, ...others] = diagnostics.filter(({ severity }) => severity === 'error');
    const more = others.length > 0 ? ` (and ${figure(others.length)} more)` : '';
    return {
      sign: '!',
      label,
      head: title,
      detail: first ? escapeControls(first.message) + more : summary,
      place: first?.location && placeOf(first.location, path),
      rest: [],
      level: 'error',
      rule: 'root-file',
      address: title,
      risk: { level: 'high', entry, isListed: true },
    };
  });
}

function organizationOf({ plan, result, organization }: ReportEntry): string | undefined {
  return plan?.organization ?? result?.plan.organization ?? organization;
}

/** The first of root file, organization and document that no other entry has. */
function titlesOf(entries: readonly ReportEntry[]): readonly string[] {
  const names = [rootOf, organizationOf, ({ source }: ReportEntry) => source];
  const counts = names.map((name) => groupBy(entries, name));
  return entries.map((entry, index) => {
    const known = names.map((name) => name(entry));
    const unique = known.find((name, nth) => name !== undefined && counts[nth]?.get(name)?.length === 1);
    return unique ?? known.find((name) => name !== undefined) ?? `Root file ${index + 1}`;
  });
}

function rootOf({ file, source, failed }: ReportEntry): string | undefined {
  return failed ? source : file;
}

/** How much a root file of a report needs attention: the most urgent first. */
const rootStatuses = ['failed', 'errors', 'unplanned', 'risks', 'differences', 'same'] as const;
type RootStatus = (typeof rootStatuses)[number];

/** `failed` has no plan or an incomplete apply, `errors` a refused plan, `unplanned` no plan because of other root files. */
function rootStatus(kind: ReportKind, entry: ReportEntry, hasRisks: boolean): RootStatus {
  const { result, diagnostics } = entry;
  const isRefused = hasErrors(diagnostics);
  const shown = planOf(entry);
  if (shown === undefined) return isRefused ? 'failed' : kind === 'validate' ? 'same' : 'unplanned';
  const applied = kind === 'apply' ? (result?.changes ?? []) : [];
  if (applied.some((change) => !isMade(change))) return 'failed';
  if (isRefused) return 'errors';
  if (hasRisks) return 'risks';
  return (kind === 'drift' ? hasDrift(shown) : hasDifference(shown)) ? 'differences' : 'same';
}

function statusText(kind: ReportKind, status: RootStatus, hasPlan: boolean): string {
  const differences = { drift: 'drift', apply: 'applied' }[String(kind)] ?? 'changes';
  const same = kind === 'drift' ? 'no drift' : 'no changes';
  return {
    failed: hasPlan ? 'incomplete' : 'failed',
    errors: 'errors',
    unplanned: 'not compared',
    risks: 'needs attention',
    differences,
    same: hasPlan ? same : 'no errors',
  }[status];
}

export function byAttention<Entry extends { readonly status: RootStatus }>(
  entries: readonly Entry[],
): readonly Entry[] {
  return [...entries].sort((a, b) => rootStatuses.indexOf(a.status) - rootStatuses.indexOf(b.status));
}
