import { aliasKinds } from '../../model/alias-kind.ts';
import { isRecord } from '../../model/value.ts';
import type { Loading } from '../loading.ts';
import { type FileRole, loadValidators } from '../schema/schema.ts';
import { validateFile } from '../schema/validate.ts';
import { parseYaml } from './parse-yaml.ts';
import { toPlainData } from './plain-data.ts';
import type { RawFile } from './raw-file.ts';
import { readSource } from './read-source.ts';
import { createSource, type Source } from './source.ts';
import { isSynthesized, placeInProgram, readSynthesized } from './synthesized.ts';

export interface ReadFileOptions {
  /** As it is told: relative to `folder`, the absolute path that all locations are relative to. */
  readonly file: string;
  readonly folder: string;
  readonly role: FileRole;
  readonly loading: Loading;
}

/** Reads, parses and validates one file; what is left is right as far as the schema can tell. */
export async function readFile(
  path: string,
  { file, folder, role, loading }: ReadFileOptions,
): Promise<RawFile | undefined> {
  const source = await readSource(path, file, loading.problems);
  loading.sources.push(source ?? createSource(file, ''));
  const data = source && readData(source, loading);
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

/** Undefined where a problem says why there is nothing. */
function readData(source: Source, loading: Loading): unknown {
  const node = parseYaml(source, loading.problems);
  if (!node) return undefined;
  const { data, usable } = toPlainData(node, { ...loading, source });
  return usable ? data : undefined;
}

function reportNoMapping(source: Source, loading: Loading): void {
  loading.problems.add({
    code: 'wrong-type',
    message: 'a file holds a mapping',
    hint: 'begin with "attune: 1" and "organization: ..."',
    location: { file: source.file, line: 1, column: 1 },
  });
}
