import { countOf } from '../findings.ts';
import { html, htmlText } from '../html/escape.ts';
import { byteLength, codeSpan, fenceBytes, fenced } from './markdown-text.ts';

/** One part of a comment. */
export interface CommentPart {
  readonly title: string;
  /** The root file; empty if the report has one. */
  readonly root: string;
  /** Shown at once, and cut last. */
  readonly isImportant: boolean;
  readonly style: 'diff' | 'text' | 'list';
  readonly items: readonly CommentItem[];
}

export interface CommentItem {
  readonly head: string;
  readonly rest: readonly string[];
  /** The number of its resources. @default 1 */
  readonly count?: number | undefined;
}

/** The part of a part that fits. */
export interface FittedPart extends CommentPart {
  readonly leftOut: number;
}

/** What headings, folds and counts around the items may come to, the name of the root file aside. */
const frameBytes = 200;

/**
 * Distributes the space among parts, in their order. Each important part keeps a reserved share, so that a thousand errors
 * do not push out the only deletion.
 */
export function fitParts(parts: readonly CommentPart[], space: number): FittedPart[] {
  const important = parts.filter(({ isImportant }) => isImportant).length;
  const share = Math.floor(space / 2 / Math.max(1, important));
  const kept = parts.map((part) =>
    part.isImportant ? Math.min(share, frame(part) + itemsBytes(part.items)) : 0,
  );
  let left = space;
  let keptForLater = kept.reduce((sum, bytes) => sum + bytes, 0);
  return parts.map((part, index) => {
    keptForLater -= kept[index] ?? 0;
    const items = fitItems(part.items, left - keptForLater - frame(part));
    if (items.length > 0) left -= frame(part) + itemsBytes(items);
    return { ...part, items, leftOut: countOf(part.items.slice(items.length)) };
  });
}

/** An item that does not fit may still fit with its first line. The first that does not fit at all ends the list. */
function fitItems(items: readonly CommentItem[], space: number): CommentItem[] {
  const fitted: CommentItem[] = [];
  let left = space;
  for (const item of items) {
    const shown = [item, { ...item, rest: [] }].find((one) => itemBytes(one) <= left);
    if (shown === undefined) break;
    fitted.push(shown);
    left -= itemBytes(shown);
  }
  return fitted;
}

function frame({ root, items }: CommentPart): number {
  return frameBytes + 6 * byteLength(root) + fenceBytes(items.flatMap(({ head, rest }) => [head, ...rest]));
}

function itemsBytes(items: readonly CommentItem[]): number {
  return items.reduce((sum, item) => sum + itemBytes(item), 0);
}

/** With the line ends, and the signs of a list. */
function itemBytes({ head, rest }: CommentItem): number {
  return [head, ...rest].reduce((sum, line) => sum + byteLength(line) + '  - \n'.length, 0);
}

/** A part under its heading, in a fold if it is not important. */
export function partText(part: FittedPart): string {
  const { isImportant, title, root, items, leftOut } = part;
  if (title === '') return body(part);
  const listed = countOf(items);
  const count = leftOut > 0 ? `${listed} of ${listed + leftOut}` : String(listed);
  if (isImportant) {
    const whose = root === '' ? '' : `${codeSpan(root)}: `;
    return `### ${whose}${title} (${count})\n\n${body(part)}`;
  }
  const whose = root === '' ? '' : `${htmlText(html`<code>${root}</code>`)}: `;
  // The empty lines make what is inside Markdown again.
  return `<details><summary>${whose}${title} (${count})</summary>\n\n${body(part)}\n\n</details>`;
}

function body({ style, items }: CommentPart): string {
  if (style !== 'list')
    return fenced(
      style,
      items.flatMap(({ head, rest }) => [head, ...rest]),
    );
  return items.flatMap(({ head, rest }) => [`- ${head}`, ...rest.map((line) => `  - ${line}`)]).join('\n');
}
