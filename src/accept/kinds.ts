import type { Change, ChangeOf } from '../model/change.ts';
import type { ResourceKind } from '../model/state.ts';
import type { AcceptContext, Accepting } from './acceptance.ts';
import { grantEdits } from './grant-edits.ts';
import { projectEdits } from './project-edits.ts';
import { workspaceEdits } from './workspace-edits.ts';

/** The edits that make a resource of each kind as it is live. */
const kinds: {
  readonly [Kind in ResourceKind]: (change: ChangeOf<Kind>, context: AcceptContext) => Accepting | undefined;
} = {
  project: projectEdits,
  workspace: workspaceEdits,
  'team-access': grantEdits,
};

export function changeEdits(change: Change, context: AcceptContext): Accepting | undefined {
  return editsOf(change.kind, change, context);
}

function editsOf<Kind extends ResourceKind>(
  kind: Kind,
  change: ChangeOf<Kind>,
  context: AcceptContext,
): Accepting | undefined {
  return kinds[kind](change, context);
}
