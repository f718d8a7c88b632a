import type { Configuration } from '../desired/configuration.ts';
import type { Difference } from '../diff/diff.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { resourcesOf } from '../model/state.ts';

/** A plan of fewer declared workspaces is easily read, and a new organization starts with few. */
const leastDeclared = 10;
const largestShare = 0.8;

export interface VisibilityInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes'>;
  readonly source: LiveSource;
  readonly chosen: (address: string) => boolean;
}

/**
 * Warns of a plan that creates nearly all declared workspaces because the token may not see them: the service hides what
 * a token may not read (interface, section 5). The organization is read only for such a plan.
 */
export async function checkVisibility(input: VisibilityInput): Promise<Diagnostic[]> {
  const { configuration, difference, chosen } = input;
  const { organization, resources } = configuration.desired;
  const declared = resourcesOf(resources.values(), 'workspace').filter(
    (workspace) => chosen(workspace.address) && !workspace.declared?.absent,
  ).length;
  const created = changesOf(difference.changes, 'workspace').filter(
    ({ action }) => action === 'create',
  ).length;
  if (declared < leastDeclared || created <= declared * largestShare) return [];
  const reason = await reasonToDoubt(input);
  if (reason === undefined) return [];
  return [
    {
      severity: 'warning',
      code: 'creates-nearly-all',
      message: `the plan creates ${created} of ${declared} declared workspaces, and ${reason}: can this token see organization ${organization}?`,
      hint: 'run `attune doctor` to check what the token can see; for a new organization, apply the plan',
    },
  ];
}

async function reasonToDoubt({ configuration, live, source }: VisibilityInput): Promise<string | undefined> {
  const { organization } = configuration.desired;
  const isEmpty = live.whole
    ? resourcesOf(live.state.resources.values(), 'workspace').length === 0
    : live.workspaceTotal === 0;
  if (isEmpty) return 'the list of workspaces is empty';
  const facts = await source.access?.organization(organization);
  return facts?.isReadable === false ? 'this token may not read the settings of the organization' : undefined;
}
