import type { Severity } from '../model/diagnostic.ts';
import { findingLines, findingsOf, rankedFindings } from './findings.ts';
import type { Item } from './items.ts';
import type { RenderOptions, Report } from './report.ts';
import { reportView } from './report-view.ts';

interface Annotation extends Pick<Item, 'level' | 'title' | 'place'> {
  readonly lines: readonly string[];
}

/**
 * GitHub's workflow commands, which become annotations at the lines of the files; one command each line. Every line is
 * a command, the sums too: in a line that is one nothing else is looked for, such as the older `##[error]`, which is
 * found anywhere. GitHub shows the first ten of each level, so the most important come first and
 * equal updates are one annotation.
 */
export function renderGithub(report: Report, { full = false }: Partial<RenderOptions> = {}): string {
  const view = reportView(report, { full, byAction: true });
  const { kind, entries, totals } = view;
  const findings = rankedFindings(entries.flatMap((_, root) => findingsOf(view, root)));
  const annotations = findings.map((item) => ({ ...item, lines: findingLines(item) }));
  const sums = entries.map(({ kind: found, name, summary }): Annotation => {
    const title = name === undefined ? `attune ${found}` : `attune ${found}: ${name}`;
    return { level: 'note', title, lines: [summary] };
  });
  for (const total of totals) sums.push({ level: 'note', title: `attune ${kind}`, lines: [total] });
  return `${[...annotations, ...sums].map(command).join('\n')}\n`;
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

function command({ level, lines, title = lines[0] ?? '', place }: Annotation): string {
  const properties = {
    ...(place && { file: place.file, line: String(place.line), col: String(place.column) }),
    title,
  };
  const list = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`);
  return `::${commands[level]} ${list.join(',')}::${data(lines.join('\n'))}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
