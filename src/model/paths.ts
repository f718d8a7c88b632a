import { isAbsolute, relative, sep } from 'node:path';

/** A path as it is written in a file and shown to people: with `/` on every system. */
export function slashed(path: string): string {
  return path.split(sep).join('/');
}

/** Whether a path is a folder or below it. Links are not followed: where they count, give real paths. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
