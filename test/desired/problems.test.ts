import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/desired/load-config.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { codesOnly } from '../support/codes-only.ts';
import { configured, inFolder, loadFiles, rootText } from './load-files.ts';

/**
 * A case of a file of `problems`: its title after `== `, the root file after its first two lines (or each file after
 * `-- ` and its name), and what Attune prints about them. A problem with its code alone has its text in another case.
 * `UPDATE_TABLES=1` writes what is printed.
 */
interface Case {
  readonly title: string;
  /** As it is written. */
  readonly source: string;
  readonly files: Readonly<Record<string, string>>;
  readonly printed: string;
}

const folder = join(import.meta.dirname, 'problems');
const tables = readdirSync(folder).map((file) => {
  const [heading = '', ...texts] = readFileSync(join(folder, file), 'utf8').split(/^== /m);
  return { file, heading, cases: texts.map((text) => caseOf(heading.trim().slice(2), text)) };
});

function caseOf(heading: string, text: string): Case {
  const [first = ''] = text.split('\n', 1);
  const body = `${text.slice(first.length + 1).trimEnd()}\n`;
  const problem = body.search(/^\S+:\d+:\d+: (error|warning|note)\[/m);
  const end = problem === -1 ? body.length : problem;
  const [source, printed] = [body.slice(0, end), body.slice(end)];
  const parts = source.split(/^-- (.*)\n/m).slice(1);
  const files = parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : []));
  return {
    title: `${heading}: ${first}`,
    source: `${first}\n${source}`,
    files: files.length === 0 ? { 'attune.yaml': rootText(source) } : Object.fromEntries(files),
    printed,
  };
}

/** Without the excerpts that show a line as it is in the file: the position is enough. */
function withoutExcerpts(printed: string, files: Case['files']): string {
  return printed.replace(
    /^(\S+):(\d+):(\d+): .*\n(.*\n.*\^\n)/gm,
    (problem: string, file: string, line: string, column: string, excerpt: string) => {
      const source = `  ${line} | ${files[file]?.split('\n')[Number(line) - 1]}`.trimEnd();
      const caret = `  ${' '.repeat(line.length)} | ${' '.repeat(Number(column) - 1)}^`;
      return excerpt === `${source}\n${caret}\n` ? problem.slice(0, -excerpt.length) : problem;
    },
  );
}

/** A hint that problems in succession have is printed once, with their number. */
function withSharedHints(printed: string): string {
  const problems = printed.split(/^(?=\S+:\d+:\d+: )/m);
  const hintOf = (problem: string | undefined) => /^ {2}hint: (.*\n)$/m.exec(problem ?? '')?.[1];
  let count = 1;
  return problems
    .map((problem, index) => {
      const hint = hintOf(problem);
      const isShared = hint !== undefined && hint === hintOf(problems[index + 1]);
      const times = count;
      count = isShared ? count + 1 : 1;
      if (isShared) return problem.slice(0, -`  hint: ${hint}`.length);
      return times === 1 ? problem : problem.replace(/^ {2}hint: /m, `  hint of ${times}: `);
    })
    .join('');
}

async function printedFor({ files, printed }: Case): Promise<string> {
  const codes = [...printed.matchAll(/\[([a-z-]+)\]$/gm)].map(([, code = '']) => code);
  const found = withoutExcerpts(renderDiagnostics((await loadFiles(files)).diagnostics), files);
  return withSharedHints(codes.length > 0 ? codesOnly(found, ...codes) : found);
}

if (process.env.UPDATE_TABLES) {
  test.each(tables)('the problems of $file are written', async ({ file, heading, cases }) => {
    const texts = cases.map(async (one) => `== ${one.source}${await printedFor(one)}`);
    writeFileSync(join(folder, file), `${heading}${(await Promise.all(texts)).join('\n')}`);
  });
} else {
  test.each(tables.flatMap(({ cases }) => cases))('$title', async (one) => {
    expect(await printedFor(one)).toBe(one.printed);
  });
}

test('a file that is not UTF-8 is reported at its first wrong byte', async () => {
  const files = { 'attune.yaml': Buffer.from('attune: 1\norganization: café\n', 'latin1') };
  expect(renderDiagnostics((await loadFiles(files)).diagnostics)).toBe(
    'attune.yaml:2:18: error[file-unreadable]: the file is not UTF-8 text\n',
  );
});

test('3,000 exceptions with 1,000 workspaces are read', async () => {
  const addresses = Array.from({ length: 3000 }, (_, index) => `workspace.web-${index}`);
  const rows = addresses.map(
    (address) => `  - {address: ${address}, field: auto-apply, until: 2026-12-15, reason: x}\n`,
  );
  const workspaces = addresses.slice(0, 1000).map((address) => `  ${address.slice(10)}: {}\n`);
  const { holds } = await configured(`workspaces:\n${workspaces.join('')}exceptions:\n${rows.join('')}`);
  expect(holds?.exceptions).toHaveLength(3000);
});

test('a link to a file of Git is refused', async () => {
  const files = {
    'attune.yaml': rootText('include: [more/*.yaml]'),
    '.git/config': '[remote]',
    'more/a.yaml': '',
  };
  await inFolder(files, async (root) => {
    await rm(join(root, 'more/a.yaml'));
    await symlink('../.git/config', join(root, 'more/a.yaml'));
    const { diagnostics } = await loadConfig(root);
    expect(diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'path-outside: "more/a.yaml" is in a folder of Git',
    ]);
  });
});
