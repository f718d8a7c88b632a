import { join, relative } from 'node:path';
import type { Configuration, ServiceSettings } from '../../desired/configuration.ts';
import { type Composed, compose } from '../../import/compose.ts';
import { extend } from '../../import/extend.ts';
import { type ImportResult, importDocument, renderImportText } from '../../import/import-document.ts';
import type { OrganizationReading } from '../../import/read-organization.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { slashed } from '../../model/files.ts';
import { jsonText } from '../../report/json-text.ts';
import { embedded } from '../../service/address.ts';
import type { CommonFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import type { Connection } from '../organizations/connect.ts';
import { withConnection } from '../organizations/with-connection.ts';
import { runSession } from '../session/run-session.ts';
import type { Session } from '../session/session.ts';
import { findSource, readExisting } from './import-source.ts';
import { findTarget, type ImportTarget, refuseStanding } from './import-target.ts';
import { type Part, type PartFlags, readPart } from './read-part.ts';
import { writeComposed } from './write-composed.ts';

export interface ImportFlags extends CommonFlags, PartFlags {
  readonly out?: string;
  readonly organization?: string;
  readonly all?: boolean;
  readonly force?: boolean;
  readonly update?: boolean;
}

/**
 * Writes YAML for what is live, so that the next plan is empty.
 *
 * @param onWritten is called once the files are written. The exit code is 1 all the same where a workspace is left out.
 */
export function importLive(
  roots: readonly string[],
  flags: ImportFlags,
  io: Io,
  onWritten: () => void = () => {},
): Promise<number> {
  return runSession(io, { ...flags, report: [] }, 'plan', async (session) => {
    checkFlags(roots, flags);
    const [root] = roots;
    const target = await findTarget(flags.out, root, io.cwd);
    // Where nothing is there yet, everything is missing.
    const isUpdate = flags.update === true && target.rootExists;
    if (!flags.force && !isUpdate) refuseStanding(target);
    const existing = isUpdate ? await readExisting(target, flags.organization, session) : undefined;
    const source =
      existing?.configuration ??
      (await findSource(target, { organization: flags.organization, root }, session));
    return withConnection(source, session, async (connection) => {
      const { organization } = source.desired;
      session.progress.begin(`${organization}: reading`);
      const part = await readPart(connection, flags, { source, isUpdate });
      session.progress.end();
      const { reading } = part;
      const said = { ...part, all: flags.all === true, root: target.root };
      const composed = existing
        ? await extend({ ...said, texts: existing.texts })
        : await compose({
            ...said,
            service: serviceOf(source, connection, { reading, folder: target.folder }),
            single: target.single,
            standing: target.standing,
          });
      if (!existing) refuseNothing(part, composed);
      const files = await writeComposed(composed.files, { target, isUpdate, cwd: io.cwd });
      onWritten();
      give(
        {
          organization,
          address: connection.address,
          dialect: reading.live.dialect,
          files,
          omittedWorkspaces: composed.omittedWorkspaces,
          diagnostics: [...reading.live.diagnostics, ...composed.diagnostics],
        },
        target,
        session,
      );
      return composed.omittedWorkspaces > 0 ? 1 : 0;
    });
  });
}

function checkFlags(roots: readonly string[], flags: ImportFlags): void {
  const refuse = (message: string, hint: string) => new AttuneError(message, { code: 'usage', hint });
  if (roots.length > 1) throw refuse('an import is of one organization', 'give one root file at a time');
  if (flags.force && flags.update) {
    throw refuse('--force and --update exclude each other', '--update keeps what is there, --force does not');
  }
}

/** An organization may be empty; but whoever asks for a part means something that is there. */
function refuseNothing({ selection, reading }: Part, { files, diagnostics }: Composed): void {
  const isFound =
    files.some(({ workspaces, grants }) => workspaces + grants > 0) ||
    diagnostics.some(({ code }) => code === 'left-out');
  if (isFound || Object.keys(selection).length === 0) return;
  throw new AttuneError(
    `nothing of ${reading.live.state.organization} is as asked for; nothing was written`,
    {
      code: 'nothing-to-import',
      hint: 'look at --project, --tag, --name and --only; the token may also not see it',
    },
  );
}

/** How the files reach the service: as this run did, with paths that hold in their folder. */
function serviceOf(
  { service, folder: from }: Configuration,
  connection: Connection,
  { reading, folder }: { readonly reading: OrganizationReading; readonly folder: string },
): ServiceSettings {
  const { seed, data: _data, address: _address, dialect, ...pace } = service;
  // By default the data lies beside the file that was read.
  const data = service.data ?? (folder === from ? undefined : join(from, '.attune', 'embedded.json'));
  const isAssumed = reading.live.diagnostics.some(({ code }) => code === 'assumed-dialect');
  const known = dialect ?? (isAssumed ? undefined : reading.live.dialect);
  const inFolder = (path: string) => slashed(relative(folder, path));
  const isEmbedded = connection.address === embedded;
  return {
    address: connection.address,
    ...(known && { dialect: known }),
    ...pace,
    ...(isEmbedded && data !== undefined && { data: inFolder(data) }),
    ...(isEmbedded && seed !== undefined && { seed: inFolder(seed) }),
  };
}

function give(result: ImportResult, target: ImportTarget, { flags, io, console }: Session): void {
  if (flags.format === 'json') io.stdout.write(jsonText(importDocument(result)));
  else {
    console.result(renderImportText(result));
    console.diagnostics(result.diagnostics);
  }
  console.say(`Next: attune plan${target.given}`);
}
