import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { schemaFile } from '../desired/schema/schema.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import { readPackageFile } from '../model/package-files.ts';
import { isRecord } from '../model/value.ts';

export interface SchemaReference {
  /** For files in the folder, without the part of the schema, which begins with `#`. */
  readonly path: string;
  /** The file with the schema, by its path, if it has to be written: editors load no schema that does not exist. */
  readonly missing: ReadonlyMap<string, string>;
}

const schemaBeside = 'attune.schema.json';

/** The schema for new files in a folder: that of the package that the repository has, else a file of the repository. */
export async function schemaReference(folder: string): Promise<SchemaReference> {
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

/** Whether a folder has the package in `node_modules`, or names it in its `package.json`. */
export async function hasPackage(folder: string): Promise<boolean> {
  if (existsSync(join(folder, 'node_modules', 'attune', 'package.json'))) return true;
  const text = await readRegularFile(join(folder, 'package.json')).catch(() => '{}');
  try {
    const { dependencies, devDependencies } = JSON.parse(text);
    return [dependencies, devDependencies].some((list) => isRecord(list) && 'attune' in list);
  } catch {
    return false;
  }
}

/** The folder and those above it, up to the repository: a package beside it belongs to something else. */
function foldersAbove(folder: string): readonly string[] {
  const above = dirname(folder);
  return existsSync(join(folder, '.git')) || above === folder ? [folder] : [folder, ...foldersAbove(above)];
}
