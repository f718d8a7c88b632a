import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file whose folder is the root of a repository: root files below it may include each file below it. */
export const repositoryFile = 'attune.repository.yaml';

/**
 * The nearest folder at or above another one with an `attune.repository.yaml`, never above a Git repository. Only a regular
 * file counts: a link could declare a folder that its author cannot write.
 */
export function repositoryAbove(folder: string): string | undefined {
  if (entry(join(folder, repositoryFile))?.isFile()) return folder;
  const above = dirname(folder);
  const isTop = above === folder || entry(join(folder, '.git')) !== undefined;
  return isTop ? undefined : repositoryAbove(above);
}

function entry(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
