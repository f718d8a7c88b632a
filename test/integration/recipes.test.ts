import { execFile, execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { additionsOfKind, additionsOfRelation, type Edit, modulesWithKinds, recipes } from './recipes.ts';

const root = join(import.meta.dirname, '..', '..');
const copy = mkdtempSync(join(tmpdir(), 'attune-recipes-'));
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

/** The tests that the recipes have to satisfy, but for those that their commands run. */
const proof = [
  'test/architecture.test.ts',
  'test/docs.test.ts',
  'test/generated.test.ts',
  'test/secrets.test.ts',
  'test/cdktf/places.test.ts',
  'test/cli/help.test.ts',
  'test/cli/report-files.test.ts',
  'test/constructs/props.test.ts',
  'test/desired/diagnostics-page.test.ts',
  'test/desired/every-key.test.ts',
  'test/desired/schema.test.ts',
  'test/plan/table-rows.test.ts',
  'test/sdk/workspace.test.ts',
];

/** What ended with an error, with its output. */
const failures: string[] = [];
/** The text of each file that is new or has changed, before and after. */
let changed: ReadonlyMap<string, { readonly before: string; readonly after: string }> = new Map();
/** The files of src that do not compile after the additions of a kind, and compiled before them. */
let filesWithoutKind: readonly string[] = [];
/** The same after the additions of a relation. */
let filesWithoutRelation: readonly string[] = [];

beforeAll(async () => {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = execFileSync('git', listed, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
  // With its time, a lock file is not newer than the packages that are installed from it.
  for (const file of files.filter((name) => existsSync(join(root, name))))
    cpSync(join(root, file), join(copy, file), { preserveTimestamps: true });
  for (const packages of ['node_modules', 'scripts/node_modules'])
    symlinkSync(join(root, packages), join(copy, packages), 'junction');
  const before = textsOf(copy);

  for (const { edits } of recipes) await edit(edits);
  // Each command runs once for all recipes, in the order of the page.
  for (const command of new Set(recipes.flatMap(({ title }) => commandsOf(section(title)))))
    await run(command);
  await run('npx tsc --noEmit');
  await run(`npm run build && npx vitest run --project fast --mode built --silent=true ${proof.join(' ')}`);
  changed = new Map(
    [...textsOf(copy)]
      .map(([file, after]) => [file, { before: before.get(file) ?? '', after }] as const)
      .filter(([, texts]) => texts.before !== texts.after),
  );

  await edit(additionsOfRelation);
  filesWithoutRelation = await filesWithErrors();
  await edit(additionsOfKind);
  const errors = await filesWithErrors();
  filesWithoutKind = errors.filter((file) => !filesWithoutRelation.includes(file));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

test('the types and tests of the repository accept what the recipes of docs/architecture.md add', () => {
  expect(failures).toEqual([]);
});

test.each(recipes)(
  'docs/architecture.md names every file that changes with $title',
  ({ title, mark, edits }) => {
    const named = linksOf(section(title));
    const files = [...changed]
      .filter(([, texts]) => occurrences(texts.after, mark) > occurrences(texts.before, mark))
      .map(([file]) => file);
    expect(files).toEqual(expect.arrayContaining(edits.map(({ file }) => file)));
    expect(files.filter((file) => !named.some((name) => `${file}/`.startsWith(`${name}/`)))).toEqual([]);
  },
);

test('the recipes of docs/architecture.md change no file but for what they add', () => {
  const isOfNone = (text: string) => recipes.every(({ mark }) => occurrences(text, mark) === 0);
  expect([...changed].filter(([, { after }]) => isOfNone(after)).map(([file]) => file)).toEqual([]);
});

test.each(modulesWithKinds)(
  'another kind of resource does not compile until each module handles it: %s',
  (module) => {
    expect(filesWithoutKind.filter((file) => file.startsWith(`src/${module}/`))).not.toEqual([]);
    expect(section('A resource kind')).toContain(`\`${module}\``);
  },
);

test('docs/architecture.md names every file of src that does not compile after the additions of a relation', () => {
  const named = linksOf(section('A relation'));
  const added = additionsOfRelation.map(({ file }) => file);
  expect(filesWithoutRelation).toContain('src/relations/relations.ts');
  expect(named).toEqual(expect.arrayContaining([...added, ...filesWithoutRelation]));
});

test('docs/architecture.md names the files of the model that have the kinds of resources', () => {
  const named = linksOf(section('A resource kind'));
  expect(named).toEqual(expect.arrayContaining(additionsOfKind.map(({ file }) => file)));
});

/** The files of src that do not compile. */
async function filesWithErrors(): Promise<string[]> {
  const { output } = await tried('npx tsc -p tsconfig.build.json --noEmit');
  return [...output.matchAll(/^(src\/\S+\.ts)\(\d+,\d+\): error/gm)].map(([, file = '']) => file);
}

/** The text of a recipe. */
function section(title: string): string {
  const [, text = ''] = page.split(`\n### ${title}\n`);
  expect(text, title).not.toBe('');
  return text.split(/^##/m)[0] ?? '';
}

/** The files and folders that a text links to. */
function linksOf(text: string): string[] {
  return [...text.matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => posix.join('docs', target));
}

function commandsOf(text: string): string[] {
  return [...text.matchAll(/`((?:[A-Z_]+=1 )?(?:npm run|npx) [^`]+)`/g)].map(([, command = '']) => command);
}

function occurrences(text: string, mark: RegExp): number {
  return text.match(mark)?.length ?? 0;
}

async function edit(edits: readonly Edit[]): Promise<void> {
  for (const { file, after = '', add } of edits) {
    const path = join(copy, file);
    await mkdir(dirname(path), { recursive: true });
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    expect(text, file).toContain(after);
    const at = text.indexOf(after) + after.length;
    await writeFile(path, after === '' ? text + add : text.slice(0, at) + add + text.slice(at));
  }
}

async function run(command: string): Promise<void> {
  const { failed, output } = await tried(command);
  if (failed) failures.push(`${command}\n${output}`);
}

/** Runs a command in the copy, with nothing of the test run in its environment. */
async function tried(command: string): Promise<{ readonly failed: boolean; readonly output: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(VITEST|ATTUNE_|NODE_ENV$|TEST$|FORCE_COLOR$)/.test(name),
    ),
  );
  const options = { cwd: copy, env: { ...env, NO_COLOR: '1' }, maxBuffer: 2 ** 28 };
  return promisify(execFile)('sh', ['-c', command], options).then(
    ({ stdout, stderr }) => ({ failed: false, output: stdout + stderr }),
    ({ stdout, stderr }) => ({ failed: true, output: stdout + stderr }),
  );
}

/** The text of each file that a developer commits. */
function textsOf(folder: string): ReadonlyMap<string, string> {
  const made = /(^|\/)(node_modules|build|dist|\.attune)$/;
  const below = (path: string): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true }).flatMap((entry) => {
      const inner = posix.join(path, entry.name);
      if (made.test(inner)) return [];
      return entry.isDirectory() ? below(inner) : [inner];
    });
  return new Map(below('').map((file) => [file, readFileSync(join(folder, file), 'latin1')]));
}
