import { aboutPlan, findingLines, findingsOf, titleOf } from './findings.ts';
import type { Item } from './items.ts';
import type { Report, ReportKind } from './report.ts';
import { reportView } from './report-view.ts';
import { shownLine } from './values.ts';

interface Case {
  readonly ended: 'passed' | 'failed' | 'skipped';
  readonly node: Node;
}

/** A node of the tree that the builder writes: `@_` starts an attribute, `#text` is the content. */
interface Node {
  readonly [key: string]: string | number | Node | readonly Node[];
}

/**
 * JUnit XML: a suite per root file, a case per change, hold and diagnostic, under its file. A planned change passes, and its
 * case describes it. A hold is skipped. Drift, a failed change and an error fail.
 */
export async function renderJunit(report: Report): Promise<string> {
  // Few runs need it: the program does not contain it.
  const { default: XMLBuilder } = await import('fast-xml-builder');
  const view = reportView(report, { full: true, byAction: true });
  const { kind, entries } = view;
  const suites = entries.map((entry, root) => {
    const cases = findingsOf(view, root).map((finding) => caseOf(entry.kind, finding));
    // Some readers reject a suite without a case.
    const empty = { '@_name': entry.summary, '@_classname': `attune.${entry.kind}` };
    return {
      name: entry.name,
      cases: cases.length > 0 ? cases : [{ ended: 'passed', node: empty } as const],
    };
  });
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    format: true,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    testsuites: {
      '@_name': `attune ${kind}`,
      ...countsOf(suites.flatMap(({ cases }) => cases)),
      testsuite: suites.map(({ name, cases }) => ({
        '@_name': name || `attune ${kind}`,
        ...countsOf(cases),
        testcase: cases.map(({ node }) => node),
      })),
    },
  });
}

function caseOf(kind: ReportKind, finding: Item): Case {
  const { rule, level, head, place, address, diagnostic, outcome = 'done', rest } = finding;
  const title = titleOf(finding);
  const text = findingLines(finding).join('\n');
  const isWaiting = rule === 'held' || outcome !== 'done';
  const isDifference = kind === 'drift' && !diagnostic && rule !== aboutPlan && !isWaiting;
  const ended = level === 'error' || isDifference ? 'failed' : isWaiting ? 'skipped' : 'passed';
  // A change that failed or was skipped shows its reason first.
  const [reason = title] = outcome === 'done' ? [] : rest;
  const message = diagnostic ? head : shownLine(reason);
  const position = place ? ` at ${place.line}:${place.column}` : '';
  const name = diagnostic ? `${level}[${rule}]${position}` : title;
  const node = {
    '@_name': name,
    '@_classname': place?.file ?? (diagnostic ? `attune.${rule}` : (address ?? name)),
    ...(place && { '@_file': place.file, '@_line': place.line }),
    ...(ended === 'failed' && { failure: { '@_message': message, '@_type': rule, '#text': text } }),
    ...(ended === 'skipped' && { skipped: { '@_message': message } }),
    ...(ended !== 'failed' && { 'system-out': text }),
  };
  return { ended, node };
}

function countsOf(cases: readonly Case[]): Readonly<Record<string, number>> {
  const count = (ended: Case['ended']) => cases.filter((one) => one.ended === ended).length;
  return {
    '@_tests': cases.length,
    '@_failures': count('failed'),
    '@_errors': 0,
    '@_skipped': count('skipped'),
  };
}
