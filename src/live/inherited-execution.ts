import type { WorkspaceResource } from '../model/state.ts';
import { isMissingEndpoint } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { isNotFound } from '../service/service-error.ts';

const modeFlag = 'setting-overwrites.execution-mode';
const poolFlag = 'setting-overwrites.agent-pool';

/**
 * Detects whether the flags of `setting-overwrites` are meaningful. Some servers return `false` for every workspace,
 * even for those with their own mode and pool. Two workspaces of one project that both inherit and differ prove it. An
 * agent pool with the flag `false` makes it likely; then the defaults of the organization and the project are compared.
 */
export async function detectOverwrites(
  reader: ServiceReader,
  organization: string,
  workspaces: readonly WorkspaceResource[],
): Promise<void> {
  if (reader.capabilities.lacks('setting-overwrites')) return;
  const inheriting = workspaces.filter(({ attributes }) => attributes[modeFlag] === false);
  const isOwn = ({ attributes }: WorkspaceResource) =>
    attributes[modeFlag] === true || attributes[poolFlag] === true;
  if (inheriting.length === 0 || workspaces.some(isOwn)) return;
  const withPool = inheriting.find(({ attributes }) => typeof attributes['agent-pool-id'] === 'string');
  const isMeaningless =
    contradicts(inheriting) ||
    (withPool !== undefined && !(await inheritsAgents(reader, organization, withPool)));
  if (isMeaningless) reader.capabilities.recordMissing('setting-overwrites');
}

/** The workspace as a service without `setting-overwrites` returns it: its mode and pool are its own. */
export function withoutOverwrites(workspace: WorkspaceResource): WorkspaceResource {
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
  const modes = await Promise.all([
    defaultMode(reader, pathTo('showOrganization', { organization })),
    typeof project === 'string' ? defaultMode(reader, pathTo('showProject', { id: project })) : undefined,
  ]);
  return modes.includes('agent');
}

async function defaultMode(reader: ServiceReader, path: string): Promise<unknown> {
  try {
    return asResourceObject((await reader.get(path)).data)?.attributes['default-execution-mode'];
  } catch (error) {
    if (isNotFound(error) || isMissingEndpoint(error)) return undefined;
    throw error;
  }
}
