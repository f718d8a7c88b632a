import type { Options, ValidateFunction } from 'ajv';
import { keysOfPointer } from '../../model/json-schema.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { isRecord } from '../../model/value.ts';
import { EmulatorError, readInput } from '../emulator-error.ts';
import type { Seed } from './seed.ts';

export interface LoadedSeed {
  readonly seed: Seed;
  /** Its file, for messages. */
  readonly source: string;
}

export async function loadSeed(given: string | Seed): Promise<LoadedSeed> {
  const loaded = typeof given === 'string' ? await readYaml(given) : { seed: given, source: 'seed' };
  await validate(loaded);
  return loaded;
}

async function readYaml(path: string): Promise<LoadedSeed> {
  const text = await readInput('seed', path);
  const { isMap, parseDocument } = await import('yaml');
  const document = parseDocument(text, { merge: true, version: '1.2', logLevel: 'error' });
  const { contents } = document;
  const keys = isMap(contents) ? contents.items.map(({ key }) => key) : [];
  const isEmpty = contents === null || (isMap(contents) && keys.length === 0);
  const [error] = document.errors;
  if (!keys.some(isSeedKey) && (error || !isEmpty)) throw notASeed(path);
  try {
    if (error) throw error;
    return { seed: document.toJS({ maxAliasCount: 10_000 }) ?? {}, source: path };
  } catch (cause) {
    throw new EmulatorError(`cannot read the seed ${path}: ${firstLine((cause as Error).message)}`, {
      cause,
    });
  }
}

/** The errors of a seed quote its keys. Another file can hold secrets, and a file of a repository can name it. */
function notASeed(path: string): EmulatorError {
  return new EmulatorError(`${path} is not a seed: it has no key of a seed`, {
    hint: 'name a YAML file with keys such as organization, projects and workspaces',
  });
}

function isSeedKey(key: unknown): boolean {
  return isRecord(key) && seedKeys().has(String(key.value));
}

let knownKeys: ReadonlySet<string> | undefined;

function seedKeys(): ReadonlySet<string> {
  knownKeys ??= new Set(Object.keys(JSON.parse(readPackageFile(seedSchemaFile)).properties));
  return knownKeys;
}

let compiled: Promise<ValidateFunction> | undefined;

export const seedSchemaFile = 'schemas/emulator-seed.schema.json';
export const seedSchemaOptions: Options = { inlineRefs: false, allErrors: true, allowUnionTypes: true };

/** Compiled by the build. Without a build it is compiled once, because that takes longer than to validate a seed. */
async function loadValidator(): Promise<ValidateFunction> {
  return import('./compiled-seed-schema.js').then((module) => module.default, compileNow);
}

async function compileNow(): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return new Ajv2020(seedSchemaOptions).compile(JSON.parse(readPackageFile(seedSchemaFile)));
}

async function validate({ seed, source }: LoadedSeed): Promise<void> {
  compiled ??= loadValidator();
  const check = await compiled;
  if (check(seed)) return;
  const problems = (check.errors ?? [])
    // The errors of the parts of a combination are reported instead.
    .filter((error) => !['anyOf', 'oneOf', 'if'].includes(error.keyword))
    .map(({ instancePath, keyword, message, params }) => {
      const keys = keysOfPointer(instancePath);
      const extra = params.additionalProperty;
      const place = extra === undefined ? keys : [...keys, String(extra)];
      const ofType = keyword === 'type' ? typeNames[String(params.type)] : undefined;
      const other = ofType === undefined ? (message ?? 'is wrong') : `must be ${ofType}`;
      const what = extra === undefined ? other : 'is not a known key';
      return `${place.join('.') || 'the seed'} ${what}${allowed(params)}`;
    });
  throw new EmulatorError(`${source}: ${[...new Set(problems)].join('; ')}`);
}

const typeNames: Readonly<Record<string, string>> = { object: 'a mapping', array: 'a list' };

function allowed(params: Readonly<Record<string, unknown>>): string {
  return Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
}

function firstLine(text: string): string {
  return text.split('\n', 1).join().replace(/:$/, '');
}
