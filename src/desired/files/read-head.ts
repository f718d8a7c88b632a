import { createProblems } from '../problems.ts';
import { readSource } from './read-file.ts';
import type { Source } from './source.ts';

/** What the start of a file shows of it, without its declarations. */
export interface RootHead {
  /** Whether the file has the key `attune`, which only root files have. */
  readonly isRoot: boolean;
  /** Absent if the file cannot be read, has no `organization`, or has one that is not text. */
  readonly organization?: string;
}

/** Reads which organization a root file declares. It does not validate the file: an invalid file has an incomplete head. */
export async function readHead(path: string): Promise<RootHead> {
  const source = await readSource(path, path, createProblems());
  // Most files below a folder are included files, and no key of theirs needs to be parsed.
  if (!source || !/attune["']?\s*:/.test(source.text)) return { isRoot: false };
  return plainHead(source.text) ?? parsedHead(source);
}

const organizationLine = /^organization:[ \t]+([A-Za-z][A-Za-z0-9_-]*)[ \t]*(?:#.*)?\r?$/m;

/**
 * The head of a file in block style, where each key of the top-level mapping starts in the first column, and each
 * continuation line of a value is indented. A file of 2,000 workspaces is read 200 times faster this way. Undefined
 * where the file has another style.
 */
function plainHead(text: string): RootHead | undefined {
  const first = /^(?:[ \t]*(?:#.*)?\r?\n)*(.)?/.exec(text)?.[1] ?? '';
  if (!/[a-z]/.test(first) || /^(?:---|\.\.\.|\?)/m.test(text)) return undefined;
  const organization = organizationLine.exec(text)?.[1];
  if (organization === undefined || /^(?:null|true|false)$/i.test(organization)) return undefined;
  return /^attune:[ \t]/m.test(text) ? { isRoot: true, organization } : undefined;
}

async function parsedHead(source: Source): Promise<RootHead> {
  const [{ parseYaml }, { isMap }] = await Promise.all([import('./parse-yaml.ts'), import('yaml')]);
  const node = parseYaml(source, createProblems());
  if (!isMap(node)) return { isRoot: false };
  const organization: unknown = node.get('organization');
  return {
    isRoot: node.has('attune'),
    ...(typeof organization === 'string' && { organization }),
  };
}

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
  const service = linesOfService(lines);
  const found = {
    organization: only(lines.flatMap((line) => /^organization:\s*["']?([\w-]+)/.exec(line)?.[1] ?? [])),
    address: only(valuesOf('address', service)),
    data: only(valuesOf('data', service)),
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

/** The key `service` of the top-level mapping, and the lines up to the next one. */
function linesOfService(lines: readonly string[]): readonly string[] {
  let isInside = false;
  return lines.filter((line) => {
    if (/^[A-Za-z]/.test(line)) isInside = line.startsWith('service:');
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
