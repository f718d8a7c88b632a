import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, realPathOf } from '../../model/files.ts';
import { matchesParts } from '../../model/selector.ts';

/*
 * A pattern is matched folder by folder: `**` is any number of folders, every other segment is one name. The state is a
 * set of positions in the pattern, so time grows with its length and never exponentially.
 */

type Segment = '**' | NameSegment;
interface NameSegment {
  readonly parts: readonly Part[];
  /** Whether it begins with the dot of a hidden file, which no wildcard matches, as in a shell. */
  readonly isHidden: boolean;
}
type Part = '*' | ((character: string) => boolean);

export type Glob = readonly Segment[];

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
  return /[*?[{]/.test(pattern);
}

const longestPattern = 1024;
const mostAlternatives = 256;
const innermostBraces = /\{([^{}]*,[^{}]*)\}/;

/** A pattern for each combination of the alternatives in braces; undefined if the pattern is too long, or there are too many. */
export function globsOf(pattern: string): readonly Glob[] | undefined {
  if (pattern.length > longestPattern) return undefined;
  let all = [pattern];
  for (let before = 0; before < all.length && all.length <= mostAlternatives; ) {
    before = all.length;
    all = all.flatMap((text) => {
      const [group = '', list] = innermostBraces.exec(text) ?? [];
      return list === undefined ? text : list.split(',').map((one) => text.replace(group, () => one));
    });
  }
  return all.length > mostAlternatives ? undefined : all.map(parseGlob);
}

function parseGlob(pattern: string): Glob {
  const segments = pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.map((segment) =>
    segment === '**' ? segment : { parts: partsOf(segment), isHidden: segment.startsWith('.') },
  );
}

/** Reads `*`, `?`, `[a-z]` and `[!a]`; all other characters are literal. */
function partsOf(segment: string): readonly Part[] {
  const parts = segment.match(/\[[^\]]{1,100}\]|./gsu) ?? [];
  return parts.map((part): Part => {
    if (part === '*') return part;
    if (part === '?') return () => true;
    return part.length > 2 ? classOf([...part.slice(1, -1)]) : (character) => character === part;
  });
}

function classOf(characters: readonly string[]): Part {
  const negated = characters[0] === '!' || characters[0] === '^';
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < characters.length; at++) {
    const first = characters[at] ?? '';
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    if (isRange) at += 2;
    ranges.push([first, characters[at] ?? first]);
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

function matchesSegment({ parts, isHidden }: NameSegment, name: string): boolean {
  if (name.startsWith('.') && !isHidden) return false;
  return matchesParts(parts, [...name], (matches: Exclude<Part, '*'>, character) => matches(character));
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
