import { join, relative } from 'node:path';
import { type Configuration, embeddedData, type ServiceSettings } from '../../desired/configuration.ts';
import { checkResult } from '../../import/check-result.ts';
import { loadTexts } from '../../import/check-unchanged.ts';
import { type Composed, compose } from '../../import/compose.ts';
import { extend } from '../../import/extend.ts';
import { type ImportResult, importDocument, renderImportText } from '../../import/import-document.ts';
import type { OrganizationReading } from '../../import/read-organization.ts';
import type { ImportDetail } from '../../import/statement.ts';
import { serviceSource } from '../../live/live-source.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import { isInside, slashed } from '../../model/files.ts';
import { liveQueryOf } from '../../plan/live-query-of.ts';
import { lookUpNames } from '../../plan/look-up-names.ts';
import { jsonText } from '../../report/json-text.ts';
import { type Connection, findAddress, openConnections } from '../../run/connect.ts';
import { embedded } from '../../service/address.ts';
import type { Session } from '../session.ts';
import { findTarget, type ImportTarget, refuseStanding, writeComposed } from './import-files.ts';
import { findSource, readExisting } from './import-source.ts';
import { type Part, type PartFlags, readPart } from './read-part.ts';

export interface ImportOptions extends PartFlags {
  readonly out?: string;
  readonly organization?: string;
  readonly all?: boolean;
  readonly minimal?: boolean;
  readonly force?: boolean;
  readonly update?: boolean;
}

/**
 * Writes YAML for the live state, so that the next plan is empty.
 *
 * @returns the exit code, which is 1 if a workspace is left out; the files are written in this case, too.
 */
export async function importLive(
  root: string | undefined,
  options: ImportOptions,
  session: Session,
): Promise<number> {
  const { io, progress } = session;
  checkOptions(options);
  const target = await findTarget(options.out, root, io.cwd);
  // If the root file does not exist yet, everything is missing.
  const isUpdate = options.update === true && target.rootExists;
  if (!options.force && !isUpdate) refuseStanding(target);
  const existing = isUpdate ? await readExisting(target, options.organization, session) : undefined;
  const source =
    existing?.configuration ??
    (await findSource(target, { organization: options.organization, root }, session));
  if (!existing && findAddress(source, session)?.address === embedded) refuseOutside(source, target);

  await using connections = await openConnections([source], session);
  const connection = connections.at(0);
  const { organization } = source.desired;
  progress.begin(`${organization}: reading`);
  const part = await readPart(connection, options, { source, isUpdate });
  progress.end();

  const { reading } = part;
  const common = { ...part, detail: detailOf(options), root: target.root };
  const composed = existing
    ? await extend({ ...common, texts: existing.texts })
    : await compose({
        ...common,
        service: serviceOf(source, connection, { reading, folder: target.folder }),
        single: target.single,
        standing: target.standing,
      });
  if (!existing) refuseNothing(part, composed);
  const { omittedWorkspaces } = composed;
  const checked =
    existing && composed.files.length > 0
      ? await checkUpdate(composed, { texts: existing.texts, part, connection, root: target.root })
      : [];
  const result: ImportResult = {
    organization,
    address: connection.address,
    dialect: reading.live.dialect,
    files: await writeComposed(composed.files, { target, isUpdate, cwd: io.cwd }),
    omittedWorkspaces,
    diagnostics: [...reading.live.diagnostics, ...composed.diagnostics, ...checked],
  };
  printResult(result, target, session);
  return omittedWorkspaces > 0 ? 1 : 0;
}

interface UpdateContext {
  readonly texts: ReadonlyMap<string, string>;
  readonly part: Part;
  readonly connection: Connection;
  readonly root: string;
}

/** Plans the files that an update changes, before they are written. Only the live state of all of them shows every change. */
async function checkUpdate(
  { files }: Composed,
  { texts, part, connection, root }: UpdateContext,
): Promise<readonly Diagnostic[]> {
  const { configuration: former, namesOf, reading } = part;
  const edited = new Map([...texts, ...files.map(({ name, text }) => [name, text] as const)]);
  const { configurations } = await loadTexts(edited, root);
  const configuration = await lookUpNames(configurations[0] ?? former, namesOf);
  const source = serviceSource(connection.client);
  const live = await source.read({ ...liveQueryOf(configuration), dialect: reading.live.dialect });
  return checkResult({ former, configuration, live, source, address: connection.address });
}

function checkOptions({ all, force, minimal, update }: ImportOptions): void {
  if (force && update) {
    throw new AttuneError('--force cannot be used with --update', {
      code: 'usage',
      hint: 'use --update to keep existing declarations, or --force to overwrite the files',
    });
  }
  if (all && minimal) {
    throw new AttuneError('--all cannot be used with --minimal', {
      code: 'usage',
      hint: 'use --all to write every documented default, or --minimal to write none of them',
    });
  }
}

function detailOf({ all, minimal }: ImportOptions): ImportDetail {
  if (all) return 'all';
  return minimal ? 'minimal' : 'standard';
}

/** An organization may be empty, but a selection that matches nothing is an error. */
function refuseNothing({ selection, reading }: Part, { files, diagnostics }: Composed): void {
  const isFound =
    files.some(({ workspaces, grants, projects }) => workspaces + grants + projects > 0) ||
    diagnostics.some(({ code }) => code === 'left-out');
  if (isFound || Object.keys(selection).length === 0) return;
  throw new AttuneError(
    `nothing in organization ${reading.live.state.organization} matches the filters; no files were written`,
    {
      code: 'nothing-to-import',
      hint: 'check --project, --tag, --name and --only, and what the token may read',
    },
  );
}

/**
 * A root file names files of the embedded service in its own folder only.
 *
 * @throws {AttuneError} if the new root file could not name those of this run.
 */
function refuseOutside(source: Configuration, { folder, shown, root }: ImportTarget): void {
  const files = [embeddedData(source), ...(source.service.seed ? [source.service.seed] : [])];
  const outside = files.find((file) => !isInside(folder, file));
  if (outside === undefined) return;
  const file = slashed(relative(folder, outside));
  throw new AttuneError(
    `cannot import the embedded service to ${shown(root)}: ${file} is outside the folder of this root file`,
    {
      code: 'path-outside',
      hint: 'choose a root file beside the one of this service, such as --out imported.yaml',
    },
  );
}

/** The service settings of this run, with paths relative to the folder of the new files. */
function serviceOf(
  { service, folder: from }: Configuration,
  connection: Connection,
  { reading, folder }: { readonly reading: OrganizationReading; readonly folder: string },
): ServiceSettings {
  const { seed, data: _data, address: _address, dialect, without: _without, ...pace } = service;
  // The default location of the data is the folder of the file that was read.
  const data = service.data ?? (folder === from ? undefined : join(from, '.attune', 'embedded.json'));
  const isAssumed = reading.live.diagnostics.some(({ code }) => code === 'assumed-dialect');
  const known = dialect ?? (isAssumed ? undefined : reading.live.dialect);
  const inFolder = (path: string) => slashed(relative(folder, path));
  const isEmbedded = connection.address === embedded;
  const { capabilities } = connection.client;
  const without = capabilities.missing().filter((feature) => !capabilities.isExcluded(feature));
  return {
    address: connection.address,
    ...(known && { dialect: known }),
    ...pace,
    ...(without.length > 0 && { without }),
    ...(isEmbedded && data !== undefined && { data: inFolder(data) }),
    ...(isEmbedded && seed !== undefined && { seed: inFolder(seed) }),
  };
}

function printResult(result: ImportResult, target: ImportTarget, { flags, io, console }: Session): void {
  if (flags.format === 'json') io.stdout.write(jsonText(importDocument(result)));
  else {
    console.result(renderImportText(result));
    console.diagnostics(result.diagnostics);
  }
  console.inform(`Next: attune plan${target.given}`);
}
