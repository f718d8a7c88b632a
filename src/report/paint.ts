import { stripVTControlCharacters, styleText } from 'node:util';

/** Colors text, or returns it unchanged. */
export type Paint = (style: Style, text: string) => string;
/** The style of text on a terminal. */
export type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim' | 'cyan';

export const plain: Paint = (_style, text) => text;

export const colored: Paint = (style, text) => styleText(style, text, { validateStream: false });

/** Text whose lines fit a terminal: each continues below its own start, or in its last column. Words are not broken, nor lines of a file with a caret. */
export function wrapped(text: string, width: number | undefined): string {
  if (width === undefined) return text;
  const lines = text.split('\n').map((line) => wrappedLine(line, width));
  return lines.join('\n');
}

function wrappedLine(line: string, width: number): string {
  const lengthOf = (part: string) => stripVTControlCharacters(part).length;
  const visible = stripVTControlCharacters(line);
  if (visible.length <= width || /^ *(\d* \| |attune )/.test(visible)) return line;
  const half = Math.floor(width / 2);
  const start = /^ *([+~!?-] )?/.exec(visible)?.[0].length ?? 0;
  const columns = [...visible.matchAll(/(?<=\S) {2,}(?=\S)/g)].map(({ index, 0: gap }) => index + gap.length);
  const indent = ' '.repeat(columns.findLast((column) => column <= half) ?? Math.min(start + 2, half));
  const lines: string[] = [];
  let current = '';
  let space = '';
  for (const part of line.split(/( +)/)) {
    if (part.trim() === '') space = part;
    else if (current !== '' && lengthOf(current + space + part) > width) {
      lines.push(current);
      current = indent + part;
    } else current += space + part;
  }
  return [...lines, current].join('\n');
}

/** Without its last columns if it is wider than the terminal. */
export function tableText(rows: readonly (readonly string[])[], paint: Paint, width?: number): string {
  const [head = '', ...body] = alignedRows(rows);
  const narrower = rows.map((cells) => cells.slice(0, -1));
  if (narrower[0]?.length && width !== undefined && [head, ...body].some((line) => line.length > width))
    return tableText(narrower, paint, width);
  return [paint('bold', head), ...body].map((line) => `${line}\n`).join('');
}

export function alignedRows(
  rows: readonly (readonly string[])[],
  widths = (rows[0] ?? []).map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0))),
  paint: (text: string, column: number) => string = (text) => text,
): string[] {
  return rows.map((row) =>
    row
      .map((text, column) => {
        const width = column === row.length - 1 ? 0 : (widths[column] ?? 0);
        return paint(text, column) + ' '.repeat(Math.max(0, width - text.length));
      })
      .join('  ')
      .trimEnd(),
  );
}

export function paintedPatch(line: string, paint: Paint): string {
  if (/^(---|\+\+\+) /.test(line)) return paint('bold', line);
  const styles: Readonly<Record<string, Style>> = { '@': 'cyan', '+': 'green', '-': 'red' };
  const style = styles[line[0] ?? ''];
  return style === undefined ? line : paint(style, line);
}
