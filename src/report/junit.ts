import type { Ending } from '../model/apply-result.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { PolicyResult } from '../model/policy.ts';
import { counted } from '../model/text.ts';
import type { EntryView } from './entry-view.ts';
import { findingLines, findingsOf, heldOf } from './findings.ts';
import type { Item } from './items.ts';
import type { Report, ReportKind } from './report.ts';
import { reportView } from './report-view.ts';
import { changeLines } from './text/change-text.ts';

interface Case {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  /** What the case is listed under if no file declares it. */
  readonly address?: string;
  readonly ended: 'passed' | 'failed' | 'skipped';
  /** What kind of failure it is. */
  readonly type: string;
  readonly message: string;
  /** The full text, the message included. */
  readonly lines: readonly string[];
}

/** A node of the tree that the builder writes: `@_` starts an attribute, `#text` is the content. */
interface Node {
  readonly [key: string]: string | number | Node | readonly Node[];
}

/**
 * JUnit XML: a suite per root file, a case per change, per diagnostic and per policy, under its file. A planned change passes, and
 * its case describes it. What is held is skipped. Drift, a failed change and an error fail.
 */
export async function renderJunit(report: Report): Promise<string> {
  // Few runs need it: the program does not contain it.
  const { default: XMLBuilder } = await import('fast-xml-builder');
  const view = reportView(report, { full: true, byAction: true });
  const { kind, entries, isJoint } = view;
  const cases = entries.map((entry, root) => suiteCases(entry, findingsOf(view, root), heldOf(view, root)));
  const suites = entries.map(({ title, plan, source }, index) =>
    suiteNode((isJoint ? title : plan?.organization || source) || `attune ${kind}`, cases[index] ?? []),
  );
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    format: true,
    suppressEmptyNode: true,
    suppressBooleanAttributes: false,
  });
  return builder.build({
    '?xml': { '@_version': '1.0', '@_encoding': 'UTF-8' },
    testsuites: { '@_name': `attune ${kind}`, ...countsOf(cases.flat()), testsuite: suites },
  });
}

function suiteCases(entry: EntryView, findings: readonly Item[], held: readonly Item[]): Case[] {
  const { kind } = entry;
  const policies = entry.plan?.policies ?? [];
  const evaluated = new Set<string | undefined>(policies.map(({ id }) => id));
  const cases = [
    ...findings
      .filter(({ diagnostic }) => diagnostic?.policy === undefined || !evaluated.has(diagnostic.policy))
      .map((finding) => (finding.diagnostic ? diagnosticCase(finding) : changeCase(kind, finding))),
    ...heldCases(kind, held),
    ...policies.map((policy) => policyCase(policy, findings)),
  ];
  if (cases.length > 0) return cases;
  // Some readers reject a suite without a case.
  const base = { ended: 'passed', type: kind, message: '', lines: [] } as const;
  return [{ ...base, name: entry.summary, address: `attune.${kind}` }];
}

function diagnosticCase(finding: Item): Case {
  const { rule, level, head, place } = finding;
  return {
    name: `${level}[${rule}]${place ? ` at ${place.line}:${place.column}` : ''}`,
    ...placed(place),
    address: `attune.${rule}`,
    ended: level === 'error' ? 'failed' : 'passed',
    type: rule,
    message: head,
    lines: findingLines(finding),
  };
}

function placed(place: SourceLocation | undefined): Pick<Case, 'file' | 'line'> {
  return place ? { file: place.file, line: place.line } : {};
}

/** What waits is skipped: one case per change and reason. */
function heldCases(kind: ReportKind, items: readonly Item[]): Case[] {
  return items.flatMap(({ head, held = [] }) =>
    held.map(
      (change): Case => ({
        name: `held: ${change.title}`,
        ...placed(change.place),
        address: change.address,
        ended: 'skipped',
        type: 'held',
        message: `held by ${head}`,
        lines: changeLines(change, kind),
      }),
    ),
  );
}

/** One case per policy, with all of its violations. */
function policyCase(
  { id, severity, file, checked, violations, failed, notApplicable }: PolicyResult,
  findings: readonly Item[],
): Case {
  // A policy that another file declares with the same id has a separate case.
  const found =
    violations > 0 || failed ? findings.filter(({ diagnostic }) => diagnostic?.policy === id) : [];
  const figures = `${counted(violations, 'violation')} in ${checked} checked`;
  return {
    name: `policy ${id}`,
    file,
    ended: notApplicable
      ? 'skipped'
      : failed || (violations > 0 && severity === 'error')
        ? 'failed'
        : 'passed',
    type: 'policy',
    message: notApplicable
      ? 'not applicable: its `when` selects nothing'
      : failed
        ? `not evaluated completely, ${figures}`
        : figures,
    lines: found.flatMap(({ head, rest, place }) => [
      `${place ? `${place.file}:${place.line}:${place.column}: ` : ''}${head}`,
      ...rest,
    ]),
  };
}

const ends: Readonly<Record<Ending, Case['ended']>> = {
  done: 'passed',
  failed: 'failed',
  unknown: 'failed',
  partial: 'failed',
  skipped: 'skipped',
  held: 'skipped',
};

function changeCase(kind: ReportKind, finding: Item): Case {
  const { address, rule, change, head, title = head, place } = finding;
  const outcome = change?.outcome;
  const lines = findingLines(finding);
  return {
    name: title,
    ...placed(place),
    ...(address !== undefined && { address }),
    ended: outcome ? ends[outcome] : kind === 'drift' ? 'failed' : 'passed',
    type: rule,
    // A change that failed or was skipped shows its reason first.
    message: (outcome !== undefined && outcome !== 'done' ? change?.error?.message : undefined) ?? title,
    lines,
  };
}

function suiteNode(name: string, cases: readonly Case[]): Node {
  return { '@_name': name, ...countsOf(cases), testcase: cases.map(caseNode) };
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

function caseNode({ name, file, line, address, ended, type, message, lines }: Case): Node {
  const text = lines.join('\n');
  return {
    '@_name': name,
    '@_classname': file ?? address ?? name,
    ...(file !== undefined && { '@_file': file }),
    ...(line !== undefined && { '@_line': line }),
    ...(ended === 'failed' && {
      failure: { '@_message': message, '@_type': type, '#text': text },
    }),
    ...(ended === 'skipped' && { skipped: { '@_message': message } }),
    ...(ended !== 'failed' && text !== '' && { 'system-out': text }),
  };
}
