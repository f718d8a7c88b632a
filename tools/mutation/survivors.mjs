// Compares the mutants that no test notices with tools/mutation/survivors.md, which gives the reason for each that stays.
// `--update` writes the file: known mutants keep their reason, and new ones go below "Without a reason".
import { readFile, writeFile } from 'node:fs/promises';

const root = new URL('../../', import.meta.url);
const listFile = new URL('tools/mutation/survivors.md', root);
const withoutReason = 'Without a reason';

const report = JSON.parse(await readFile(new URL('reports/mutation.json', root), 'utf8'));
const list = await readFile(listFile, 'utf8');
const reasons = new Map();
let heading = '';
for (const line of list.split('\n')) {
  if (line.startsWith('## ')) heading = line.slice(3);
  else if (line.startsWith('- ')) reasons.set(line, heading);
}

const survivors = linesOf('Survived', 'NoCoverage');
const unlisted = [...new Set(survivors)].filter((line) => !reasons.has(line));
// A mutant that reaches the time limit on a busy machine stays in the list.
const kept = new Set([...survivors, ...linesOf('Timeout')]);
const gone = [...reasons.keys()].filter((line) => !kept.has(line));

if (process.argv.includes('--update')) await writeFile(listFile, updated());
else {
  if (unlisted.length > 0)
    console.error(`mutants that no test notices and that are not listed:\n${unlisted.join('\n')}`);
  if (gone.length > 0)
    console.error(`listed mutants that do not survive, to be removed from the list:\n${gone.join('\n')}`);
  const open = survivors.filter((line) => reasons.get(line) === withoutReason);
  console.log(
    `${survivors.length} mutants survive: ${open.length} without a reason, ${unlisted.length} that are not listed`,
  );
  process.exitCode = unlisted.length + gone.length > 0 ? 1 : 0;
}

/** The mutants with one of the given results, as lines of the list. */
function linesOf(...results) {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) =>
    mutants
      .filter(({ status }) => results.includes(status))
      .map(
        (mutant) => `- ${file}: ${shown(textAt(source, mutant.location))} as ${shown(mutant.replacement)}`,
      ),
  );
}

function updated() {
  const introduction = list.slice(0, list.indexOf('\n## ') + 1);
  const headings = [
    ...new Set([...reasons.values()].filter((title) => title !== withoutReason)),
    withoutReason,
  ];
  const listed = [...[...kept].filter((line) => reasons.has(line)), ...unlisted];
  const titleOf = (line) => reasons.get(line) ?? withoutReason;
  const sections = headings.map((title) => [title, listed.filter((line) => titleOf(line) === title)]);
  return `${[introduction.trimEnd(), ...sections.filter(([, lines]) => lines.length > 0).map(([title, lines]) => `## ${title}\n\n${[...new Set(lines)].sort().join('\n')}`)].join('\n\n')}\n`;
}

/** A mutant without coverage is shown as one that survives: no test of the list runs its code. */
function shown(text = '') {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return `\`${line.length > 120 ? `${line.slice(0, 80)} … ${line.slice(-35)}` : line}\``;
}

function textAt(source, { start, end }) {
  const lines = source.split('\n').slice(start.line - 1, end.line);
  lines[lines.length - 1] = lines.at(-1).slice(0, end.column - 1);
  lines[0] = lines[0].slice(start.column - 1);
  return lines.join('\n');
}
