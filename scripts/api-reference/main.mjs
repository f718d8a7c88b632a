// Writes docs/api from the comments of the built package, and reports undocumented items. With `--check`, reports
// outdated pages instead of writing them. With `--examples`, also prints the examples as JSON.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { docText } from './doc-text.mjs';
import { entryPoints, extractApi } from './extract.mjs';
import { blocksOf, methodsOf, undocumented } from './public-items.mjs';
import { referencePage } from './reference-page.mjs';
import { startPage } from './start-page.mjs';

const folder = fileURLToPath(new URL('../../docs/api/', import.meta.url));
const flags = process.argv.slice(2);
const [mainEntry, ...otherEntries] = entryPoints;
const main = { entry: mainEntry, ...extractApi(mainEntry) };
const mainNames = new Set(main.entryPoint.members.map(({ displayName }) => displayName));
const extracted = [main, ...otherEntries.map((entry) => ({ entry, ...extractApi(entry, mainNames) }))];

if (flags.includes('--examples')) console.log(JSON.stringify(extracted.flatMap(examplesOf)));
const problems = [
  ...extracted.flatMap(({ entry, entryPoint, problems: found }) =>
    [...found, ...undocumented(entryPoint)].map((problem) => `${entry.name}: ${problem}`),
  ),
  ...(flags.length === 0 ? writePages() : stalePages()),
];
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

function pages() {
  const elsewhere = { page: main.entry.page, names: mainNames };
  return new Map([
    ['README.md', startPage(entryPoints)],
    ...extracted.map(({ entry, entryPoint }) => [
      entry.page,
      referencePage(entry, entryPoint, entry === main.entry ? undefined : elsewhere),
    ]),
  ]);
}

function writePages() {
  mkdirSync(folder, { recursive: true });
  const current = pages();
  for (const page of readdirSync(folder).filter((name) => !current.has(name))) rmSync(folder + page);
  for (const [page, text] of current) writeFileSync(folder + page, text);
  return [];
}

function stalePages() {
  const current = pages();
  const superfluous = readdirSync(folder).filter((page) => !current.has(page));
  const stale = [...current].filter(([page, text]) => text !== written(page)).map(([page]) => page);
  return [...stale, ...superfluous].map((page) => `docs/api/${page} is not up to date: npm run docs`);
}

function written(page) {
  try {
    return readFileSync(folder + page, 'utf8');
  } catch {
    return undefined;
  }
}

function examplesOf({ entry, entryPoint }) {
  return entryPoint.members.flatMap((item) =>
    [item, ...methodsOf(item)].flatMap((call) => {
      const name = call === item ? item.displayName : `${item.displayName}.${call.displayName}`;
      return blocksOf(call, '@example').map((block) => ({
        entry: entry.name,
        name,
        code: /```ts\n([\s\S]*?)```/.exec(docText(block, new Map()))?.[1] ?? '',
      }));
    }),
  );
}
