import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Configuration, embeddedData, type ServiceSettings } from '../desired/configuration.ts';
import { type NeededObject, skeletonOf } from '../import/copy.ts';
import { type CopyMap, emptyMap, type NeededKind, readCopyMap } from '../import/copy-map.ts';
import { type AmbiguousName, ambiguousNames } from '../import/portable.ts';
import { ifListed, type NamedId, readNames, readObjects } from '../live/read-names.ts';
import { type AliasKind, aliasKinds, aliasKindTable } from '../model/alias-kind.ts';
import { AttuneError, usageError } from '../model/attune-error.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { relativePath } from '../model/files.ts';
import type { CopyReport } from '../model/import-result.ts';
import { counted } from '../model/text.ts';
import { readNamesOf } from '../plan/policy-identity.ts';
import { embedded } from '../service/address.ts';
import type { ServiceReader } from '../service/client.ts';
import { readList, workspacesOf } from '../service/paging.ts';
import { ServiceError } from '../service/service-error.ts';
import { openConnections } from './connect.ts';
import type { RunContext } from './context.ts';
import { findSource, findTarget } from './import-files.ts';
import { bareConfiguration } from './load.ts';

/** How an import is written for another organization. */
export interface CopyOptions {
  /** The organization that the files are for. @default that of the service */
  readonly as?: string | undefined;
  /** A file with names of the target, for `as`. */
  readonly map?: string | undefined;
}

/**
 * Reads the map of a copy; undefined for an import of the organization itself.
 *
 * @throws {DiagnosticsError} with every problem of the map.
 */
export async function copyTarget(
  { as, map }: CopyOptions,
  isUpdate: boolean,
  { io, named }: RunContext,
): Promise<{ readonly organization: string; readonly map: CopyMap } | undefined> {
  if (as === undefined) {
    if (map === undefined) return undefined;
    throw usageError(
      `${named('map')} cannot be used without ${named('as')}`,
      `add ${named('as')} with the organization that the files are for`,
    );
  }
  if (isUpdate)
    throw usageError(
      `${named('as')} cannot be used with ${named('update')}`,
      `choose a new folder with ${named('out')}`,
    );
  if (map === undefined) return { organization: as, map: emptyMap };
  const path = resolve(io.cwd, map);
  return { organization: as, map: await readCopyMap(path, relativePath(io.cwd, path) || '.') };
}

/** The service that the files of a copy name: that of the source, or the one in the map. */
export function copiedService({ service }: CopyMap, source: ServiceSettings): ServiceSettings {
  const { seed: _seed, data: _data, without: _without, ...pace } = source;
  const { address, dialect, rate, parallelism, timeout } = pace;
  const isElsewhere = service.address !== undefined && service.address !== address;
  return {
    ...(address !== undefined && { address }),
    ...(dialect !== undefined && { dialect }),
    // The limits of another service are its own.
    ...(!isElsewhere && rate !== undefined && { rate }),
    ...(!isElsewhere && parallelism !== undefined && { parallelism }),
    ...(!isElsewhere && timeout !== undefined && { timeout }),
    ...(service as ServiceSettings),
  };
}

export interface CompareTarget {
  readonly organization: string;
  readonly service: ServiceSettings;
  readonly needed: readonly NeededObject[];
  /** The folder of the new root file. */
  readonly folder: string;
}

/** Lists the names in the target, and reports those that it lacks. A target that cannot be read is a warning. */
export async function compareWithTarget(
  target: CompareTarget,
  context: RunContext,
): Promise<CopyReport & { readonly diagnostics: readonly Diagnostic[] }> {
  const { organization, needed } = target;
  const configuration = targetConfiguration(target);
  if (isNotThereYet(configuration)) return { organization, lacking: [], diagnostics: [] };
  try {
    await using connections = await openConnections([configuration], ofTarget(context));
    const existing = await namesOf(connections.at(0).client, target);
    const lacking = needed.filter(({ kind, name }) => existing.get(kind)?.every((one) => one.name !== name));
    const unlisted = [...new Set(needed.map(({ kind }) => kind))].filter((kind) => !existing.has(kind));
    const diagnostics = unlisted.length > 0 ? [unreadKinds(organization, unlisted)] : [];
    if (lacking.length === 0) return { organization, lacking, diagnostics };
    const skeleton = skeletonOf(lacking, (kind) => (existing.get(kind) ?? []).map(({ name }) => name).sort());
    return { organization, lacking, skeleton, diagnostics: [lacks(organization, lacking), ...diagnostics] };
  } catch (error) {
    if (!(error instanceof AttuneError)) throw error;
    return { organization, lacking: [], diagnostics: [unread(organization, error)] };
  }
}

/** `--address` and ATTUNE_ADDRESS are the address of the source. */
function ofTarget(context: RunContext): RunContext {
  const { address: _address, ...options } = context.options;
  const env = { ...context.io.env, ATTUNE_ADDRESS: undefined };
  return { ...context, options, io: { ...context.io, env } };
}

function targetConfiguration({ organization, service, folder }: CompareTarget): Configuration {
  const inFolder = (path: string | undefined, key: 'data' | 'seed') =>
    path === undefined ? {} : { [key]: resolve(folder, path) };
  return {
    ...bareConfiguration(organization, folder),
    service: { ...service, ...inFolder(service.data, 'data'), ...inFolder(service.seed, 'seed') },
  };
}

/** Without data and without a seed, an embedded service is created by the first plan. */
function isNotThereYet(configuration: Configuration): boolean {
  const { address, seed } = configuration.service;
  return address === embedded && seed === undefined && !existsSync(embeddedData(configuration));
}

async function namesOf(
  client: ServiceReader,
  { organization, needed }: CompareTarget,
): Promise<ReadonlyMap<NeededKind, readonly NamedId[]>> {
  const kinds = new Set(needed.map(({ kind }) => kind));
  const referred = aliasKinds.filter((kind) => kinds.has(kind));
  const named = await readNamesOf(referred, (kind) => readNames(client, organization, kind));
  const workspaces = kinds.has('workspaces') ? await readWorkspaceNames(client, organization) : undefined;
  const listed = new Map<NeededKind, readonly NamedId[]>(named);
  if (workspaces) listed.set('workspaces', workspaces);
  if (listed.size === 0 && kinds.size > 0)
    throw new AttuneError('it does not exist, or this token may not list its objects', {
      code: 'target-unread',
    });
  return listed;
}

/** Undefined if the token may not list them. */
async function readWorkspaceNames(
  client: ServiceReader,
  organization: string,
): Promise<readonly NamedId[] | undefined> {
  try {
    const documents = await readList(client, workspacesOf(organization));
    return documents.map(({ id, attributes }) => ({ id, name: String(attributes.name) }));
  } catch (error) {
    if (error instanceof ServiceError && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

const nouns: Readonly<Record<NeededKind, { readonly noun: string; readonly plural: string }>> = {
  ...aliasKindTable,
  workspaces: { noun: 'workspace', plural: 'workspaces' },
};

function lacks(organization: string, lacking: readonly NeededObject[]): Diagnostic {
  const shown = lacking.slice(0, 5).map(({ kind, name }) => `${nouns[kind].noun} ${JSON.stringify(name)}`);
  const more = lacking.length > shown.length ? ` and ${lacking.length - shown.length} more` : '';
  return {
    severity: 'warning',
    code: 'target-lacks',
    message: `${organization} lacks ${counted(lacking.length, 'object')} that the files use: ${shown.join(', ')}${more}`,
    hint: 'create them there, or map their names to existing ones and import again',
  };
}

function unreadKinds(organization: string, kinds: readonly NeededKind[]): Diagnostic {
  const listed = kinds.map((kind) => nouns[kind].plural).join(', ');
  return {
    severity: 'warning',
    code: 'target-unread',
    message: `${organization} does not list ${listed} to this token, so those that it lacks are unknown`,
    hint: 'give their ids in the new files if `attune plan` cannot look up the names',
  };
}

function unread(organization: string, error: AttuneError): Diagnostic {
  return {
    severity: 'warning',
    code: 'target-unread',
    message: `${organization} could not be read, so what it lacks is unknown: ${error.message}`,
    hint: 'run `attune plan` on the new files: it reports unknown names',
  };
}

/** The names of an organization that cannot replace ids. */
export interface CheckedNames {
  readonly organization: string;
  readonly address: string;
  readonly ambiguous: readonly AmbiguousName[];
  /** The kinds that the service does not list to this token. */
  readonly unlisted: readonly AliasKind[];
}

/**
 * Lists the names that several objects of a kind have, and objects without a name.
 *
 * @throws {AttuneError} if the service lists no kind.
 */
export async function checkNames(
  { file, organization }: { readonly file?: string | undefined; readonly organization?: string | undefined },
  context: RunContext,
): Promise<CheckedNames> {
  const target = await findTarget(undefined, file, context.io.cwd);
  const source = await findSource(target, { organization, root: file }, context);
  await using connections = await openConnections([source], context);
  const { client, address } = connections.at(0);
  const { organization: name } = source.desired;
  const listed = await Promise.all(aliasKinds.map((kind) => ifListed(readObjects(client, name, kind))));
  if (listed.every((objects) => objects === undefined))
    throw new AttuneError(
      `no names of organization ${name} can be listed: it does not exist, or this token may not list them`,
      { code: 'no-look-up', hint: 'check the name of the organization, and that the token belongs to it' },
    );
  return {
    organization: name,
    address,
    ambiguous: aliasKinds.flatMap((kind, index) => ambiguousNames(kind, listed[index] ?? [])),
    unlisted: aliasKinds.filter((_, index) => listed[index] === undefined),
  };
}
