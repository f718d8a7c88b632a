import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The checkout, which holds the built package. */
export const root = join(import.meta.dirname, '..', '..', '..');

/** Links packages of the checkout into a folder's `node_modules`, so that no registry is asked. */
export function linkPackages(folder: string, packages: Readonly<Record<string, string>>): void {
  for (const [name, target] of Object.entries(packages)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    // A dependency can be an optional peer, too.
    if (!existsSync(link)) symlinkSync(target, link, 'dir');
  }
}

export interface CompileOptions {
  readonly moduleResolution: 'nodenext' | 'node16' | 'bundler';
  /** Writes JavaScript beside the sources. @default false */
  readonly emit?: boolean;
}

/** Compiles the TypeScript files of a folder with all strict options; returns the output of the compiler, empty if there are no errors. */
export function compile(folder: string, { moduleResolution, emit = false }: CompileOptions): string {
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
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
  return stdout + stderr;
}
