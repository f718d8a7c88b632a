import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { loadConfig } from '../desired/load-config.ts';
import { schemaFile } from '../desired/schema/validate.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError, hasErrors, usageError } from '../model/diagnostic.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import { readPackageFile } from '../model/package-files.ts';
import type { ImportedFile, ImportResult } from '../model/results.ts';
import { commandLine, counted, pathWord } from '../model/text.ts';
import { isRecord, jsonIn } from '../model/value.ts';
import type { FileTexts } from '../write/checked-texts.ts';
import { projectFolder, type WrittenFile } from '../write/lay-out.ts';
import type { RunContext } from './context.ts';
import { makeFolders, sharedFile, writeFiles } from './files/write-file.ts';
import { chosenConfiguration, invalidFiles } from './load.ts';

/** What is imported, and where to. */
export interface ImportOptions extends ImportFilters {
  /** The root file with the organization and the service. @default the `attune.yaml` of the working folder */
  readonly file?: string | undefined;
  /** The output folder, or a `.yaml` file that takes everything. @default the folder of `file`, or the working folder */
  readonly out?: string | undefined;
  /** @default that of the root file */
  readonly organization?: string | undefined;
  /** Whether every value is written that equals a documented default, and not only those that matter. @default false */
  readonly full?: boolean | undefined;
  /** For existing files: add what is missing (`update`), or replace them (`overwrite`). @default 'refuse' */
  readonly existing?: 'refuse' | 'update' | 'overwrite' | undefined;
  /** Whether a new root file gets a `scope` with the imported part, so that drift shows what is undeclared in it. @default true */
  readonly scope?: boolean | undefined;
  /** Whether files refer to objects by name instead of by id. @default false */
  readonly portable?: boolean | undefined;
}

/** The part of an organization that is imported; an omitted filter selects all. */
export interface ImportFilters {
  /** Aliases of the files, names or ids (`prj-...`): any of the projects. */
  readonly projects?: readonly string[] | undefined;
  /** All of the tags. */
  readonly tags?: readonly string[] | undefined;
  /** Names of workspaces: any of the names. `*` matches any characters. */
  readonly names?: readonly string[] | undefined;
}

/** Where an import writes to, which files it extends, if any, and which configuration it reads the service of. */
export async function openImport(options: ImportOptions, context: RunContext) {
  const { file, out, organization, existing: mode } = options;
  const target = await findTarget(out, file, context.io.cwd);
  // If the root file does not exist yet, everything is missing.
  const isUpdate = mode === 'update' && target.rootExists;
  if (mode !== 'overwrite' && !isUpdate) refuseStanding(target);
  const existing = isUpdate ? await loadExisting(target, organization, context) : undefined;
  return { target, existing, source: existing ?? (await findSource(organization, file, context)) };
}

type ImportTarget = Awaited<ReturnType<typeof findTarget>>;

async function findTarget(out: string | undefined, given: string | undefined, cwd: string) {
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
    /** A link must not lead out of it. */
    cwd,
    isSingle: out !== undefined && isFile,
    shown,
    planCommand: commandLine(['attune', 'plan', rootWord].filter((word) => word !== '')),
    rootExists: (await stat(join(folder, root)).catch(() => undefined)) !== undefined,
    standing: entries
      .filter((name) => name.endsWith('.yaml') && !name.startsWith('.'))
      .map((name) => `${projectFolder}/${name}`)
      .sort(),
  };
}

function refuseStanding({ root, rootExists, isSingle, standing, shown }: ImportTarget): void {
  const inTheWay = [rootExists ? root : [], isSingle ? [] : standing].flat().map(shown);
  if (inTheWay.length === 0) return;
  const [first, ...others] = inTheWay;
  const more = others.length > 0 ? ` and ${counted(others.length, 'more file')}` : '';
  throw new AttuneError(
    `${first}${more} ${others.length === 0 ? 'exists' : 'exist'} already; no files were written`,
    {
      code: 'file-exists',
      hint: rootExists
        ? 'add --update to keep the files and add what is missing, --force to overwrite them, or --out to choose another folder'
        : 'move the files, choose another folder, or add --force to overwrite those that the import writes',
    },
  );
}

/**
 * Finds the organization to import and its service: `--organization`, else the root file on the command line or that of the
 * working folder. A file with errors is ignored if it is optional.
 */
async function findSource(organization: string | undefined, root: string | undefined, context: RunContext) {
  const { io } = context;
  const file = root ?? join(io.cwd, 'attune.yaml');
  const exists = root !== undefined || (await stat(file).catch(() => undefined));
  const loaded = exists ? await loadConfig(file, { cwd: io.cwd }) : undefined;
  if (loaded && organization === undefined && hasErrors(loaded.diagnostics))
    throw invalidFiles(loaded, context);
  return chosenConfiguration(organization, loaded?.configurations ?? [], context, 'import');
}

async function loadExisting(
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
      'choose another folder with --out, or remove --organization',
    );
  return { ...found.configuration, texts: await readTexts(found.folder, found.files) };
}

export async function readTexts(folder: string, files: readonly string[]): Promise<FileTexts> {
  const texts = files.map(async (file) => [file, await readRegularFile(join(folder, file))] as const);
  return new Map(await Promise.all(texts));
}

/**
 * Writes the files of an import. A file with the same content is not written again. New files come with the
 * schema that they name.
 */
export async function writeImported(
  written: readonly WrittenFile[],
  target: ImportTarget,
  { isUpdate, schema }: { readonly isUpdate: boolean; readonly schema: ReadonlyMap<string, string> },
): Promise<Pick<ImportResult, 'files' | 'schema'>> {
  const texts = new Map<string, string>();
  const files: ImportedFile[] = [];
  for (const { name, text, workspaces, grants, projects } of written) {
    const path = join(target.folder, name);
    const before = await readRegularFile(path).catch(() => undefined);
    const changed = isUpdate ? 'extended' : 'overwritten';
    const outcome = before === undefined ? 'created' : before === text ? 'unchanged' : changed;
    const counts = projects > 0 ? { workspaces, grants, projects } : { workspaces, grants };
    files.push({ file: target.shown(name), outcome, ...counts });
    if (outcome !== 'unchanged') texts.set(path, text);
  }
  const [missing] = files.some(({ outcome }) => outcome === 'created') ? schema : [];
  if (missing) texts.set(...missing);
  await makeFolders(texts.keys(), target.cwd);
  await writeFiles(texts, sharedFile);
  return { files, schema: missing && target.shown(relativePath(target.folder, missing[0])) };
}

const schemaBeside = 'attune.schema.json';

/**
 * The schema for new files in a folder: that of the package that the repository has, else a file of the repository. A missing
 * file has to be written, because editors load no schema that does not exist.
 */
export async function schemaReference(
  folder: string,
): Promise<{ readonly path: string; readonly missing: ReadonlyMap<string, string> }> {
  const pathTo = (file: string) => relativePath(folder, file).replace(/^(?!\.)/, './');
  for (const above of foldersAbove(resolve(folder))) {
    if (await hasPackage(above))
      return { path: pathTo(join(above, 'node_modules', 'attune', schemaFile)), missing: new Map() };
    const beside = join(above, schemaBeside);
    if (existsSync(beside)) return { path: pathTo(beside), missing: new Map() };
  }
  const missing = new Map([[join(folder, schemaBeside), readPackageFile(schemaFile)]]);
  return { path: `./${schemaBeside}`, missing };
}

async function hasPackage(folder: string): Promise<boolean> {
  if (existsSync(join(folder, 'node_modules', 'attune', 'package.json'))) return true;
  const manifest = jsonIn(await readRegularFile(join(folder, 'package.json')).catch(() => ''));
  if (!isRecord(manifest)) return false;
  const { dependencies, devDependencies } = manifest;
  return [dependencies, devDependencies].some((list) => isRecord(list) && 'attune' in list);
}

/** The folder and those above it, up to the repository: a package beside it belongs to something else. */
function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return existsSync(join(folder, '.git')) || above === folder ? [folder] : [folder, ...foldersAbove(above)];
}
