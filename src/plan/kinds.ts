import { protectionOf } from '../diff/refusals.ts';
import { inheritingStates, type StatesOfPlan } from '../diff/settings-in-effect.ts';
import { endsSelection } from '../hold/freeze.ts';
import type { Change, ChangeOf, GrantChange, WorkspaceChange } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths } from '../model/permissions.ts';
import type { Call, PlannedChange } from '../model/plan.ts';
import type { FreezeWindow } from '../model/rules.ts';
import type { ResourceKind } from '../model/state.ts';
import type { Values } from '../model/value.ts';
import { type Facts, grantFacts, projectFacts, workspaceFacts } from './facts.ts';
import { callTo } from './operation-endpoints.ts';
import { projectCalls } from './project-calls.ts';
import { workspaceCalls } from './workspace-calls.ts';

type Details = Pick<PlannedChange, 'mode' | 'resources' | 'grants' | 'protectionLost'>;

/** What planning does for one kind of resource. */
interface PlanningKind<Changed extends Change> {
  /** The calls that make a change, in their order. */
  calls(change: Changed, organization: string, dialect: Dialect): Call[];
  /** The live values that a change was computed from. */
  facts(change: Changed): Facts;
  /** Members of a planned change that only this kind has. */
  details(change: Changed, rules: ProtectingRules, states: StatesOfPlan): Details;
}

/** Guards, and the freeze windows of all root files that have not passed. */
export interface ProtectingRules extends Pick<Configuration, 'guards'> {
  readonly freeze: readonly FreezeWindow[];
}

const kinds: { readonly [Kind in ResourceKind]: PlanningKind<ChangeOf<Kind>> } = {
  project: {
    calls: projectCalls,
    facts: projectFacts,
    // Guards and freeze windows can select a workspace by a key/value tag that its project loses.
    details: (change, rules, states) => lostProtection(change, inheritingStates(change, states), rules),
  },
  workspace: {
    calls: workspaceCalls,
    facts: workspaceFacts,
    details: workspaceDetails,
  },
  'team-access': {
    calls: grantCalls,
    facts: grantFacts,
    details: ({ grants }) => ({ grants }),
  },
};

/** What planning does for the resources of a kind. */
export function planningOf(kind: ResourceKind): PlanningKind<Change> {
  return kinds[kind];
}

function workspaceDetails(change: WorkspaceChange, rules: ProtectingRules): Details {
  const { action, deleteMode = 'safe', live, target } = change;
  if (action === 'delete') return { mode: deleteMode, resources: live?.attributes['resource-count'] };
  return live && target ? lostProtection(change, [[live, target]], rules) : {};
}

/**
 * What stops selecting a workspace, as when its tag is removed, or that of its project. Its next change would not be refused by
 * the guard, and would not wait for the freeze window.
 */
function lostProtection(
  change: Change,
  workspaces: ReturnType<typeof inheritingStates>,
  { guards, freeze }: ProtectingRules,
): Details {
  const [guard] = workspaces.flatMap(([before, after]) =>
    protectionOf({ guards }, [after]) ? [] : (protectionOf({ guards }, [before]) ?? []),
  );
  if (guard) return { protectionLost: guard.written };
  const window = freeze.find((one) => endsSelection(one, change, workspaces));
  return window ? { protectionLost: `freeze: ${window.reason}` } : {};
}

/** The call that makes a change of a grant (interface, section 4.9). */
function grantCalls(change: GrantChange, _organization: string, dialect: Dialect): Call[] {
  const grant = { id: change.live?.id ?? '' };
  const { project = null, team = null }: Values = change.target?.attributes ?? {};
  switch (change.action) {
    case 'delete':
      return [callTo('deleteGrant', grant)];
    case 'update':
      return [callTo('updateGrant', grant, { values: accessOf(change) }, dialect)];
    case 'create':
      return [callTo('createGrant', {}, { values: { project, team, ...accessOf(change) } }, dialect)];
    default:
      return change.action satisfies never;
  }
}

/** The access level is always sent, even if only permissions under `custom` differ. */
function accessOf({ fields, target }: GrantChange): Values {
  const { access = null, ...permissions }: Values = target?.attributes ?? {};
  if (access !== 'custom') return { access };
  const changed = new Set(fields.map((field) => field.path));
  // The permissions that a service keeps from the former level are not documented, so a new `custom` sends all of them.
  const sendsAll = changed.has('access');
  const sent = permissionPaths.flatMap((path) => {
    const value = permissions[path];
    return value === undefined || !(sendsAll || changed.has(path)) ? [] : [[path, value] as const];
  });
  return { access, ...Object.fromEntries(sent) };
}
