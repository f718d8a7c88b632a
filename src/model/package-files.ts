import { existsSync, readFileSync } from 'node:fs';

let root: URL | undefined;

/**
 * Reads a file of the package as text. This module is the only one that knows where these files are: in the package beside
 * `package.json`, however deep the calling code is, or inside a single-file executable, whose build replaces this module.
 *
 * @param path Relative to `package.json`, with `/`.
 */
export function readPackageFile(path: string): string {
  root ??= packageRoot(new URL('.', import.meta.url));
  return readFileSync(new URL(path, root), 'utf8');
}

function packageRoot(folder: URL): URL {
  if (existsSync(new URL('schemas/attune.schema.json', folder))) return folder;
  const parent = new URL('..', folder);
  if (parent.href === folder.href) throw new Error('the schemas of the attune package are missing');
  return packageRoot(parent);
}
