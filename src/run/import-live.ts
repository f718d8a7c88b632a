import { join } from 'node:path';
import { rememberLists, serviceSource } from '../live/read-live.ts';
import type { Configuration, ServiceSettings } from '../model/configuration.ts';
import { selectorIn } from '../model/declared-selector.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { ImportResult } from '../model/results.ts';
import { mapSelectorProjects } from '../model/selector.ts';
import { kindOfAddress, projectAddress, resourcesOf } from '../model/state.ts';
import { noneIfEmpty, withoutUndefined } from '../model/value.ts';
import { lookUpNames, type NamesOf, resolveProjects } from '../resolve/look-up-names.ts';
import { refuseUnmatched } from '../resolve/plan-request.ts';
import { embedded } from '../service/address.ts';
import { type Imported, writeImport } from '../write/import.ts';
import { type OrganizationReading, readOrganization, type Selection } from '../write/read-organization.ts';
import { type Connection, openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import {
  type ImportFilters,
  type ImportOptions,
  openImport,
  schemaReference,
  writeImported,
} from './import-files.ts';

export async function importLive(options: ImportOptions, context: RunContext): Promise<ImportResult> {
  const { progress } = context;
  const { full: isFull = false, portable: isPortable = false, scope: isScoped = true } = options;
  const { target, existing, source } = await openImport(options, context);
  const isUpdate = existing !== undefined;
  await using connections = await openConnections([source], context);
  const connection = connections.at(0);
  const { organization } = source.desired;
  progress.begin(`${organization}: reading`);
  const part = await readPart(connection, options, { source, isUpdate }, context);
  progress.end();

  const { reading, configuration } = part;
  const { root, isSingle, standing, folder } = target;
  const { path: schema, missing } = await schemaReference(folder);
  const imported = await writeImport({
    ...{ ...part, isFull, isPortable },
    files: existing
      ? { isNew: false, root, schema, texts: existing.texts, configuration }
      : {
          ...{ isNew: true, root, schema, organization, isScoped, isSingle, standing },
          service: serviceOf(source, connection, { reading, folder }),
        },
  });
  refuseUnselected(imported, configuration, context);
  if (!existing) refuseNothing(part, imported);
  return {
    organization,
    address: connection.address,
    dialect: reading.live.dialect,
    ...(await writeImported(imported.files, target, { isUpdate, schema: missing })),
    omittedWorkspaces: [...imported.omitted].filter((one) => kindOfAddress(one) === 'workspace').length,
    scope: imported.scope,
    diagnostics: [...reading.live.diagnostics, ...imported.diagnostics],
    planCommand: target.planCommand,
  };
}

function refuseUnselected(
  { selected }: Imported,
  configuration: Configuration,
  { options: { only = [] } }: RunContext,
): void {
  const unmanaged = [...selected, ...[...configuration.aliases.projects.keys()].map(projectAddress)];
  // Selectors were matched with live values.
  const patterns = only.filter((pattern) => selectorIn(pattern) === undefined || selected.size === 0);
  refuseUnmatched(patterns, [{ configuration, plan: { changes: [], unmanaged } }]);
}

function refuseNothing(
  { selection: { projects, tags, names, only }, reading }: LivePart,
  { files, diagnostics }: Imported,
): void {
  const isFound =
    files.some(({ workspaces, grants, projects }) => workspaces + grants + projects > 0) ||
    diagnostics.some(({ code }) => code === 'left-out');
  if (isFound || !(projects || tags || names || only)) return;
  throw new AttuneError(
    `nothing in organization ${reading.live.state.organization} matches the filters; no files were written`,
    {
      code: 'nothing-to-import',
      hint: 'check --project, --tag, --name and --only, and what the token may read',
    },
  );
}

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
  const inFolder = (path: string) => relativePath(folder, path);
  const isEmbedded = connection.address === embedded;
  const { capabilities } = connection.client;
  const without = capabilities.missing().filter((feature) => !capabilities.isExcluded(feature));
  return withoutUndefined({
    address: connection.address,
    dialect: known,
    ...pace,
    without: noneIfEmpty(without),
    data: isEmbedded && data !== undefined ? inFolder(data) : undefined,
    seed: isEmbedded && seed !== undefined ? inFolder(seed) : undefined,
  });
}

type LivePart = Awaited<ReturnType<typeof readPart>>;

async function readPart(
  { client }: Connection,
  filters: ImportFilters,
  { source, isUpdate }: { readonly source: Configuration; readonly isUpdate: boolean },
  context: RunContext,
) {
  const { organization } = source.desired;
  const reader = rememberLists(client);
  const { dialect = client.capabilities.dialect() } = source.service;
  // Projects are listed with their key/value tags, which the import reads from the same list.
  const options = { bindings: dialect !== 'iac' };
  const once = serviceSource(reader);
  const namesOf: NamesOf = (kind) => once.names(organization, kind, options);
  const configuration = isUpdate ? await lookUpNames(source, namesOf) : source;
  const selection = await selectionOf(filters, configuration, namesOf, context);
  const reading = await readOrganization(reader, {
    organization,
    namesOf,
    selection: isUpdate
      ? { ...selection, known: declaredNames(configuration), scope: configuration.scope }
      : selection,
    dialect,
  });
  return { reading, selection, configuration, namesOf };
}

async function selectionOf(
  { projects: written, tags, names }: ImportFilters,
  configuration: Configuration,
  namesOf: NamesOf,
  { options: { only } }: RunContext,
): Promise<Selection> {
  const projects = written && (await resolveProjects(written, configuration, namesOf, '--project'));
  const selectors = (only ?? []).flatMap((pattern) => selectorIn(pattern) ?? []);
  const named = selectors.flatMap(({ project = [] }) => project);
  const ids = await resolveProjects(named, configuration, namesOf, '--only');
  const idOf = (project: string) => ids[named.indexOf(project)] ?? project;
  return { projects, tags, names, only, selectors: selectors.map((one) => mapSelectorProjects(one, idOf)) };
}

function declaredNames({ desired }: Configuration): ReadonlySet<string> {
  const workspaces = resourcesOf(desired.resources.values(), 'workspace');
  return new Set(workspaces.flatMap(({ name, declared }) => [name, declared?.renamedFrom ?? name]));
}
