import { readdirSync, readFileSync } from 'node:fs';
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
 */
interface Case {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly printed: string;
}

const folder = join(import.meta.dirname, 'problems');
const cases = readdirSync(folder).flatMap((file) => {
  const [heading = '', ...texts] = readFileSync(join(folder, file), 'utf8').split(/^== /m);
  return texts.map((text) => caseOf(heading.trim().slice(2), text));
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

test.each(cases)('$title', async ({ files, printed }) => {
  const codes = [...printed.matchAll(/\[([a-z-]+)\]$/gm)].map(([, code = '']) => code);
  const found = withoutExcerpts(renderDiagnostics((await loadFiles(files)).diagnostics), files);
  expect(codes.length > 0 ? codesOnly(found, ...codes) : found).toBe(printed);
});

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
