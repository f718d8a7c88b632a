import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { RunJournal } from '../apply/journal/parse-journal.ts';
import { readHead } from '../desired/files/read-file.ts';
import type { LoadedRoot } from '../desired/load-root.ts';
import { bareConfiguration, type Configuration } from '../model/configuration.ts';
import { AttuneError, hasErrors } from '../model/diagnostic.ts';
import { isInside, realPathOutside } from '../model/files.ts';
import { settingsFor } from '../saved/saved-for.ts';
import { embedded, embeddedData, isSameOrganization, type OrganizationIdentity } from '../service/address.ts';
import { findAddress } from './connect.ts';
import { givenAddress, type RunContext } from './context.ts';
import { journalFolder } from './files/input-files.ts';
import { hasConfiguration, invalidFiles, loadRoots } from './load.ts';

/** A root file of an undo. One with errors has no configuration, and only what its lines show. */
export interface UndoRoot extends Pick<LoadedRoot, 'file' | 'folder' | 'configuration'> {
  readonly organization?: string | undefined;
  readonly address?: string | undefined;
}

/** Without root files, the working folder counts as that of one. */
export async function loadUndoRoots(
  files: readonly string[],
  context: RunContext,
): Promise<readonly UndoRoot[]> {
  const { cwd } = context.io;
  if (!(await hasConfiguration(files, context))) return [{ file: join(cwd, 'attune.yaml'), folder: cwd }];
  const loaded = await loadRoots(files, context);
  const { roots, policies } = loaded;
  const missing = roots.filter(({ file, configuration }) => !configuration && !existsSync(file));
  if (missing.length > 0 || hasErrors(policies?.diagnostics ?? []))
    throw invalidFiles({ ...loaded, roots: missing }, context);
  return Promise.all(
    roots.map(async (root) => {
      if (root.configuration) return root;
      const { organization, address } = await readHead(root.file);
      return { organization, ...root, address: givenAddress(context) ?? address };
    }),
  );
}

/** @param journaled the organization of the journal, for a root file that does not show its own */
export function configurationOf(root: UndoRoot, journaled: string): Configuration {
  const { file, folder, organization, configuration, address } = root;
  const bare = bareConfiguration(organization ?? journaled, folder);
  return configuration ?? { ...bare, file, service: { address } };
}

/** Which organization a root file is for. One with errors does not show the data of an embedded service. */
export function identityOf(root: UndoRoot, journaled: string): Configuration | OrganizationIdentity {
  const { organization, configuration, address } = root;
  return configuration ?? { organization: organization ?? journaled, address };
}

type UndoneRun = Pick<RunJournal, 'organization' | 'address' | 'dialect' | 'data'> & {
  readonly file: string;
};

export async function undoSettings(
  run: UndoneRun,
  roots: readonly UndoRoot[],
  context: RunContext,
): Promise<Configuration> {
  // Of several valid root files of the organization, the journal belongs to the one beside it.
  const folder = dirname(resolve(context.io.cwd, run.file));
  const rank = (root: UndoRoot) => (root.configuration ? 0 : 2) + (journalFolder(root) === folder ? 0 : 1);
  const ordered = [...roots].sort((a, b) => rank(a) - rank(b));
  const settings = await Promise.all(
    ordered.map(
      (root) => root.configuration ?? withJournaledData(run, configurationOf(root, run.organization)),
    ),
  );
  const configuration = settingsFor({ ...run, what: 'journal' }, settings);
  const isBeside = journalFolder(configuration) === folder;
  checkOneService(
    run,
    configuration,
    settings.filter((other) => !isBeside || other.folder === configuration.folder),
  );
  const { service } = configuration;
  const dialect = service.dialect ?? run.dialect;
  return withAddress(run, { ...configuration, service: { ...service, dialect } }, context);
}

/** A journal shows the data of the embedded service. It must not choose a file outside the folder. */
async function withJournaledData({ data }: UndoneRun, configuration: Configuration): Promise<Configuration> {
  const { folder, service } = configuration;
  if (data === undefined || !isInside(folder, data)) return configuration;
  return (await realPathOutside(data, folder)) === undefined
    ? { ...configuration, service: { ...service, data } }
    : configuration;
}

function checkOneService(run: UndoneRun, configuration: Configuration, others: readonly Configuration[]) {
  const own = others.filter((other) => isSameOrganization(other, run));
  if (own.every((other) => isSameOrganization(other, configuration))) return;
  throw new AttuneError(
    `${run.file} is for the embedded service of ${run.organization}, and the root files have several service.data`,
    { code: 'other-plan', hint: 'name only the root file that the run applied' },
  );
}

/** The journal was written by another run: the user of this run decides which address gets the token. */
function withAddress(
  { address }: Pick<UndoneRun, 'address'>,
  configuration: Configuration,
  context: RunContext,
): Configuration {
  // The embedded service gets no token.
  const isThere = address === embedded && existsSync(embeddedData(configuration));
  const used = findAddress(configuration, context)?.address ?? (isThere ? embedded : undefined);
  if (used) return { ...configuration, service: { ...configuration.service, address: used } };
  throw new AttuneError(
    `the journal was recorded for ${address}, but no other setting has this address; a journal must not decide who gets the token`,
    { code: 'no-address', hint: `add --address ${address}, or set ATTUNE_ADDRESS` },
  );
}
