import type { PolicyResult } from '../model/policy.ts';
import { counted } from '../model/text.ts';
import { type Finding, findingsOf } from './findings.ts';
import type { Report, ReportKind } from './report.ts';
import { type EntryView, reportView } from './report-view.ts';
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
  const { kind, entries, isJoint } = reportView(report);
  const cases = entries.map((entry) => suiteCases(entry.kind, entry));
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

function suiteCases(kind: ReportKind, entry: EntryView): Case[] {
  const policies = entry.plan?.policies ?? [];
  const evaluated = new Set<string | undefined>(policies.map(({ id }) => id));
  const findings = findingsOf(entry);
  const cases = [
    ...findings
      .filter(({ policy }) => policy === undefined || !evaluated.has(policy))
      .map((finding) =>
        finding.about === 'diagnostic' ? diagnosticCase(finding) : changeCase(kind, finding),
      ),
    ...heldCases(kind, entry),
    ...policies.map((policy) => policyCase(policy, findings)),
  ];
  if (cases.length > 0) return cases;
  // Some readers reject a suite without a case.
  const base = { ended: 'passed', type: kind, message: '', lines: [] } as const;
  return [{ ...base, name: entry.summary, address: `attune.${kind}` }];
}

function diagnosticCase({ rule, level, lines, place }: Finding): Case {
  return {
    name: `${level}[${rule}]${place ? ` at ${place.line}:${place.column}` : ''}`,
    ...(place && { file: place.file, line: place.line }),
    address: `attune.${rule}`,
    ended: level === 'error' ? 'failed' : 'passed',
    type: rule,
    message: lines[0] ?? '',
    lines,
  };
}

/** What waits is skipped: one case per change and reason. */
function heldCases(kind: ReportKind, { plan }: EntryView): Case[] {
  return (plan?.held?.groups ?? []).flatMap(({ reason, changes }) =>
    changes.map(
      (change): Case => ({
        name: `held: ${change.title}`,
        ...(change.place && { file: change.place.file, line: change.place.line }),
        address: change.address,
        ended: 'skipped',
        type: 'held',
        message: `held by ${reason}`,
        lines: changeLines(change, kind),
      }),
    ),
  );
}

/** One case per policy, with all of its violations. */
function policyCase(
  { id, severity, file, checked, violations, failed, notApplicable }: PolicyResult,
  findings: readonly Finding[],
): Case {
  // A policy that another file declares with the same id has a separate case.
  const found = violations > 0 || failed ? findings.filter(({ policy }) => policy === id) : [];
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
    lines: found.flatMap(({ lines, place }) => [
      `${place ? `${place.file}:${place.line}:${place.column}: ` : ''}${lines[0]}`,
      ...lines.slice(1),
    ]),
  };
}

function changeCase(kind: ReportKind, { address, rule, outcome, title, lines, place }: Finding): Case {
  const ends = {
    done: 'passed',
    failed: 'failed',
    unknown: 'failed',
    partial: 'failed',
    skipped: 'skipped',
    held: 'skipped',
  } as const;
  return {
    name: title,
    ...(place && { file: place.file, line: place.line }),
    ...(address !== undefined && { address }),
    ended: outcome ? ends[outcome] : kind === 'drift' ? 'failed' : 'passed',
    type: rule,
    // A change that failed or was skipped shows its reason first.
    message: (outcome !== undefined && outcome !== 'done' ? lines[1] : undefined) ?? title,
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
