import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { schemaFile } from '../desired/schema/schema.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import { isRecord } from '../model/value.ts';

/**
 * The schema for the first line of a new file in a folder: the path of the package that the repository has, else that of
 * the copy that `attune init` puts beside the file.
 *
 * @returns without the part of the schema, which begins with `#`
 */
export async function schemaReference(folder: string): Promise<string> {
  for (const above of foldersAbove(resolve(folder))) {
    if (!(await hasPackage(above))) continue;
    const path = relativePath(folder, join(above, 'node_modules', 'attune', schemaFile));
    return path.startsWith('.') ? path : `./${path}`;
  }
  return `./${schemaCopy}`;
}

/** The name of the copy of the schema. */
export const schemaCopy = 'attune.schema.json';

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
