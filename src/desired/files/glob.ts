import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside, realPathOf } from '../../model/files.ts';
import { matchesParts } from '../../model/selector.ts';

type Segment = '**' | NameSegment;
interface NameSegment {
  readonly parts: readonly Part[];
  /** Whether it begins with the dot of a hidden file, which no wildcard matches, as in a shell. */
  readonly isHidden: boolean;
}
type Part = '*' | ((character: string) => boolean);

type Glob = readonly (readonly Segment[])[];

export interface GlobBudget {
  work: number;
}

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

const longestPattern = 1024;
const mostAlternatives = 256;
const costOfEntry = 1000;

export function createGlobBudget(): GlobBudget {
  return { work: 1_000_000 * costOfEntry };
}

export function isGlob(pattern: string): boolean {
  return /[*?[{]/.test(pattern);
}

export function globProblem(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `it is longer than ${longestPattern} characters`;
  if (/[@+?*!]\(/.test(pattern)) return 'patterns with parentheses, such as @(a|b), are not supported';
  if (expandBraces(pattern) === undefined)
    return `its braces expand to more than ${mostAlternatives} patterns`;
  return undefined;
}

export function parseGlob(pattern: string): Glob {
  return (expandBraces(pattern) ?? []).map((one) =>
    one
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .map(parseSegment),
  );
}

function expandBraces(pattern: string): string[] | undefined {
  const expanded: string[] = [];
  const open = [pattern];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const group = firstGroup(next);
    if (!group) expanded.push(next);
    else open.push(...group.reverse());
    if (expanded.length + open.length > mostAlternatives) return undefined;
  }
  return expanded;
}

/** A text with its first braces replaced by each of their alternatives; braces without a comma are plain text. */
function firstGroup(text: string): string[] | undefined {
  for (let start = text.indexOf('{'); start >= 0; start = text.indexOf('{', start + 1)) {
    const cuts = [start];
    let depth = 0;
    for (let at = start; at < text.length; at++) {
      if (text[at] === '{') depth++;
      else if (text[at] === ',' && depth === 1) cuts.push(at);
      else if (text[at] === '}' && --depth === 0) {
        if (cuts.length === 1) break;
        const [before, after] = [text.slice(0, start), text.slice(at + 1)];
        return cuts.map((cut, index) => `${before}${text.slice(cut + 1, cuts[index + 1] ?? at)}${after}`);
      }
    }
  }
  return undefined;
}

/** Reads `*`, `?`, `[a-z]`, `[!a]` and `\*`; all other characters are literal. */
export function parseSegment(segment: string): Segment {
  if (segment === '**') return '**';
  const parts: Part[] = [];
  const characters = [...segment];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    const end = character === '[' ? characters.indexOf(']', at + 2) : -1;
    if (character === '*') parts.push('*');
    else if (character === '?') parts.push(() => true);
    else if (end > 0) {
      parts.push(parseClass(characters.slice(at + 1, end)));
      at = end;
    } else {
      const literal = character === '\\' && at + 1 < characters.length ? characters[++at] : character;
      parts.push((other) => other === literal);
    }
  }
  return { parts, isHidden: /^\\?\./.test(segment) };
}

function parseClass(characters: readonly string[]): Part {
  const negated = characters[0] === '!' || characters[0] === '^';
  const ranges: [string, string][] = [];
  for (let at = negated ? 1 : 0; at < characters.length; at++) {
    const first = characters[at] ?? '';
    const isRange = characters[at + 1] === '-' && at + 2 < characters.length;
    ranges.push([first, isRange ? (characters[at + 2] ?? first) : first]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== negated;
}

export function matchesSegment({ parts, isHidden }: NameSegment, name: string): boolean {
  if (name.startsWith('.') && !isHidden) return false;
  return matchesParts(parts, [...name], (matches: Exclude<Part, '*'>, character) => matches(character));
}

interface Progress {
  readonly segments: readonly Segment[];
  readonly next: number;
}

/**
 * The files below a folder that a glob matches. The walk enters a folder only if the pattern can still match in it, so its time
 * grows with the number of entries and never exponentially with the pattern.
 *
 * @returns `undefined` where the budget is used up
 */
export async function matchGlob(
  glob: Glob,
  folder: string,
  budget: GlobBudget,
  readFolder: ReadFolder = readEntries,
): Promise<GlobMatches | undefined> {
  const top = await realpath(folder);
  const walk: Walk = { folder, top, files: [], outside: [], unreadable: [], open: [] };
  const states = closure(glob.map((segments) => ({ segments, next: 0 })));
  walk.open.push({ path: '', real: top, states });
  for (let dir = walk.open.pop(); dir !== undefined; dir = walk.open.pop()) {
    const entries = await readFolder(join(folder, dir.path)).catch(codeOf);
    if (typeof entries === 'string') {
      walk.unreadable.push({ path: dir.path || '.', why: entries });
      continue;
    }
    for (const entry of entries) {
      budget.work -= costOfEntry;
      const reached = step(dir.states, entry.name, budget);
      if (budget.work < 0) return undefined;
      if (reached.length > 0) await visit(entry, reached, dir, walk);
    }
  }
  const { files, outside, unreadable } = walk;
  return { files, outside, unreadable };
}

interface Folder {
  readonly path: string;
  readonly real: string;
  readonly states: readonly Progress[];
}

interface Walk {
  readonly folder: string;
  readonly top: string;
  readonly files: string[];
  readonly outside: string[];
  readonly unreadable: Unreadable[];
  readonly open: Folder[];
}

async function visit(
  entry: Dirent,
  states: readonly Progress[],
  dir: Folder,
  { folder, top, files, outside, unreadable, open }: Walk,
): Promise<void> {
  const path = dir.path === '' ? entry.name : `${dir.path}/${entry.name}`;
  const found = entry.isSymbolicLink()
    ? await targetOf(join(folder, path))
    : { entry, real: join(dir.real, entry.name) };
  const isFileMatched = states.some(({ segments, next }) => next === segments.length);
  if (typeof found === 'string') {
    // Where a link would lead if its target existed.
    const real = await realPathOf(join(folder, path)).catch(() => top);
    if (isInside(top, real)) unreadable.push({ path, why: found });
    else if (isFileMatched || states.some(isNamed)) outside.push(path);
  } else if (found.entry.isDirectory()) {
    if (!isInside(top, found.real)) {
      if (states.some(isNamed)) outside.push(path);
    }
    // A link to a folder above would never end.
    else if (!isInside(found.real, dir.real)) open.push({ path, real: found.real, states });
  } else if (isFileMatched) {
    if (found.entry.isFile()) files.push(path);
    else unreadable.push({ path, why: 'it is not a regular file' });
  }
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

function isNamed({ segments, next }: Progress): boolean {
  return next > 0 && segments[next - 1] !== '**' && segments[next] !== '**';
}

function step(states: readonly Progress[], name: string, budget: GlobBudget): Progress[] {
  return closure(
    states.flatMap(({ segments, next }) => {
      const segment = segments[next];
      if (segment === undefined) return [];
      if (segment === '**') return name.startsWith('.') ? [] : [{ segments, next }];
      budget.work -= segment.parts.length * name.length;
      return matchesSegment(segment, name) ? [{ segments, next: next + 1 }] : [];
    }),
  );
}

/** `**` matches no folder, too. */
function closure(states: readonly Progress[]): Progress[] {
  const all = new Map<readonly Segment[], Set<number>>();
  for (const { segments, next } of states) {
    const reached = all.get(segments) ?? new Set<number>();
    all.set(segments, reached);
    for (let at = next; !reached.has(at); at++) {
      reached.add(at);
      if (segments[at] !== '**') break;
    }
  }
  return [...all].flatMap(([segments, reached]) => [...reached].map((next) => ({ segments, next })));
}
