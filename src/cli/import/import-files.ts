import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import type { ComposedFile } from '../../import/compose.ts';
import type { ImportedFile } from '../../import/import-document.ts';
import { projectFolder } from '../../import/lay-out.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { readRegularFile, slashed } from '../../model/files.ts';
import { makeFolders, sharedFile, writeFiles } from '../../run/files/write-file.ts';
import { pathWord, shellWord } from '../../run/shell-words.ts';

/** The output files of an import. */
export interface ImportTarget {
  /** The absolute path of the root file's folder. */
  readonly folder: string;
  /** The name of the root file. */
  readonly root: string;
  /** Whether everything is written to the root file. */
  readonly single: boolean;
  /** As it is given on a command line, with `/`. */
  readonly shown: (file: string) => string;
  /** The argument of `attune plan` for this root file, after a space; empty for the root file of the working folder. */
  readonly given: string;
  readonly rootExists: boolean;
  /** Existing YAML files in the folder of the projects' files, relative to the folder of the root file. */
  readonly standing: readonly string[];
}

/**
 * Resolves `--out`: a folder, or a root file that takes everything. Without it, the root file that the command line
 * names.
 */
export async function findTarget(
  out: string | undefined,
  given: string | undefined,
  cwd: string,
): Promise<ImportTarget> {
  const path = resolve(cwd, out ?? given ?? '.');
  const isFile = /^\.ya?ml$/.test(extname(path)) && !(await isFolder(path));
  const folder = isFile ? dirname(path) : path;
  const root = isFile ? basename(path) : 'attune.yaml';
  const entries = await readdir(join(folder, projectFolder)).catch(() => []);
  const prefix = slashed(relative(cwd, folder));
  const shown = (file: string) => pathWord(prefix === '' ? file : `${prefix}/${file}`);
  const isDefault = root === 'attune.yaml';
  return {
    folder,
    root,
    single: out !== undefined && isFile,
    shown,
    given: isDefault ? prefix && ` ${shellWord(pathWord(prefix))}` : ` ${shellWord(shown(root))}`,
    rootExists: (await stat(join(folder, root)).catch(() => undefined)) !== undefined,
    standing: entries
      .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
      .map((name) => `${projectFolder}/${name}`)
      .sort(),
  };
}

/** @throws {AttuneError} if a file exists that the import must not overwrite. */
export function refuseStanding({ root, rootExists, single, standing, shown }: ImportTarget): void {
  const inTheWay = [...(rootExists ? [root] : []), ...(single ? [] : standing)];
  if (inTheWay.length === 0) return;
  const [first = '', ...others] = inTheWay.map(shown);
  const named = others.length > 4 ? [...others.slice(0, 4), `${others.length - 4} more`] : others;
  const all = named.length === 0 ? first : `${[first, ...named.slice(0, -1)].join(', ')} and ${named.at(-1)}`;
  throw new AttuneError(`${all} ${others.length === 0 ? 'exists' : 'exist'} already; no files were written`, {
    code: 'file-exists',
    hint: 'add --update to keep the files and add what is missing, --force to overwrite them, or --out to choose another folder',
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

export interface WriteOptions {
  readonly target: ImportTarget;
  /** Adds to existing files instead of overwriting them. */
  readonly isUpdate: boolean;
  /** The working folder. A link must not lead out of it. */
  readonly cwd: string;
}

/**
 * Writes the files of an import, all or none. A file with the same content is not written again.
 *
 * @throws {AttuneError} if a file cannot be written.
 */
export async function writeComposed(
  files: readonly ComposedFile[],
  { target, isUpdate, cwd }: WriteOptions,
): Promise<ImportedFile[]> {
  const texts = new Map<string, string>();
  const imported: ImportedFile[] = [];
  for (const { name, text, workspaces, grants } of files) {
    const path = join(target.folder, name);
    const before = await readRegularFile(path).catch(() => undefined);
    const changed = isUpdate ? 'extended' : 'overwritten';
    const outcome = before === undefined ? 'created' : before === text ? 'unchanged' : changed;
    imported.push({ file: target.shown(name), outcome, workspaces, grants });
    if (outcome !== 'unchanged') texts.set(path, text);
  }
  await makeFolders(texts.keys(), cwd);
  await writeFiles(texts, sharedFile);
  return imported;
}
