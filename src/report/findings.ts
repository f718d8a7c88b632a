import { type Diagnostic, type Severity, type SourceLocation, severities } from '../model/diagnostic.ts';
import { withoutUndefined } from '../model/value.ts';
import { jsonText } from './escape-controls.ts';
import { type Item, textItem } from './items.ts';
import type { RenderOptions, Report, ReportKind } from './report.ts';
import { type ReportView, reportView } from './report-view.ts';
import { namesText, shownLine } from './values.ts';
import { countedFigure } from './words.ts';

/*
 * What formats that list findings at lines of files show of the sections: each diagnostic, and each change or
 * part of one that was already different, once, with why it needs attention.
 */

const aboutPlan = 'about-plan';

function findingsOf({ sections, entries }: ReportView, root: number): readonly Item[] {
  const { failed, source } = entries[root] ?? {};
  // The reason of a root file that fails is shown at its first line if no other line is to blame.
  const first = failed && source !== undefined ? { file: source, line: 1, column: 1 } : undefined;
  return sections.flatMap(({ name, root: whose, items, notes = [] }): readonly Item[] => {
    if (name === 'attention') {
      const single = items.flatMap((item) => item.members ?? item);
      return single.filter(({ risk }) => risk?.entry === root && !risk.isListed);
    }
    if (whose !== root || name === 'effects' || name === 'permissions') return [];
    if (name === 'held')
      return items.length > 0 ? items.map(heldFinding) : notes.map((text) => textItem(aboutPlan, text));
    if (name === 'diagnostics') return items.map((item) => ({ ...item, place: item.place ?? first }));
    if (name !== 'undeclared') return items.filter(({ rule }) => rule !== 'none');
    return items.map(({ detail, ...item }) =>
      detail ? { ...item, rest: [`access: ${detail}`, ...notes] } : item,
    );
  });
}

/** A hold at the first line that it keeps back. */
function heldFinding(item: Item): Item {
  const { rest, members = [] } = item;
  const names = namesText(members.map(({ head }) => head));
  const counted = `${countedFigure(members.length, 'change')}: ${names}`;
  return { ...item, place: members[0]?.place, rest: rest.length > 0 ? rest : [counted] };
}

export function titleOf({ label, head, title }: Item): string {
  return title ?? (label === undefined ? head : `${label}: ${head}`);
}

/** Everything about a finding, one line each; a diagnostic begins with its message, the others with their title. */
function findingLines(item: Item): string[] {
  const { head, detail, rest, risks = [], diagnostic, change, members } = item;
  // The title of a change has how it is deleted; its detail adds whether that can be undone.
  const isKnown = detail === undefined || members || (change && !detail.includes(', '));
  return [
    diagnostic ? head : titleOf(item),
    ...risks.map((risk) => `needs attention: ${risk}`),
    ...(isKnown ? [] : [detail]),
    ...[...(diagnostic?.detail ?? []), ...rest].map(shownLine),
  ];
}

/** The findings of root files, the most important first. */
export function rankedFindings(view: ReportView, roots: Iterable<number>): readonly Item[] {
  const ranks: Readonly<Record<string, number>> = { 'change-delete': 1, risk: 3, held: 3 };
  // A warning or note about a resource follows its change.
  const rankIn = ({ severity, address }: Diagnostic) => (severity === 'error' || !address ? 0 : 3);
  const rankOf = ({ level, diagnostic, rule }: Item) =>
    severities.indexOf(level) * 4 + (diagnostic ? rankIn(diagnostic) : (ranks[rule] ?? 2));
  return [...roots].flatMap((root) => findingsOf(view, root)).sort((a, b) => rankOf(a) - rankOf(b));
}

interface Annotation extends Pick<Item, 'level' | 'title' | 'place'> {
  readonly lines: readonly string[];
}

/**
 * GitHub's workflow commands, which become annotations at the lines of the files; one command each line. Every line is
 * a command, the sums too: in a line that is one nothing else is looked for, such as the older `##[error]`, which is
 * found anywhere. GitHub shows the first ten of each level, so the most important come first and a group is one annotation.
 */
export function renderGithub(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  const view = reportView(report, { full, hint: ' (the report lists them)' });
  const { kind, entries, totals } = view;
  const findings = rankedFindings(view, entries.keys());
  const annotations: Annotation[] = findings.map((item) => ({ ...item, lines: findingLines(item) }));
  const sums = entries.map(({ kind: found, name, summary }): Annotation => {
    const run = `attune ${kind === 'report' ? found : kind}`;
    const title = name === undefined ? run : `${run}: ${name}`;
    return { level: 'note', title, lines: [summary] };
  });
  for (const total of totals) sums.push({ level: 'note', title: `attune ${kind}`, lines: [total] });
  // Several root files can have the same problem, such as one of a file that they include.
  return `${[...new Set([...annotations, ...sums].map(command))].join('\n')}\n`;
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

function command({ level, lines, title = lines[0] ?? '', place }: Annotation): string {
  const properties = { file: place?.file, line: place?.line, col: place?.column, title };
  const list = Object.entries(withoutUndefined(properties)).map(
    ([key, value]) => `${key}=${data(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`,
  );
  return `::${commands[level]} ${list.join(',')}::${data(lines.join('\n'))}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

export function renderSarif(report: Report): string {
  const view = reportView(report, { full: true });
  const { kind, entries } = view;
  const found = entries.flatMap((_, root) => findingsOf(view, root));
  const ruleIds = [...new Set(found.map(({ rule }) => rule))].sort();
  const results = found.map((finding) => ({
    ruleId: finding.rule,
    ruleIndex: ruleIds.indexOf(finding.rule),
    level: finding.level,
    message: { text: messageText(findingLines(finding).join('\n')) },
    locations: finding.place && [location(finding.place)],
  }));
  return jsonText({
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Attune',
            rules: ruleIds.map((id) => ({ id, shortDescription: { text: `Attune: ${id}` } })),
          },
        },
        automationDetails: { id: `attune/${kind}/` },
        columnKind: 'utf16CodeUnits',
        results,
      },
    ],
  });
}

/** In a message `[text](target)` is a link and `{0}` is a placeholder of an argument (SARIF 2.1.0, 3.11.5 and 3.11.6). */
function messageText(text: string): string {
  return text.replaceAll('](', '\\](').replace(/\{(\d+)\}/g, '{{$1}}');
}

function location({ file, line, column }: SourceLocation): unknown {
  return {
    physicalLocation: {
      artifactLocation: { uri: file.split('/').map(encodeURIComponent).join('/'), uriBaseId: '%SRCROOT%' },
      region: { startLine: line, startColumn: column },
    },
  };
}

interface Case {
  readonly ended: 'passed' | 'failed' | 'skipped';
  readonly node: Node;
}

/** A node of the tree that the builder writes: `@_` starts an attribute, `#text` is the content. */
interface Node {
  readonly [key: string]: string | number | Node | readonly Node[];
}

/**
 * JUnit XML: a suite per root file, a case per finding, under its file. A planned change passes, and its
 * case describes it. A hold is skipped. Drift, a failed change and an error fail.
 */
export async function renderJunit(report: Report): Promise<string> {
  // Few runs need it: the program does not contain it.
  const { default: XMLBuilder } = await import('fast-xml-builder');
  const view = reportView(report, { full: true });
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
  const node = withoutUndefined({
    '@_name': name,
    '@_classname': place?.file ?? (diagnostic ? `attune.${rule}` : (address ?? name)),
    '@_file': place?.file,
    '@_line': place?.line,
    failure: ended === 'failed' ? { '@_message': message, '@_type': rule, '#text': text } : undefined,
    skipped: ended === 'skipped' ? { '@_message': message } : undefined,
    'system-out': ended === 'failed' ? undefined : text,
  });
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
