import { lstat, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative } from 'node:path';
import { isInside, slashed } from '../../model/files.ts';
import type { Problem, Problems } from '../problems.ts';
import { quote } from '../text.ts';
import {
  createGlobBudget,
  type GlobBudget,
  type GlobMatches,
  globProblem,
  isGlob,
  leadsToNothing,
  matchGlob,
  parseGlob,
  type ReadFolder,
  targetOf,
  type Unreadable,
} from './glob.ts';
import { locateValue, type Origins } from './source.ts';

export interface IncludeContext {
  /** The absolute path of the root file, and of its folder. */
  readonly root: string;
  readonly folder: string;
  readonly origins: Origins;
  readonly problems: Problems;
  /** How much the search may look at. @default about a million files and folders */
  readonly budget?: GlobBudget;
  /** @default the entries of the file system */
  readonly readFolder?: ReadFolder;
}

/** The files that a root file includes: each once, sorted, with `/`, never outside the root file's folder. */
export async function includedFiles(
  patterns: readonly string[],
  context: IncludeContext,
): Promise<readonly string[]> {
  // By real path: two ways to one file, through symbolic links, are still one file.
  const found = new Map<string, string>();
  const inside = await realpath(context.folder);
  const root = await realpath(context.root);
  const budget = context.budget ?? createGlobBudget();
  for (const [index, pattern] of patterns.entries()) {
    const report = (problem: Omit<Problem, 'location'>) =>
      context.problems.add({ ...problem, location: locateValue(context.origins, patterns, index) });
    if (leadsOutside(pattern)) {
      report(outside(quote(pattern)));
      continue;
    }
    const wrong = patternProblem(pattern);
    if (wrong) {
      report(wrong);
      continue;
    }
    const matches = await matchingFiles(pattern, { ...context, budget });
    if (matches === undefined) {
      report(tooWide(pattern));
      break;
    }
    for (const link of matches.outside) report(outside(quote(link)));
    for (const entry of matches.unreadable) report(unreadable(entry));
    if (matches.files.length + matches.outside.length + matches.unreadable.length === 0)
      report(nothingFound(pattern));
    for (const file of matches.files) {
      const real = await realpath(join(context.folder, file)).catch(() => undefined);
      if (real === undefined) report(unreadable({ path: file, why: leadsToNothing }));
      else if (!isInside(inside, real)) report(outside(quote(file)));
      else if (real !== root) found.set(real, shorter(file, found.get(real)));
    }
  }
  return [...found.values()].sort();
}

function shorter(file: string, other = file): string {
  return other.length < file.length || (other.length === file.length && other < file) ? other : file;
}

function leadsOutside(pattern: string): boolean {
  return isAbsolute(pattern) || /^[A-Za-z]:/.test(pattern) || pattern.split(/[/\\{},]/).includes('..');
}

async function matchingFiles(
  pattern: string,
  { folder, budget, readFolder }: Pick<IncludeContext, 'folder' | 'readFolder'> & { budget: GlobBudget },
): Promise<GlobMatches | undefined> {
  if (isGlob(pattern)) return matchGlob(parseGlob(pattern), folder, budget, readFolder);
  const path = join(folder, pattern);
  const found = await targetOf(path);
  // Written `./a.yaml` or `a//b.yaml` it is still the same file.
  const file = slashed(relative(folder, path));
  if (typeof found !== 'string')
    return { files: found.entry.isFile() ? [file] : [], outside: [], unreadable: [] };
  const isMissing = found === leadsToNothing && !(await lstat(path).catch(() => undefined));
  return { files: [], outside: [], unreadable: isMissing ? [] : [{ path: file, why: found }] };
}

function patternProblem(pattern: string): Omit<Problem, 'location'> | undefined {
  const why = pattern.includes('\0')
    ? 'no path has a NUL character'
    : isGlob(pattern)
      ? globProblem(pattern)
      : undefined;
  if (why === undefined) return undefined;
  return {
    code: 'bad-value',
    message: `cannot include ${quote(pattern)}: ${why}`,
    hint: 'use a path, or a pattern with *, **, ?, [a-z] and {a,b}, such as workspaces/*.yaml',
  };
}

function tooWide(pattern: string): Omit<Problem, 'location'> {
  return {
    code: 'include-too-wide',
    message: `cannot search ${quote(pattern)} completely: there are too many files and folders`,
    hint: 'limit the patterns to folders of configuration files, such as workspaces/*.yaml',
  };
}

function outside(what: string): Omit<Problem, 'location'> {
  return {
    code: 'include-outside',
    message: `${what} is outside the folder of the root file`,
    hint: 'move the file into the folder, or make it a separate root file',
  };
}

function unreadable({ path, why }: Unreadable): Omit<Problem, 'location'> {
  const isCode = /^E[A-Z]+$/.test(why);
  return {
    code: 'include-unreadable',
    message: `cannot include ${quote(path)}: ${isCode ? `it cannot be read (${why})` : why}`,
    hint: isCode
      ? 'check its permissions, or limit include to what can be read'
      : 'correct or remove it, or limit include to regular files',
  };
}

function nothingFound(pattern: string): Omit<Problem, 'location'> {
  const slash = pattern.includes('\\') ? 'write / instead of \\: it works on every system' : undefined;
  if (isGlob(pattern))
    return {
      severity: 'warning',
      code: 'include-empty',
      message: `no file matches ${quote(pattern)}`,
      hint:
        slash ??
        'write the pattern relative to the root file, or remove it if there is nothing to include yet',
    };
  return {
    code: 'include-missing',
    message: `${quote(pattern)} is not a file`,
    hint: slash ?? 'write the path relative to the root file; write folder/*.yaml for all files of a folder',
  };
}
