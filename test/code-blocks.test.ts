import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startEmulator } from '../src/emulator/index.ts';
import { isRecord } from '../src/model/value.ts';
import { attune, folderWith } from './support/attune.ts';
import { unknownCommandsIn } from './support/command-line.ts';
import { type CodeBlock, codeBlocksOf, pages, root } from './support/pages.ts';
import { hasRootFile } from './support/walkthrough.ts';

/** What tests print and compare, with the indentation of each line left out. */
const printedByTests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /(\.txt|\.test\.ts|\.golden|run\.txt)$/.test(file))
  .map((file) => flat(readFileSync(join(root, 'test', file), 'utf8')))
  .join('\n');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(join(root, 'src', file), 'utf8'))
  .join('\n');
const rootKeys = Object.keys(
  JSON.parse(readFileSync(join(root, 'schemas/attune.schema.json'), 'utf8')).properties,
);

const blocks = pages.flatMap((page) =>
  codeBlocksOf(page).map((block) => ({ ...block, page, title: `${page}:${block.line} (${block.language})` })),
);
/** Their files and commands are run, and their outputs compared, by walkthroughs.test.ts and integration/walkthroughs.test.ts. */
const walkthroughs = new Set(blocks.filter(({ label }) => hasRootFile(label)).map(({ page }) => page));
const inLanguage = (...languages: string[]) => blocks.filter(({ language }) => languages.includes(language));

test('code blocks are in languages that are checked', () => {
  const languages = new Set(blocks.map(({ language }) => language));
  const checked = ['console', 'hcl', 'js', 'json', 'sh', 'text', 'ts', 'yaml'];
  expect([...languages].filter((language) => !checked.includes(language))).toEqual([]);
});

// A script that a walkthrough runs needs no other check.
test.each(inLanguage('sh', 'console').filter(({ label }) => !label?.startsWith('run')))(
  'the code block $title names commands, flags and scripts that exist',
  ({ language, text }) => {
    const typed = language === 'sh' ? text : [...text.matchAll(/^\$ .*$/gm)].map(String).join('\n');
    expect(typed).not.toBe('');
    expect(unknownCommandsIn(typed)).toEqual([]);
  },
);

/** A walkthrough uses its files. */
const isFile = ({ label, page }: (typeof blocks)[number]) => label !== undefined && walkthroughs.has(page);

test.each(inLanguage('json').filter((block) => !isFile(block)))(
  'the code block $title is a document of a known format',
  ({ text }) => {
    const { format } = JSON.parse(text);
    expect(sources).toContain(`'${format}'`);
  },
);

const files = inLanguage('yaml').filter((block) => !isFile(block));
test.each(files)('the YAML block $title is valid', async (block) => {
  const value: unknown = parse(block.text);
  if (isRecord(value) && 'repos' in value) expect(preCommitEntries(value)).toEqual(['attune validate']);
  else if (/emulator-seed\.schema\.json/.test(block.text)) await startEmulatorWith({ seed: block.text });
  else if (Array.isArray(value)) await startEmulatorWith({ faults: block.text });
  else expect(await problemsOf(block, value)).toBe('');
});

function preCommitEntries(config: object): unknown {
  const { repos } = config as { repos: readonly { hooks: readonly { entry: string }[] }[] };
  return repos.flatMap(({ hooks }) => hooks.map(({ entry }) => entry));
}

/** Of a block that is not a root file, as a part of one. An alias that is not declared is a name on the service. */
async function problemsOf({ text }: CodeBlock, value: unknown): Promise<string> {
  const keys = Object.keys(value ?? {});
  expect(keys.filter((key) => !rootKeys.includes(key))).toEqual([]);
  const isRoot = keys.includes('attune');
  const head = isRoot ? '' : 'attune: 1\norganization: acme\n';
  const cwd = await folderWith({ 'attune.yaml': `${head}${text}`, 'seed.yaml': 'organization: acme\n' });
  const { stdout } = await attune(['validate', '--quiet', '--format', 'github'], { cwd });
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('::error'))
    .join('\n');
}

async function startEmulatorWith(files: { readonly seed?: string; readonly faults?: string }): Promise<void> {
  const folder = await folderWith(
    Object.fromEntries(Object.entries(files).map(([name, text]) => [`${name}.yaml`, text])),
  );
  const named = Object.keys(files).map((name) => [name, join(folder, `${name}.yaml`)]);
  const emulator = await startEmulator(Object.fromEntries(named));
  await emulator.stop();
}

const outputs = inLanguage('text').filter(
  ({ page }) => !walkthroughs.has(page) && page !== 'docs/commands.md',
);

test.each(outputs.filter(({ label }) => label !== 'diagram'))(
  'the output block $title is printed in a test',
  ({ page, label, text }) => {
    // The test compares what the page shows with what is printed.
    const checkedBy = /^checked by (\S+)$/.exec(label ?? '')?.[1];
    if (checkedBy !== undefined) return expect(readFileSync(join(root, checkedBy), 'utf8')).toContain(page);
    const parts = text.split(/^ *\.\.\.\n/m).map(flat);
    expect(parts.filter((part) => !printedByTests.includes(part))).toEqual([]);
  },
);

test.each(outputs.filter(({ label }) => label === 'diagram'))(
  'the output block $title shows names of the source',
  ({ text }) => {
    const names = text.match(/\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+/g) ?? [];
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
  },
);

function flat(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}
