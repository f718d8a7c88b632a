import type { EntryView } from './report-view.ts';
import { type RiskGroupView, type RiskView, riskOrder } from './risk-view.ts';
import { rootStatuses } from './root-status.ts';
import { figure } from './words.ts';

/*
 * What a report of several root files begins with: what needs attention in all of them, and an overview.
 */

/** The root files, those that need attention most urgently first. */
export function byAttention<Entry extends Pick<EntryView, 'status'>>(
  entries: readonly Entry[],
): readonly Entry[] {
  return [...entries].sort((a, b) => rootStatuses.indexOf(a.status) - rootStatuses.indexOf(b.status));
}

/** The root files that fail, then the risks of all root files: one group per kind, the most severe first. */
export function jointAttention(entries: readonly EntryView[]): readonly RiskGroupView[] {
  return [...jointFailures(entries), ...jointRisks(entries)];
}

/** The root files that have no plan, a refused plan, or changes that were not made. */
export function jointFailures(entries: readonly EntryView[]): readonly RiskGroupView[] {
  const urgent = byAttention(entries.map((entry, index) => ({ ...entry, index }))).filter(
    ({ status }) => status === 'failed' || status === 'errors',
  );
  const labels = [...new Set(urgent.map(({ statusText }) => statusText))];
  return labels.map((label) => ({
    kind: 'root-file',
    level: 'high',
    label,
    risks: urgent.filter(({ statusText }) => statusText === label).map(failureView),
  }));
}

function failureView({ index: entry, title, diagnostics, summary }: EntryView & { index: number }): RiskView {
  const [first, ...others] = diagnostics.filter(({ severity }) => severity === 'error');
  if (first === undefined) return { address: title, detail: summary, entry };
  const { message, place } = first;
  const more = others.length > 0 ? ` (and ${figure(others.length)} more)` : '';
  return { address: title, detail: message + more, place, entry };
}

function jointRisks(entries: readonly EntryView[]): readonly RiskGroupView[] {
  const all = entries.flatMap(({ title, plan }, entry) =>
    (plan?.risks ?? []).map((group) => ({
      ...group,
      risks: group.risks.map((risk) => ({ ...risk, ...rootOf(risk, title), entry })),
    })),
  );
  return riskOrder.flatMap((kind) => {
    const same = all.filter((group) => group.kind === kind);
    // One run can have plans and drift reports, which name a risk differently.
    const labels = [...new Set(same.map(({ label }) => label))];
    return labels.flatMap((label) => {
      const alike = same.filter((group) => group.label === label);
      return alike.slice(0, 1).map((first) => ({ ...first, risks: alike.flatMap(({ risks }) => risks) }));
    });
  });
}

/** The root file of a risk, unless the place is in it. */
function rootOf({ place }: RiskView, title: string): Pick<RiskView, 'root'> {
  return place?.file === title ? {} : { root: title };
}
