import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { headingSlugs } from '../scripts/docs/heading-slugs.mjs';
import { pages, root, textOf } from './support/pages.ts';

test.each(pages)('the page %s links only to existing files and anchors', (page) => {
  const text = readFileSync(join(root, page), 'utf8');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] ?? '');
  const broken = targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? join(root, page) : join(root, dirname(page), path);
      return !existsSync(file) || (anchor !== undefined && !anchors(file).includes(anchor));
    });
  expect(broken).toEqual([]);
});

test('every promise of docs/contributing/guarantees.md names an existing test', () => {
  const text = readFileSync(join(root, 'docs/contributing/guarantees.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!promise|-)/.test(line));
  const cited = rows.map((row) =>
    [...row.matchAll(/\(\.\.\/\.\.\/([^)]+)\): "([^"]+)"(?:,(?: and)? "([^"]+)")?/g)].flatMap(
      ([, file = '', ...titles]) => titles.filter(Boolean).map((title = '') => ({ file, title })),
    ),
  );
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter((_row, index) => cited[index]?.length === 0)).toEqual([]);
  const missing = cited.flat().filter(({ file, title }) => {
    const words = readFileSync(join(root, file), 'utf8');
    // The first line of a scenario is its title. A row of a table is cited with its whole title.
    if (file.endsWith('run.txt')) return !(words.split('\n')[0] ?? '').includes(title);
    return !words.includes(file.endsWith('.txt') ? `== ${title}\n` : title);
  });
  // A citation is a title, not a word that occurs by chance.
  expect(cited.flat().filter(({ title }) => title.split(' ').length < 3)).toEqual([]);
  expect(missing).toEqual([]);
});

test('docs/guides/index.md lists each guide once', () => {
  const listed = [...textOf('docs/guides/index.md').matchAll(/\]\(([^)]+)\)/g)].map(([, file]) => file);
  const guides = pages
    .filter((page) => page.startsWith('docs/guides/') && page !== 'docs/guides/index.md')
    .map((page) => page.slice('docs/guides/'.length));
  expect(listed.toSorted()).toEqual(guides.toSorted());
});

test('README.md shows a picture of a plan for each color scheme, of less than 150 kB', () => {
  const images = [...textOf('README.md').matchAll(/(?:src|srcset)="([^"]+)"/g)].map(([, file = '']) => file);
  expect(images).toEqual(['docs/images/plan-dark.png', 'docs/images/plan-light.png']);
  const [dark, light] = images.map((file) => readFileSync(join(root, file)));
  expect(dark?.subarray(1, 4).toString()).toBe('PNG');
  expect(dark?.equals(light ?? dark)).toBe(false);
  for (const image of [dark, light]) expect(image?.length).toBeLessThan(150_000);
});

test('README.md has less than 250 lines', () => {
  expect(textOf('README.md').split('\n').length).toBeLessThan(250);
});

test('README.md names the commands that the program has', async () => {
  const { attune } = await import('./support/attune.ts');
  const { stdout } = await attune(['--help'], { cwd: root });
  const commands = stdout.slice(stdout.indexOf('Main commands:'), stdout.indexOf('Examples:'));
  const listed = [...commands.matchAll(/^ {2}([a-z]+) /gm)].map((match) => match[1]);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  const named = [...readme.matchAll(/^\| `attune ([a-z]+)/gm)].map((match) => match[1]);
  expect(named.sort()).toEqual(listed.sort());
});

const knownAnchors = new Map<string, readonly string[]>();

/** The anchors of a page. A line of a code block is not a heading. */
function anchors(file: string): readonly string[] {
  const known = knownAnchors.get(file) ?? anchorsIn(file);
  knownAnchors.set(file, known);
  return known;
}

function anchorsIn(file: string): string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  return headingSlugs([...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading));
}
