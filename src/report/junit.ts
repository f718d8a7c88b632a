import XMLBuilder from 'fast-xml-builder';
import type { Report } from './report.ts';
import { type ToldChange, type ToldDiagnostic, type ToldEntry, toldEntry } from './told-entry.ts';

interface Case {
  readonly name: string;
  readonly file?: string;
  readonly line?: number;
  /** Where the case stands if no file declares it. */
  readonly address?: string;
  readonly ended: 'passed' | 'failed' | 'skipped';
  /** What kind of failure it is. */
  readonly type: string;
  readonly message: string;
  /** All there is to tell, the message too. */
  readonly lines: readonly string[];
}

/** A node of the tree that the builder writes: `@_` heads an attribute, `#text` is what stands inside. */
interface Node {
  readonly [key: string]: string | number | Node | readonly Node[];
}

/**
 * JUnit XML: a suite per organization, a case per change and per diagnostic, under the file that it is about. What is
 * planned passes and tells what it does; what has drifted, failed or is wrong fails.
 */
export function renderJunit({ kind, entries }: Report): string {
  const told = entries.map((entry) => toldEntry(kind, entry));
  const cases = told.map((one) => suiteCases(kind, one));
  const suites = told.map(({ organization }, index) =>
    suiteNode(organization || `attune ${kind}`, cases[index] ?? []),
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

function suiteCases(kind: Report['kind'], told: ToldEntry): Case[] {
  const cases = [
    ...told.diagnostics.map(diagnosticCase),
    ...[...told.changes, ...told.undeclared].map((change) => changeCase(kind, change)),
  ];
  // A suite without a case is an error to some readers, and no difference is a result too.
  return cases.length > 0
    ? cases
    : [
        {
          name: told.summary,
          address: `attune.${kind}`,
          ended: 'passed',
          type: kind,
          message: '',
          lines: [],
        },
      ];
}

function diagnosticCase({ severity, code, message, hint, place }: ToldDiagnostic): Case {
  return {
    name: `${severity}[${code}]${place ? ` at ${place.line}:${place.column}` : ''}`,
    ...(place && { file: place.file, line: place.line }),
    address: `attune.${code}`,
    ended: severity === 'error' ? 'failed' : 'passed',
    type: code,
    message,
    lines: [message, ...(hint === undefined ? [] : [`hint: ${hint}`])],
  };
}

function changeCase(
  kind: Report['kind'],
  { address, action, outcome, title, lines, place }: ToldChange,
): Case {
  const ends = { done: 'passed', failed: 'failed', skipped: 'skipped' } as const;
  return {
    name: title,
    ...(place && { file: place.file, line: place.line }),
    address,
    ended: outcome ? ends[outcome] : kind === 'drift' ? 'failed' : 'passed',
    type: action === 'none' ? 'undeclared' : `change-${action}`,
    // What was not made begins with the reason.
    message: (outcome === 'failed' || outcome === 'skipped' ? lines[0] : undefined) ?? title,
    lines: [title, ...lines],
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
