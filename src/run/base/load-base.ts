import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readHead } from '../../desired/files/read-file.ts';
import { loadMadeConfig } from '../../desired/load-config.ts';
import type { BeforeIncludes, LoadedRoot } from '../../desired/load-root.ts';
import { bareConfiguration, type Configuration } from '../../model/configuration.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import { commonFolder, isInside, relativePath } from '../../model/files.ts';
import { givenAddress, type RunContext } from '../context.ts';
import { withPrivateFolder } from '../files/write-file.ts';
import { filesBelow } from '../find-roots.ts';
import { openGit, openRevision, unreadable } from './git.ts';

interface Bases {
  readonly commit?: string;
  /** The base of each root file, or why it has none. */
  readonly found: readonly (Configuration | AttuneError)[];
  /** The addresses of these files; if they have none, those of all root files of the base. */
  readonly addresses: readonly string[];
}

function emptyBase({ desired, folder }: Configuration): Configuration {
  const bare = bareConfiguration(desired.organization, folder);
  // No limit of a new root file is a raised one.
  return { ...bare, limits: { ...bare.limits, exceptionDays: Number.POSITIVE_INFINITY } };
}

export function isOfOne({ desired: one }: Configuration, { desired: other }: Configuration): boolean {
  return one.organization.toLowerCase() === other.organization.toLowerCase();
}

/** A base that cannot be loaded is the reason, for each root file. */
export async function loadBases(
  configurations: readonly Configuration[],
  ref: string,
  context: RunContext,
): Promise<Bases> {
  try {
    return await load(configurations, ref, context);
  } catch (error) {
    if (!(error instanceof AttuneError)) throw error;
    return { found: configurations.map(() => error), addresses: [] };
  }
}

async function load(
  configurations: readonly Configuration[],
  ref: string,
  context: RunContext,
): Promise<Bases> {
  if (context.options.app !== undefined)
    throw unreadable(
      'the program of --app declares it, and a base must not run programs',
      'write the configuration of the base into a folder with `attune render`, and name root files instead of a program',
    );
  if (ref === '' || ref.startsWith('-') || /\p{Cc}/u.test(ref))
    throw unreadable(
      'it is neither a revision nor a folder',
      'name a revision such as origin/main, or a folder such as ../main',
    );
  // A name without a leading `./`, `../` or `/` is a revision: a change under review can bring a folder with any name.
  if (isAbsolute(ref) || /^\.{1,2}([/\\]|$)/.test(ref))
    return fromFolder(configurations, resolve(context.io.cwd, ref), context);
  return withPrivateFolder('attune-base-', (work) => fromRevision(configurations, ref, work, context));
}

async function fromFolder(
  configurations: readonly Configuration[],
  folder: string,
  context: RunContext,
): Promise<Bases> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw unreadable('the folder does not exist', 'name a folder with the same root files');
  const { cwd } = context.io;
  const under = (anchor: string) =>
    configurations.map(({ file }) => join(folder, relativePath(anchor, file)));
  const isBelow = configurations.every(({ file }) => isInside(cwd, file));
  const isCopy = isBelow && under(cwd).some((file) => existsSync(file));
  const anchor = isCopy ? cwd : commonFolder(configurations.map(({ file }) => file));
  // Beside the root files there can be folders that this user may not read.
  const made = { files: under(anchor), all: () => filesBelow(folder, folder).catch(() => []) };
  return loadFiles(made, configurations, context, { cwd: folder });
}

async function fromRevision(
  configurations: readonly Configuration[],
  ref: string,
  work: string,
  context: RunContext,
): Promise<Bases> {
  const { env } = context.io;
  const opened = await Promise.all(configurations.map(({ folder }) => openGit(folder, work, env)));
  const all = opened.filter((one) => one !== undefined);
  const [git] = all;
  if (git === undefined || all.length < opened.length)
    throw unreadable(
      'the root file is in no Git repository',
      'run it in a clone of the repository, or compare with a folder such as ./folder',
    );
  if (all.some(({ top }) => top !== git.top))
    throw unreadable(
      'the root files are in several Git repositories',
      'plan the root files of one repository at a time',
    );
  const target = join(work, 'base');
  await mkdir(target);
  const { commit, listed, make, beforeIncludes } = await openRevision(git, ref, target);
  const paths = configurations.map(({ file, folder }, index) =>
    relativePath(git.top, join(all[index]?.folder ?? folder, relativePath(folder, file))),
  );
  const inBase = (path: string) => join(target, path);
  const yaml = listed.filter((path) => /\.ya?ml$/.test(path));
  await make(paths);
  const makeAll = async () => {
    await make(yaml);
    return yaml.map(inBase);
  };
  const files = { files: paths.map(inBase), all: makeAll };
  return { commit, ...(await loadFiles(files, configurations, context, { cwd: target, beforeIncludes })) };
}

/**
 * Loads the files that exist. A root file that the base does not have, or that has another organization there, declares nothing
 * in the base.
 *
 * @param all makes all YAML files of the base
 */
async function loadFiles(
  { files, all }: { readonly files: readonly string[]; readonly all: () => Promise<readonly string[]> },
  configurations: readonly Configuration[],
  context: RunContext,
  options: { readonly beforeIncludes?: BeforeIncludes | undefined; readonly cwd: string },
): Promise<Omit<Bases, 'commit'>> {
  const existing = [...new Set(files)].filter((file) => existsSync(file));
  const address = givenAddress(context);
  const loaded = existing.length === 0 ? undefined : await loadMadeConfig(existing, { ...options, address });
  const byFile = new Map(loaded?.roots.map((root) => [root.file, root]));
  const loadedOnes = loaded?.roots.flatMap(({ configuration }) => configuration?.service.address ?? []) ?? [];
  const named = [...new Set([...loadedOnes, ...(await addressesOf(existing))])];
  const addresses = named.length > 0 ? named : await addressesOf(await all());
  const found = files.map((file, index) => {
    const now = configurations[index] as Configuration;
    const root = byFile.get(file);
    const { configuration } = root ?? {};
    if (root && !configuration) return whyInvalid(root);
    return configuration && isOfOne(configuration, now) ? configuration : emptyBase(now);
  });
  return { found, addresses };
}

/** As far as the lines show, so that a file with errors counts, too. */
async function addressesOf(files: readonly string[]): Promise<readonly string[]> {
  const heads = await Promise.all(files.map(readHead));
  return heads.flatMap(({ isRoot, address }) =>
    isRoot && address !== undefined ? address.replace(/(?<!\/)\/+$/, '') : [],
  );
}

function whyInvalid({ diagnostics, file }: LoadedRoot): AttuneError {
  const { location, message = 'it has errors' } =
    diagnostics.find(({ severity }) => severity === 'error') ?? {};
  const place = location ? `${location.file}:${location.line}:${location.column}: ` : `${dirname(file)}: `;
  return unreadable(`${place}${message}`, 'correct the base, or choose another one');
}
