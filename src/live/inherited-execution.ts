import { modeFlag, poolFlag } from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import { isMissingEndpoint } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type ResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { readListAs, readPage, workspacesOf } from '../service/paging.ts';
import { isNotFound } from '../service/service-error.ts';
import type { LiveQuery } from './live-query.ts';

interface OverwritesReading {
  readonly query: Pick<LiveQuery, 'organization' | 'ownExecutionOf'>;
  readonly convert: (document: ResourceObject) => WorkspaceResource;
  readonly whole: boolean;
}

/**
 * Detects whether the flags of `setting-overwrites` are meaningful. Some servers return `false` for every workspace,
 * even for those with their own mode and pool. Two workspaces of one project that both inherit and differ prove it. An
 * agent pool with the flag `false` makes it likely; then the defaults of the organization and the project are compared.
 * An organization without a default has nothing to inherit. Documents without flags show that they are not offered.
 *
 * The result must not depend on which workspaces a query needs. If it is unclear from these and the comparison depends on
 * it, all workspaces are read.
 *
 * @returns whether it is known
 */
export async function detectOverwrites(
  reader: ServiceReader,
  { query, convert, whole }: OverwritesReading,
  workspaces: readonly WorkspaceResource[],
): Promise<boolean> {
  const { organization, ownExecutionOf } = query;
  if (reader.capabilities.lacks('setting-overwrites')) return true;
  if (workspaces.length > 0 && workspaces.every(hasNoFlags)) return recordMeaningless(reader);
  if (await decides(reader, organization, workspaces)) return true;
  const isCompared = ({ name, attributes }: WorkspaceResource) =>
    attributes[modeFlag] === false && ownExecutionOf?.has(name) === true;
  if (!workspaces.some(isCompared)) return false;
  if (!whole) {
    const list = workspacesOf(organization);
    const first = await readPage(reader, list);
    if (await decides(reader, organization, first.items.map(convert))) return true;
    if (await decides(reader, organization, await readListAs(reader, list, convert, first))) return true;
  }
  const shown = await readIfShown(reader, pathTo('showOrganization', { organization }));
  return shown !== undefined && !(defaultMode in shown.attributes) && recordMeaningless(reader);
}

function hasNoFlags({ attributes }: WorkspaceResource): boolean {
  return attributes[modeFlag] === undefined && attributes[poolFlag] === undefined;
}

function recordMeaningless({ capabilities }: ServiceReader): true {
  capabilities.recordMissing('setting-overwrites');
  return true;
}

async function decides(
  reader: ServiceReader,
  organization: string,
  workspaces: readonly WorkspaceResource[],
): Promise<boolean> {
  const isOwn = ({ attributes }: WorkspaceResource) =>
    attributes[modeFlag] === true || attributes[poolFlag] === true;
  if (workspaces.some(isOwn)) return true;
  const inheriting = workspaces.filter(({ attributes }) => attributes[modeFlag] === false);
  const withPool = inheriting.find(({ attributes }) => typeof attributes['agent-pool-id'] === 'string');
  const isMeaningless =
    contradicts(inheriting) ||
    (withPool !== undefined && !(await inheritsAgents(reader, organization, withPool)));
  return isMeaningless && recordMeaningless(reader);
}

export function withMeaningfulFlags(
  { capabilities }: Pick<ServiceReader, 'capabilities'>,
  workspace: WorkspaceResource,
): WorkspaceResource {
  if (!capabilities.lacks('setting-overwrites')) return workspace;
  const { [modeFlag]: _mode, [poolFlag]: _pool, ...attributes } = workspace.attributes;
  return { ...workspace, attributes };
}

/** Inherited values are the same for all workspaces of a project. */
function contradicts(inheriting: readonly WorkspaceResource[]): boolean {
  const defaults = new Map<string, string>();
  return inheriting.some(({ attributes }) => {
    const project = String(attributes.project ?? '');
    const own = JSON.stringify([attributes['execution-mode'], attributes['agent-pool-id'] ?? null]);
    const known = defaults.get(project) ?? own;
    defaults.set(project, known);
    return known !== own;
  });
}

async function inheritsAgents(
  reader: ServiceReader,
  organization: string,
  { attributes: { project } }: WorkspaceResource,
): Promise<boolean> {
  const holders = await Promise.all([
    readIfShown(reader, pathTo('showOrganization', { organization })),
    typeof project === 'string' ? readIfShown(reader, pathTo('showProject', { id: project })) : undefined,
  ]);
  return holders.some((holder) => holder?.attributes[defaultMode] === 'agent');
}

const defaultMode = 'default-execution-mode';

async function readIfShown(reader: ServiceReader, path: string): Promise<ResourceObject | undefined> {
  try {
    return asResourceObject((await reader.get(path)).data);
  } catch (error) {
    if (isNotFound(error) || isMissingEndpoint(error)) return undefined;
    throw error;
  }
}
