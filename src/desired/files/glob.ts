import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, realPathOf } from '../../model/files.ts';
import { matchesAddress } from '../../model/selector.ts';

/*
 * A pattern is matched folder by folder: `**` is any number of folders, every other segment is one name. The state is a
 * set of positions in the pattern, so time grows with its length and never exponentially.
 */

export type Glob = readonly string[];

/** How many segments can be matched already: several, because a `**` can end at each folder. */
type Positions = ReadonlySet<number>;

export interface GlobMatches {
  readonly files: readonly string[];
  /** Symbolic links that the pattern names and that lead to a folder outside. */
  readonly outside: readonly string[];
  /** Reached by the pattern and not read: what is in it must not look undeclared. */
  readonly unreadable: readonly Unreadable[];
}

export interface Unreadable {
  readonly path: string;
  readonly why: string;
}

export type ReadFolder = (path: string) => Promise<readonly Dirent[]>;

const readEntries: ReadFolder = (path) => readdir(path, { withFileTypes: true });

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

export function globOf(pattern: string): Glob {
  return pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
}

/** No wildcard matches the dot that a hidden file begins with, as in a shell. */
function matchesSegment(segment: string, name: string): boolean {
  return name.startsWith('.') && !segment.startsWith('.') ? false : matchesAddress(segment, name);
}

/** `**` matches no folder, too. */
function reachedFrom(glob: Glob, positions: Iterable<number>): Positions {
  const reached = new Set<number>();
  for (const position of positions)
    for (let at = position; !reached.has(at); at++) {
      reached.add(at);
      if (glob[at] !== '**') break;
    }
  return reached;
}

function step(glob: Glob, positions: Positions, name: string): Positions {
  const next = [...positions].flatMap((at) => {
    const segment = glob[at];
    if (segment === undefined) return [];
    if (segment === '**') return name.startsWith('.') ? [] : at;
    return matchesSegment(segment, name) ? at + 1 : [];
  });
  return reachedFrom(glob, next);
}

/** Whether a path matches, and whether what is below it can. */
export function matchPath(
  glob: Glob,
  path: string,
): { readonly isWhole: boolean; readonly isStart: boolean } {
  const parts = path.split('/');
  const reached = parts.reduce((positions, name) => step(glob, positions, name), reachedFrom(glob, [0]));
  return { isWhole: reached.has(glob.length), isStart: reached.size > 0 };
}

/** The files below a folder that a glob matches. The walk enters a folder only if the pattern can still match in it. */
export async function matchGlob(
  glob: Glob,
  folder: string,
  readFolder: ReadFolder = readEntries,
): Promise<GlobMatches> {
  const top = await realpath(folder);
  const files: string[] = [];
  const outside: string[] = [];
  const unreadable: Unreadable[] = [];
  const open = [{ path: '', real: top, positions: reachedFrom(glob, [0]) }];
  const isNamed = (at: number) => at > 0 && glob[at - 1] !== '**' && glob[at] !== '**';
  for (let dir = open.pop(); dir !== undefined; dir = open.pop()) {
    const entries = await readFolder(join(folder, dir.path)).catch(codeOf);
    if (typeof entries === 'string') {
      unreadable.push({ path: dir.path || '.', why: entries });
      continue;
    }
    for (const entry of entries) {
      const positions = step(glob, dir.positions, entry.name);
      if (positions.size === 0) continue;
      const path = dir.path === '' ? entry.name : `${dir.path}/${entry.name}`;
      const found = entry.isSymbolicLink()
        ? await targetOf(join(folder, path))
        : { entry, real: join(dir.real, entry.name) };
      const isFileMatched = positions.has(glob.length);
      if (typeof found === 'string') {
        // Where a link would lead if its target existed.
        const real = await realPathOf(join(folder, path)).catch(() => top);
        if (isInside(top, real)) unreadable.push({ path, why: found });
        else if (isFileMatched || [...positions].some(isNamed)) outside.push(path);
      } else if (found.entry.isDirectory()) {
        if (!isInside(top, found.real)) outside.push(...([...positions].some(isNamed) ? [path] : []));
        // A link to a folder above would never end.
        else if (!isInside(found.real, dir.real)) open.push({ path, real: found.real, positions });
      } else if (isFileMatched) {
        if (found.entry.isFile()) files.push(path);
        else unreadable.push({ path, why: 'it is not a regular file' });
      }
    }
  }
  return { files, outside, unreadable };
}

export async function targetOf(path: string) {
  try {
    return { entry: await stat(path), real: await realpath(path) };
  } catch (error) {
    return /^(ENOENT|ENOTDIR)$/.test(codeOf(error)) ? leadsToNothing : codeOf(error);
  }
}

export const leadsToNothing = 'it is a link that leads to nothing';

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
