import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith } from './support/attune.ts';
import { codeBlocksOf, pages, root, textOf } from './support/pages.ts';

/**
 * Pages whose blocks are files and commands: a comment above a block names the file that the block is, an `sh` block is run,
 * and a `text` block below it is what its last command prints. A line `...` in it stands for lines that are left out.
 * `UPDATE_DOCS=1` writes what is printed now, to be read before it is committed.
 */
const walkthroughs = pages.filter((page) => codeBlocksOf(page).some(({ label }) => label === 'attune.yaml'));

test.each(walkthroughs)('the commands of %s print what the page shows', async (page) => {
  const cwd = await folderWith({});
  const shown: { at: number; text: string; printed: string }[] = [];
  let printed: string | undefined;
  for (const { label, language, text, at } of codeBlocksOf(page)) {
    if (language === 'sh') {
      for (const line of text.split('\n')) {
        const command = /^(?:npx )?attune ([^#|]*)/.exec(line)?.[1];
        if (command !== undefined) printed = await outputOf(command.trim(), cwd);
      }
    } else if (label !== undefined && /^[\w./-]+\.\w+$/.test(label)) {
      mkdirSync(dirname(join(cwd, label)), { recursive: true });
      writeFileSync(join(cwd, label), text);
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
});

async function outputOf(command: string, cwd: string): Promise<string> {
  const { stdout, stderr } = await attune(words(command), { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
  const lines = `${stdout}${stdout === '' ? '' : '\n'}${stderr}`.replace(/\n{3,}/g, '\n\n').trim();
  return `${lines.replaceAll(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ(\.\d+)?/g, '<time>')}\n`;
}

/** The words of a command line; double quotes hold words together. */
function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
