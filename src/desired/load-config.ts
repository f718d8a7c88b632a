import { stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { commonFolder, slashed } from '../model/files.ts';
import { groupBy } from '../model/value.ts';
import { isSameOrganization } from '../service/address.ts';
import { conflictsOf } from './conflicts.ts';
import { readHead } from './files/read-file.ts';
import { digestOf } from './files/source.ts';
import { type SynthesizedFiles, synthesizedFiles, synthesizedOrganization } from './files/synthesized.ts';
import { type BeforeIncludes, type LoadedRoot, loadRoot } from './load-root.ts';
import { loadPolicyFiles, type PolicyFiles, withPolicyFiles } from './policies.ts';

/** How root files are found. */
export interface LoadOptions {
  /** What relative paths are relative to. @default process.cwd() */
  readonly cwd?: string;
  /**
   * The folder that a program wrote with `app.synth()` of `attune/constructs`. Its declarations for an organization join
   * the first root file of that organization, as an included file does. Without one, they are a separate root in `cwd`.
   */
  readonly synthesized?: string;
  /** Loads only this part of the root files. All root files of one organization are in one part. */
  readonly shard?: Shard | undefined;
  /** The service's address, which overrides `service.address` of every root file. */
  readonly address?: string | undefined;
  /** Files with policies that hold for every root file, whatever the files declare. */
  readonly policyFiles?: readonly string[];
  /** Gives each configuration the digest of its files. @default false */
  readonly digests?: boolean;
}

interface LoadMadeOptions extends LoadOptions {
  readonly beforeIncludes?: BeforeIncludes | undefined;
}

/** What was found, of all roots together and by root. */
export interface LoadResult {
  /** In the order of the roots; a root with errors has none, and none has one if a policy file has errors. */
  readonly configurations: readonly Configuration[];
  /** Of all roots, one after the other. Locations are relative to the folder of their root. */
  readonly diagnostics: readonly Diagnostic[];
  /** One per root file, each once: with its folder, so that a printer can show whole paths. */
  readonly roots: readonly LoadedRoot[];
  /** What was found in the policy files; absent if none was named. */
  readonly policies?: PolicyFiles | undefined;
}

/**
 * Reads root files, with all that they include, into the state they declare. A folder means its `attune.yaml`.
 * Never throws for mistakes of a user: a file that does not exist is a diagnostic, too.
 *
 * @example
 * ```ts
 * const { configurations, diagnostics } = await loadConfig('attune.yaml');
 * console.log(configurations.length, diagnostics.length); // 1 0
 *
 * const missing = await loadConfig('elsewhere');
 * console.log(missing.diagnostics[0]?.code); // file-not-found
 * ```
 */
export function loadConfig(
  roots: string | readonly string[],
  options: LoadOptions = {},
): Promise<LoadResult> {
  return loadMadeConfig(roots, options);
}

export async function loadMadeConfig(
  roots: string | readonly string[],
  options: LoadMadeOptions,
): Promise<LoadResult> {
  const cwd = options.cwd ?? process.cwd();
  const named = new Set<string>();
  for (const root of [roots].flat()) named.add(await rootFile(resolve(cwd, root)));
  const folder = options.synthesized === undefined ? undefined : resolve(cwd, options.synthesized);
  const all = { files: [...named], synthesized: await synthesizedFiles(folder) };
  const { files, synthesized } = options.shard ? await shardOf(all, options.shard) : all;
  const loaded = await loadRootFiles(files, synthesized, { ...options, cwd });
  const policies = await loadPolicyFiles(options.policyFiles ?? [], cwd);
  const given = loaded.map((root) => withGiven(root, policies, options.address));
  const checked = withoutConflicts(withManagedNames(given), cwd);
  const isUsable = !policies || !hasErrors(policies.diagnostics);
  return {
    configurations: isUsable ? checked.flatMap(({ configuration }) => configuration ?? []) : [],
    diagnostics: [checked, policies ?? []].flat().flatMap(({ diagnostics }) => diagnostics),
    roots: checked,
    policies,
  };
}

/** One after the other: memory is freed in between. */
async function loadRootFiles(
  files: readonly string[],
  synthesized: SynthesizedFiles,
  { cwd, digests, beforeIncludes }: LoadMadeOptions & { readonly cwd: string },
): Promise<readonly LoadedRoot[]> {
  const loaded: LoadedRoot[] = [];
  const options = { digests, beforeIncludes };
  for (const file of files) loaded.push(await loadRoot(file, { synthesized, ...options }));
  // Files of a root file that cannot be read would only produce follow-up errors.
  if (loaded.every(({ organization }) => organization !== undefined))
    for (const file of synthesized.values())
      loaded.push(await loadRoot(file, { folder: cwd, ...options, isProgram: true }));
  return loaded;
}

/** With the policies of `--policy` and the address of the run. */
function withGiven(root: LoadedRoot, file: PolicyFiles | undefined, address: string | undefined): LoadedRoot {
  const { configuration, folder } = root;
  if (!configuration) return root;
  const { policies = [], digest, service } = configuration;
  return {
    ...root,
    configuration: {
      ...configuration,
      service: address ? { ...service, address } : service,
      policies: file ? withPolicyFiles(policies, file, folder) : configuration.policies,
      digest: digest && file ? digestOf([digest, file.digest]) : digest,
    },
  };
}

/** A name can be that of a project that another root file of the organization creates. */
function withManagedNames(roots: readonly LoadedRoot[]): readonly LoadedRoot[] {
  const all = roots.flatMap(({ configuration }) => configuration ?? []);
  const managing = all.filter(({ lookUps }) => lookUps.some(({ managed }) => managed));
  return roots.map((root) => {
    const { configuration } = root;
    if (!configuration) return root;
    const mates = managing.filter((other) => isSameOrganization(other, configuration));
    const names = mates.flatMap(({ lookUps }) => lookUps.filter(({ managed }) => managed));
    const lookUps = configuration.lookUps.map((one) => ({
      ...names.find(({ placeholder }) => placeholder === one.placeholder),
      ...one,
    }));
    return { ...root, configuration: { ...configuration, lookUps } };
  });
}

/** Root files with the same declaration have errors, and therefore no configuration. */
function withoutConflicts(roots: readonly LoadedRoot[], cwd: string): readonly LoadedRoot[] {
  const all = roots.flatMap(({ configuration }) => configuration ?? []);
  const conflicts = conflictsOf(all, cwd);
  return roots.map((root) => {
    const { configuration, ...rest } = root;
    const found = configuration && conflicts.get(configuration);
    return found ? { ...rest, diagnostics: [...root.diagnostics, ...found] } : root;
  });
}

async function rootFile(path: string): Promise<string> {
  const entry = await stat(path).catch(() => undefined);
  return entry?.isDirectory() ? join(path, 'attune.yaml') : path;
}

/** One of `count` parts of the root files of a run; `index` counts from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

interface RootInputs {
  readonly files: readonly string[];
  readonly synthesized: SynthesizedFiles;
}

/**
 * The inputs of one shard. Each input belongs to exactly one shard. Root files of one organization stay together,
 * because they are checked against each other: what one of them prunes, another one can declare.
 *
 * Organizations are ordered by the SHA-256 of the path of their first root file, and each shard takes every N-th. So
 * shards differ by one organization at most. Paths are relative to the folder that all root files have in common, with
 * `/`: they are the same in each checkout and on each system.
 */
export async function shardOf({ files, synthesized }: RootInputs, shard: Shard): Promise<RootInputs> {
  const base = commonFolder(files);
  const inputs: Input[] = [...synthesized].map(([path, file]) => {
    return { file, path, organization: synthesizedOrganization(path) };
  });
  for (const file of files) {
    const { organization } = await readHead(file);
    inputs.push({ file, path: slashed(relative(base, file)), organization });
  }
  const picked = new Set(pickShard(inputs, shard).map(({ file }) => file));
  const isPicked = (file: string) => picked.has(file);
  return {
    files: files.filter(isPicked),
    synthesized: new Map([...synthesized].filter(([, file]) => isPicked(file))),
  };
}

interface Input {
  readonly file: string;
  readonly path: string;
  /** A file without one is distributed alone, and one shard reports its errors. */
  readonly organization: string | undefined;
}

export function pickShard<Item extends Omit<Input, 'file'>>(
  items: readonly Item[],
  { index, count }: Shard,
): readonly Item[] {
  const keyOf = ({ organization, path }: Item) =>
    organization === undefined ? `file ${path}` : `organization ${organization.toLowerCase()}`;
  const groups = [...groupBy(items, keyOf)].map(([, members]) => ({
    members,
    hash: hashOf(members.map(({ path }) => path).sort()[0] ?? ''),
  }));
  const ordered = groups.sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const picked = new Set(ordered.flatMap(({ members }, at) => (at % count === index - 1 ? members : [])));
  return items.filter((item) => picked.has(item));
}

function hashOf(path: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(path).digest('hex');
}
