import { aliasKinds } from '../../model/alias-kind.ts';
import { type Diagnostic, problem } from '../../model/diagnostic.ts';
import { NotAFileError, readBoundedFile } from '../../model/files.ts';
import { isRecord } from '../../model/value.ts';
import type { Loading, Problems } from '../problems.ts';
import type { RawFile } from '../schema/language.ts';
import { type FileRole, loadValidators } from '../schema/schema.ts';
import { validateFile } from '../schema/validate.ts';
import { readYaml } from './read-yaml.ts';
import { createSource, locationAt, type Source } from './source.ts';
import { isSynthesized, placeInProgram, readSynthesized } from './synthesized.ts';

export interface ReadFileOptions {
  /** As reported: relative to `folder`, the absolute path that all locations are relative to. */
  readonly file: string;
  readonly folder: string;
  readonly role: FileRole;
  readonly loading: Loading;
}

/** Reads, parses and validates one file. Values that the schema rejects are removed. */
export async function readConfigFile(
  path: string,
  { file, folder, role, loading }: ReadFileOptions,
): Promise<RawFile | undefined> {
  const source = await readSource(path, file, loading.problems, role);
  loading.sources.push(source ?? createSource(file, ''));
  const data = source && (await readYaml(source, emptyHints[role], loading));
  if (!isRecord(data)) {
    loading.incomplete = true;
    if (source && data !== undefined) reportNoMapping(source, loading);
    return undefined;
  }
  const synthesized = source && isSynthesized(data) ? { source, path, folder, loading } : undefined;
  if (synthesized) placeInProgram(data, synthesized);
  // A program's file may be included, and holds the same then as it does alone.
  validateFile(data, synthesized ? 'root' : role, { ...loading, validators: await loadValidators() });
  const raw = data as RawFile;
  if (synthesized) readSynthesized(raw, synthesized);
  if ([...aliasKinds, 'templates' as const].some((key) => Object.hasOwn(raw, key) && raw[key] === undefined))
    loading.incomplete = true;
  return raw;
}

const emptyHints: Readonly<Record<FileRole, string>> = {
  root: 'start the file with "attune: 1" and "organization: ...", or run `attune init` in a new folder',
  included: 'add a declaration, or remove the file from include',
  'policy-file': 'add a policy under "policies"',
};

function reportNoMapping(source: Source, loading: Loading): void {
  const at = { file: source.file, line: 1, column: 1 };
  const hint = 'start the file with "attune: 1" and "organization: ..."';
  loading.problems.add(problem('wrong-type', 'the file must contain a mapping', { at, hint }));
}

const megabyte = 1024 * 1024;
const largest = 16 * megabyte;

/** Reads a file as UTF-8 text. Undefined if that fails; the problems then contain the reason. */
export async function readSource(
  path: string,
  file: string,
  problems: Problems,
  role: FileRole = 'root',
): Promise<Source | undefined> {
  const report = (text: Diagnostic) => {
    problems.add({ ...text, location: { file, line: 1, column: 1 } });
    return undefined;
  };
  try {
    const { size, bytes } = readBoundedFile(path, largest);
    return bytes ? decode(bytes, file, problems) : report(tooLarge(size));
  } catch (error) {
    return report(unreadable(error, file, role));
  }
}

function tooLarge(size: number): Diagnostic {
  return problem('file-too-large', `the file is larger than 16 MiB (${Math.ceil(size / megabyte)} MiB)`, {
    hint: 'split it and name the parts under include',
  });
}

function unreadable(error: unknown, file: string, role: FileRole): Diagnostic {
  if (error instanceof NotAFileError)
    return problem('file-unreadable', `cannot read ${file}: ${error.message}`, {
      hint: error.isFolder ? 'name a file in the folder' : 'write its content to a file and name that file',
    });
  const code = (error as NodeJS.ErrnoException).code ?? String(error);
  if (code !== 'ENOENT' && code !== 'ENOTDIR')
    return problem('file-unreadable', `cannot read ${file} (${code})`, {
      hint: 'check the permissions of the file and its folder',
    });
  return problem('file-not-found', `${file} does not exist`, {
    hint:
      role === 'policy-file'
        ? 'name a file with policies'
        : 'name a root file or a folder with an attune.yaml, or run `attune init`',
  });
}

function decode(bytes: Uint8Array, file: string, problems: Problems): Source | undefined {
  try {
    return createSource(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The text before the first bad byte is the same with and without replacement characters.
    const source = createSource(file, new TextDecoder().decode(bytes));
    const at = locationAt(source, Math.max(0, source.text.indexOf('\uFFFD')));
    problems.add(problem('file-unreadable', 'the file is not UTF-8 text', { at }));
    return undefined;
  }
}
