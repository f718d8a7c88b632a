import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';

const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(sep).join('/'))
  .filter((file) => file.endsWith('.ts') || /^(plan\/tables|desired\/problems)\/.*\.txt$/.test(file));

/** A printed diagnostic after its place: to the end of its line, or of the literal that contains it. */
const diagnostic = /(?:error|warning|note)\[[a-z-]+\]: \S.*?(?=\\n|(?<!\\)`|'[,;)\]]|'?$)/gm;

/** Each asserted text with the files that assert it. Whole outputs (scenarios, golden files) are not among them. */
const asserted = new Map<string, Set<string>>();
for (const file of files) {
  for (const [text] of readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(diagnostic))
    asserted.set(text, (asserted.get(text) ?? new Set()).add(file));
}

/** Assertions of the beginning of a text count as assertions of it. */
function owners(text: string): readonly string[] {
  const all = [...asserted].filter(([other]) => other.startsWith(text)).flatMap(([, of]) => [...of]);
  return [...new Set(all)].sort();
}

test('the text of each diagnostic is asserted in one file only; others assert its code', () => {
  expect(asserted.size).toBeGreaterThan(300);
  const repeated = [...asserted.keys()]
    .map((text) => [text, ...owners(text)])
    .filter(({ length }) => length > 2);
  expect(repeated).toEqual([]);
});

test('test/README.md names every folder of test', () => {
  const page = readFileSync(join(import.meta.dirname, 'README.md'), 'utf8');
  const folders = readdirSync(import.meta.dirname, { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  expect(
    folders
      .map(({ name }) => name)
      .filter((name) => !page.includes(`\`${name}\``) && !page.includes(`(${name})`)),
  ).toEqual([]);
});
