import type { Change, ChangeOf, WorkspaceChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call, PlannedChange } from '../model/plan.ts';
import {
  type GrantResource,
  pairOf,
  type Resource,
  type ResourceKind,
  type ResourceOf,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { type Facts, grantFacts, projectFacts, workspaceFacts } from './facts.ts';
import { grantCalls } from './grant-calls.ts';
import { projectCalls } from './project-calls.ts';
import { workspaceCalls } from './workspace-calls.ts';

/** What planning does for one kind of resource. */
interface PlanningKind<Changed extends Change, Item extends Resource> {
  /** The calls that make a change, in their order. */
  calls(change: Changed, organization: string, dialect: Dialect): Call[];
  /** The live values that a change was computed from. */
  facts(change: Changed): Facts;
  /** Members of a planned change that only this kind has. */
  details(change: Changed): Pick<PlannedChange, 'mode' | 'resources' | 'grants'>;
  /** The identities under which a declared resource can be live: see liveIdentity. */
  identities(declared: Item): readonly string[];
  /** The identity of the live resource of a change. */
  liveIdentity(change: PlannedChange): string;
}

const kinds: { readonly [Kind in ResourceKind]: PlanningKind<ChangeOf<Kind>, ResourceOf<Kind>> } = {
  project: {
    calls: projectCalls,
    facts: projectFacts,
    details: () => ({}),
    identities: ({ id }) => (id === undefined ? [] : [id]),
    liveIdentity: ({ id }) => id ?? '',
  },
  workspace: {
    calls: workspaceCalls,
    facts: workspaceFacts,
    details: workspaceDetails,
    identities: workspaceIdentities,
    liveIdentity: ({ address }) => address.toLowerCase(),
  },
  'team-access': {
    calls: (change, _organization, dialect) => grantCalls(change, dialect),
    facts: grantFacts,
    details: ({ grants }) => (grants ? { grants } : {}),
    identities: (grant: GrantResource) => [pairOf(grant)],
    liveIdentity: ({ facts }) => `${facts?.project}/${facts?.team}`,
  },
};

/** What planning does for the resources of a kind. */
export function planningOf(kind: ResourceKind): PlanningKind<Change, Resource> {
  return kinds[kind];
}

function workspaceDetails({ action, deleteMode = 'safe', live }: WorkspaceChange) {
  const resources = live?.attributes['resource-count'];
  return action === 'delete' ? { mode: deleteMode, ...(typeof resources === 'number' && { resources }) } : {};
}

/**
 * A workspace that is not renamed yet has its former name. Services can ignore case, so names are compared without it.
 */
function workspaceIdentities({ address, declared }: WorkspaceResource): string[] {
  const former = declared?.renamedFrom;
  return [address, ...(former === undefined ? [] : [workspaceAddress(former)])].map((one) =>
    one.toLowerCase(),
  );
}
