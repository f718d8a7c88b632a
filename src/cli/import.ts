import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Configuration, ServiceSettings } from '../desired/configuration.ts';
import { type Composed, compose } from '../import/compose.ts';
import {
  type ImportedFile,
  type ImportResult,
  importDocument,
  renderImportText,
} from '../import/import-document.ts';
import { type OrganizationReading, readOrganization } from '../import/read-organization.ts';
import type { Selection } from '../import/selection.ts';
import { AttuneError } from '../model/attune-error.ts';
import { embedded } from '../service/address.ts';
import { type Connection, connect } from './connect.ts';
import type { CommonFlags } from './flags.ts';
import { findSource } from './import-source.ts';
import { findTarget, type ImportTarget, refuseStanding } from './import-target.ts';
import type { Io } from './io.ts';
import { resolveProjects } from './resolve-projects.ts';
import { runSession } from './run-session.ts';
import type { Session } from './session.ts';
import { sharedFile, writeFiles } from './write-file.ts';

export interface ImportFlags extends CommonFlags {
  readonly out?: string;
  readonly organization?: string;
  readonly project?: readonly string[];
  readonly tag?: readonly string[];
  readonly name?: readonly string[];
  readonly all?: boolean;
  readonly force?: boolean;
  readonly update?: boolean;
}

/** Writes YAML for what is live, so that the next plan is empty. */
export function importLive(roots: readonly string[], flags: ImportFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', async (session) => {
    checkFlags(roots, flags);
    const [root] = roots;
    const target = await findTarget(flags.out, root, io.cwd);
    if (!flags.force) refuseStanding(target);
    const source = await findSource(target, { organization: flags.organization, root }, session);
    const connection = await connect(source, { ...session, observe: session.progress.observe });
    try {
      session.progress.begin(`${source.desired.organization}: reading`);
      const selection = await selectionOf(flags, source, connection);
      const reading = await readOrganization(connection.client, {
        organization: source.desired.organization,
        selection,
        ...dialectOf(source, connection),
      });
      session.progress.end();
      refuseNothing(selection, reading);
      const composed = await compose({
        reading,
        selection,
        service: serviceOf(source, connection, { reading, folder: target.folder }),
        all: flags.all === true,
        root: target.root,
        single: target.single,
        strangers: (files) => target.standing.filter((file) => !files.includes(file)),
      });
      const files = await write(composed, target, session);
      give({ source, connection, reading, composed, files }, session);
      return 0;
    } finally {
      session.progress.end();
      await connection.close();
    }
  });
}

function checkFlags(roots: readonly string[], flags: ImportFlags): void {
  const refuse = (message: string, hint: string) => new AttuneError(message, { code: 'usage', hint });
  if (roots.length > 1) throw refuse('an import is of one organization', 'give one root file at a time');
  if (flags.force && flags.update) {
    throw refuse('--force and --update exclude each other', '--update keeps what is there, --force does not');
  }
  if (flags.report?.length)
    throw refuse('--report: an import makes files and no report', 'use --format json');
}

async function selectionOf(
  { project, tag, name, only }: ImportFlags,
  source: Configuration,
  { client }: Connection,
): Promise<Selection> {
  const projects = project && (await resolveProjects(client, source, project));
  return {
    ...(projects && { projects }),
    ...(tag && { tags: tag }),
    ...(name && { names: name }),
    ...(only && { only }),
  };
}

/** An organization may be empty; but whoever asks for a part means something that is there. */
function refuseNothing(selection: Selection, { live }: OrganizationReading): void {
  if (live.state.resources.size > 0 || Object.keys(selection).length === 0) return;
  throw new AttuneError(`nothing of ${live.state.organization} is as asked for; nothing was written`, {
    code: 'nothing-to-import',
    hint: 'look at --project, --tag, --name and --only; the token may also not see it',
  });
}

function dialectOf({ service }: Configuration, connection: Connection) {
  const dialect = service.dialect ?? connection.dialect;
  return dialect ? { dialect } : {};
}

/** How the files reach the service: as this run did, with paths that hold in their folder. */
function serviceOf(
  { service }: Configuration,
  connection: Connection,
  { reading, folder }: { readonly reading: OrganizationReading; readonly folder: string },
): ServiceSettings {
  const { data, seed, address: _address, dialect, ...pace } = service;
  const isAssumed = reading.live.diagnostics.some(({ code }) => code === 'assumed-dialect');
  const known = dialect ?? (isAssumed ? undefined : reading.live.dialect);
  const inFolder = (path: string) => relative(folder, path).split(sep).join('/');
  const isEmbedded = connection.address === embedded;
  return {
    address: connection.address,
    ...(known && { dialect: known }),
    ...pace,
    ...(isEmbedded && data !== undefined && { data: inFolder(data) }),
    ...(isEmbedded && seed !== undefined && { seed: inFolder(seed) }),
  };
}

async function write({ files }: Composed, target: ImportTarget, session: Session): Promise<ImportedFile[]> {
  const texts = new Map<string, string>();
  const imported: ImportedFile[] = [];
  for (const { name, text, workspaces, grants } of files) {
    refuseSecrets(text, session);
    const path = join(target.folder, name);
    const before = await readFile(path, 'utf8').catch(() => undefined);
    const outcome = before === undefined ? 'created' : before === text ? 'unchanged' : 'overwritten';
    imported.push({ file: target.shown(name), outcome, workspaces, grants });
    if (outcome !== 'unchanged') texts.set(path, text);
  }
  for (const folder of new Set([...texts.keys()].map(dirname))) await mkdir(folder, { recursive: true });
  await writeFiles(texts, sharedFile);
  return imported;
}

/** What a service echoes of a token is no configuration. */
function refuseSecrets(text: string, { masked }: Session): void {
  if (masked(text) === text) return;
  throw new AttuneError('the live state holds the token itself, in some name or description', {
    code: 'token-in-state',
    hint: 'remove it there and make a new token; nothing was written',
  });
}

interface Done {
  readonly source: Configuration;
  readonly connection: Connection;
  readonly reading: OrganizationReading;
  readonly composed: Composed;
  readonly files: readonly ImportedFile[];
}

function give({ source, connection, reading, composed, files }: Done, { flags, io, console }: Session): void {
  const result: ImportResult = {
    organization: source.desired.organization,
    address: connection.address,
    dialect: reading.live.dialect,
    files,
    diagnostics: [...reading.live.diagnostics, ...composed.diagnostics],
  };
  if (flags.format === 'json') io.stdout.write(`${JSON.stringify(importDocument(result), null, 2)}\n`);
  else {
    console.result(renderImportText(result));
    console.diagnostics(result.diagnostics);
  }
  console.say('Next: attune plan');
}
