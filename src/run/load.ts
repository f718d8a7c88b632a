import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { outdirVariable } from '../desired/files/synthesized.ts';
import { type LoadOptions, type LoadResult, loadConfig } from '../desired/load-config.ts';
import type { LoadedRoot } from '../desired/load-root.ts';
import { tooLongExceptions } from '../hold/at-time.ts';
import { bareConfiguration, type Configuration } from '../model/configuration.ts';
import { AttuneError, hasErrors, usageError } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { ReportEntry } from '../report/report.ts';
import { openNames } from '../resolve/needed-names.ts';
import { withoutSecrets } from '../service/token.ts';
import { givenAddress, type RunContext } from './context.ts';
import { RefusedError } from './errors.ts';
import { withPrivateFolder } from './files/write-file.ts';
import { entryOf, failedRoot, rootName, shownFrom } from './report-entry.ts';

export async function loadConfigurations(
  roots: readonly string[],
  context: RunContext,
  options: Pick<LoadOptions, 'digests'> = {},
): Promise<readonly Configuration[]> {
  const loaded = await loadRoots(roots, context, options);
  if (hasErrors(loaded.diagnostics)) throw invalidFiles(loaded, context);
  return loaded.configurations;
}

export async function loadWorking(
  roots: readonly string[],
  context: RunContext,
): Promise<Pick<LoadResult, 'configurations'> & { readonly failed: readonly ReportEntry[] }> {
  const loaded = await loadRoots(roots, context);
  const { configurations } = loaded;
  if (!hasErrors(loaded.diagnostics)) return { configurations, failed: [] };
  if (configurations.length === 0) throw invalidFiles(loaded, context);
  const invalid = loaded.roots.filter(({ diagnostics }) => hasErrors(diagnostics));
  return { configurations, failed: invalid.map((root) => failedRoot(loadedEntry(root, context))) };
}

export async function loadOne(
  roots: readonly string[],
  context: RunContext,
  command: string,
  hint = 'name one root file',
): Promise<Configuration> {
  const [configuration, ...others] = await loadConfigurations(roots, context);
  if (configuration !== undefined && others.length === 0) return configuration;
  throw usageError(`${command} takes one root file, and there are ${others.length + 1}`, hint);
}

export async function validateFiles(roots: readonly string[], context: RunContext) {
  const loaded = await loadRoots(roots, context);
  const organizations = loaded.configurations.map((configuration) => {
    const { desired, folder } = configuration;
    const path = shownFrom(context.io.cwd, folder);
    return {
      organization: desired.organization,
      resources: desired.resources.size,
      /** The names that only a plan can resolve. */
      open: openNames(configuration, loaded.configurations).map(({ location, ...name }) => ({
        ...name,
        location: location && { ...location, file: path(location.file) },
      })),
    };
  });
  const now = context.io.date().getTime();
  const dated = loaded.roots.map((root) => {
    const { configuration } = root;
    if (configuration === undefined) return root;
    return { ...root, diagnostics: [...root.diagnostics, ...tooLongExceptions(configuration, now)] };
  });
  return { entries: loadedEntries({ ...loaded, roots: dated }, context), organizations };
}

export function invalidFiles(loaded: LoadResult, context: RunContext): RefusedError {
  return new RefusedError(loadedEntries(loaded, context));
}

function loadedEntries({ roots, policies }: LoadResult, context: RunContext): ReportEntry[] {
  const entries: ReportEntry[] = roots.map((root) => loadedEntry(root, context));
  if (!policies || policies.diagnostics.length === 0) return entries;
  return [...entries, entryOf(context, policies.folder, { diagnostics: policies.diagnostics })];
}

function loadedEntry(root: LoadedRoot, context: RunContext) {
  const { folder, organization, receivers, diagnostics } = root;
  const entry = entryOf(context, folder, { organization, receivers, diagnostics });
  return { ...entry, file: rootName(root, context) };
}

/**
 * Loads root files, `attune.yaml` if none is named, and what the program of `--app` declares. With a program, only the
 * files on the command line are loaded in addition.
 */
export async function loadRoots(
  roots: readonly string[],
  context: RunContext,
  { digests = false }: Pick<LoadOptions, 'digests'> = {},
): Promise<LoadResult> {
  const { io, console } = context;
  const { app, shard, policy: policyFiles = [] } = context.options;
  const options = { cwd: io.cwd, policyFiles, digests, address: givenAddress(context), shard };
  const loaded =
    app === undefined
      ? await loadConfig(roots.length > 0 ? roots : ['attune.yaml'], options)
      : await withPrivateFolder('attune-app-', async (synthesized) => {
          await declareWith(app, synthesized, context);
          return await loadConfig(roots, { ...options, synthesized });
        });
  if (shard && loaded.roots.length === 0)
    console.inform(`Shard ${shard.index}/${shard.count} has no root files.`);
  return loaded;
}

async function declareWith(command: string, folder: string, { io, runProgram }: RunContext): Promise<void> {
  const failed = (message: string, hint: string) => new AttuneError(message, { code: 'app-failed', hint });
  if (command === '')
    throw failed('the command of a program is empty', 'name the program with its arguments');
  const { NODE_OPTIONS: options = '', ...env } = withoutSecrets(io.env);
  // Problems are at lines of the TypeScript if the compiler leaves source maps.
  const mapping = { NODE_OPTIONS: `${options} --enable-source-maps`.trim() };
  const { code, signal } = await runProgram(command, { ...env, ...mapping, [outdirVariable]: folder });
  if (code !== 0) {
    const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
    const hint = 'check the output of the program above; no plan was made';
    throw failed(`the program of --app ${how}: ${command}`, hint);
  }
  if ((await readdir(folder)).length === 0)
    throw failed(
      `the program of --app declares no configuration: ${command}`,
      'end the program with `await app.synth()` of attune/constructs',
    );
}

export async function hasConfiguration(
  roots: readonly string[],
  { options, io }: Pick<RunContext, 'options' | 'io'>,
): Promise<boolean> {
  if (roots.length > 0 || options.app !== undefined) return true;
  return (await stat(join(io.cwd, 'attune.yaml')).catch(() => undefined)) !== undefined;
}

/** Loads the configurations of a command that answers without files, too. */
export async function loadOptional(
  roots: readonly string[],
  context: RunContext,
): Promise<readonly Configuration[]> {
  return (await hasConfiguration(roots, context)) ? loadConfigurations(roots, context) : [];
}

export function chosenConfiguration(
  organization: string | undefined,
  [found]: readonly Configuration[],
  context: RunContext,
  command: string,
): Configuration {
  if (found && (organization === undefined || found.desired.organization === organization)) return found;
  if (!organization)
    throw new AttuneError(
      `${command} requires an organization: there is no --organization and no attune.yaml`,
      { code: 'no-organization', hint: 'add --organization and --address, or name a root file' },
    );
  if (found && !givenAddress(context))
    throw new AttuneError(
      `${relativePath(context.io.cwd, found.file)} declares organization ${found.desired.organization}, not ${organization}`,
      { code: 'no-address', hint: 'correct --organization, or add --address' },
    );
  return bareConfiguration(organization, context.io.cwd);
}
