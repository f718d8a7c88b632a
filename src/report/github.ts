import type { Severity } from '../model/diagnostic.ts';
import type { SourceLocation } from '../model/location.ts';
import type { Report } from './report.ts';
import { totalText } from './text/summary-text.ts';
import { type ToldChange, type ToldDiagnostic, toldEntry } from './told-entry.ts';

interface Annotation {
  readonly level: Severity;
  readonly title: string;
  readonly message: string;
  readonly place?: SourceLocation;
}

/**
 * GitHub's workflow commands, which become annotations at the lines of the files; one command each line. Every line is
 * a command, the sums too: in a line that is one nothing else is looked for, such as the older `##[error]`, which is
 * found anywhere. GitHub shows the first ten of each level, so the most important come first.
 */
export function renderGithub({ kind, entries }: Report): string {
  const told = entries.map((entry) => toldEntry(kind, entry));
  const annotations = told.flatMap(({ diagnostics, changes, undeclared }) => [
    ...diagnostics.map(diagnosticAnnotation),
    ...[...changes, ...undeclared].map(changeAnnotation),
  ]);
  const sums = told.map(({ organization, summary }): Annotation => {
    const title = organization === '' ? `attune ${kind}` : `attune ${kind}: ${organization}`;
    return { level: 'note', title, message: summary };
  });
  const total = totalText({ kind, entries });
  if (total !== undefined) sums.push({ level: 'note', title: `attune ${kind}`, message: total });
  const ranked = (level: Severity) => annotations.filter((annotation) => annotation.level === level);
  const lines = [...ranked('error'), ...ranked('warning'), ...ranked('note'), ...sums].map(command);
  return `${lines.join('\n')}\n`;
}

function diagnosticAnnotation({ severity, code, message, hint, place }: ToldDiagnostic): Annotation {
  const told = hint === undefined ? message : `${message}\nhint: ${hint}`;
  return { level: severity, title: code, message: told, ...(place && { place }) };
}

function changeAnnotation({ level, title, lines, place }: ToldChange): Annotation {
  return { level, title, message: [title, ...lines].join('\n'), ...(place && { place }) };
}

const commands: Readonly<Record<Severity, string>> = { error: 'error', warning: 'warning', note: 'notice' };

function command({ level, title, message, place }: Annotation): string {
  const properties = {
    ...(place && { file: place.file, line: String(place.line), col: String(place.column) }),
    title,
  };
  const told = Object.entries(properties).map(([key, value]) => `${key}=${property(value)}`);
  return `::${commands[level]} ${told.join(',')}::${data(message)}`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
