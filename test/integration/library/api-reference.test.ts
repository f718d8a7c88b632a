import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import * as cdktf from '../../../src/cdktf/index.ts';
import * as constructs from '../../../src/constructs/index.ts';
import * as library from '../../../src/index.ts';
import * as service from '../../../src/sdk/index.ts';
import { root } from '../../support/pages.ts';
import { compileStrictly, linkPackages } from '../../support/program-folder.ts';

interface Example {
  readonly entry: string;
  readonly name: string;
  readonly code: string;
}

const exports: Readonly<Record<string, readonly string[]>> = {
  attune: Object.keys(library),
  'attune/constructs': Object.keys(constructs),
  'attune/cdktf': Object.keys(cdktf),
  'attune/service': Object.keys(service),
};

const folder = mkdtempSync(join(tmpdir(), 'attune-examples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reference = ['scripts/api-reference/main.mjs', '--examples'];
const { stdout, stderr: problems } = spawnSync(process.execPath, reference, { cwd: root, encoding: 'utf8' });
const examples: readonly Example[] = JSON.parse(stdout || '[]');
const { compiled, printed } = runAll();

test('the API is documented in full: every type of a signature is exported, every export explained, every call shown, and docs/api is up to date', () => {
  expect(problems).toBe('');
});

test('the API reference has examples to run', () => {
  expect(examples.length).toBeGreaterThan(60);
});

test('all examples of the API reference compile', () => {
  expect(compiled).toBe('');
});

test.each(examples.map((example, index) => ({ ...example, index })))(
  'the example of $name ($entry) prints its documented output',
  ({ code, index }) => {
    expect(printed[`example-${index}.js`]).toBe(expectedOutput(code));
  },
);

/** Writes each example as a separate module, compiles all, and runs them. */
function runAll() {
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  const { peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const linked = ['@types', ...Object.keys(peerDependencies)].map((name) => [
    name,
    join(root, 'node_modules', name),
  ]);
  linkPackages(folder, {
    attune: root,
    ...Object.fromEntries(linked.filter(([, at]) => existsSync(at ?? ''))),
  });
  for (const file of ['attune.yaml', 'seed.yaml'])
    copyFileSync(join(root, 'examples', 'library', file), join(folder, file));
  copyFileSync(join(import.meta.dirname, 'run-examples.mjs'), join(folder, 'run-examples.mjs'));
  for (const [index, example] of examples.entries())
    writeFileSync(join(folder, `example-${index}.ts`), moduleOf(example));
  const messages = compileStrictly(folder, { moduleResolution: 'nodenext', emit: true });
  const env = { ...process.env, ATTUNE_TOKEN: 'example-token' };
  const run = spawnSync(process.execPath, ['run-examples.mjs'], { cwd: folder, env, encoding: 'utf8' });
  const results = join(folder, 'results.json');
  const found: Readonly<Record<string, string>> = existsSync(results)
    ? JSON.parse(readFileSync(results, 'utf8'))
    : {};
  return { compiled: messages, printed: run.status === 0 ? found : ({ error: run.stderr } as typeof found) };
}

/** An example starts from what is given for its entry point, and imports what it names of it. */
function moduleOf({ entry, code }: Example): string {
  const given = givenFor(entry);
  const text = given + code;
  const imports = text.match(/^import [^;]*;$/gm) ?? [];
  const body = code.replaceAll(/^import [^;]*;$/gm, '');
  const named = (exports[entry] ?? []).filter(
    (name) => new RegExp(`\\b${name}\\b`).test(text) && !imports.some((line) => line.includes(` ${name}`)),
  );
  return [
    ...imports,
    ...(named.length > 0 ? [`import { ${named.join(', ')} } from '${entry}';`] : []),
    'export default async function (console: { log(...values: unknown[]): void }): Promise<void> {',
    given.replaceAll(/^import [^;]*;$/gm, '').replaceAll(/^export /gm, ''),
    // A separate block, so that it can declare names that are given.
    `{\n${body}\n}\n}`,
  ].join('\n');
}

function givenFor(entry: string): string {
  const file = join(root, 'examples', 'library', `given${entry.slice('attune'.length).replace('/', '-')}.ts`);
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

/** The comment behind a `console.log`, or in the lines below it. */
function expectedOutput(code: string): string {
  const lines: string[] = [];
  let isOutput = false;
  for (const line of code.split('\n')) {
    const [, comment] = /^\s*\/\/ ?(.*)$/.exec(line) ?? [];
    if (comment !== undefined) {
      if (isOutput) lines.push(comment);
      continue;
    }
    const [, behind] = /console\.log\(.*\);\s*\/\/ (.*)$/.exec(line) ?? [];
    if (behind !== undefined) lines.push(behind);
    isOutput = behind === undefined && line.includes('console.log(');
  }
  return lines.join('\n');
}
