import type { SourceLocation } from '../model/location.ts';

/** The text of one file with what is needed to point into it. */
export interface Source {
  /** Relative to the root file's folder, with `/`. */
  readonly file: string;
  readonly text: string;
  /** Where each line starts. */
  readonly lineStarts: readonly number[];
}

/** Beyond this a line is generated data: quoting it in an error helps nobody. */
const longestQuotedLine = 10_000;

export function createSource(file: string, text: string): Source {
  const lineStarts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lineStarts.push(at + 1);
  return { file, text, lineStarts };
}

export function locationAt(source: Source, offset: number): SourceLocation {
  let low = 0;
  let high = source.lineStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((source.lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { file: source.file, line: low + 1, column: offset - (source.lineStarts[low] ?? 0) + 1 };
}

/** The text of a line without its line break, if it is short enough to be shown. */
export function lineText(source: Source, line: number): string | undefined {
  const start = source.lineStarts[line - 1];
  // A file that could not be read stands here as an empty one.
  if (start === undefined || source.text === '') return undefined;
  const next = source.lineStarts[line];
  const text = source.text.slice(start, next === undefined ? undefined : next - 1);
  return text.length > longestQuotedLine ? undefined : text.replace(/\r$/, '');
}

/** The plain scalar that starts at an offset, as it is written: `1.10` where the value is 1.1. */
export function plainTextAt(source: Source, offset: number): string {
  const plain = /[^\s,[\]{}]+/y;
  plain.lastIndex = offset;
  return plain.exec(source.text)?.[0] ?? '';
}
