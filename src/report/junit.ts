import type { SourceLocation } from '../model/diagnostic.ts';
import { aboutPlan, findingLines, findingsOf, heldChanges, titleOf } from './findings.ts';
import type { Item } from './items.ts';
import type { Report, ReportKind } from './report.ts';
import { type EntryView, reportView } from './report-view.ts';
import { shownLine } from './values.ts';

interface Case {
  readonly name: string;
  readonly place?: SourceLocation | undefined;
  readonly address?: string | undefined;
  readonly ended: 'passed' | 'failed' | 'skipped';
  readonly type: string;
  readonly message: string;
  readonly lines: readonly string[];
}

/** A node of the tree that the builder writes: `@_` starts an attribute, `#text` is the content. */
interface Node {
  readonly [key: string]: string | number | Node | readonly Node[];
}

/**
 * JUnit XML: a suite per root file, a case per change and per diagnostic, under its file. A planned change passes, and its case
 * describes it. What is held is skipped. Drift, a failed change and an error fail.
 */
export async function renderJunit(report: Report): Promise<string> {
  // Few runs need it: the program does not contain it.
  const { default: XMLBuilder } = await import('fast-xml-builder');
  const view = reportView(report, { full: true, byAction: true });
  const { kind, entries } = view;
  const cases = entries.map((entry, root) =>
    suiteCases(entry, findingsOf(view, root), heldChanges(view, root)),
  );
  const suites = entries.map(({ name }, index) => {
    const own = cases[index] ?? [];
    return { '@_name': name || `attune ${kind}`, ...countsOf(own), testcase: own.map(caseNode) };
  });
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
  const cases = [...findings.map((finding) => findingCase(kind, finding)), ...held.map(heldCase)];
  if (cases.length > 0) return cases;
  // Some readers reject a suite without a case.
  const base = { ended: 'passed', type: kind, message: '', lines: [] } as const;
  return [{ ...base, name: entry.summary, address: `attune.${kind}` }];
}

function findingCase(kind: ReportKind, finding: Item): Case {
  const { rule, level, head, place, address, diagnostic, outcome = 'done', rest } = finding;
  const title = titleOf(finding);
  const lines = findingLines(finding);
  if (diagnostic) {
    const name = `${level}[${rule}]${place ? ` at ${place.line}:${place.column}` : ''}`;
    const ended = level === 'error' ? 'failed' : 'passed';
    return { name, place, address: `attune.${rule}`, ended, type: rule, message: head, lines };
  }
  const isMade = outcome === 'done';
  const hasFailed = isMade ? kind === 'drift' && rule !== aboutPlan : level === 'error';
  const ended = hasFailed ? 'failed' : isMade ? 'passed' : 'skipped';
  // A change that failed or was skipped shows its reason first.
  const [reason] = isMade ? [] : rest;
  const message = reason === undefined ? title : shownLine(reason);
  return { name: title, place, address, ended, type: rule, message, lines };
}

function heldCase(change: Item): Case {
  const { rule, place, address, rest } = change;
  const [message = '', ...lines] = rest.map(shownLine);
  return { name: titleOf(change), place, address, ended: 'skipped', type: rule, message, lines };
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

function caseNode({ name, place, address, ended, type, message, lines }: Case): Node {
  const text = lines.join('\n');
  const endings: Readonly<Record<Case['ended'], Node>> = {
    failed: { failure: { '@_message': message, '@_type': type, '#text': text } },
    skipped: { skipped: { '@_message': message } },
    passed: {},
  };
  const output = ended === 'failed' || text === '' ? {} : { 'system-out': text };
  return {
    '@_name': name,
    '@_classname': place?.file ?? address ?? name,
    ...(place && { '@_file': place.file, '@_line': place.line }),
    ...endings[ended],
    ...output,
  };
}
