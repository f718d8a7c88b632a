import { lstat, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Scalar, stringify } from 'yaml';
import { schemaFile } from '../desired/schema/schema.ts';
import { AttuneError, DiagnosticsError, usageError } from '../model/diagnostic.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import { readPackageFile } from '../model/package-files.ts';
import { shellWord } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import { embedded, parsePageAddress, printAddress } from '../service/address.ts';
import type { RunIo } from './context.ts';
import { makeFolders, sharedFile, writeFiles } from './files/write-file.ts';
import { findRoots } from './find-roots.ts';
import { hasPackage, schemaReference } from './import-files.ts';

export const ciSystems = ['github', 'gitlab'] as const;
export type CiSystem = (typeof ciSystems)[number];

export interface NewRoot {
  readonly organization: string;
  readonly address: string;
  readonly isImported: boolean;
}

export interface NewRepository {
  readonly root: NewRoot | undefined;
  readonly ci: CiSystem | undefined;
}

export const trial = { address: embedded, organization: 'acme' } as const;

/** Reads the address of a service. One that a browser shows, `https://HOST/app/ORG` and pages below it, has the organization. */
export function readAddress(written: string): {
  readonly address: string;
  readonly organization?: string | undefined;
} {
  if (written === embedded) return { address: embedded };
  const { url, organization } = parsePageAddress(written);
  if (organization !== undefined) checkOrganizationName(organization);
  return { address: printAddress(url), organization };
}

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
  throw usageError(`invalid organization name "${organization}"`, 'use a name without spaces and slashes');
}

/** Files that must not be committed: packages, the embedded service's data, plans, reports and snapshots. */
const ignored = ['node_modules/', '.attune/', '/plan.*', '/live.json'];

interface ScaffoldOptions {
  readonly place: string;
  readonly force: boolean;
  readonly cwd: string;
}

/**
 * The root files of a folder and of those below it, relative to the folder. An `attune.yaml` that declares something is one even if
 * it has errors.
 */
export async function findRootFiles(place: string, cwd: string): Promise<readonly string[]> {
  const folder = resolve(cwd, place);
  const isFile = await stat(folder).then(
    (found) => !found.isDirectory(),
    () => /\.ya?ml$/.test(place),
  );
  if (isFile) throw usageError(`${place} is not a folder`, 'name the folder of the new configuration');
  const own = (await hasContent(join(folder, 'attune.yaml'))) ? ['attune.yaml'] : [];
  if (!(await isThere(folder))) return [];
  try {
    const found = await findRoots(['.'], { cwd: folder });
    return [...new Set([...own, ...found.map(({ root }) => root)])].sort();
  } catch (error) {
    // Its errors are those of `attune validate`.
    if (error instanceof DiagnosticsError) return own;
    throw error;
  }
}

/** Whether a file has more than comments. What cannot be read as text counts as content. */
async function hasContent(file: string): Promise<boolean> {
  if (!(await isThere(file))) return false;
  const text = await readRegularFile(file).catch(() => 'unreadable');
  return text.split('\n').some((line) => !/^\s*(#.*)?$/.test(line));
}

export async function prepareScaffold(
  { root, ci }: NewRepository,
  roots: readonly string[],
  { place, force, cwd }: ScaffoldOptions,
) {
  const folder = resolve(cwd, place);
  const texts = new Map<string, string>();
  if (root && !root.isImported) {
    const schema = await schemaReference(folder);
    texts.set('attune.yaml', rootFile(root, schema.path));
    for (const [path, text] of schema.missing) texts.set(relativePath(folder, path), text);
  }
  const named = namedRoots(roots);
  if (ci !== undefined && named.length > 0)
    throw usageError(
      `the recipes are for one attune.yaml in ${place}, and the root files are ${named.join(', ')}`,
      'copy the recipes from examples/ci, and name the root files in their commands',
    );
  for (const [source, target] of ci === undefined ? [] : Object.entries(recipes[ci]))
    texts.set(target, readPackageFile(`examples/ci/${source}`));
  const existing: string[] = [];
  for (const name of texts.keys()) if (await isThere(join(folder, name))) existing.push(name);
  const isBlank = (await readRegularFile(join(folder, 'attune.yaml')).catch(() => '-')).trim() === '';
  const overwritten = existing.filter((name) => force || (name === 'attune.yaml' && isBlank));
  const kept = existing.filter((name) => !overwritten.includes(name));
  for (const name of kept) texts.delete(name);
  const ignores = await readIgnores(folder);
  return { place, folder, texts, named, kept: [...roots, ...kept], overwritten, ignores };
}

type Scaffold = Awaited<ReturnType<typeof prepareScaffold>>;

export async function writeScaffold(
  { place, folder, texts, named, kept, overwritten, ignores }: Scaffold,
  repository: NewRepository,
  { cwd, env }: Pick<RunIo, 'cwd' | 'env'>,
) {
  const extended = extendedIgnores(ignores ?? '');
  const changed = extended === ignores ? texts : new Map([...texts, ['.gitignore', extended]]);
  const paths = new Map([...changed].map(([name, text]) => [join(folder, name), text]));
  await makeFolders(paths.keys(), cwd);
  await writeFiles(paths, sharedFile);
  const outcome = (name: string) => {
    if (name === '.gitignore') return ignores === undefined ? 'created' : 'extended';
    return overwritten.includes(name) ? 'overwritten' : 'created';
  };
  const path = (name: string) => relativePath(cwd, join(folder, name));
  const files = [
    ...kept.map((name) => ({ path: path(name), outcome: 'kept' }) as const),
    ...[...changed.keys()].map((name) => ({ path: path(name), outcome: outcome(name) }) as const),
  ];
  const hasOwn = await hasPackage(folder);
  // The image and the executable need no Node.
  const usesNpm = hasOwn || env.npm_command !== undefined;
  return { files, nextSteps: nextSteps(repository, { place, named, hasOwn, usesNpm }) };
}

function rootFile({ organization, address }: NewRoot, schema: string): string {
  const place =
    address === embedded
      ? 'embedded                  # runs locally with its data in .attune; to use a real service: https://iac.example.com'
      : yamlText(address);
  return `# yaml-language-server: $schema=${schema}
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

function extendedIgnores(before: string): string {
  const plain = (line: string) => line.trim().replace(/^\/|\/$/g, '');
  const has = new Set(before.split('\n').map(plain));
  const missing = ignored.filter((line) => !has.has(plain(line)));
  const end = before.includes('\r\n') ? '\r\n' : '\n';
  const gap = before === '' || before.endsWith('\n') ? '' : end;
  return `${before}${gap}${missing.map((line) => line + end).join('')}`;
}

/** Links count, also those to nothing. */
async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
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

/** The root files as commands name them: none for a single `attune.yaml`, which commands find themselves. */
function namedRoots(roots: readonly string[]): readonly string[] {
  const named = roots.map((file) => file.replace(/\/attune\.yaml$/, ''));
  return named.length === 1 && named[0] === 'attune.yaml' ? [] : named;
}

interface Steps extends Pick<Scaffold, 'place' | 'named'> {
  readonly hasOwn: boolean;
  readonly usesNpm: boolean;
}

function nextSteps({ root, ci }: NewRepository, { place, named, hasOwn, usesNpm }: Steps): string[] {
  const attune = usesNpm ? 'npx attune' : 'attune';
  const roots = named.map((name) => ` ${shellWord(name)}`).join('');
  const secrets = { github: 'secrets', gitlab: 'masked variables' } as const;
  // An import has just used a token.
  const needsToken = root !== undefined && root.address !== embedded && !root.isImported;
  return [
    '',
    'Next:',
    ...(place === '.' ? [] : [`  cd ${shellWord(place)}`]),
    ...(!usesNpm || hasOwn ? [] : ['  npm install --save-dev attune']),
    ...(needsToken
      ? [`  export ATTUNE_TOKEN=...    # or: terraform login ${new URL(root.address).host}`]
      : []),
    `  ${attune} validate${roots}`,
    `  ${attune} plan${roots}`,
    ...(ci
      ? [
          `  create the ${secrets[ci]} ATTUNE_READ_TOKEN (plan) and ATTUNE_TOKEN (apply) for the recipes`,
          '  create the variable ATTUNE_ADDRESS, the address of the service, for the recipes',
        ]
      : []),
  ];
}

/** The paths of the recipes of `examples/ci` in a repository (docs/guides/ci.md). */
const recipes: Readonly<Record<CiSystem, Readonly<Record<string, string>>>> = {
  github: {
    'github/attune-plan.yml': '.github/workflows/attune-plan.yml',
    'github/attune-apply.yml': '.github/workflows/attune-apply.yml',
    'github/attune-drift.yml': '.github/workflows/attune-drift.yml',
    'github/attune-due.yml': '.github/workflows/attune-due.yml',
  },
  gitlab: {
    'gitlab/.gitlab-ci.yml': '.gitlab-ci.yml',
    'gitlab/gitlab.mjs': 'ci/gitlab.mjs',
  },
};
