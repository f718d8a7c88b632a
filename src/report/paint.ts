import { styleText } from 'node:util';

/** Colors text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;
/** The style of text on a terminal. */
export type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim' | 'cyan';

export const plain: Paint = (_style, text) => text;

/** For a terminal; the caller decides whether it supports color. */
export const colored: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Rows as columns that are as wide as their widest cells; the first row is the heading. */
export function tableText(rows: readonly (readonly string[])[], paint: Paint): string {
  const widths = columnWidths(rows);
  const lines = rows.map((row) =>
    row
      .map((text, index) => text.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [head = '', ...body] = lines;
  return [paint('bold', head), ...body].map((line) => `${line}\n`).join('');
}

export function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const [first = []] = rows;
  return first.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
}

/** A line of a unified diff. */
export function paintedPatch(line: string, paint: Paint): string {
  const style = styleOf(line);
  return style === undefined ? line : paint(style, line);
}

function styleOf(line: string): Style | undefined {
  if (/^(---|\+\+\+) /.test(line)) return 'bold';
  const styles: Readonly<Record<string, Style>> = { '@': 'cyan', '+': 'green', '-': 'red' };
  return styles[line[0] ?? ''];
}
