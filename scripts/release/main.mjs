// main.mjs check TAG | fill REPOSITORY | notes TAG | formula TAG SHA256SUMS REPOSITORY
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formulaOf, releaseNotes, releaseProblems, withRepository } from './release.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file) => readFileSync(`${root}${file}`, 'utf8');
const manifest = JSON.parse(read('package.json'));
const [command, tag = '', sumsFile = '', repository = ''] = process.argv.slice(2);
const version = tag.replace(/^v/, '');

if (command === 'check') {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const naming = tracked.filter((file) => /^(README\.md|docs\/.*\.md|examples\/.*)$/.test(file));
  const files = Object.fromEntries(naming.map((file) => [file, read(file)]));
  const problems = releaseProblems({ tag, manifest, changelog: read('CHANGELOG.md'), files });
  for (const problem of problems) console.error(`error: cannot release ${tag}: ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} else if (command === 'fill') {
  const [, , , name = ''] = process.argv;
  writeFileSync(`${root}package.json`, `${JSON.stringify(withRepository(manifest, name), null, 2)}\n`);
} else if (command === 'notes') {
  console.log(releaseNotes(read('CHANGELOG.md'), version));
} else if (command === 'formula') {
  const sums = readFileSync(sumsFile, 'utf8');
  process.stdout.write(formulaOf({ template: read('packaging/attune.rb'), version, repository, sums }));
} else {
  console.error('error: unknown command: use check, fill, notes or formula');
  process.exitCode = 1;
}
