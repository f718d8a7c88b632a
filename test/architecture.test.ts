import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
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

interface Import {
  /** Relative to `src`. */
  readonly from: string;
  readonly to: string;
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const texts = new Map<string, string>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(join(root, file), 'utf8');
  texts.set(file, text);
  return text;
}

const imports = files.flatMap((from): Import[] => {
  const text = textOf(from);
  // `from '…'` of imports and re-exports, `import('…')`, and `import '…'` for its effects.
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path = '']) => ({
    from: slashed(from),
    to: declarationOf(slashed(relative(root, resolve(root, dirname(from), path)))),
  }));
});

/** A file that the build generates has a declaration file beside its importer. */
function declarationOf(path: string): string {
  return path.replace(/\.js$/, '.d.ts');
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

function moduleOf(file: string): Module | undefined {
  return modules.find((module) => module === file.split('/')[0]);
}

function shown({ from, to }: Import): string {
  return `${from} -> ${to}`;
}

test('each import of the sources leads to a file of src', () => {
  expect(imports.length).toBeGreaterThan(200);
  const known = new Set(files.map(slashed));
  expect(imports.filter(({ to }) => !known.has(to)).map(shown)).toEqual([]);
});

test('each source file belongs to a known module', () => {
  expect(files.map(slashed).filter((file) => moduleOf(file) === undefined)).toEqual([]);
});

describe('imports point downward', () => {
  test.each(modules)('%s imports only modules below it', (module) => {
    const upward = imports.filter(({ from, to }) => {
      const target = moduleOf(to);
      return (
        moduleOf(from) === module &&
        (target === undefined || modules.indexOf(target) < modules.indexOf(module))
      );
    });
    expect(upward.map(shown)).toEqual([]);
  });
});

test('no module imports itself through other modules', () => {
  const needs = new Map<Module, Set<Module>>();
  for (const { from, to } of imports) {
    const [source, target] = [moduleOf(from), moduleOf(to)];
    if (source && target && source !== target)
      needs.set(source, (needs.get(source) ?? new Set()).add(target));
  }
  const reaches = (from: Module, goal: Module, seen = new Set<Module>()): boolean =>
    [...(needs.get(from) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    );
  expect(modules.filter((module) => reaches(module, module))).toEqual([]);
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
  for (const file of files.map(slashed)) if (!order.has(file)) visit(file);
  return groups.sort();
}

test('files are read in one place, which refuses pipes, devices and endless files', () => {
  const reads = files.filter((file) =>
    /\b(?:readFile|readFileSync|readSync|createReadStream)\b|\bopen\(\S+, 'r'\)/.test(textOf(file)),
  );
  // The other reads files of the package.
  expect(reads.map(slashed).sort()).toEqual(['model/files.ts', 'model/package-files.ts']);
});

test('one exported name means one thing in the whole repository', () => {
  // Programs and unit tests of policies select workspaces alike, each in the spelling of its entry point.
  const shared = new Set(['WorkspaceSelector']);
  const declared = files.flatMap((file) => {
    const text = textOf(file);
    const names = text.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm);
    return [...new Set([...names].map(([, name = '']) => name))].map((name) => ({
      name,
      file: slashed(file),
    }));
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
      if (isExported) exported.add(`${moduleOf(slashed(file))} ${name}`);
      else local.push({ name, file: slashed(file) });
    }
  }
  const twice = local.filter(({ name, file }) => exported.has(`${moduleOf(file)} ${name}`));
  expect(twice.map(({ name, file }) => `${name}: ${file}`)).toEqual([]);
});

test('no module imports the command line', () => {
  expect(
    imports.filter(({ from, to }) => moduleOf(to) === 'cli' && moduleOf(from) !== 'cli').map(shown),
  ).toEqual([]);
});

test('the emulator imports only the model and the wire documents', () => {
  const allowed = (to: string) =>
    ['emulator', 'model'].includes(moduleOf(to) ?? '') || to === 'service/documents.ts';
  const foreign = imports.filter(({ from, to }) => moduleOf(from) === 'emulator' && !allowed(to));
  expect(foreign.map(shown)).toEqual([]);
});

test('the model imports no other module', () => {
  expect(
    imports.filter(({ from, to }) => moduleOf(from) === 'model' && moduleOf(to) !== 'model').map(shown),
  ).toEqual([]);
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
  const loads = files.map(slashed).flatMap((file) => {
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
  const early = files.map(slashed).flatMap((file) => {
    const scopes = textOf(file).matchAll(/^( +)await using [\s\S]*?(?=^(?!\1)\s*\S)/gm);
    return [...scopes].flatMap(([scope]) =>
      [...scope.matchAll(/return (?!await\b)\w+\(.*/g)].map(([found]) => `${file}: ${found}`),
    );
  });
  expect(early).toEqual([]);
});

test('the files of commands are loaded by program.ts only, each when its command is called', () => {
  const importing = files.map(slashed).flatMap((file) => {
    if (file.startsWith('cli/commands/')) return [];
    const text = textOf(file);
    return [...text.matchAll(/^import (?!type\b)[^;]*from '(.*\/commands\/[^']+)'/gm)].map(
      ([, to = '']) => `${file} -> ${to}`,
    );
  });
  expect(importing).toEqual([]);
});

test('the reader converts the documents of workspaces; other files convert answers and examples only', () => {
  const converting = files.map(slashed).filter((file) => textOf(file).includes('workspaceFromDocument('));
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
  const missing = ['bench', 'scripts'].flatMap((folder) =>
    readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.mjs') && !file.includes('node_modules'))
      .flatMap((file) => {
        const text = readFileSync(join(repository, folder, file), 'utf8');
        const imports = text.matchAll(/from '(?:\.\.\/)+(build|dist)\/([^']+)\.js'/g);
        return [...imports].flatMap(([, output, module = '']) => {
          const isBuilt = output === 'build' && existsSync(join(root, `${module}.ts`));
          return isBuilt ? [] : [`${folder}/${slashed(file)}: ${output}/${module}.js`];
        });
      }),
  );
  expect(missing).toEqual([]);
});
