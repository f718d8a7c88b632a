import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Configuration } from '../../desired/configuration.ts';
import { loadConfig } from '../../desired/load-config.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { hasErrors } from '../../model/diagnostic.ts';
import { readRegularFile } from '../../model/files.ts';
import { bareConfiguration, invalidFiles } from '../../run/load.ts';
import type { Session } from '../session.ts';
import type { ImportTarget } from './import-files.ts';

/**
 * Finds the organization to import and its service: `--organization`, else the root file on the command line, that of
 * the target, or that of the working folder. A file for another organization is not used.
 *
 * @throws {AttuneError} if none of these names an organization.
 */
export async function findSource(
  target: ImportTarget,
  { organization, root }: { readonly organization: string | undefined; readonly root: string | undefined },
  session: Session,
): Promise<Configuration> {
  const { cwd } = session.io;
  const candidates =
    root === undefined ? [join(target.folder, target.root), join(cwd, 'attune.yaml')] : [root];
  for (const file of candidates) {
    const exists = root !== undefined || (await stat(file).catch(() => undefined));
    if (!exists) continue;
    const configuration = await load(file, session, organization === undefined);
    if (configuration === undefined) continue;
    if (organization === undefined || configuration.desired.organization === organization)
      return configuration;
  }
  if (organization !== undefined) return bareConfiguration(organization, cwd);
  throw new AttuneError('import requires an organization: there is no --organization and no attune.yaml', {
    code: 'no-organization',
    hint: 'add --organization NAME and --address URL, or run it in a folder with an attune.yaml',
  });
}

/** A file with errors is ignored if it is optional. */
async function load(file: string, session: Session, isNeeded: boolean): Promise<Configuration | undefined> {
  const loaded = await loadConfig(file, { cwd: session.io.cwd });
  if (isNeeded && hasErrors(loaded.diagnostics)) throw invalidFiles(loaded, session);
  return loaded.configurations[0];
}

/** The existing files of a configuration. */
export interface Existing {
  readonly configuration: Configuration;
  /** By path relative to the root file's folder, the root file first. */
  readonly texts: ReadonlyMap<string, string>;
}

/**
 * Reads the files that an import adds to.
 *
 * @throws {RefusedError} if they have errors.
 * @throws {AttuneError} if they are for another organization.
 */
export async function readExisting(
  target: ImportTarget,
  organization: string | undefined,
  session: Session,
): Promise<Existing> {
  const loaded = await loadConfig(join(target.folder, target.root));
  const [root] = loaded.roots;
  if (!root?.configuration) throw invalidFiles(loaded, session);
  const { configuration, files, folder } = root;
  const own = configuration.desired.organization;
  if (organization !== undefined && organization !== own) {
    throw new AttuneError(`${target.shown(target.root)} is for organization ${own}, not ${organization}`, {
      code: 'usage',
      hint: 'choose another folder with --out, or remove --organization',
    });
  }
  const texts = await Promise.all(
    files.map(async (file) => [file, await readRegularFile(join(folder, file))] as const),
  );
  return { configuration, texts: new Map(texts) };
}
