import type { SourceLocation } from '../model/diagnostic.ts';

const addressWidth = 43;

/** `1 change`, `2,000 changes`. The page's script uses it, too, so this file imports no module of Node. */
export function countedFigure(count: number, noun: string): string {
  return `${figure(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A number with thousands separators, the same in every locale. */
export function figure(count: number): string {
  // Node loads the data of its locales at the first use, which is a tenth of a short run.
  return count < 1000 ? `${count}` : count.toLocaleString('en-US');
}

export function shortenedLabel(text: string, longest: number): string {
  const characters = [...text.slice(0, longest * 2 + 2)];
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`;
}

export function placeText({ file, line }: SourceLocation): string {
  return `${file}:${line}`;
}

/** The first of a list of which a report shows so many, and the rest. One more is as short as its count. */
export function firstOf<Item>(
  items: readonly Item[],
  most: number,
): { readonly shown: readonly Item[]; readonly rest: readonly Item[] } {
  const shown = items.length <= most + 1 ? items : items.slice(0, most);
  return { shown, rest: items.slice(shown.length) };
}

export function lineWith(head: string, right: readonly (string | undefined)[], width = addressWidth): string {
  const known = right.filter((text) => text !== undefined);
  return known.length === 0 ? head : [head.padEnd(width), ...known].join('  ');
}
