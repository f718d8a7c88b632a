import { join } from 'node:path';
import type { ComposedFile } from '../../import/compose.ts';
import type { ImportedFile } from '../../import/import-document.ts';
import { readRegularFile } from '../../model/files.ts';
import { makeFolders, sharedFile, writeFiles } from '../files/write-file.ts';
import type { ImportTarget } from './import-target.ts';

export interface WriteOptions {
  readonly target: ImportTarget;
  /** What is there is added to, and not overwritten. */
  readonly isUpdate: boolean;
  /** The working folder, which no link leads out of. */
  readonly cwd: string;
}

/**
 * Writes the files of an import: all of them or none. One that holds the same bytes already is left alone.
 *
 * @throws {AttuneError} where one cannot be written.
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
