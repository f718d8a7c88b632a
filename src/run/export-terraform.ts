import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type TerraformExport, terraformDocument } from '../cdktf/terraform-document.ts';
import { readConfiguration, terraformExport } from '../cdktf/terraform-export.ts';
import { explain } from '../desired/explain.ts';
import type { Configuration } from '../model/configuration.ts';
import { addressPatterns } from '../model/declared-selector.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { matchesAddress } from '../model/selector.ts';
import { jsonText } from '../report/escape-controls.ts';
import { refuseUnmatched } from '../resolve/plan-request.ts';
import { renderConfiguration } from '../write/render.ts';
import { openConnections } from './connect.ts';
import { masked, type RunContext } from './context.ts';
import { makeFolders, sharedFile, writablePath, writeFile } from './files/write-file.ts';
import { loadOne } from './load.ts';
import { allOrRefused, entryOf, rootName, shownFrom } from './report-entry.ts';

export async function exportTerraform(
  files: readonly string[],
  { out, force = false }: { readonly out?: string | undefined; readonly force?: boolean | undefined },
  context: RunContext,
) {
  const { cwd } = context.io;
  const configuration = await loadOne(files, context, 'export terraform');
  const { organization } = configuration.desired;
  const name = `${organization}.tf.json`;
  if (out !== undefined) await checkFile(out, name, { force, cwd });
  const exported = await readExport(configuration, context);
  const text = jsonText(terraformDocument(exported));
  if (out !== undefined) {
    const path = resolve(cwd, out, name);
    await makeFolders([path], cwd);
    await writeFile(path, masked(text, context.secrets), sharedFile);
  }
  const { resources, diagnostics, unsupported } = exported;
  return {
    organization,
    text,
    file: out === undefined ? undefined : join(out, name),
    entry: entryOf(context, configuration.folder, { diagnostics: [...diagnostics, ...unsupported] }),
    resources: resources.length,
    imported: resources.filter(({ importId }) => importId !== undefined).length,
  };
}

async function checkFile(
  out: string,
  name: string,
  { force, cwd }: { readonly force: boolean; readonly cwd: string },
): Promise<void> {
  if (!existsSync(resolve(cwd, out))) {
    await writablePath('--out', out, cwd);
    return;
  }
  const path = await writablePath('--out', join(out, name), cwd);
  if (force || !existsSync(path)) return;
  throw new AttuneError(`${join(out, name)} exists already`, {
    code: 'file-exists',
    hint: 'add --force to overwrite it, or choose another folder with --out',
  });
}

async function readExport(configuration: Configuration, context: RunContext): Promise<TerraformExport> {
  await using connections = await openConnections([configuration], context);
  const chosen = selectDeclared(configuration, context);
  const [result] = await allOrRefused([configuration], context, async () => {
    const { client } = connections.at(0);
    context.progress.begin(`${configuration.desired.organization}: reading`);
    // The embedded service's dialect is known before anything is read.
    const { dialect = client.capabilities.dialect() } = configuration.service;
    const service = { ...configuration.service, dialect };
    const now = context.io.date();
    const read = await readConfiguration({ ...configuration, service }, client, { chosen, now });
    const exported = terraformExport(read.configuration, { live: read.live, chosen, now });
    return exported;
  });
  context.progress.end();
  return result as TerraformExport;
}

/* What the commands `explain` and `render` do, without their output. They read the files only. */

export async function explainDeclared(
  address: string,
  { field, file }: { readonly field: string | undefined; readonly file: string | undefined },
  context: RunContext,
) {
  const files = file === undefined ? [] : [file];
  const configuration = await loadOne(files, context, 'explain', 'name one root file with --config');
  return {
    organization: configuration.desired.organization,
    path: shownFrom(context.io.cwd, configuration.folder),
    explanation: explain(configuration, address, field),
  };
}

export async function renderDeclared(files: readonly string[], context: RunContext) {
  const configuration = await loadOne(files, context, 'render');
  const chosen = selectDeclared(configuration, context);
  return {
    rendered: renderConfiguration(configuration, context.options.only?.length ? { chosen } : {}),
    file: rootName(configuration, context),
  };
}

function selectDeclared(
  configuration: Configuration,
  { options: { only = [] } }: Pick<RunContext, 'options'>,
): (address: string) => boolean {
  const patterns = addressPatterns(only, configuration);
  refuseUnmatched(only, [{ configuration, plan: { changes: [], unmanaged: [] } }]);
  return (address) => only.length === 0 || patterns.some((pattern) => matchesAddress(pattern, address));
}
