import type { Options, ValidateFunction } from 'ajv';
import { keysOfPointer } from '../../model/json-schema.ts';
import { readPackageFile } from '../../model/package-files.ts';
import { isRecord } from '../../model/value.ts';
import { EmulatorError, readInput } from '../emulator-error.ts';
import type { World } from '../world.ts';
import type { OrganizationSeed, Seed, SeedPath } from './seed.ts';
import { seedOrganization } from './seed-organization.ts';

interface LoadedSeed {
  readonly seed: Seed;
  /** Its file, for messages. */
  readonly source: string;
}

const fallback = 'acme';

/** Without an organization, the seed's own is loaded, or the default one. */
export async function loadSeed(
  world: World,
  given: string | Seed | undefined,
  organization: string | undefined,
): Promise<void> {
  const { seed, source } = given === undefined ? { seed: {}, source: 'seed' } : await readSeed(given);
  const { organization: own, organizations, tokens: _tokens, ...rest } = seed;
  const seeded = new Map<string, SeedPath>();
  const put = (name: string, content: OrganizationSeed, path: SeedPath) => {
    seedOrganization({ world, organization: name, seed: content, path, source });
    seeded.set(name, path);
  };
  for (const [name, content] of Object.entries(organizations ?? {}))
    put(name, content ?? {}, ['organizations', name]);
  const wanted = organization ?? own;
  const named = wanted ?? (seeded.size === 0 ? fallback : undefined);
  if (named !== undefined && !seeded.has(named)) put(named, rest, []);
  else if (Object.keys(rest).length > 0) {
    throw new EmulatorError(`${source}: move all other keys into one of the organizations`);
  }
  seedTokens(world, { seed, source }, [...seeded.keys()][0] ?? fallback);
}

function seedTokens(world: World, { seed, source }: LoadedSeed, only: string): void {
  for (const [token, content] of Object.entries(seed.tokens ?? {})) {
    const organization = content.organization ?? only;
    if (!world.store.get('organizations', organization))
      throw new EmulatorError(`${source}: the seed has no organization ${organization}`);
    const idsOf = (kind: 'workspaces' | 'teams') => {
      const known = world.store.ownedBy(organization, kind);
      return content[kind]?.map((reference) => {
        const record = known.find(({ id, name }) => [id, name].includes(reference));
        if (record) return record.id;
        throw new EmulatorError(`${source}: the seed has no ${kind.slice(0, -1)} ${reference}`);
      });
    };
    world.store.put('tokens', {
      id: token,
      organization,
      role: content.role,
      workspaces: idsOf('workspaces') ?? null,
      teams: idsOf('teams') ?? [],
      user: content.user ?? world.store.nextId('user', token),
      kind: content.kind,
    });
  }
}

async function readSeed(given: string | Seed): Promise<LoadedSeed> {
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
  const known = new Set(Object.keys(JSON.parse(readPackageFile(seedSchemaFile)).properties));
  const isSeed = keys.some((key) => isRecord(key) && known.has(String(key.value)));
  const isEmpty = contents === null || (isMap(contents) && keys.length === 0);
  const [error] = document.errors;
  if (!isSeed && (error || !isEmpty)) throw notASeed(path);
  try {
    if (error) throw error;
    return { seed: document.toJS({ maxAliasCount: 10_000 }) ?? {}, source: path };
  } catch (cause) {
    const why = (cause as Error).message.split('\n', 1).join().replace(/:$/, '');
    throw new EmulatorError(`cannot read the seed ${path}: ${why}`, { cause });
  }
}

/** The errors of a seed quote its keys. Another file can hold secrets, and a file of a repository can name it. */
function notASeed(path: string): EmulatorError {
  return new EmulatorError(`${path} is not a seed: it has no key of a seed`, {
    hint: 'name a YAML file with keys such as organization, projects and workspaces',
  });
}

let compiled: Promise<ValidateFunction> | undefined;

export const seedSchemaFile = 'schemas/emulator-seed.schema.json';
export const seedSchemaOptions: Options = { inlineRefs: false, allErrors: true, allowUnionTypes: true };

async function compileNow(): Promise<ValidateFunction> {
  const { Ajv2020 } = await import('ajv/dist/2020.js');
  return new Ajv2020(seedSchemaOptions).compile(JSON.parse(readPackageFile(seedSchemaFile)));
}

async function validate({ seed, source }: LoadedSeed): Promise<void> {
  // Compiled by the build. Without a build it is compiled once, because that takes longer than to validate a seed.
  compiled ??= import('./compiled-seed-schema.js').then((module) => module.default, compileNow);
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
      const allowed = Array.isArray(params.allowedValues) ? `: ${params.allowedValues.join(', ')}` : '';
      return `${place.join('.') || 'the seed'} ${what}${allowed}`;
    });
  throw new EmulatorError(`${source}: ${[...new Set(problems)].join('; ')}`);
}

const typeNames: Readonly<Record<string, string>> = { object: 'a mapping', array: 'a list' };
