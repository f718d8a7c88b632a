import type { Change, ChangeOf } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call, PlannedChange } from '../model/plan.ts';
import type { ResourceKind } from '../model/state.ts';
import { type Facts, grantFacts, workspaceFacts } from './facts.ts';
import { grantCalls } from './grant-calls.ts';
import { workspaceCalls } from './workspace-calls.ts';

/** What planning does for the changes of one kind. */
interface PlanningKind<Changed extends Change> {
  /** The calls that make a change, in their order. */
  calls(change: Changed, organization: string, dialect: Dialect): Call[];
  /** The live values that a change was computed from. */
  facts(change: Changed): Facts;
  /** Members of a planned change that only this kind has. */
  details(change: Changed): Pick<PlannedChange, 'mode' | 'grants'>;
}

const kinds: { readonly [Kind in ResourceKind]: PlanningKind<ChangeOf<Kind>> } = {
  workspace: {
    calls: workspaceCalls,
    facts: workspaceFacts,
    details: ({ action, deleteMode = 'safe' }) => (action === 'delete' ? { mode: deleteMode } : {}),
  },
  'team-access': {
    calls: (change, _organization, dialect) => grantCalls(change, dialect),
    facts: grantFacts,
    details: ({ grants }) => (grants ? { grants } : {}),
  },
};

/** What planning does for a change. */
export function planningOf(change: Change): PlanningKind<Change> {
  return kinds[change.kind];
}
