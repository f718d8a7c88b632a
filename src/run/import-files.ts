import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { loadConfig } from '../desired/load-config.ts';
import { AttuneError, usageError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import type { ImportedFile } from '../model/results.ts';
import { projectFolder, type WrittenFile } from '../write/lay-out.ts';
import type { RunContext } from './context.ts';
import { makeFolders, sharedFile, writeFiles } from './files/write-file.ts';
import { invalidFiles, otherConfiguration } from './load.ts';
import { commandLine, pathWord } from './shell-words.ts';

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
  readonly planCommand: string;
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
  const prefix = relativePath(cwd, folder);
  const shown = (file: string) => pathWord(prefix === '' ? file : `${prefix}/${file}`);
  const rootWord = root === 'attune.yaml' ? prefix && pathWord(prefix) : shown(root);
  return {
    folder,
    root,
    single: out !== undefined && isFile,
    shown,
    planCommand: commandLine(['attune', 'plan', ...(rootWord === '' ? [] : [rootWord])]),
    rootExists: (await stat(join(folder, root)).catch(() => undefined)) !== undefined,
    standing: entries
      .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
      .map((name) => `${projectFolder}/${name}`)
      .sort(),
  };
}

/** @throws {AttuneError} if a file exists that the import must not overwrite. */
export function refuseStanding(
  { root, rootExists, single, standing, shown }: ImportTarget,
  { named }: Pick<RunContext, 'named'>,
): void {
  const inTheWay = [...(rootExists ? [root] : []), ...(single ? [] : standing)];
  if (inTheWay.length === 0) return;
  const [first = '', ...others] = inTheWay.map(shown);
  const shortened = others.length > 4 ? [...others.slice(0, 4), `${others.length - 4} more`] : others;
  const all =
    shortened.length === 0
      ? first
      : `${[first, ...shortened.slice(0, -1)].join(', ')} and ${shortened.at(-1)}`;
  throw new AttuneError(`${all} ${others.length === 0 ? 'exists' : 'exist'} already; no files were written`, {
    code: 'file-exists',
    hint: `add ${named('update')} to keep the files and add what is missing, ${named('force')} to overwrite them, or ${named('out')} to choose another folder`,
  });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}

/**
 * Finds the organization to import and its service: `--organization`, else the root file on the command line or that of the
 * working folder.
 *
 * @throws {AttuneError} if none of these names an organization.
 */
export async function findSource(
  { organization, root }: { readonly organization: string | undefined; readonly root: string | undefined },
  context: RunContext,
): Promise<Configuration> {
  const { io, named } = context;
  const { cwd } = io;
  const file = root ?? join(cwd, 'attune.yaml');
  const exists = root !== undefined || (await stat(file).catch(() => undefined));
  const found = exists ? await load(file, context, organization === undefined) : undefined;
  if (found && (organization === undefined || found.desired.organization === organization)) return found;
  if (organization !== undefined) return otherConfiguration(organization, found ? [found] : [], context);
  const option = named('organization');
  throw new AttuneError(`import requires an organization: there is no ${option} and no attune.yaml`, {
    code: 'no-organization',
    hint: `add ${option} NAME and ${named('address')} URL, or run it in a folder with an attune.yaml`,
  });
}

/** A file with errors is ignored if it is optional. */
async function load(
  file: string,
  context: RunContext,
  isNeeded: boolean,
): Promise<Configuration | undefined> {
  const loaded = await loadConfig(file, { cwd: context.io.cwd });
  if (isNeeded && hasErrors(loaded.diagnostics)) throw invalidFiles(loaded, context);
  return loaded.configurations[0];
}

/** The existing files of a configuration. */
export interface Existing {
  readonly configuration: Configuration;
  /** By path relative to the root file's folder, the root file first. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads the files that an import adds to.
 *
 * @throws {RefusedError} if they have errors.
 * @throws {AttuneError} if they are for another organization.
 */
export async function readExisting(
  target: ImportTarget,
  organization: string | undefined,
  context: RunContext,
): Promise<Existing> {
  const loaded = await loadConfig(join(target.folder, target.root));
  const [root] = loaded.roots;
  if (!root?.configuration) throw invalidFiles(loaded, context);
  const { configuration, files, folder } = root;
  const own = configuration.desired.organization;
  if (organization !== undefined && organization !== own) {
    throw usageError(
      `${target.shown(target.root)} is for organization ${own}, not ${organization}`,
      `choose another folder with ${context.named('out')}, or remove ${context.named('organization')}`,
    );
  }
  return { configuration, texts: await readTexts(folder, files) };
}

/** The texts of files by their paths relative to a folder. */
export async function readTexts(
  folder: string,
  files: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const texts = files.map(async (file) => [file, await readRegularFile(join(folder, file))] as const);
  return new Map(await Promise.all(texts));
}

/**
 * Writes the files of an import, all or none. A file with the same content is not written again.
 *
 * @param isUpdate whether existing files are added to instead of overwritten
 * @param cwd A link must not lead out of it.
 * @throws {AttuneError} if a file cannot be written.
 */
export async function writeComposed(
  files: readonly WrittenFile[],
  target: ImportTarget,
  isUpdate: boolean,
  cwd: string,
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
