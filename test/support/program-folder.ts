import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { folderWith } from './attune.ts';
import { root } from './pages.ts';

/** Links packages of the checkout into a folder's `node_modules`, so that no registry is asked. */
export function linkPackages(folder: string, packages: Readonly<Record<string, string>>): void {
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    // A dependency can be an optional peer, too.
    if (!existsSync(link)) symlinkSync(target, link, 'dir');
  }
}

/** Installs the built package into a folder, and what it shares with programs, as `npm install` would. */
export function installInto(folder: string): string {
  linkPackages(folder, { attune: root, constructs: join(root, 'node_modules', 'constructs') });
  return folder;
}

/** A folder with the files of a program in TypeScript, in which the package is installed. */
export async function programWith(
  files: Readonly<Record<string, string>>,
  { include = ['src'], ...options }: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const compilerOptions = { target: 'es2023', module: 'nodenext', strict: true, ...options };
  const settings = {
    'package.json': '{"type": "module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions, include }),
  };
  return installInto(await folderWith({ ...settings, ...files }));
}

/** Compiles a folder by its `tsconfig.json`. Returns the output of the compiler: empty if there are no errors. */
export function compile(folder: string): string {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '--pretty', 'false', '-p', folder], {
    cwd: folder,
    encoding: 'utf8',
  });
  return stdout + stderr;
}

export interface CompileOptions {
  readonly moduleResolution: 'nodenext' | 'node16' | 'bundler';
  /** Writes JavaScript beside the sources. @default false */
  readonly emit?: boolean;
}

/** Compiles the TypeScript files of a folder with all strict options. */
export function compileStrictly(folder: string, { moduleResolution, emit = false }: CompileOptions): string {
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2023'],
    module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
    moduleResolution,
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    noEmit: !emit,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  return compile(folder);
}

/** The environment of a shell that finds the `node` of this process. */
export const shellEnv = { PATH: `${join(process.execPath, '..')}:${process.env.PATH ?? ''}` };
