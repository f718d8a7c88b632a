import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { readConfiguration } from '../../cdktf/read-configuration.ts';
import { terraformDocument } from '../../cdktf/terraform-document.ts';
import type { TerraformExport } from '../../cdktf/terraform-export.ts';
import { terraformExport } from '../../cdktf/terraform-export.ts';
import type { Configuration } from '../../desired/configuration.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { counted } from '../../model/text.ts';
import { matchesAddress } from '../../model/wildcard.ts';
import { unmatchedOnly } from '../../plan/unmatched-only.ts';
import { jsonText } from '../../report/json-text.ts';
import { allOrRefused } from '../../run/all-or-refused.ts';
import type { Connection, Connections } from '../../run/connect.ts';
import { openConnections } from '../../run/connect.ts';
import { writablePath } from '../../run/files/writable-path.ts';
import { makeFolders, sharedFile, writeFile } from '../../run/files/write-file.ts';
import { loadOne } from '../../run/load.ts';
import { entryOf } from '../../run/report-entry.ts';
import { shellWord } from '../../run/shell-words.ts';
import { defineCommand, defineGroup } from '../command.ts';
import { emit } from '../emit.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { appFlag, connectionFlags, onlyFlag, outputFlags, rootFiles } from '../flags.ts';
import type { Session } from '../session.ts';

const terraform = defineCommand({
  details:
    'Writes the declared workspaces and team access as resources of the Terraform provider `hashicorp/tfe`, with an import block for each resource that exists. Settings that the provider does not support are reported.',
  arguments: rootFiles,
  flags: {
    ...appFlag,
    ...outputFlags,
    ...onlyFlag,
    ...connectionFlags,
    out: textFlag('folder', 'write ORGANIZATION.tf.json to this folder (default: stdout)'),
    force: switchFlag('overwrite an existing file'),
  },
  examples: [
    'attune export terraform --out infra',
    'attune export terraform --out infra --force --only "workspace.*-prod"',
    'attune export terraform teams/network > network.tf.json',
  ],
  learnMore: 'docs/guides/from-terraform.md',
  report: 'export',
  run: async ({ files }, { out, force }, session) => {
    const configuration = await loadOne(files, session, {
      message: 'export terraform works on one organization, but the files declare several',
      hint: 'export one root file at a time, each to its own folder',
    });
    const file = await exportFile(configuration, out, force === true, session.io.cwd);
    await using connections = await openConnections([configuration], session);
    const exported = await readExport(configuration, connections, session);
    return await writeExport(configuration, exported, file, session);
  },
});

export default defineGroup({
  usage: 'terraform [options] [files...]',
  examples: ['attune export terraform --out infra'],
  learnMore: 'docs/guides/from-terraform.md',
  commands: [
    {
      name: 'terraform',
      description: 'export the configuration as Terraform JSON with import blocks',
      command: terraform,
    },
  ],
});

interface ExportFile {
  /** As the flag has it. */
  readonly folder: string;
  readonly name: string;
}

/**
 * The file that the export goes to, checked before anything is read; `undefined` for stdout.
 *
 * @throws {AttuneError} if it cannot be written, or exists already.
 */
async function exportFile(
  { desired }: Configuration,
  out: string | undefined,
  force: boolean,
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
      throw new AttuneError(`${join(out, name)} exists already`, {
        code: 'file-exists',
        hint: 'add --force to overwrite it, or choose another folder with --out',
      });
    }
  }
  return { folder: out, name };
}

/**
 * Reads what the export of a configuration needs to know of the live state.
 *
 * @throws {RefusedError} if a read fails.
 */
async function readExport(
  configuration: Configuration,
  connections: Connections,
  session: Session,
): Promise<TerraformExport> {
  const { only = [] } = session.options;
  const chosen = (address: string) =>
    only.length === 0 || only.some((pattern) => matchesAddress(pattern, address));
  const declared = { configuration, plan: { changes: [], unmanaged: [] } };
  session.console.diagnostics(unmatchedOnly(only, [declared]));
  const [exported] = await allOrRefused([configuration], session, async () => {
    const connection = connections.at(0);
    session.progress.begin(`${configuration.desired.organization}: reading`);
    const read = await readConfiguration(withDialect(configuration, connection), connection.client, {
      chosen,
    });
    return terraformExport(read.configuration, { live: read.live, chosen });
  });
  session.progress.end();
  return exported as TerraformExport;
}

/**
 * Writes the export. With a file, the result on stdout is what could not be carried over; without one, it is the export
 * itself, and diagnostics go to stderr.
 *
 * @returns the exit code
 */
async function writeExport(
  configuration: Configuration,
  exported: TerraformExport,
  file: ExportFile | undefined,
  session: Session,
): Promise<number> {
  const { io, console } = session;
  const text = jsonText(terraformDocument(exported));
  const diagnostics = [...exported.diagnostics, ...exported.unsupported];
  const entry = entryOf(session, configuration.folder, { diagnostics });
  if (file === undefined) {
    console.result(text);
    console.diagnostics(entry.diagnostics, entry.path);
  } else {
    const path = resolve(io.cwd, file.folder, file.name);
    await makeFolders([path], io.cwd);
    await writeFile(path, session.masked(text), sharedFile);
    await emit(session, { kind: 'export', entries: [entry] });
  }
  printNextSteps(session, exported, file);
  return 0;
}

/** The embedded service's dialect is known before anything is read. */
function withDialect(configuration: Configuration, { dialect }: Connection): Configuration {
  return dialect ? { ...configuration, service: { ...configuration.service, dialect } } : configuration;
}

function printNextSteps({ console }: Session, exported: TerraformExport, file: ExportFile | undefined): void {
  const { organization, resources, differing } = exported;
  const imported = resources.filter(({ importId }) => importId !== undefined).length;
  const where = file === undefined ? '' : ` written to ${join(file.folder, file.name)}`;
  console.inform(
    `${organization}: ${counted(resources.length, 'resource')}${where}, ${imported} with an import block.`,
  );
  if (differing.length > 0) {
    console.inform(
      `${counted(differing.length, 'declared resource')} with pending changes: terraform plan shows them, as attune plan does.`,
    );
  }
  if (file !== undefined) {
    const change = file.folder === '.' ? '' : `cd ${shellWord(file.folder)} && `;
    console.inform(`Next, with TFE_HOSTNAME and TFE_TOKEN set: ${change}terraform init && terraform plan`);
  }
}
