import { html, htmlText } from './html/escape.ts';
import { countOf } from './items.ts';

/*
 * External text is always in code, where GitHub and GitLab render neither HTML nor Markdown, and link no mention, issue,
 * commit or address. A backslash before an `@` is not enough: mentions are searched in the rendered text.
 */

/** A piece of text inside a sentence. It must be on one line. */
export function codeSpan(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  // One space on each side is taken off again; without it a backtick at the end would be one of the fence.
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : '';
  return text.trim() === '' ? '(empty)' : `${ticks}${pad}${text}${pad}${ticks}`;
}

/** A code block. `diff` colors lines that start with a sign. */
function fenced(language: 'diff' | 'text', lines: readonly string[]): string {
  const ticks = fenceFor(lines);
  return [`${ticks}${language}`, ...lines, ticks].join('\n');
}

function fenceFor(lines: readonly string[]): string {
  return '`'.repeat(lines.reduce((most, line) => Math.max(most, longestRun(line) + 1), 3));
}

function longestRun(text: string): number {
  return [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);
}

export interface CommentPart {
  readonly title: string;
  readonly root: string;
  readonly isImportant: boolean;
  readonly style: 'diff' | 'text' | 'list';
  readonly items: readonly CommentItem[];
}

export interface CommentItem {
  readonly lines: readonly string[];
  /** The number of its resources. @default 1 */
  readonly count?: number | undefined;
}

interface FittedPart extends CommentPart {
  readonly leftOut: number;
}

/** The parts as far as they fit, and the numbers of what does not by title. */
export function fittedTexts(parts: readonly CommentPart[], space: number) {
  const fitted = fitParts(parts, space);
  const omitted = new Map<string, number>();
  for (const { title, leftOut } of fitted)
    if (leftOut > 0) omitted.set(title, (omitted.get(title) ?? 0) + leftOut);
  return { texts: partTexts(fitted), omitted };
}

/** What headings, folds and counts around the items may come to, the name of the root file aside. */
const frameBytes = 200;

/** Distributes the space in the order of the parts. A part leaves half of it to important ones after it. */
function fitParts(parts: readonly CommentPart[], space: number): FittedPart[] {
  let left = space;
  return parts.map((part, index) => {
    const ticks = fenceFor(part.items.flatMap(({ lines }) => lines));
    const free = left - frameBytes - 6 * Buffer.byteLength(part.root) - 2 * ticks.length;
    const isShared = parts.slice(index + 1).some(({ isImportant }) => isImportant);
    const items = fitItems(part.items, isShared ? free / 2 : free);
    if (items.length > 0) left = free - bytesOf(items);
    return { ...part, items, leftOut: countOf(part.items.slice(items.length)) };
  });
}

/** An item that does not fit may still fit with its first line. The first that does not fit at all ends the list. */
function fitItems(items: readonly CommentItem[], space: number): CommentItem[] {
  const fitted: CommentItem[] = [];
  let left = space;
  for (const item of items) {
    const shown = [item, { ...item, lines: item.lines.slice(0, 1) }].find((one) => bytesOf([one]) <= left);
    if (shown === undefined) break;
    fitted.push(shown);
    left -= bytesOf([shown]);
  }
  return fitted;
}

/** With the line ends, and the signs of a list. */
function bytesOf(items: readonly CommentItem[]): number {
  return items
    .flatMap(({ lines }) => lines)
    .reduce((sum, line) => sum + Buffer.byteLength(line) + '- \n'.length, 0);
}

/** The parts with items. A heading and a paragraph need an empty line above them, a fold below another does not. */
function partTexts(parts: readonly FittedPart[]): string[] {
  const shown = parts.filter(({ items }) => items.length > 0);
  return shown.map((part, index) => {
    const isClose = index === 0 || !(part.isImportant || shown[index - 1]?.isImportant);
    return `${isClose ? '' : '\n'}${partText(part)}`;
  });
}

function partText({ isImportant, title, root, style, items, leftOut }: FittedPart): string {
  const lines = items.map((item) => item.lines);
  const body =
    style === 'list'
      ? lines
          .flat()
          .map((line) => `- ${line}`)
          .join('\n')
      : fenced(style, lines.flat());
  if (title === '') return body;
  const shown = countOf(items);
  const count = leftOut > 0 ? `${shown} of ${shown + leftOut}` : shown;
  const heading = count === 0 ? title : `${title} (${count})`;
  if (isImportant) return `### ${root === '' ? '' : `${codeSpan(root)}: `}${heading}\n${body}`;
  const whose = root === '' ? '' : `${htmlText(html`<code>${root}</code>`)}: `;
  // The empty lines make what is inside Markdown again.
  return `<details><summary>${whose}${heading}</summary>\n\n${body}\n</details>`;
}
