import { type Dirent, lstatSync } from 'node:fs';
import { lstat, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { type Diagnostic, problem, warning } from '../../model/diagnostic.ts';
import { isInside, realPathOf, relativePath, slashed } from '../../model/files.ts';
import { matchesAddress } from '../../model/selector.ts';
import { quote } from '../../model/text.ts';
import { attempt } from '../../model/value.ts';
import type { Problems } from '../problems.ts';
import type { Origins } from './source.ts';

interface IncludeContext {
  readonly root: string;
  readonly folder: string;
  readonly origins: Origins;
  readonly problems: Problems;
  readonly readFolder?: ReadFolder;
}

/**
 * The files that a root file includes: each once, sorted, with `/`. A pattern stays inside the root file's folder; one that
 * begins with `../` stays inside the repository that an `attune.repository.yaml` declares.
 */
export async function includedFiles(
  patterns: readonly string[],
  context: IncludeContext,
): Promise<readonly string[]> {
  // By real path: two ways to one file, through symbolic links, are still one file.
  const files = new Map<string, string>();
  const root = await realpath(context.root);
  const { folder } = context;
  for (const [index, pattern] of patterns.entries()) {
    const report = (problem: Diagnostic) =>
      context.problems.add({ ...problem, location: context.origins.atValue(patterns, index) });
    const up = /^(?:\.\.\/+)*/.exec(pattern)?.[0] ?? '';
    const rest = pattern.slice(up.length);
    const limit = up === '' ? folder : repositoryAbove(folder);
    const from = join(folder, up);
    const leadsOutside = isAbsolute(rest) || /^[A-Za-z]:/.test(rest) || rest.split(/[/\\]/).includes('..');
    if (limit === undefined || leadsOutside || !isInside(limit, from)) {
      report(outside(quote(pattern), up !== ''));
      continue;
    }
    const inside = await realpath(limit);
    const wrong = isOfGit(rest) ? ofGit(pattern) : patternProblem(rest);
    if (wrong) {
      report(wrong);
      continue;
    }
    const matches = await matchingFiles(rest, { ...context, folder: from });
    const steps = up.replaceAll(/\/+/g, '/');
    for (const link of matches.outside) report(outside(quote(steps + link), up !== ''));
    for (const { path, why } of matches.unreadable) report(unreadable({ path: steps + path, why }));
    if (matches.files.length + matches.outside.length + matches.unreadable.length === 0)
      report(nothingFound(pattern));
    for (const matched of matches.files) {
      const file = steps + matched;
      const real = await realpath(join(folder, file)).catch(() => undefined);
      if (real === undefined) report(unreadable({ path: file, why: leadsToNothing }));
      else if (isOfGit(relativePath(inside, real))) report(ofGit(file));
      else if (!isInside(inside, real)) report(outside(quote(file), up !== ''));
      else if (real !== root) files.set(real, shorter(file, files.get(real)));
    }
  }
  return [...files.values()].sort();
}

/** The file whose folder is the root of a repository: root files below it may include each file below it. */
export const repositoryFile = 'attune.repository.yaml';

/**
 * The nearest folder at or above another one with an `attune.repository.yaml`, never above a Git repository. Only a regular
 * file counts: a link could declare a folder that its author cannot write.
 */
export function repositoryAbove(folder: string): string | undefined {
  if (entryOf(join(folder, repositoryFile))?.isFile()) return folder;
  const above = dirname(folder);
  const isTop = above === folder || entryOf(join(folder, '.git')) !== undefined;
  return isTop ? undefined : repositoryAbove(above);
}

function entryOf(path: string) {
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}

function shorter(file: string, other = file): string {
  return other.length < file.length || (other.length === file.length && other < file) ? other : file;
}

async function matchingFiles(
  pattern: string,
  { folder, readFolder }: Pick<IncludeContext, 'folder' | 'readFolder'>,
): Promise<GlobMatches> {
  if (isGlob(pattern)) return matchGlob(globOf(pattern), folder, readFolder);
  const path = join(folder, pattern);
  const found = await targetOf(path);
  // Written `./a.yaml` or `a//b.yaml` it is still the same file.
  const file = slashed(relative(folder, path));
  if (typeof found !== 'string')
    return { files: found.entry.isFile() ? [file] : [], outside: [], unreadable: [] };
  const isMissing = found === leadsToNothing && !(await lstat(path).catch(() => undefined));
  return { files: [], outside: [], unreadable: isMissing ? [] : [{ path: file, why: found }] };
}

/** Its files can contain credentials, and a message quotes the lines of a file. */
function isOfGit(path: string): boolean {
  return path.split(/[/\\]/).some((name) => name.toLowerCase() === '.git');
}

function ofGit(path: string): Diagnostic {
  return problem('path-outside', `${quote(path)} is in a folder of Git`);
}

function patternProblem(pattern: string): Diagnostic | undefined {
  if (!/[\0[{]/.test(pattern)) return undefined;
  const message = `cannot include ${quote(pattern)}: it has a NUL character, a bracket or a brace`;
  const hint = 'write a path, or a pattern with *, ** and ?, such as workspaces/*.yaml';
  return problem('bad-value', message, { hint });
}

function outside(what: string, isShared: boolean): Diagnostic {
  const above = isShared ? `, and of a repository with an ${repositoryFile}` : '';
  const hint = isShared
    ? `move the file into the folder, or create an empty ${repositoryFile} in the folder above both`
    : 'move the file into the folder, or make it a separate root file';
  return problem('path-outside', `${what} is outside the folder of the root file${above}`, { hint });
}

function unreadable({ path, why }: Unreadable): Diagnostic {
  return problem('file-unreadable', `cannot include ${quote(path)}: ${why}`, {
    hint: 'correct or remove it, or limit include to regular files that can be read',
  });
}

function nothingFound(pattern: string): Diagnostic {
  const hint = 'write the path or pattern relative to the root file, with / on every system';
  return isGlob(pattern)
    ? warning('include-empty', `no file matches ${quote(pattern)}`, { hint })
    : problem('file-not-found', `${quote(pattern)} is not a file`, { hint });
}

/*
 * A pattern is matched folder by folder: `**` is any number of folders, every other segment is one name. The state is a
 * set of positions in the pattern, so time grows with its length and never exponentially.
 */

type Glob = readonly string[];

/** How many segments can be matched already: several, because a `**` can end at each folder. */
type Positions = ReadonlySet<number>;

interface GlobMatches {
  readonly files: readonly string[];
  /** Symbolic links that the pattern names and that lead to a folder outside. */
  readonly outside: readonly string[];
  /** Reached by the pattern and not read: what is in it must not look undeclared. */
  readonly unreadable: readonly Unreadable[];
}

interface Unreadable {
  readonly path: string;
  readonly why: string;
}

type ReadFolder = (path: string) => Promise<readonly Dirent[]>;

export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

export function globOf(pattern: string): Glob {
  return pattern.split('/').filter((segment) => segment !== '' && segment !== '.');
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
    // No wildcard matches the dot that a hidden file begins with, as in a shell.
    if (name.startsWith('.') && !segment.startsWith('.')) return [];
    if (segment === '**') return at;
    return matchesAddress(segment, name) ? at + 1 : [];
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
  readFolder: ReadFolder = (path) => readdir(path, { withFileTypes: true }),
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

async function targetOf(path: string) {
  try {
    return { entry: await stat(path), real: await realpath(path) };
  } catch (error) {
    return /^(ENOENT|ENOTDIR)$/.test(codeOf(error)) ? leadsToNothing : codeOf(error);
  }
}

const leadsToNothing = 'it is a link that leads to nothing';

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
