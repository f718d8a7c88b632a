import { aliasKinds } from '../../model/alias-kind.ts';
import { type Diagnostic, problem } from '../../model/diagnostic.ts';
import { NotAFileError, readBoundedFile } from '../../model/files.ts';
import { attempt, isRecord } from '../../model/value.ts';
import { createLoading, type Loading, type Problems } from '../problems.ts';
import type { RawFile } from '../schema/language.ts';
import { type FileRole, validateFile } from '../schema/validate.ts';
import { readYaml, startHint } from './read-yaml.ts';
import { createSource, locationAt, type Source } from './source.ts';
import { isSynthesized, placeInProgram, readSynthesized } from './synthesized.ts';

export async function readConfigFile(
  path: string,
  role: FileRole,
  { file, folder, loading }: Readonly<Record<'file' | 'folder', string>> & { readonly loading: Loading },
): Promise<RawFile | undefined> {
  const source = await readSource(path, file, loading.problems, role);
  loading.sources.push(source ?? createSource(file, ''));
  const data = source && (await readYaml(source, loading));
  const format = isRecord(data) && /^attune\.\w+\/\d+$/.exec(String(data.format))?.[0];
  if (!isRecord(data) || format) {
    loading.incomplete = true;
    const at = { file, line: 1, column: 1 };
    const message = format ? `the file is an Attune document (${format})` : 'the file must contain a mapping';
    const hint = format ? 'name a root file; a saved plan belongs to `apply --plan` or `show`' : startHint;
    if (source && data !== undefined) loading.problems.add(problem('wrong-type', message, { at, hint }));
    return undefined;
  }
  const synthesized = source && isSynthesized(data) ? { source, path, folder, loading } : undefined;
  if (synthesized) placeInProgram(data, synthesized);
  // A program's file may be included, and holds the same then as it does alone.
  await validateFile(data, synthesized ? 'root' : role, loading);
  const raw = data as RawFile;
  if (synthesized) readSynthesized(raw, synthesized);
  if ([...aliasKinds, 'templates' as const].some((key) => Object.hasOwn(raw, key) && raw[key] === undefined))
    loading.incomplete = true;
  return raw;
}

const megabyte = 1024 * 1024;
const largest = 16 * megabyte;

async function readSource(path: string, file: string, problems: Problems, role: FileRole = 'root') {
  const report = (text: Diagnostic) => {
    problems.add({ ...text, location: { file, line: 1, column: 1 } });
    return undefined;
  };
  try {
    const { size, bytes } = readBoundedFile(path, largest);
    if (bytes) return decode(bytes, file, problems);
    const message = `the file is larger than 16 MiB (${Math.ceil(size / megabyte)} MiB)`;
    return report(problem('file-too-large', message, { hint: 'split it and name the parts under include' }));
  } catch (error) {
    return report(unreadable(error, file, role));
  }
}

function unreadable(error: unknown, file: string, role: FileRole): Diagnostic {
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
  const why = error instanceof NotAFileError ? error.message : code;
  if (!isMissing) return problem('file-unreadable', `cannot read ${file}: ${why}`);
  return problem('file-not-found', `${file} does not exist`, {
    hint:
      role === 'policy-file'
        ? 'name a file with policies'
        : 'name a root file or a folder with an attune.yaml, or run `attune init`',
  });
}

function decode(bytes: Uint8Array, file: string, problems: Problems): Source | undefined {
  const text = attempt(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  if (text !== undefined) return createSource(file, text);
  // The text before the first bad byte is the same with and without replacement characters.
  const source = createSource(file, new TextDecoder().decode(bytes));
  const at = locationAt(source, Math.max(0, source.text.indexOf('\uFFFD')));
  problems.add(problem('file-unreadable', 'the file is not UTF-8 text', { at }));
  return undefined;
}

interface RootHead {
  readonly isRoot: boolean;
  readonly organization?: string | undefined;
  /** Of the service, as the lines of the file show it. */
  readonly address?: string | undefined;
}

/** For data whose problems are reported already. */
const noProblems: Problems = { add() {}, diagnostics: () => [] };

/**
 * Reads which organization a root file declares, from its lines: a file of 2,000 workspaces is read 200 times faster, and a syntax
 * error hides nothing that another line shows. A value that the file has twice, and differently, is unknown. Only a file in
 * another style, such as JSON, is read as YAML.
 */
export async function readHead(path: string): Promise<RootHead> {
  const source = await readSource(path, path, noProblems);
  // Most files below a folder are included files, and no key of theirs needs to be parsed.
  if (!source || !/(?:attune|organization)["']?\s*:/.test(source.text)) return { isRoot: false };
  const { text } = source;
  const [service = ''] = /^service:.*(?:\n(?![A-Za-z]).*)*/m.exec(text) ?? [];
  const head = {
    organization: only(text.matchAll(/^organization:\s*["']?(?!(?:null|true|false)\b)([A-Za-z][\w-]*)/gm)),
    address: only(service.matchAll(/^[^#\n]*?[\s{,]address:\s+["']?([^\s"',{}]+)/gm)),
  };
  const isRoot = /^attune:\s/m.test(text);
  if (isRoot && head.organization !== undefined) return { isRoot, ...head };
  const data = await readYaml(source, createLoading(noProblems));
  if (!isRecord(data)) return { isRoot, ...head };
  const { organization } = data;
  const named = typeof organization === 'string' ? { ...head, organization } : head;
  return { isRoot: Object.hasOwn(data, 'attune'), ...named };
}

function only(matches: Iterable<RegExpExecArray>): string | undefined {
  const [first, ...others] = new Set([...matches].map(([, value]) => value));
  return others.length === 0 ? first : undefined;
}
