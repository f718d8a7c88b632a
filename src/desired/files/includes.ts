import { lstatSync } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { type Diagnostic, problem, warning } from '../../model/diagnostic.ts';
import { isInside, relativePath, slashed } from '../../model/files.ts';
import { quote } from '../../model/text.ts';
import type { Problems } from '../problems.ts';
import {
  type GlobMatches,
  globOf,
  isGlob,
  leadsToNothing,
  matchGlob,
  type ReadFolder,
  targetOf,
  type Unreadable,
} from './glob.ts';
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
    if (limit === undefined || leadsOutside(rest) || !isInside(limit, from)) {
      report(outside(quote(pattern), up !== ''));
      continue;
    }
    const inside = await realpath(limit);
    const wrong = isOfGit(rest) ? ofGit(pattern) : patternProblem(rest);
    if (wrong) {
      report(wrong);
      continue;
    }
    const matches = under(up, await matchingFiles(rest, { ...context, folder: from }));
    for (const link of matches.outside) report(outside(quote(link), up !== ''));
    for (const entry of matches.unreadable) report(unreadable(entry));
    if (matches.files.length + matches.outside.length + matches.unreadable.length === 0)
      report(nothingFound(pattern));
    for (const file of matches.files) {
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
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function under(up: string, { files, outside, unreadable }: GlobMatches): GlobMatches {
  const steps = up.replaceAll(/\/+/g, '/');
  return {
    files: files.map((file) => steps + file),
    outside: outside.map((path) => steps + path),
    unreadable: unreadable.map((entry) => ({ ...entry, path: steps + entry.path })),
  };
}

function shorter(file: string, other = file): string {
  return other.length < file.length || (other.length === file.length && other < file) ? other : file;
}

function leadsOutside(pattern: string): boolean {
  return isAbsolute(pattern) || /^[A-Za-z]:/.test(pattern) || pattern.split(/[/\\]/).includes('..');
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
  return problem(
    'bad-value',
    `cannot include ${quote(pattern)}: it has a NUL character, a bracket or a brace`,
    {
      hint: 'write a path, or a pattern with *, ** and ?, such as workspaces/*.yaml',
    },
  );
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
