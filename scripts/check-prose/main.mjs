// Finds words and phrases that the style guide does not use, in documentation, messages, comments, names and test titles.
// Prints `file:line:col: "phrase": what to write instead`, and exits 1 if it found any. Arguments limit it to these paths.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, sep } from 'node:path';
import { problemsOf } from './problems.mjs';

/** Other people's names, generated text that is checked at its source, and this table. */
const excluded =
  /node_modules|\.attune\/|^(?:docs\/(?:api|\.vitepress\/dist|\.vitepress\/cache)\/|test\/(?:report\/golden|emulator\/fixtures)\/|scripts\/check-prose\/terms\.mjs$)/;
const roots = [
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'package.json',
  'vitest.config.ts',
  'docs',
  'src',
  'test',
  'scripts',
  'bench',
  'tools',
  'examples',
  'completions',
  'schemas',
  '.ci',
];
const checkedFiles = /\.(?:md|ts|mts|mjs|js|json|ya?ml|txt|css|html|bash|zsh|fish|sh)$|^(?:run|_attune)$/;

function filesOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats?.isDirectory()) return stats ? [path] : [];
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => join(path, name))
    .filter((file) => statSync(file).isFile());
}

const given = process.argv.slice(2);
const problems = (given.length > 0 ? given : roots)
  .flatMap(filesOf)
  .map((file) => file.split(sep).join('/'))
  .filter((file) => checkedFiles.test(basename(file)) && !excluded.test(file))
  .flatMap((file) => problemsOf(file, readFileSync(file, 'utf8')));
for (const problem of problems) console.error(problem);
if (problems.length > 0) console.error(`${problems.length} phrases to replace`);
process.exitCode = problems.length > 0 ? 1 : 0;
