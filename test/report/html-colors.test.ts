import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rowsIn } from '../support/rows.ts';

const file = join(import.meta.dirname, '../../src/report/html/styles/colors.css');
const [light = '', dark = ''] = readFileSync(file, 'utf8').split(
  '@media screen and (prefers-color-scheme: dark)',
);
const colors = { light: colorsIn(light), dark: colorsIn(dark) };

/** The colours of a scheme by the names of their properties. */
function colorsIn(css: string): ReadonlyMap<string, string> {
  return new Map(
    [...css.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = '', color = '']) => [name, color]),
  );
}

/** Text on its backgrounds: 4.5 to 1. Lines and rings that mean something: 3 to 1. */
const [texts = {}, shapes = {}] = rowsIn<Readonly<Record<string, readonly string[]>>>`
- text: &grounds [ground, raised, gain-ground, loss-ground, change-ground, warning-ground, note-ground]
  muted: *grounds
  link: [ground, raised, loss-ground, warning-ground]
  gain: [ground, raised, gain-ground, change-ground]
  loss: [ground, raised, loss-ground, change-ground]
  change: [ground, change-ground]
  warning: [ground, warning-ground]
  note: [ground, note-ground]
- {strong: [ground, raised], focus-ring: [ground, raised], gain: [raised], loss: [raised], warning: [raised]}
`;

test('both color schemes of the page have the same colors', () => {
  expect(colors.light.size).toBeGreaterThan(10);
  expect([...colors.dark.keys()]).toEqual([...colors.light.keys()]);
});

describe.each(['light', 'dark'] as const)('the %s scheme', (scheme) => {
  const weak = (pairs: typeof texts, least: number) =>
    Object.entries(pairs).flatMap(([front, grounds]) =>
      grounds
        .filter((ground) => contrast(colorOf(scheme, front), colorOf(scheme, ground)) < least)
        .map((ground) => `${front} on ${ground}`),
    );

  test(`text in the ${scheme} scheme of the page has the contrast of WCAG AA`, () => {
    expect(weak(texts, 4.5)).toEqual([]);
  });

  test(`elements without text in the ${scheme} scheme of the page have enough contrast`, () => {
    expect(weak(shapes, 3)).toEqual([]);
  });
});

function colorOf(scheme: keyof typeof colors, name: string): string {
  const color = colors[scheme].get(name);
  if (color === undefined) throw new Error(`the ${scheme} scheme has no color "${name}"`);
  return color;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
