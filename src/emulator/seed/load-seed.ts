import type { Options, ValidateFunction } from 'ajv';
import type { Document } from 'yaml';
import { readRegularFile } from '../../model/files.ts';
import { keysOfPointer } from '../../model/json-schema.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { isRecord } from '../../model/value.ts';
import { type Locate, type Seed, SeedError, type SeedPath } from './seed.ts';

export interface LoadedSeed {
  readonly seed: Seed;
  readonly locate: Locate;
}

export async function loadSeed(source: string | Seed): Promise<LoadedSeed> {
  const loaded = typeof source === 'string' ? await readYaml(source) : { seed: source, locate: () => 'seed' };
  await validate(loaded);
  return loaded;
}

async function readYaml(path: string): Promise<LoadedSeed> {
  const text = await readRegularFile(path).catch((cause) => {
    const why = cause.code === 'ENOENT' ? 'it does not exist' : cause.message;
    throw new SeedError(`cannot read the seed ${path}: ${why}`, { cause });
  });
  const { isAlias, isMap, isScalar, LineCounter, parseDocument, visit } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, merge: true, version: '1.2', logLevel: 'error' });
  const place = (offset: number) => {
    const { line, col } = lineCounter.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const isSeed = isMap(document.contents) && document.contents.items.some(({ key }) => isSeedKey(key));
  if (document.errors.length > 0) {
    if (!isSeed) throw notASeed(path);
    throw new SeedError(
      document.errors.map((error) => `${place(error.pos[0])}: ${firstLine(error.message)}`).join('\n'),
    );
  }
  // Locations are those of the keys; of the nearest existing key for a missing one.
  const offsetOf = (keys: SeedPath): number => {
    for (let length = keys.length; length > 0; length--) {
      const parent: unknown =
        length === 1 ? document.contents : document.getIn(keys.slice(0, length - 1), true);
      const pair =
        isMap(parent) && parent.items.find(({ key }) => isScalar(key) && key.value === keys[length - 1]);
      if (pair && isScalar(pair.key)) return pair.key.range?.[0] ?? 0;
    }
    return 0;
  };
  const isEmpty =
    document.contents === null || (isMap(document.contents) && document.contents.items.length === 0);
  if (!isSeed && !isEmpty) throw notASeed(path);
  const anchors = new Set<string>();
  const unknown: string[] = [];
  visit(document, {
    Node(_key, node) {
      if (!isAlias(node)) anchors.add(node.anchor ?? '');
      else if (!anchors.has(node.source))
        unknown.push(
          `${place(node.range?.[0] ?? 0)}: unknown anchor &${node.source}: it is not defined before this line`,
        );
    },
  });
  if (unknown.length > 0) throw new SeedError(unknown.join('\n'));
  const seed = plainSeed(document, path);
  return { seed, locate: (keys) => place(offsetOf(keys)) };
}

function plainSeed(document: Document, path: string): Seed {
  try {
    return document.toJS({ maxAliasCount: 10_000 }) ?? {};
  } catch (cause) {
    const why = firstLine((cause as Error).message);
    const reason = why.startsWith('Excessive alias count') ? 'its aliases expand to too many values' : why;
    throw new SeedError(`cannot read the seed ${path}: ${reason}`, { cause });
  }
}

/** The errors of a seed quote its keys. Another file can hold secrets, and a file of a repository can name it. */
function notASeed(path: string): SeedError {
  return new SeedError(`${path} is not a seed: it has no key of a seed`, {
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

async function validate({ seed, locate }: LoadedSeed): Promise<void> {
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
      return `${locate(place)}: ${place.join('.') || 'the seed'} ${what}${allowed(params)}`;
    });
  throw new SeedError([...new Set(problems)].join('; '));
}

const typeNames: Readonly<Record<string, string>> = { object: 'a mapping', array: 'a list' };

function allowed(params: Readonly<Record<string, unknown>>): string {
  return Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
