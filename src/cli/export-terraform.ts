import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { TerraformExport } from '../cdktf/terraform-export.ts';
import type { Configuration } from '../desired/configuration.ts';
import { AttuneError } from '../model/attune-error.ts';
import { counted } from '../model/text.ts';
import { matchesAddress } from '../model/wildcard.ts';
import { unmatchedOnly } from '../plan/unmatched-only.ts';
import { jsonText } from '../report/json-text.ts';
import { writablePath } from './files/report-files.ts';
import { makeFolders, sharedFile, writeFile } from './files/write-file.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';
import { allOrRefused } from './organizations/all-or-refused.ts';
import type { Connection } from './organizations/connect.ts';
import { withConnection } from './organizations/with-connection.ts';
import { loadAll } from './organizations/with-plans.ts';
import { emit, entryOf } from './session/emit.ts';
import { runSession } from './session/run-session.ts';
import type { Session } from './session/session.ts';
import { shellWord } from './session/shell-word.ts';

export interface ExportFlags extends CommonFlags {
  readonly out?: string;
  readonly force?: boolean;
}

/**
 * Writes the desired state as a file of Terraform. With `--out` the result on stdout is what could not be carried over;
 * without it the file itself, and nothing where there is none to write: what is wrong goes to stderr.
 */
export function exportTerraform(roots: readonly string[], flags: ExportFlags, io: Io): Promise<number> {
  return runSession(io, flags, 'plan', async (session) => {
    const [configuration, ...others] = await loadAll(roots, session);
    if (configuration === undefined || others.length > 0) {
      throw new AttuneError('an export is of one organization', {
        code: 'usage',
        hint: 'give one root file at a time, and each a folder of its own',
      });
    }
    const file = await fileOf(configuration, flags, io.cwd);
    const read = await allOrRefused([configuration], session, (one) => readExport(one, session));
    const [exported] = read as [TerraformExport];
    const { terraformDocument } = await import('../cdktf/terraform-document.ts');
    const text = jsonText(terraformDocument(exported));
    const diagnostics = [...exported.diagnostics, ...exported.unsupported];
    const entry = entryOf(session, configuration.folder, { diagnostics });
    if (file === undefined) {
      session.console.result(text);
      session.console.diagnostics(entry.diagnostics, entry.path);
    } else {
      const path = resolve(io.cwd, file.folder, file.name);
      await makeFolders([path], io.cwd);
      await writeFile(path, session.masked(text), sharedFile);
      await emit(session, { kind: 'validate', entries: [entry] });
    }
    sayWhatNext(session, exported, file);
    return 0;
  });
}

interface ExportFile {
  /** As the flag has it. */
  readonly folder: string;
  readonly name: string;
}

/**
 * Where the file goes, looked at before anything is read.
 *
 * @throws {AttuneError} where it cannot be written, or is there already.
 */
async function fileOf(
  { desired }: Configuration,
  { out, force }: ExportFlags,
  cwd: string,
): Promise<ExportFile | undefined> {
  if (out === undefined) return undefined;
  const name = `${desired.organization}.tf.json`;
  const folder = await stat(resolve(cwd, out)).catch(() => undefined);
  if (folder === undefined) await writablePath('--out', out, cwd);
  else {
    const path = await writablePath('--out', join(out, name), cwd);
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (isThere && !force) {
      throw new AttuneError(`${join(out, name)} is there already`, {
        code: 'file-exists',
        hint: 'give --force to write it anew, or another folder',
      });
    }
  }
  return { folder: out, name };
}

async function readExport(configuration: Configuration, session: Session): Promise<TerraformExport> {
  const { only = [] } = session.flags;
  const chosen = (address: string) =>
    only.length === 0 || only.some((pattern) => matchesAddress(pattern, address));
  const declared = { configuration, plan: { changes: [], unmanaged: [] } };
  session.console.diagnostics(unmatchedOnly(only, [declared]));
  return withConnection(configuration, session, async (connection) => {
    session.progress.begin(`${configuration.desired.organization}: reading`);
    const { readConfiguration } = await import('../cdktf/read-configuration.ts');
    const { terraformExport } = await import('../cdktf/terraform-export.ts');
    const read = await readConfiguration(withDialect(configuration, connection), connection.client, {
      chosen,
    });
    return terraformExport(read.configuration, { live: read.live, chosen });
  });
}

/** The embedded service's dialect is known before anything is read. */
function withDialect(configuration: Configuration, { dialect }: Connection): Configuration {
  return dialect ? { ...configuration, service: { ...configuration.service, dialect } } : configuration;
}

function sayWhatNext({ console }: Session, exported: TerraformExport, file: ExportFile | undefined): void {
  const { organization, resources, differing } = exported;
  const imported = resources.filter(({ importId }) => importId !== undefined).length;
  const where = file === undefined ? '' : ` written to ${join(file.folder, file.name)}`;
  console.say(
    `${organization}: ${counted(resources.length, 'resource')}${where}, ${imported} of them to import.`,
  );
  if (differing.length > 0) {
    console.say(
      `${counted(differing.length, 'declared resource')} still to be changed: terraform plan will show it, as attune plan does.`,
    );
  }
  if (file !== undefined) {
    const change = file.folder === '.' ? '' : `cd ${shellWord(file.folder)} && `;
    console.say(`Next, with TFE_HOSTNAME and TFE_TOKEN set: ${change}terraform init && terraform plan`);
  }
}
