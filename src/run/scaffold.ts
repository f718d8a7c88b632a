import { lstat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { Scalar, stringify } from 'yaml';
import { schemaFile } from '../desired/schema/schema.ts';
import { AttuneError } from '../model/attune-error.ts';
import { readRegularFile, slashed } from '../model/files.ts';
import { readPackageFile } from '../model/package-files.ts';
import { isRecord } from '../model/value.ts';
import { embedded, parseAddress, printAddress } from '../service/address.ts';
import { makeFolders, sharedFile, writeFiles } from './files/write-file.ts';
import { shellWord } from './shell-words.ts';

export const ciSystems = ['github', 'gitlab'] as const;
export type CiSystem = (typeof ciSystems)[number];

/** The settings of a new repository. */
export interface NewRepository {
  readonly organization: string;
  /** A URL, or the word `embedded`. */
  readonly address: string;
  /** Whether the live state is imported into the files. */
  readonly isImported: boolean;
  readonly ci?: CiSystem;
}

/** A trial without an account. */
export const trial = { address: embedded, organization: 'acme' } as const;

/** @throws {AttuneError} if it is not an address. */
export function checkAddress(address: string): string {
  return address === embedded ? embedded : printAddress(parseAddress(address));
}

/**
 * Checks the name of an organization with the rule of configuration files.
 *
 * @throws {AttuneError} if it is not a name.
 */
export function checkOrganizationName(organization: string): string {
  if (organization === '') {
    throw new AttuneError('init requires an organization for a service address', {
      code: 'no-organization',
      hint: 'add --organization NAME, or remove --address to use the embedded service',
    });
  }
  const { properties } = JSON.parse(readPackageFile(schemaFile));
  const rule = isRecord(properties) && isRecord(properties.organization) ? properties.organization : {};
  if (new RegExp(String(rule.pattern), 'u').test(organization)) return organization;
  throw new AttuneError(`invalid organization name "${organization}"`, {
    code: 'usage',
    hint: 'use a name without spaces and slashes',
  });
}

/** The paths of the recipes of `examples/ci` in a repository (docs/guides/ci.md). */
const recipes: Readonly<Record<CiSystem, Readonly<Record<string, string>>>> = {
  github: {
    'github/attune-plan.yml': '.github/workflows/attune-plan.yml',
    'github/attune-apply.yml': '.github/workflows/attune-apply.yml',
    'github/attune-drift.yml': '.github/workflows/attune-drift.yml',
  },
  gitlab: {
    'gitlab/.gitlab-ci.yml': '.gitlab-ci.yml',
    'gitlab/gitlab.mjs': 'ci/gitlab.mjs',
  },
};

/** Files that must not be committed: packages, the embedded service's data, plans, reports and snapshots. */
const ignored = ['node_modules/', '.attune/', '/plan.*', '/live.json'];

/** The files of a new repository, checked before anything is read or written. */
export interface Scaffold {
  /** As on the command line. */
  readonly place: string;
  readonly folder: string;
  readonly texts: ReadonlyMap<string, string>;
  /** The files that exist already. */
  readonly existing: readonly string[];
  /** The text of `.gitignore`, if it exists. */
  readonly ignores: string | undefined;
}

export interface ScaffoldOptions {
  readonly place: string;
  /** Overwrites files that exist. */
  readonly force: boolean;
  readonly cwd: string;
}

/** @throws {AttuneError} if a file exists and must not be overwritten, or `.gitignore` cannot be read. */
export async function prepareScaffold(
  repository: NewRepository,
  { place, force, cwd }: ScaffoldOptions,
): Promise<Scaffold> {
  const folder = resolve(cwd, place);
  const texts = textsOf(repository);
  const existing = await existingOf([...texts.keys()], folder);
  if (!force) refuseExisting(existing.map((name) => slashed(relative(cwd, join(folder, name)))));
  return { place, folder, texts, existing, ignores: await readIgnores(folder) };
}

export interface WrittenScaffold {
  readonly files: readonly {
    readonly path: string;
    readonly outcome: 'created' | 'extended' | 'overwritten';
  }[];
  /** The commands to run next, as lines of text. */
  readonly nextSteps: readonly string[];
}

/** Writes the files, all or none. */
export async function writeScaffold(
  { place, folder, texts, existing, ignores }: Scaffold,
  repository: NewRepository,
  cwd: string,
): Promise<WrittenScaffold> {
  const extended = extendedIgnores(ignores ?? '');
  const changed = extended === ignores ? texts : new Map([...texts, ['.gitignore', extended]]);
  const paths = new Map([...changed].map(([name, text]) => [join(folder, name), text]));
  await makeFolders(paths.keys(), cwd);
  await writeFiles(paths, sharedFile);
  const outcome = (name: string) => {
    if (name === '.gitignore') return ignores === undefined ? 'created' : 'extended';
    return existing.includes(name) ? 'overwritten' : 'created';
  };
  const files = [...changed.keys()].map(
    (name) =>
      ({
        path: slashed(relative(cwd, join(folder, name))),
        outcome: outcome(name),
      }) as const,
  );
  return { files, nextSteps: await nextSteps(repository, place, folder) };
}

/** The files of a new repository by their paths in it; `.gitignore` is extended and not among them. */
function textsOf(repository: NewRepository): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  if (!repository.isImported) files.set('attune.yaml', rootFile(repository));
  for (const [source, target] of Object.entries(repository.ci ? recipes[repository.ci] : {})) {
    files.set(target, readPackageFile(`examples/ci/${source}`));
  }
  return files;
}

function rootFile({ organization, address }: NewRepository): string {
  const place =
    address === embedded
      ? 'embedded                  # runs locally with its data in .attune; to use a real service: https://iac.example.com'
      : yamlText(address);
  return `# yaml-language-server: $schema=./node_modules/attune/schemas/attune.schema.json
attune: 1
organization: ${yamlText(organization)}

service:
  address: ${place}

# Declare workspaces here. The schema in the first line gives your editor completion and descriptions.
# \`attune plan\` shows the changes. For example:
#
# workspaces:
#   network-dev:
#     description: Shared networks
#     execution-mode: remote
#     tags: [network, dev]
`;
}

/** Quoted if YAML would not read it as a string. */
function yamlText(text: string): string {
  return stringify(new Scalar(text)).trimEnd();
}

/**
 * A `.gitignore` that ignores all of these.
 *
 * @param before The present text.
 */
function extendedIgnores(before: string): string {
  const plain = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const has = new Set(before.split('\n').map(plain));
  const missing = ignored.filter((line) => !has.has(plain(line)));
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : end;
  return `${before}${gap}${missing.map((line) => line + end).join('')}`;
}

async function existingOf(names: readonly string[], folder: string): Promise<string[]> {
  const found = await Promise.all(
    names.map(async (name) => ((await lstat(join(folder, name)).catch(() => undefined)) ? [name] : [])),
  );
  return found.flat();
}

function refuseExisting(existing: readonly string[]): void {
  if (existing.length === 0) return;
  throw new AttuneError(
    `${existing.join(', ')} ${existing.length === 1 ? 'exists' : 'exist'} already; no files were written`,
    { code: 'file-exists', hint: 'add --force to overwrite, or choose another folder' },
  );
}

async function readIgnores(folder: string): Promise<string | undefined> {
  try {
    return await readRegularFile(join(folder, '.gitignore'));
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') return undefined;
    throw new AttuneError(`.gitignore cannot be read: ${cause.message}`, { code: 'file-not-written', cause });
  }
}

/** The next commands to run. */
async function nextSteps({ address, ci }: NewRepository, place: string, folder: string): Promise<string[]> {
  const secrets = { github: 'secrets', gitlab: 'masked variables' } as const;
  return [
    '',
    'Next:',
    ...(place === '.' ? [] : [`  cd ${shellWord(place)}`]),
    ...((await hasPackage(folder)) ? [] : ['  npm install --save-dev attune']),
    ...(address === embedded
      ? []
      : [`  export ATTUNE_TOKEN=...    # or: terraform login ${new URL(address).host}`]),
    '  npx attune validate',
    '  npx attune plan',
    ...(ci
      ? [`  create the ${secrets[ci]} ATTUNE_READ_TOKEN (plan) and ATTUNE_TOKEN (apply) for the recipes`]
      : []),
  ];
}

/** The recipes and the editor need Attune in the package.json of the repository. */
async function hasPackage(folder: string): Promise<boolean> {
  const text = await readRegularFile(join(folder, 'package.json')).catch(() => '{}');
  try {
    const { dependencies, devDependencies } = JSON.parse(text);
    return [dependencies, devDependencies].some((list) => isRecord(list) && 'attune' in list);
  } catch {
    return false;
  }
}
