/** A point of the plane. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What has a size. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What has a size and a place; `x` and `y` are its upper left corner. */
export interface Placed extends Size, Point {}

export interface RowOptions {
  readonly gapX: number;
  readonly gapY: number;
  /** The intended ratio of width to height. */
  readonly ratio: number;
}

export interface Rows<Item> extends Size {
  readonly items: readonly (Placed & { readonly item: Item })[];
}

/** `x` and `y` are the preferred center, in any scale. */
interface Wished extends Size, Point {}

/** Arranges items of any width in rows of about the same length, near their preferred position. */
export function arrangeInRows<Item extends Wished>(
  items: readonly Item[],
  { gapX, gapY, ratio }: RowOptions,
): Rows<Item> {
  const total = items.reduce((sum, { width }) => sum + width + gapX, 0);
  const area = items.reduce((sum, { width, height }) => sum + (width + gapX) * (height + gapY), 0);
  const widest = Math.max(...items.map(({ width }) => width + gapX));
  const count = Math.max(1, Math.round(total / Math.max(widest, Math.sqrt(area * ratio))));

  const rows: Item[][] = Array.from({ length: count }, () => []);
  let passed = 0;
  for (const item of [...items].sort((a, b) => a.y - b.y)) {
    const middle = passed + (item.width + gapX) / 2;
    rows[Math.min(count - 1, Math.floor((middle / total) * count))]?.push(item);
    passed += item.width + gapX;
  }

  const placed: (Placed & { item: Item })[] = [];
  let [y, wholeWidth] = [0, 0];
  for (const row of rows.filter(({ length }) => length > 0)) {
    let x = 0;
    for (const item of row.sort((a, b) => a.x - b.x)) {
      placed.push({ item, x, y, width: item.width, height: item.height });
      x += item.width + gapX;
    }
    wholeWidth = Math.max(wholeWidth, x - gapX);
    y += Math.max(...row.map(({ height }) => height)) + gapY;
  }
  return { items: placed, width: wholeWidth, height: Math.max(0, y - gapY) };
}
