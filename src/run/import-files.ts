import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { loadConfig } from '../desired/load-config.ts';
import { AttuneError, usageError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { hasErrors } from '../model/diagnostic.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import type { ImportedFile, ImportResult } from '../model/results.ts';
import type { FileTexts } from '../write/checked-texts.ts';
import { projectFolder, type WrittenFile } from '../write/lay-out.ts';
import type { RunContext } from './context.ts';
import { makeFolders, sharedFile, writeFiles } from './files/write-file.ts';
import { invalidFiles, otherConfiguration } from './load.ts';
import type { SchemaReference } from './schema-reference.ts';
import { commandLine, pathWord } from './shell-words.ts';

export interface ImportTarget {
  readonly folder: string;
  readonly root: string;
  readonly isSingle: boolean;
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
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory() === true;
  const isFile = /^\.ya?ml$/.test(extname(path)) && !isFolder;
  const folder = isFile ? dirname(path) : path;
  const root = isFile ? basename(path) : 'attune.yaml';
  const entries = await readdir(join(folder, projectFolder)).catch(() => []);
  const prefix = relativePath(cwd, folder);
  const shown = (file: string) => pathWord(prefix === '' ? file : `${prefix}/${file}`);
  const rootWord = root === 'attune.yaml' ? prefix && pathWord(prefix) : shown(root);
  return {
    folder,
    root,
    isSingle: out !== undefined && isFile,
    shown,
    planCommand: commandLine(['attune', 'plan', ...(rootWord === '' ? [] : [rootWord])]),
    rootExists: (await stat(join(folder, root)).catch(() => undefined)) !== undefined,
    standing: entries
      .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
      .map((name) => `${projectFolder}/${name}`)
      .sort(),
  };
}

export function refuseStanding(
  { root, rootExists, isSingle, standing, shown }: ImportTarget,
  { named }: Pick<RunContext, 'named'>,
): void {
  const inTheWay = [...(rootExists ? [root] : []), ...(isSingle ? [] : standing)].map(shown);
  if (inTheWay.length === 0) return;
  const most = 5;
  const names =
    inTheWay.length > most ? [...inTheWay.slice(0, most), `${inTheWay.length - most} more`] : inTheWay;
  const all = names.join(', ').replace(/, ([^,]*)$/, ' and $1');
  throw new AttuneError(
    `${all} ${inTheWay.length === 1 ? 'exists' : 'exist'} already; no files were written`,
    {
      code: 'file-exists',
      hint: `add ${named('update')} to keep the files and add what is missing, ${named('force')} to overwrite them, or ${named('out')} to choose another folder`,
    },
  );
}

/**
 * Finds the organization to import and its service: `--organization`, else the root file on the command line or that of the
 * working folder. A file with errors is ignored if it is optional.
 */
export async function findSource(
  organization: string | undefined,
  root: string | undefined,
  context: RunContext,
): Promise<Configuration> {
  const { io, named } = context;
  const file = root ?? join(io.cwd, 'attune.yaml');
  const exists = root !== undefined || (await stat(file).catch(() => undefined));
  const loaded = exists ? await loadConfig(file, { cwd: io.cwd }) : undefined;
  if (loaded && organization === undefined && hasErrors(loaded.diagnostics))
    throw invalidFiles(loaded, context);
  const found = loaded?.configurations[0];
  if (found && (organization === undefined || found.desired.organization === organization)) return found;
  if (organization !== undefined) return otherConfiguration(organization, found ? [found] : [], context);
  const option = named('organization');
  throw new AttuneError(`import requires an organization: there is no ${option} and no attune.yaml`, {
    code: 'no-organization',
    hint: `add ${option} NAME and ${named('address')} URL, or run it in a folder with an attune.yaml`,
  });
}

export async function loadExisting(
  { folder, root, shown }: ImportTarget,
  organization: string | undefined,
  context: RunContext,
): Promise<Configuration & { readonly texts: FileTexts }> {
  const loaded = await loadConfig(join(folder, root));
  const [found] = loaded.roots;
  if (!found?.configuration) throw invalidFiles(loaded, context);
  const own = found.configuration.desired.organization;
  if (organization !== undefined && organization !== own)
    throw usageError(
      `${shown(root)} is for organization ${own}, not ${organization}`,
      `choose another folder with ${context.named('out')}, or remove ${context.named('organization')}`,
    );
  return { ...found.configuration, texts: await readTexts(found.folder, found.files) };
}

export async function readTexts(folder: string, files: readonly string[]): Promise<FileTexts> {
  const texts = files.map(async (file) => [file, await readRegularFile(join(folder, file))] as const);
  return new Map(await Promise.all(texts));
}

/**
 * Writes the files of an import, all or none. A file with the same content is not written again. New files come with the
 * schema that they name.
 */
export async function writeImported(
  written: readonly WrittenFile[],
  target: ImportTarget,
  {
    isUpdate,
    schema,
    cwd,
  }: {
    readonly isUpdate: boolean;
    readonly schema: SchemaReference['missing'];
    /** A link must not lead out of it. */
    readonly cwd: string;
  },
): Promise<Pick<ImportResult, 'files' | 'schema'>> {
  const texts = new Map<string, string>();
  const files: ImportedFile[] = [];
  for (const { name, text, workspaces, grants } of written) {
    const path = join(target.folder, name);
    const before = await readRegularFile(path).catch(() => undefined);
    const changed = isUpdate ? 'extended' : 'overwritten';
    const outcome = before === undefined ? 'created' : before === text ? 'unchanged' : changed;
    files.push({ file: target.shown(name), outcome, workspaces, grants });
    if (outcome !== 'unchanged') texts.set(path, text);
  }
  const [missing] = files.some(({ outcome }) => outcome === 'created') ? schema : [];
  if (missing) texts.set(...missing);
  await makeFolders(texts.keys(), cwd);
  await writeFiles(texts, sharedFile);
  return { files, ...(missing && { schema: target.shown(relativePath(target.folder, missing[0])) }) };
}
