import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { attune, folderWith } from './attune.ts';
import { codeBlocksOf, pages, root, textOf } from './pages.ts';
import { shellEnv } from './program-folder.ts';

/**
 * Pages whose blocks are files and commands, run in one folder from top to bottom. The line above a block decides:
 *
 * - the name of a file in bold, which readers see, too: the block is this file; with "Add to", it is added to the file
 * - `<!-- run -->`: the block is run by a shell; `<!-- run: exit 1 -->`: and ends with this exit code
 * - none, above an `sh` block: its lines with `attune` are run in this process
 * - none, above a `text` block: it is the output of the last command; a line `...` replaces any lines
 *
 * `UPDATE_DOCS=1` writes the current outputs into the page, to be read before they are committed.
 * A page with the comment `<!-- tier: integration -->` is run by test/integration/walkthroughs.test.ts.
 */
export function walkthroughs(tier: 'fast' | 'integration'): readonly string[] {
  return pages.filter(
    (page) =>
      codeBlocksOf(page).some(({ label }) => hasRootFile(label)) &&
      textOf(page).includes('<!-- tier: integration -->') === (tier === 'integration'),
  );
}

/** Whether the block with this label is a root file: its page is a walkthrough. */
export function hasRootFile(label: string | undefined): boolean {
  return label?.split('/').at(-1) === 'attune.yaml';
}

/** Runs the commands of a page, and compares what they print with what it shows. */
export async function follow(page: string, prepare?: (folder: string) => void): Promise<void> {
  const cwd = await folderWith({});
  // Readers have installed the package.
  writeFileSync(join(cwd, 'package.json'), '{"devDependencies": {"attune": "0"}}\n');
  prepare?.(cwd);
  const shown: { at: number; text: string; printed: string }[] = [];
  let printed: string | undefined;
  for (const { label, language, text, at } of codeBlocksOf(page)) {
    const [, added, file] = /^(add to )?([\w./-]+\.\w+)$/.exec(label ?? '') ?? [];
    const [run, exitCode = 0] = /^run(?:: exit (\d+))?$/.exec(label ?? '') ?? [];
    if (run !== undefined) {
      printed = outputOfScript(text, cwd, Number(exitCode));
    } else if (language === 'sh') {
      for (const line of text.split('\n')) {
        const command = /^(?:npx )?attune ([^#|]*)/.exec(line)?.[1];
        if (command !== undefined) printed = await outputOf(command.trim(), cwd);
      }
    } else if (file !== undefined) {
      mkdirSync(dirname(join(cwd, file)), { recursive: true });
      if (added === undefined) writeFileSync(join(cwd, file), text);
      else appendFileSync(join(cwd, file), text);
    } else if (language === 'text' && printed !== undefined) {
      shown.push({ at, text, printed });
      printed = undefined;
    }
  }
  expect(shown.length).toBeGreaterThan(0);
  const isExcerpt = (text: string) => /^\.\.\.$/m.test(text);
  if (process.env.UPDATE_DOCS) {
    const source = shown
      .filter(({ text }) => !isExcerpt(text))
      .reduceRight(
        (all, { at, text, printed }) => all.slice(0, at) + printed + all.slice(at + text.length),
        textOf(page),
      );
    writeFileSync(join(root, page), source);
    return;
  }
  for (const { text, printed } of shown) {
    if (isExcerpt(text)) for (const part of text.split(/^\.\.\.\n/m)) expect(printed).toContain(part);
    else expect(text).toBe(printed);
  }
}

async function outputOf(command: string, cwd: string): Promise<string> {
  const { stdout, stderr } = await attune(words(command), {
    cwd,
    env: { ATTUNE_TOKEN: 'test-token', ...shellEnv },
  });
  const lines = `${stdout}${stdout === '' ? '' : '\n'}${stderr}`.replace(/\n{3,}/g, '\n\n').trim();
  return `${lines.replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?/g, '<time>')}\n`;
}

function outputOfScript(script: string, cwd: string, exitCode: number): string {
  const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], {
    cwd,
    env: { ...shellEnv, NO_COLOR: '1' },
    encoding: 'utf8',
  });
  expect(status, `${script}\n${stdout}${stderr}`).toBe(exitCode);
  return `${stdout}${stderr}`.trim().concat('\n');
}

/** The words of a command line; double quotes hold words together. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
