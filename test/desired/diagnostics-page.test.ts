import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { checks } from '../../src/check/check-plan.ts';

const at = (path: string) => new URL(`../../${path}`, import.meta.url);

/** The text of all TypeScript files and text tables below a folder. */
function sources(folder: string): string {
  const files = readdirSync(at(folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(ts|txt)$/.test(file),
  );
  return files.map((file) => readFileSync(at(`${folder}/${file}`), 'utf8')).join('\n');
}

/** The codes that a text gives to diagnostics and errors. */
function codes(text: string): string[] {
  const found = [
    ...text.matchAll(/\bcode(?:: string)?(?::| =) '([a-z0-9-]+)'/g),
    ...text.matchAll(
      /\b(?:problem|warning|note|error|report|conflictOf|addProblem)\((?:\s*[\w.]+,)*\s*'([a-z0-9-]+)'/g,
    ),
    ...text.matchAll(/\b(?:problem|warning|note|error)\(\w+ \? '([a-z0-9-]+)' : '([a-z0-9-]+)'/g),
  ];
  return [...new Set(found.flatMap(([, ...each]) => each.filter((code) => code !== undefined)))].sort();
}

const page = readFileSync(at('docs/diagnostics.md'), 'utf8');
const documented = [...page.matchAll(/^\| `([a-z0-9-]+)` \|/gm)].map(([, code]) => code ?? '');

const source = sources('src');

test('docs/diagnostics.md explains every code once', () => {
  expect(codes(source).filter((code) => !documented.includes(code))).toEqual([]);
  expect(checks.flatMap((check) => check.codes).filter((code) => !documented.includes(code))).toEqual([]);
  expect(documented).toHaveLength(new Set(documented).size);
});

test('docs/diagnostics.md explains no code that does not exist', () => {
  const ofChecks = checks.flatMap((check) => check.codes);
  expect(documented.filter((code) => !source.includes(`'${code}'`) && !ofChecks.includes(code))).toEqual([]);
});

test('docs/diagnostics.md shows every code about files as it is printed', () => {
  const shown = sources('test/desired');
  expect(codes(sources('src/desired')).filter((code) => !shown.includes(`[${code}]: `))).toEqual([]);
});
