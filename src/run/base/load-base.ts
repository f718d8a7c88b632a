import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { type LoadMadeOptions, loadMadeConfig } from '../../desired/load-config.ts';
import type { LoadedRoot } from '../../desired/load-root.ts';
import type { LiveSource } from '../../live/live-source.ts';
import { AttuneError, DiagnosticsError, usageError } from '../../model/attune-error.ts';
import { type Base, bareConfiguration, type Configuration } from '../../model/configuration.ts';
import { type Diagnostic, warning } from '../../model/diagnostic.ts';
import { isInside, relativePath } from '../../model/files.ts';
import { readsBindings } from '../../resolve/live-query-of.ts';
import { withFoundNames } from '../../resolve/look-up-names.ts';
import type { PlanSelection } from '../../resolve/plan-request.ts';
import { givenAddress, type RunContext } from '../context.ts';
import { withPrivateFolder } from '../files/write-file.ts';
import { rootName } from '../report-entry.ts';
import { changedRules } from './changed-rules.ts';
import { openGit, openRevision, unreadable } from './git.ts';

export async function withBases(
  configurations: readonly Configuration[],
  context: RunContext,
): Promise<readonly Configuration[]> {
  const { base: ref, onlyChanged } = context.options;
  if (ref === undefined) {
    if (!onlyChanged) return configurations;
    throw usageError(
      `${context.named('only-changed')} requires ${context.named('base')}`,
      'name the revision or the folder to compare with, such as origin/main',
    );
  }
  const { commit, found } = await loadBases(configurations, ref, context).catch((error: unknown): Bases => {
    if (error instanceof AttuneError) return { found: configurations.map(() => error) };
    throw error;
  });
  const addresses = found.flatMap((one) => (one instanceof AttuneError ? [] : (one.service.address ?? [])));
  const base: Base = { ref, commit, addresses, onlyChanged: onlyChanged || undefined };
  return configurations.map((configuration, index) => {
    const loaded = found[index] as Bases['found'][number];
    if (loaded instanceof AttuneError) {
      const diagnostics = [...configuration.diagnostics, ...unloadable(base, loaded, context.named)];
      return { ...configuration, base, diagnostics };
    }
    // A root file of another organization is another root file.
    const organization = ({ desired }: Configuration) => desired.organization.toLowerCase();
    const isSame = organization(loaded) === organization(configuration);
    const same = isSame ? loaded : emptyBase(configuration);
    const root = configurations.length > 1 ? rootName(configuration, context) : undefined;
    const diagnostics = [...configuration.diagnostics, ...changedRules(configuration, same, root)];
    return { ...configuration, base: { ...base, loaded: same, declared: same }, diagnostics };
  });
}

interface Bases {
  readonly commit?: string;
  /** The base of each root file, or why it has none. */
  readonly found: readonly (Configuration | AttuneError)[];
}

function emptyBase({ desired, folder }: Configuration): Configuration {
  const bare = bareConfiguration(desired.organization, folder);
  // No limit of a new root file is a raised one.
  return { ...bare, limits: { ...bare.limits, exceptionDays: Number.POSITIVE_INFINITY } };
}

async function loadBases(
  configurations: readonly Configuration[],
  ref: string,
  context: RunContext,
): Promise<Bases> {
  if (context.options.app !== undefined)
    throw unreadable(
      `the program of ${context.named('app')} declares it, and a base must not run programs`,
      'write the configuration of the base into a folder with `attune render`, and name root files instead of a program',
    );
  if (ref === '' || ref.startsWith('-') || /\p{Cc}/u.test(ref))
    throw unreadable(
      'it is neither a revision nor a folder',
      'name a revision such as origin/main, or a folder such as ../main',
    );
  if (isFolderPath(ref)) return fromFolder(configurations, resolve(context.io.cwd, ref), context);
  return withPrivateFolder('attune-base-', (work) => fromRevision(configurations, ref, work, context));
}

/** A name without a leading `./`, `../` or `/` is a revision: a change under review can bring a folder with any name. */
function isFolderPath(ref: string): boolean {
  return isAbsolute(ref) || /^\.{1,2}([/\\]|$)/.test(ref);
}

async function fromFolder(
  configurations: readonly Configuration[],
  folder: string,
  context: RunContext,
): Promise<Bases> {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw unreadable('the folder does not exist', 'name a folder with the same root files');
  const { cwd } = context.io;
  const common = commonFolder(configurations.map((configuration) => configuration.folder));
  const under = (anchor: string) =>
    configurations.map(({ file }) => join(folder, relativePath(anchor, file)));
  const exists = (files: readonly string[]) => files.some((file) => existsSync(file));
  const isBelow = configurations.every(({ file }) => isInside(cwd, file));
  const files = isBelow && exists(under(cwd)) ? under(cwd) : under(common);
  return { found: await loadFiles(files, configurations, context, { cwd: folder }) };
}

function commonFolder(folders: readonly string[]): string {
  const [first = '', ...others] = folders.map((folder) => folder.split(sep));
  const parts = [...first];
  while (others.some((other) => parts.some((part, index) => other[index] !== part))) parts.pop();
  return parts.join(sep) || sep;
}

async function fromRevision(
  configurations: readonly Configuration[],
  ref: string,
  work: string,
  context: RunContext,
): Promise<Bases> {
  const { env, cwd } = context.io;
  const opened = await Promise.all(configurations.map(({ folder }) => openGit(folder, work, env)));
  const all = opened.filter((one) => one !== undefined);
  const [git] = all;
  if (git === undefined || all.length < opened.length) {
    // No revision can have this name.
    if (statSync(resolve(cwd, ref), { throwIfNoEntry: false })?.isDirectory())
      return fromFolder(configurations, resolve(cwd, ref), context);
    throw unreadable(
      'the root file is in no Git repository',
      'run it in a clone of the repository, or compare with a folder',
    );
  }
  if (all.some(({ top }) => top !== git.top))
    throw unreadable(
      'the root files are in several Git repositories',
      'plan the root files of one repository at a time',
    );
  const target = join(work, 'base');
  await mkdir(target);
  const { commit, make, beforeIncludes } = await openRevision(git, ref, target);
  const paths = configurations.map(({ file, folder }, index) =>
    relativePath(git.top, join(all[index]?.folder ?? folder, relativePath(folder, file))),
  );
  await make(paths);
  const files = paths.map((path) => join(target, path));
  return { commit, found: await loadFiles(files, configurations, context, { cwd: target, beforeIncludes }) };
}

/** Loads the files that exist; a root file that the base does not have declares nothing there. */
async function loadFiles(
  files: readonly string[],
  configurations: readonly Configuration[],
  context: RunContext,
  options: Pick<LoadMadeOptions, 'cwd' | 'beforeIncludes'>,
): Promise<Bases['found']> {
  const existing = files.filter((file) => existsSync(file));
  const address = givenAddress(context);
  const loaded = existing.length === 0 ? undefined : await loadMadeConfig(existing, { ...options, address });
  const roots = new Map(loaded?.roots.map((root) => [root.file, root]));
  return files.map((file, index) => {
    const root = roots.get(file);
    return root
      ? (root.configuration ?? whyInvalid(root))
      : emptyBase(configurations[index] as Configuration);
  });
}

function whyInvalid({ diagnostics, file }: LoadedRoot): AttuneError {
  const [first, ...others] = diagnostics.filter(({ severity }) => severity === 'error');
  const { location, message = 'it has errors' } = first ?? {};
  const place = location ? `${location.file}:${location.line}:${location.column}: ` : '';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  return unreadable(`${place || dirname(file)}${message}${more}`, 'correct the base, or choose another one');
}

/**
 * The configuration with ids instead of names in its base, as far as the run has read them for the configuration itself: a
 * base needs no request. A name that stays is equal to the same name only.
 */
export async function resolveBase(
  configuration: Configuration,
  source: LiveSource,
  selection: PlanSelection,
  { named }: Pick<RunContext, 'named'>,
): Promise<Configuration> {
  const { base, known, desired } = configuration;
  if (base?.loaded === undefined) return configuration;
  const bindings = readsBindings(configuration, selection);
  const found = await Promise.all(
    [...(known ?? new Map()).keys()].map(
      async (kind) => [kind, await source.names(desired.organization, kind, { bindings })] as const,
    ),
  );
  try {
    return { ...configuration, base: { ...base, declared: withFoundNames(base.loaded, new Map(found), []) } };
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const { declared: _unresolved, ...rest } = base;
    const [first] = error.diagnostics.filter(({ severity }) => severity === 'error');
    return {
      ...configuration,
      base: rest,
      diagnostics: [
        ...configuration.diagnostics,
        ...unloadable(base, { message: first?.message ?? 'it has errors' }, named),
      ],
    };
  }
}

/**
 * Why a base is not compared, as a warning. For `--only-changed` it is an error: without its base, everything would be
 * applied.
 */
function unloadable(
  { ref, onlyChanged }: Pick<Base, 'ref' | 'onlyChanged'>,
  { message: why, hint }: Pick<AttuneError, 'message'> & { readonly hint?: string | undefined },
  named: RunContext['named'],
): Diagnostic[] {
  const code = 'base-unreadable';
  const message = `cannot load the base ${ref}: ${why}`;
  if (onlyChanged)
    throw new AttuneError(message, {
      code,
      hint: `${hint === undefined ? 'correct the base' : hint}, or plan without ${named('only-changed')}`,
    });
  return [warning(code, `${message}; the cause of each change is unknown`, { hint })];
}
