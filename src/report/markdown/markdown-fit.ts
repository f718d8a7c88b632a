import { countOf, type Item, type Section } from './markdown-sections.ts';
import { byteLength, fenceBytes } from './markdown-text.ts';

/** The part of a section that fits. */
export interface FittedSection extends Section {
  readonly leftOut: number;
}

/** What headings, folds and counts around the items of a section may come to, its root file's name aside. */
const frameBytes = 200;

/**
 * Distributes the space among sections, in their order. Each important section keeps a reserved part of the space, so
 * that a thousand errors do not push out the only deletion.
 */
export function fitSections(sections: readonly Section[], space: number): FittedSection[] {
  const important = sections.filter((section) => section.important).length;
  const part = Math.floor(space / 2 / Math.max(1, important));
  const kept = sections.map((section) =>
    section.important ? Math.min(part, frame(section) + itemsBytes(section.items)) : 0,
  );
  let left = space;
  let keptForLater = kept.reduce((sum, bytes) => sum + bytes, 0);
  return sections.map((section, index) => {
    keptForLater -= kept[index] ?? 0;
    const items = fitItems(section.items, left - keptForLater - frame(section));
    if (items.length > 0) left -= frame(section) + itemsBytes(items);
    return { ...section, items, leftOut: countOf(section.items.slice(items.length)) };
  });
}

/** An item that does not fit may still fit with its first line. The first that does not fit at all ends the list. */
function fitItems(items: readonly Item[], space: number): Item[] {
  const fitted: Item[] = [];
  let left = space;
  for (const item of items) {
    const shown = [item, { head: item.head, rest: [] }].find((one) => itemBytes(one) <= left);
    if (shown === undefined) break;
    fitted.push(shown);
    left -= itemBytes(shown);
  }
  return fitted;
}

function frame({ root, items }: Section): number {
  return frameBytes + 6 * byteLength(root) + fenceBytes(items.flatMap(({ head, rest }) => [head, ...rest]));
}

function itemsBytes(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemBytes(item), 0);
}

/** With the line ends, and the signs of a list. */
function itemBytes({ head, rest }: Item): number {
  return [head, ...rest].reduce((sum, line) => sum + byteLength(line) + '  - \n'.length, 0);
}
