import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type RootHead, readHead } from '../desired/files/read-file.ts';
import type { LoadedRoot } from '../desired/load-root.ts';
import { bareConfiguration, type Configuration } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, DiagnosticsError, hasErrors, problem } from '../model/diagnostic.ts';
import { isInside, realPathOutside, relativePath } from '../model/files.ts';
import { commandLine, pathWord } from '../model/text.ts';
import { type SavedFor, settingsFor } from '../saved/saved-for.ts';
import { embedded, embeddedData, isSameOrganization } from '../service/address.ts';
import { findAddress } from './connect.ts';
import type { RunContext } from './context.ts';
import { journalFolder, listJournals } from './files/input-files.ts';
import { hasConfiguration, loadRoots } from './load.ts';

/** A root file of an undo. If it has errors, only its folder and what its text shows are known. */
export interface UndoRoot {
  readonly folder: string;
  readonly isValid: boolean;
  readonly organization: string | undefined;
  /** @param organization that of the journal, for a root file that does not show its own */
  configuration(organization: string): Configuration;
}

/**
 * The root files of an undo, valid ones first. An undo needs no valid files: a warning reports that guards, policies and
 * freeze windows are not checked, because a file has errors or does not exist.
 */
export async function readUndoRoots(
  files: readonly string[],
  context: RunContext,
): Promise<readonly UndoRoot[]> {
  const { console, io } = context;
  if (!(await hasConfiguration(files, context))) return [];
  const { roots, policies } = await loadRoots(files, context);
  if (policies && hasErrors(policies.diagnostics)) throw new DiagnosticsError(policies.diagnostics);
  const valid = roots.flatMap(({ folder, organization, configuration }): UndoRoot[] =>
    configuration ? [{ folder, isValid: true, organization, configuration: () => configuration }] : [],
  );
  const broken: UndoRoot[] = [];
  for (const root of roots) {
    if (root.configuration) continue;
    broken.push(await brokenRoot(root, context));
    const name = relativePath(io.cwd, root.file);
    const validate = commandLine(['attune', 'validate', ...(name === 'attune.yaml' ? [] : [pathWord(name)])]);
    const why = existsSync(root.file) ? 'has errors and is ignored' : 'does not exist';
    console.diagnostics([
      withoutFiles('warning', `${name} ${why}`, `run \`${validate}\`, and correct the file to check them`),
    ]);
  }
  return [...valid, ...broken];
}

function withoutFiles(severity: 'note' | 'warning', why: string, hint: string): Diagnostic {
  return problem(
    'files-left-aside',
    `${why}: the undo follows the journal, and guards, policies and freeze windows of the file are not checked`,
    { severity, hint },
  );
}

async function brokenRoot(
  { file, folder, organization, diagnostics }: LoadedRoot,
  context: RunContext,
): Promise<UndoRoot> {
  const shown = await readHead(file);
  const isElsewhere =
    shown.data !== undefined && (await realPathOutside(resolve(folder, shown.data), folder)) !== undefined;
  const isWrongName = !existsSync(file) && (await listJournals(journalFolder({ folder }))).length === 0;
  if (isWrongName || isElsewhere) throw new DiagnosticsError(diagnostics);
  const own = organization ?? shown.organization;
  return {
    folder,
    isValid: false,
    organization: own,
    configuration: (other) => ({
      ...shownConfiguration({ ...shown, organization: own ?? other }, folder, context),
      file,
    }),
  };
}

export function shownConfiguration(
  { organization, address, data }: RootHead & { readonly organization: string },
  folder: string,
  context: RunContext,
): Configuration {
  const service = { address, data: data && resolve(folder, data) };
  return withGivenAddress({ ...bareConfiguration(organization, folder), service }, context);
}

function withGivenAddress(configuration: Configuration, context: RunContext): Configuration {
  const address = findAddress(configuration, context)?.address;
  return address ? { ...configuration, service: { ...configuration.service, address } } : configuration;
}

type UndoneRun = Omit<SavedFor, 'what'> & { readonly file: string };

export async function undoSettings(
  runs: readonly UndoneRun[],
  roots: readonly UndoRoot[],
  context: RunContext,
): Promise<readonly Configuration[]> {
  const all = runs.map(async (run) => {
    // Of several valid root files of the organization, the journal belongs to the one beside it.
    const folder = dirname(resolve(context.io.cwd, run.file));
    const rank = (root: UndoRoot) => (root.isValid ? 0 : 2) + (journalFolder(root) === folder ? 0 : 1);
    const ordered = [...roots].sort((a, b) => rank(a) - rank(b));
    const settings = ordered.map((root) => root.configuration(run.organization));
    const configuration = settingsFor({ ...run, what: 'journal' }, settings, context.io.cwd);
    const isBeside = journalFolder(configuration) === folder;
    checkOneService(
      run,
      configuration,
      settings.filter((other) => !isBeside || other.folder === configuration.folder),
    );
    const located = roots.length === 0 ? await withJournaledData(run, configuration) : configuration;
    const { service } = located;
    const dialect = service.dialect ?? run.dialect;
    return withAddress(run, { ...located, service: { ...service, dialect } }, context);
  });
  const configurations = await Promise.all(all);
  if (roots.length === 0)
    context.console.diagnostics([
      withoutFiles('note', 'there is no attune.yaml', 'name a root file to check them'),
    ]);
  return configurations;
}

/** A journal shows the data of the embedded service. It must not choose a file outside the working folder. */
async function withJournaledData({ data }: UndoneRun, configuration: Configuration): Promise<Configuration> {
  const { folder } = configuration;
  if (data === undefined || !isInside(folder, data)) return configuration;
  return (await realPathOutside(data, folder)) === undefined
    ? { ...configuration, service: { data } }
    : configuration;
}

function checkOneService(
  run: UndoneRun,
  configuration: Configuration,
  others: readonly Configuration[],
): void {
  const own = others.filter((other) => isSameOrganization(other, run));
  if (own.every((other) => isSameOrganization(other, configuration))) return;
  throw new AttuneError(
    `${run.file} is for the embedded service of ${run.organization}, and the root files have several service.data`,
    { code: 'other-plan', hint: 'name only the root file that the run applied' },
  );
}

/** The journal was written by another run: the user of this run decides which address gets the token. */
function withAddress(
  { address }: Pick<SavedFor, 'address'>,
  configuration: Configuration,
  context: RunContext,
): Configuration {
  const given = withGivenAddress(configuration, context);
  const { service } = given;
  if (service.address) return given;
  // The embedded service gets no token.
  if (address === embedded && existsSync(embeddedData(given)))
    return { ...given, service: { ...service, address } };
  throw new AttuneError(
    `the journal was recorded for ${address}, but no other setting has this address; a journal must not decide who gets the token`,
    { code: 'no-address', hint: `add --address ${address}, or set ATTUNE_ADDRESS` },
  );
}
