import { lookAlikeOf } from '../diff/look-alikes.ts';
import type { WorkspaceChange } from '../model/change.ts';
import { resourcesOf, type WorkspaceResource } from '../model/state.ts';
import type { AcceptContext, Accepting } from './acceptance.ts';

/** The edit that ends a declaration that is not live, or a tombstone whose workspace is live. */
export function existenceEdits(change: WorkspaceChange, context: AcceptContext): Accepting | undefined {
  const { address, action, location } = change;
  if (!context.chosen(address, '') || location === undefined) return undefined;
  const livesAs = action === 'create' ? renamedOnService(change, context) : undefined;
  if (livesAs !== undefined) return manualRename(change, livesAs);
  const [before, after] = action === 'create' ? ['declared', null] : ['absent', 'live'];
  return {
    address,
    fields: [{ path: '', before, after }],
    candidates: [[{ file: location.file, path: blockOf(change), value: undefined }]],
  };
}

/** Where a file declares a workspace. */
export function blockOf({ name }: WorkspaceChange): readonly string[] {
  return ['workspaces', name];
}

/** The undeclared live workspace that a declared one without a live one was probably renamed to. */
function renamedOnService(
  { target }: WorkspaceChange,
  { configuration, live }: AcceptContext,
): WorkspaceResource | undefined {
  if (target === undefined) return undefined;
  const declared = configuration.desired.resources;
  const former = new Set(
    resourcesOf(declared.values(), 'workspace').map((workspace) => workspace.declared?.renamedFrom),
  );
  const undeclared = resourcesOf(live.state.resources.values(), 'workspace').filter(
    ({ address, name }) => !declared.has(address) && !former.has(name),
  );
  return lookAlikeOf(target, undeclared);
}

function manualRename({ address, name, location }: WorkspaceChange, live: WorkspaceResource): Accepting {
  const place = location ? ` at ${location.file}:${location.line}` : '';
  return {
    address,
    reason: `it is not live, and ${live.address}, which no file declares, looks like it: it was probably renamed on the service`,
    hint: `rename the key ${JSON.stringify(name)}${place} and its references to ${JSON.stringify(live.name)} to keep the new name, or add \`renamed-from: ${live.name}\` and run \`attune apply\` to restore the former one`,
    livesAs: live.address,
  };
}
