import { createProblems } from '../problems.ts';
import { readSource } from './read-file.ts';

/** What the text of a root file shows, although the file has errors. */
export interface BrokenRoot {
  readonly organization?: string;
  readonly address?: string;
  /** As written, relative to the folder of the file. */
  readonly data?: string;
}

/**
 * Reads a root file line by line: a syntax error, such as the markers of a merge conflict, hides nothing that another line
 * shows. A value that the file has twice, and differently, is unknown.
 *
 * @returns undefined if the file cannot be read
 */
export async function readBrokenRoot(path: string): Promise<BrokenRoot | undefined> {
  const source = await readSource(path, path, createProblems());
  if (!source) return undefined;
  const lines = source.text.split(/\r?\n/).map((line) => line.replace(/(^|\s)#.*/, ''));
  const service = sectionOf('service', lines);
  const found = {
    organization: only(lines.flatMap((line) => /^organization:\s*["']?([\w-]+)/.exec(line)?.[1] ?? [])),
    address: only(valuesOf('address', service)),
    data: only(valuesOf('data', service)),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** A key of the top-level mapping, and the lines up to the next one. */
function sectionOf(key: string, lines: readonly string[]): readonly string[] {
  let isInside = false;
  return lines.filter((line) => {
    if (/^[A-Za-z]/.test(line)) isInside = line.startsWith(`${key}:`);
    return isInside;
  });
}

function valuesOf(key: string, lines: readonly string[]): readonly string[] {
  const value = new RegExp(String.raw`(?:^|[\s{,])${key}:\s+["']?([^\s"',{}]+)`);
  return lines.flatMap((line) => value.exec(line)?.[1] ?? []);
}

function only(values: readonly string[]): string | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}
