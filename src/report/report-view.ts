import { groupBy } from '../model/value.ts';
import { type EntryView, entryView, organizationOf } from './entry-view.ts';
import type { SectionOptions } from './items.ts';
import { type OrganizationView, organizationViews } from './joint-overview.ts';
import type { Report, ReportEntry } from './report.ts';
import { type Section, sectionsOf } from './sections.ts';
import { kindOf, totalTexts } from './summaries.ts';

/**
 * Everything that a format shows of a report, as plain data. Texts are on one line with control characters escaped, and
 * places are paths from the working folder. Values, calls and the names in `overview` are as the plan has
 * them: the format that prints one escapes it.
 */
export interface ReportView {
  readonly kind: Report['kind'];
  readonly entries: readonly EntryView[];
  /** Whether it has several entries: then text, Markdown and HTML begin with what needs attention in all, and an overview. */
  readonly isJoint: boolean;
  /** What the titles of entries are. */
  readonly titles: 'Root files' | 'Organizations';
  /** What all root files of each organization have read: only in a view `withOverview`. */
  readonly organizations: readonly OrganizationView[];
  /** What every format renders. */
  readonly sections: readonly Section[];
  /** The sums over several organizations, and what a report of several runs lacks. */
  readonly totals: readonly string[];
}

export interface ViewOptions extends SectionOptions {
  /** Whether the format draws what was read and does not change, too; of 10,000 workspaces it takes 50 ms. */
  readonly withOverview?: boolean;
}

export function reportView(report: Report, options: ViewOptions = {}): ReportView {
  const { kind, entries } = report;
  const titles = titlesOf(entries);
  const shown = entries.map((entry, index) => ({
    entry,
    view: entryView(kindOf(report, entry), entry, titles[index] ?? ''),
  }));
  return {
    kind,
    isJoint: entries.length > 1,
    titles: entries.some(rootOf) ? 'Root files' : 'Organizations',
    entries: shown.map(({ view }) => view),
    sections: sectionsOf(shown, options),
    organizations: options.withOverview ? organizationViews(plansOf(report)) : [],
    totals: totalTexts(report),
  };
}

function plansOf(report: Report) {
  return report.entries.flatMap((entry, index) => {
    const plan = entry.plan ?? entry.result?.plan;
    return plan ? { kind: kindOf(report, entry), plan, index } : [];
  });
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

/** Documents of one root file do not name it. */
function rootOf({ file, source, failed }: ReportEntry): string | undefined {
  if (failed) return source;
  return file === source ? undefined : file;
}
