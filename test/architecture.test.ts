import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';
import { expect, test } from 'vitest';
import { groupBy } from '../src/model/value.ts';

/** From the process edge to the plain data: a module imports only those below it. */
const modules = [
  'cli',
  'watch',
  'index.ts',
  'testing',
  'run',
  'sdk',
  'cdktf',
  'constructs',
  'emulator',
  'report',
  'saved',
  'write',
  'undo',
  'apply',
  'check',
  'access',
  'plan',
  'hold',
  'diff',
  'resolve',
  'desired',
  'live',
  'policy',
  'relations',
  'service',
  'model',
] as const;
type Module = (typeof modules)[number];

const root = join(import.meta.dirname, '..', 'src');

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map(slashed);
const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
const textOf = (file: string): string => texts.get(file) ?? '';
const modulesOfFiles = new Map(
  files.map((file) => [file, modules.find((module) => module === file.split('/')[0])]),
);
const moduleOf = (file: string): Module | undefined => modulesOfFiles.get(file);

/** The files that files import, relative to `src`. */
const imports = files.flatMap((from) =>
  // `from '…'` of imports and re-exports, `import('…')`, and `import '…'` for its effects.
  [...textOf(from).matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
    from,
    to: declarationOf(posix.join(dirname(from), path)),
  })),
);

/** A file that the build generates has a declaration file beside its importer. */
function declarationOf(path: string): string {
  return path.replace(/\.js$/, '.d.ts');
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

function shown({ from, to }: (typeof imports)[number]): string {
  return `${from} -> ${to}`;
}

test('each import of the sources leads to a file of src', () => {
  expect(imports.length).toBeGreaterThan(200);
  expect(imports.filter(({ to }) => !texts.has(to)).map(shown)).toEqual([]);
});

test('each source file belongs to a known module', () => {
  expect(files.filter((file) => moduleOf(file) === undefined)).toEqual([]);
});

test.each(modules)('%s imports only modules below it', (module) => {
  const below = new Set<Module | undefined>(modules.slice(modules.indexOf(module)));
  const upward = imports.filter(({ from, to }) => moduleOf(from) === module && !below.has(moduleOf(to)));
  expect(upward.map(shown)).toEqual([]);
});

test('no file imports itself through other files, types included', () => {
  expect(cycles()).toEqual([]);
});

/** Groups of files that reach one another, by Tarjan's algorithm. */
function cycles(): string[][] {
  const targets = groupBy(imports, ({ from }) => from);
  const order = new Map<string, number>();
  const stack: string[] = [];
  const groups: string[][] = [];
  const visit = (file: string): number => {
    order.set(file, order.size);
    let low = order.size - 1;
    stack.push(file);
    for (const { to } of targets.get(file) ?? []) {
      if (!order.has(to)) low = Math.min(low, visit(to));
      else if (stack.includes(to)) low = Math.min(low, order.get(to) ?? low);
    }
    if (low === order.get(file)) {
      const group = stack.splice(stack.indexOf(file)).sort();
      if (group.length > 1) groups.push(group);
    }
    return low;
  };
  for (const file of files) if (!order.has(file)) visit(file);
  return groups.sort();
}

test('files are read in one place, which refuses pipes, devices and endless files', () => {
  const reads = files.filter((file) =>
    /\b(?:readFile|readFileSync|readSync|createReadStream)\b|\bopen\(\S+, 'r'\)/.test(textOf(file)),
  );
  // The other reads files of the package.
  expect(reads.sort()).toEqual(['model/files.ts', 'model/package-files.ts']);
});

test('one exported name means one thing in the whole repository', () => {
  // Programs and unit tests of policies select workspaces alike, each in the spelling of its entry point.
  const shared = new Set(['WorkspaceSelector']);
  const declared = files.flatMap((file) => {
    const text = textOf(file);
    const names = text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm);
    return [...new Set([...names].map(([, name = '']) => name))].map((name) => ({ name, file }));
  });
  const places = [...groupBy(declared, ({ name }) => name)];
  const twice = places.filter(([name, found]) => found.length > 1 && !shared.has(name));
  expect(twice.map(([name, found]) => `${name}: ${found.map(({ file }) => file).join(', ')}`)).toEqual([]);
});

test('no local function or constant has the name of an export of its module', () => {
  const exported = new Set<string>();
  const local: { readonly name: string; readonly file: string }[] = [];
  for (const file of files) {
    const declarations = textOf(file).matchAll(/^(export )?(?:async )?(?:function\*?|const|class) (\w+)/gm);
    for (const [, isExported, name = ''] of declarations) {
      if (isExported) exported.add(`${moduleOf(file)} ${name}`);
      else local.push({ name, file });
    }
  }
  const twice = local.filter(({ name, file }) => exported.has(`${moduleOf(file)} ${name}`));
  expect(twice.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});

test('the emulator imports only the model and the wire documents', () => {
  const allowed = (to: string) =>
    ['emulator', 'model'].includes(moduleOf(to) ?? '') || to === 'service/documents.ts';
  const foreign = imports.filter(({ from, to }) => moduleOf(from) === 'emulator' && !allowed(to));
  expect(foreign.map(shown)).toEqual([]);
});

test('the command line imports use cases and reports, and nothing below them', () => {
  const allowed = new Set<Module | undefined>(['cli', 'watch', 'run', 'report', 'model']);
  // The command is the embedded service as a process: there is no use case between them.
  const exceptions = ['cli/commands/emulator.ts -> emulator/index.ts'];
  const others = imports.filter(({ from, to }) => moduleOf(from) === 'cli' && !allowed.has(moduleOf(to)));
  expect([...new Set(others.map(shown))]).toEqual(exceptions);
});

test('emulator, constructs and cdktf are loaded only on demand', () => {
  // These files are loaded when their command is called.
  const ownFiles = new Set(['cli/commands/emulator.ts', 'run/export-terraform.ts']);
  const loads = files.flatMap((file) => {
    if (!['cli', 'run'].includes(moduleOf(file) ?? '') || ownFiles.has(file)) return [];
    const text = textOf(file);
    // Type imports do not exist at run time.
    const eager = text.matchAll(
      /^import (?!type\b)[^;]*from '((?:\.\.\/)+(?:emulator|constructs|cdktf)\/[^']+)'/gm,
    );
    return [...eager].map(([, to = '']) => `${file} -> ${to}`);
  });
  expect(loads).toEqual([]);
});

test('a scope that closes a connection awaits its return value, so that the connection is not closed too early', () => {
  const early = files.flatMap((file) => {
    const scopes = textOf(file).matchAll(/^( +)await using [\s\S]*?(?=^(?!\1)\s*\S)/gm);
    return [...scopes].flatMap(([scope]) =>
      [...scope.matchAll(/return (?!await\b)\w+\(.*/g)].map(([found]) => `${file}: ${found}`),
    );
  });
  expect(early).toEqual([]);
});

test('the files of commands are loaded by program.ts only, each when its command is called', () => {
  const importing = files.flatMap((file) => {
    if (file.startsWith('cli/commands/')) return [];
    const text = textOf(file);
    return [...text.matchAll(/^import (?!type\b)[^;]*from '(.*\/commands\/[^']+)'/gm)].map(
      ([, to = '']) => `${file} -> ${to}`,
    );
  });
  expect(importing).toEqual([]);
});

test('the reader converts the documents of workspaces; other files convert answers and examples only', () => {
  const converting = files.filter((file) => /workspace(?:FromDocument|Values)\(/.test(textOf(file)));
  expect(converting.sort()).toEqual([
    'apply/operations/workspace-settings.ts',
    'live/find-workspaces.ts',
    'live/from-document.ts',
    'live/read-workspaces.ts',
  ]);
});

test('planning modules use no client that can write', () => {
  const planners = files
    .map(slashed)
    .filter((file) =>
      [
        ...['live', 'desired', 'resolve', 'diff', 'hold', 'plan', 'access', 'check', 'undo', 'report'],
        ...['write', 'constructs'],
      ].includes(moduleOf(file) ?? ''),
    );
  const armed = planners.filter((file) => /\bServiceClient\b|createService/.test(textOf(file)));
  expect(armed).toEqual([]);
});

test('the scripts and the benchmark import existing modules of the build', () => {
  const repository = join(root, '..');
  const scriptsIn = (folder: string): string[] =>
    readdirSync(join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : scriptsIn(path);
      return path.endsWith('.mjs') ? [path] : [];
    });
  const missing = [...scriptsIn('bench'), ...scriptsIn('scripts')].flatMap((file) => {
    const text = readFileSync(join(repository, file), 'utf8');
    const imported = text.matchAll(/from '(?:\.\.\/)+(build|dist)\/([^']+)\.js'/g);
    return [...imported].flatMap(([, output, module = '']) => {
      const isBuilt = output === 'build' && texts.has(`${module}.ts`);
      return isBuilt ? [] : [`${file}: ${output}/${module}.js`];
    });
  });
  expect(missing).toEqual([]);
});
