// main.mjs check TAG REPOSITORY | notes TAG | formula TAG SHA256SUMS
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { formulaOf, releaseNotes, releaseProblems } from './release.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file) => readFileSync(`${root}${file}`, 'utf8');
const manifest = JSON.parse(read('package.json'));
const [command, tag = '', argument = ''] = process.argv.slice(2);
const version = tag.replace(/^v/, '');

if (command === 'check') {
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
  const naming = tracked.filter((file) =>
    /^(package\.json|README\.md|Dockerfile|packaging\/.*|docs\/.*\.(md|json)|examples\/ci\/.*)$/.test(file),
  );
  const files = Object.fromEntries(naming.map((file) => [file, read(file)]));
  const problems = releaseProblems({
    tag,
    repository: argument,
    manifest,
    changelog: read('CHANGELOG.md'),
    files,
  });
  for (const problem of problems) console.error(`error: cannot release ${tag}: ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
} else if (command === 'notes') {
  console.log(releaseNotes(read('CHANGELOG.md'), version));
} else if (command === 'formula') {
  const repository = new URL(manifest.homepage).pathname.slice(1);
  const sums = readFileSync(argument, 'utf8');
  process.stdout.write(formulaOf({ template: read('packaging/attune.rb'), version, repository, sums }));
} else {
  console.error('error: unknown command: use check, notes or formula');
  process.exitCode = 1;
}
