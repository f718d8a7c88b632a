import { modeFlag, poolFlag } from '../model/attributes.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { ServiceReader } from '../service/client.ts';

type Reader = Pick<ServiceReader, 'capabilities'>;

/** Documents without the flags of `setting-overwrites` show that these are not offered. */
export function noteMissingFlags({ capabilities }: Reader, workspaces: readonly WorkspaceResource[]): void {
  const hasNoFlags = ({ attributes }: WorkspaceResource) =>
    attributes[modeFlag] === undefined && attributes[poolFlag] === undefined;
  if (workspaces.length > 0 && workspaces.every(hasNoFlags)) capabilities.recordMissing('setting-overwrites');
}

/** Some servers return `false` for every workspace, even for those with their own mode: there the files declare the feature as missing. */
export function withMeaningfulFlags(
  { capabilities }: Reader,
  workspace: WorkspaceResource,
): WorkspaceResource {
  if (!capabilities.lacks('setting-overwrites')) return workspace;
  const { [modeFlag]: _mode, [poolFlag]: _pool, ...attributes } = workspace.attributes;
  return { ...workspace, attributes };
}
