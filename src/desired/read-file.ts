import { isRecord } from '../model/value.ts';
import { aliasKinds } from './configuration.ts';
import type { Loading } from './loading.ts';
import { readPlainYaml } from './plain-yaml.ts';
import type { RawFile } from './raw-file.ts';
import { readSource } from './read-source.ts';
import type { FileRole } from './schema.ts';
import { createSource, type Source } from './source.ts';
import { validateFile } from './validate.ts';

/** Reads, parses and validates one file; what is left is right as far as the schema can tell. */
export async function readFile(
  path: string,
  { file, role, loading }: { readonly file: string; readonly role: FileRole; readonly loading: Loading },
): Promise<RawFile | undefined> {
  const source = await readSource(path, file, loading.problems);
  loading.sources.push(source ?? createSource(file, ''));
  const data = source && (await readData(source, loading));
  if (!isRecord(data)) {
    loading.incomplete = true;
    if (source && data !== undefined) reportNoMapping(source, loading);
    return undefined;
  }
  validateFile(data, role, loading);
  const raw = data as RawFile;
  if ([...aliasKinds, 'templates' as const].some((key) => Object.hasOwn(raw, key) && raw[key] === undefined))
    loading.incomplete = true;
  return raw;
}

/** Undefined where a problem says why there is nothing. */
async function readData(source: Source, loading: Loading): Promise<unknown> {
  const plain = readPlainYaml(source, loading.origins);
  if (plain !== undefined) return plain;
  // Loading the library takes longer than reading a small file, and many never need it.
  const { readYaml } = await import('./read-yaml.ts');
  return readYaml(source, loading);
}

function reportNoMapping(source: Source, loading: Loading): void {
  loading.problems.add({
    code: 'wrong-type',
    message: 'a file holds a mapping',
    hint: 'begin with "attune: 1" and "organization: ..."',
    location: { file: source.file, line: 1, column: 1 },
  });
}
