import { protectionOf } from '../diff/refusals.ts';
import { inheritingStates, type StatesOfPlan } from '../diff/settings-in-effect.ts';
import { endsSelection } from '../hold/freeze.ts';
import { coupledPaths, destroyDuration, destroyTime, projectExecutionPaths } from '../model/attributes.ts';
import type { Change, ChangeOf, GrantChange, ProjectChange, WorkspaceChange } from '../model/change.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Dialect } from '../model/dialect.ts';
import { permissionPaths, permissions } from '../model/permissions.ts';
import type { Call, PlannedChange } from '../model/plan.ts';
import type { FreezeWindow } from '../model/rules.ts';
import type { GrantResource, ResourceKind, WorkspaceResource } from '../model/state.ts';
import { pick, type Values } from '../model/value.ts';
import { isLocked } from '../relations/relations.ts';
import { callTo } from './operation-endpoints.ts';
import { projectCalls } from './project-calls.ts';
import { workspaceCalls } from './workspace-calls.ts';

/** Live values by path, under ids and not aliases. `exists: false` marks a resource that is created. */
export type Facts = Values;

type Details = Pick<PlannedChange, 'mode' | 'resources' | 'grants' | 'protectionLost'>;

/** What planning does for one kind of resource. */
interface PlanningKind<Changed extends Change> {
  calls(change: Changed, organization: string, dialect: Dialect): Call[];
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

/** The values that the change overwrites; for a deletion what allows it. */
function projectFacts({ action, live, target, fields, unchanged }: ProjectChange): Facts {
  if (live === undefined) return { exists: false, name: target?.attributes.name ?? null };
  const { name = null } = live.attributes;
  if (action === 'delete')
    return { exists: true, name, ...pick(live.attributes, ['tag-bindings', ...(unchanged ?? [])]) };
  const isExecuted = projectExecutionPaths.some((path) => fields.some((field) => field.path === path));
  return {
    exists: true,
    name,
    ...(isExecuted && pick(live.attributes, projectExecutionPaths)),
    ...befores(fields),
  };
}

function grantFacts({ live, target, fields }: GrantChange): Facts {
  const { project = null, team = null, access = null } = (live ?? target)?.attributes ?? {};
  return live
    ? { exists: true, project, team, access, ...keptPermissions(live, target), ...befores(fields) }
    : { exists: false, project, team };
}

/**
 * What a change of a workspace was computed from: the values that it overwrites, whole lists included. Apply re-reads
 * some of them right before it writes, and compares all of them before it applies a saved plan.
 */
function workspaceFacts(change: WorkspaceChange): Facts {
  const { action, name, live, fields } = change;
  if (live === undefined) return { exists: false, name };
  if (action === 'delete') return deletionFacts(live, change);
  return {
    exists: true,
    ...coupled(live, fields),
    ...befores(fields),
    ...lockOf(live, fields),
    name: live.name,
  };
}

/**
 * What the deletion of a workspace depends on: the values that scopes, selectors and guards evaluate, and its lock. Key/value
 * tags are among them if the plan read them.
 */
function deletionFacts(
  live: WorkspaceResource,
  { unlocks, unchanged = [] }: Pick<WorkspaceChange, 'unlocks' | 'unchanged'> = {},
): Facts {
  const { project = null, tags = [], lock = { locked: false } } = live.attributes;
  return {
    exists: true,
    name: live.name,
    project,
    tags,
    // A new lock forbids the deletion; a removed one does not.
    ...((!isLocked(lock) || unlocks) && { lock }),
    ...pick(live.attributes, ['tag-bindings', 'inherited-tag-bindings', ...unchanged]),
  };
}

/**
 * The permissions that the level of a live grant does not imply, which a custom level can keep: all of a custom one, and
 * those of newer servers.
 */
function keptPermissions(live: GrantResource, target: GrantResource | undefined): Facts {
  const isCustom = live.attributes.access === 'custom';
  const kept = permissionPaths.filter((path) => isCustom || permissions[path].only !== undefined);
  return isCustom || target?.attributes.access === 'custom' ? pick(live.attributes, kept) : {};
}

/** The values that the service normalizes together with a written value and may change with it. */
function coupled(live: WorkspaceResource, fields: Change['fields']): Facts {
  const paths = coupledPaths(fields.map(({ path }) => path)).filter(
    // While a duration is set, the time is a server-computed value.
    (path) => path !== destroyTime || !live.attributes[destroyDuration],
  );
  return pick(live.attributes, paths);
}

/** A field holds whether it is locked; an undo also needs the reason of the lock. */
function lockOf({ attributes }: WorkspaceResource, fields: Change['fields']): Facts {
  const lock = fields.some(({ path }) => path === 'lock') ? attributes.lock : undefined;
  return lock === undefined ? {} : { lock };
}

function befores(fields: Change['fields']): Facts {
  const readable = fields.filter(({ path, before }) => path !== 'remote-state-consumers' || before !== null);
  return Object.fromEntries(readable.map(({ path, before }) => [path, before]));
}
