import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Scalar, stringify } from 'yaml';
import { schemaFile } from '../desired/schema/validate.ts';
import { AttuneError, DiagnosticsError, usageError } from '../model/diagnostic.ts';
import { readRegularFile, relativePath } from '../model/files.ts';
import { readPackageFile } from '../model/package-files.ts';
import { shellWord } from '../model/text.ts';
import { isRecord } from '../model/value.ts';
import { embedded, parsePageAddress, printAddress } from '../service/address.ts';
import type { Environment, RunIo } from './context.ts';
import { makeFolders, sharedFile, writeFiles } from './files/write-file.ts';
import { findRoots } from './find-roots.ts';
import { schemaReference } from './import-files.ts';

export const ciSystems = ['github', 'gitlab'] as const;
type CiSystem = (typeof ciSystems)[number];

interface NewRoot {
  readonly organization: string;
  readonly address: string;
  readonly isImported: boolean;
}

interface ScaffoldOptions {
  readonly address?: string | undefined;
  readonly organization?: string | undefined;
  readonly import?: boolean | undefined;
  readonly ci?: CiSystem | undefined;
  readonly force?: boolean | undefined;
}

/** What is missing in a folder: its new root file, if there is none, and what `write` adds. */
export async function prepareScaffold(place: string, options: ScaffoldOptions, { cwd, env }: RunIo) {
  const { ci, force = false } = options;
  const folder = resolve(cwd, place);
  const roots = await findRootFiles(place, folder);
  refuseForExisting(options, roots);
  const root = roots.length === 0 ? newRoot(options, env) : undefined;
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
  const before = await readRegularFile(join(folder, '.gitignore')).catch(() => undefined);
  const ignores = extendedIgnores(before ?? '');
  if (ignores !== before) texts.set('.gitignore', ignores);
  const existing: string[] = [];
  for (const name of texts.keys()) if (await isThere(join(folder, name))) existing.push(name);
  const outcomeOf = (name: string) => {
    if (!existing.includes(name)) return 'created';
    if (name === '.gitignore') return before === undefined ? 'kept' : 'extended';
    return force ? 'overwritten' : 'kept';
  };
  const files = [
    ...roots.map((name) => ({ path: join(folder, name), text: '', outcome: 'kept' }) as const),
    ...[...texts].map(
      ([name, text]) => ({ path: join(folder, name), text, outcome: outcomeOf(name) }) as const,
    ),
  ];
  const write = async () => {
    const changed = files.filter(({ outcome }) => outcome !== 'kept');
    const paths = new Map(changed.map(({ path, text }) => [path, text]));
    await makeFolders(paths.keys(), cwd);
    await writeFiles(paths, sharedFile);
    return {
      files: files.map(({ path, outcome }) => ({ path: relativePath(cwd, path), outcome })),
      // The image and the executable need no Node.
      nextSteps: nextSteps(env.npm_command === undefined ? 'attune' : 'npx attune', place, named, root, ci),
    };
  };
  return { root, write };
}

function refuseForExisting(options: ScaffoldOptions, [root]: readonly string[]): void {
  const flag = (['import', 'organization', 'address'] as const).find((name) => options[name]);
  if (flag === undefined || root === undefined) return;
  throw new AttuneError(
    `${root} exists already, and --${flag} is for a new root file; no files were written`,
    {
      code: 'file-exists',
      hint: `remove --${flag}, choose another folder, or run \`attune import --update\` to add live workspaces`,
    },
  );
}

function newRoot(options: ScaffoldOptions, { ATTUNE_ADDRESS: variable }: Environment): NewRoot {
  const { address, organization: shown } = readAddress(options.address ?? (variable || embedded));
  if (shown !== undefined && options.organization !== undefined && options.organization !== shown)
    throw usageError(
      `--address is a page of organization ${shown}, and --organization is ${options.organization}`,
      'remove --organization, or give the address of the service alone',
    );
  const usual = address === embedded ? 'acme' : '';
  const organization = checkOrganizationName(options.organization ?? shown ?? usual);
  return { organization, address, isImported: options.import ?? false };
}

/** Reads the address of a service. One that a browser shows, `https://HOST/app/ORG` and pages below it, has the organization. */
function readAddress(written: string): {
  readonly address: string;
  readonly organization?: string | undefined;
} {
  if (written === embedded) return { address: embedded };
  const { url, organization } = parsePageAddress(written);
  if (organization !== undefined) checkOrganizationName(organization);
  return { address: printAddress(url), organization };
}

function checkOrganizationName(organization: string): string {
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

/**
 * The root files of a folder and of those below it, relative to the folder. An `attune.yaml` is one even if it has errors, or
 * declares nothing.
 */
async function findRootFiles(place: string, folder: string): Promise<readonly string[]> {
  if (/\.ya?ml$/.test(place))
    throw usageError(`${place} is not a folder`, 'name the folder of the new configuration');
  if (!(await isThere(folder))) return [];
  const own = (await isThere(join(folder, 'attune.yaml'))) ? ['attune.yaml'] : [];
  try {
    const found = await findRoots(['.'], { cwd: folder });
    return [...new Set([...own, ...found.map(({ root }) => root)])].sort();
  } catch (error) {
    // Its errors are those of `attune validate`.
    if (error instanceof DiagnosticsError) return own;
    throw error;
  }
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
  const lines = before.split(/\r?\n/);
  const missing = ignored.filter((line) => !lines.includes(line));
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  return `${before}${gap}${missing.map((line) => `${line}\n`).join('')}`;
}

/** Links count, also those to nothing. */
async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** The root files as commands name them: none for a single `attune.yaml`, which commands find themselves. */
function namedRoots(roots: readonly string[]): readonly string[] {
  const named = roots.map((file) => file.replace(/\/attune\.yaml$/, ''));
  return named.length === 1 && named[0] === 'attune.yaml' ? [] : named;
}

function nextSteps(
  attune: string,
  place: string,
  named: readonly string[],
  root: NewRoot | undefined,
  ci: CiSystem | undefined,
): string[] {
  const roots = named.map((name) => ` ${shellWord(name)}`).join('');
  const secrets = {
    github: 'secrets ATTUNE_READ_TOKEN (plan) and ATTUNE_TOKEN (apply)',
    gitlab: 'masked variables ATTUNE_READ_TOKEN (plan), ATTUNE_TOKEN (apply) and GITLAB_TOKEN (GitLab API)',
  } as const;
  // An import has just used a token.
  const needsToken = root !== undefined && root.address !== embedded && !root.isImported;
  const steps = [
    '',
    'Next:',
    place !== '.' && `  cd ${shellWord(place)}`,
    needsToken && `  export ATTUNE_TOKEN=...    # or: terraform login ${new URL(root.address).host}`,
    `  ${attune} validate${roots}`,
    `  ${attune} plan${roots}`,
    ci && `  create the ${secrets[ci]} for the recipes`,
    ci && '  create the variable ATTUNE_ADDRESS, the address of the service, for the recipes',
  ];
  return steps.filter((step) => typeof step === 'string');
}

/** The paths of the recipes of `examples/ci` in a repository (docs/guides/ci.md). */
const recipes: Readonly<Record<CiSystem, Readonly<Record<string, string>>>> = {
  github: {
    'github/attune-plan.yml': '.github/workflows/attune-plan.yml',
    'github/attune-apply.yml': '.github/workflows/attune-apply.yml',
    'github/attune-drift.yml': '.github/workflows/attune-drift.yml',
    'github/attune-due.yml': '.github/workflows/attune-due.yml',
  },
  gitlab: { 'gitlab/.gitlab-ci.yml': '.gitlab-ci.yml', 'gitlab/gitlab.mjs': 'ci/gitlab.mjs' },
};
