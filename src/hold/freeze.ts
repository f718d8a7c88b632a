import {
  inheritingStates,
  matchedStates,
  type StatesOfPlan,
  settingInEffect,
  statesOfPlan,
} from '../diff/settings-in-effect.ts';
import { destroyDuration } from '../model/attributes.ts';
import type { Change, ProjectChange } from '../model/change.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { PlannedChange } from '../model/plan.ts';
import { type FreezeWindow, type Hold, lastEnd, withoutEnd } from '../model/rules.ts';
import { guardSelects, type Selector } from '../model/selector.ts';
import { type Resource, uncreatedProject } from '../model/state.ts';
import { printTime } from '../model/value.ts';
import { coversAll } from '../resolve/plan-request.ts';
import type { Filtered, FilterInput } from './keep-live.ts';

type FreezeInput = Pick<FilterInput, 'now' | 'live' | 'found'>;

export function windowsOf(input: Pick<FilterInput, 'configuration' | 'overrideFreeze' | 'purpose'>) {
  const { configuration, overrideFreeze, purpose } = input;
  return overrideFreeze !== undefined || purpose === 'drift' ? [] : (configuration.holds?.freeze ?? []);
}

/** What the windows select at this time, also what has no change: what waits elsewhere must not give it one. */
export function freezeHolds(
  windows: readonly FreezeWindow[],
  { changes, now, live, found }: FreezeInput & { readonly changes: readonly Change[] },
): Filtered {
  const states = statesOfPlan(live, found.after);
  const changed = new Set(found.changes.map(({ address }) => address));
  const unchanged = found.after.filter(({ address }) => !changed.has(address));
  const own = [...changes, ...unchanged].map((one) => ({
    address: one.address,
    windows: windows.filter((window) => freezes(window, one, states)),
  }));
  return {
    keeps: own.flatMap((one) => holdsFrom(one.windows, now).map((hold) => ({ address: one.address, hold }))),
    isDated: own.slice(0, changes.length).some((one) => one.windows.length > 0),
  };
}

/** Most selectors that select nothing have a typing error. */
export function emptySelectors({ configuration, live, found, chosen, purpose }: FilterInput): Diagnostic[] {
  const { desired, holds, guards, lookUps } = configuration;
  if (!coversAll({ purpose }) || ![...desired.resources.keys()].every(chosen)) return [];
  const states = statesOfPlan(live, found.after);
  const all = [...live.state.resources.values(), ...found.after];
  // The projects of guards are looked up only if a workspace can be deleted.
  const protect = lookUps.length > 0 ? [] : guards.protect;
  const entries = protect.map(({ selector, location }) => ({ select: selector, root: undefined, location }));
  return [...(holds?.freeze ?? []), ...entries].flatMap(({ select, ...at }) => {
    if (!select || all.some((one) => isMatched(select, one, states))) return [];
    const what = 'reason' in at ? 'a freeze window' : 'an entry of guards.protect';
    return note('nothing-matched', `${what} selects no workspace`, { at, hint: 'correct its selector' });
  });
}

export function nextFreezes(
  windows: readonly FreezeWindow[],
  { now, live, found }: FreezeInput,
): ReadonlyMap<string, NonNullable<PlannedChange['nextFreeze']>> {
  const states = statesOfPlan(live, found.after);
  return new Map(
    found.changes.flatMap((change) => {
      const own = windows.filter((window) => freezes(window, change, states));
      const start = Math.min(...own.flatMap(({ periodAt }) => periodAt(now)?.start ?? []));
      const holds = holdsFrom(own, Math.max(now, start));
      return holds
        .slice(0, 1)
        .map(({ reason }) => [change.address, { from: printTime(start), until: lastEnd(holds), reason }]);
    }),
  );
}

/** The windows that hold without a time between them, each with its last end. This can have no end, so `steps` is a limit. */
function holdsFrom(
  windows: readonly FreezeWindow[],
  time: number,
  ends = new Map<FreezeWindow, number>(),
  steps = 100,
): readonly Hold[] {
  for (const window of windows) {
    const period = window.periodAt(time);
    if (period && period.start <= time) ends.set(window, period.end);
  }
  const free = Math.max(time, ...ends.values());
  if (free > time && steps > 0) return holdsFrom(windows, free, ends, steps - 1);
  const until = (end: number) => (free > time ? withoutEnd : printTime(end));
  return [...ends].map(([{ reason }, end]) => ({ by: 'freeze', reason, until: until(end) }));
}

/** Whether a window selects a resource, or a change by its live or planned state, or a workspace that the change of its project concerns. */
function freezes(window: FreezeWindow, one: Change | Resource, states: StatesOfPlan): boolean {
  const { select, isOwn } = window;
  const isChange = 'action' in one;
  const sides = isChange ? [one.live, one.target] : [one];
  const isSelected = !select || sides.some((side) => side && isMatched(select, side, states));
  if (isSelected && isOwn?.(one.address) !== false) return true;
  if (!isChange || one.kind !== 'project') return false;
  const inheriting = inheritingStates(one, states);
  // If the project lost the key/value tag that selects a workspace, the next run would change this workspace inside the window.
  return endsSelection(window, one, inheriting) || changesInherited(window, one, inheriting);
}

function isMatched(selector: Selector, resource: Resource, states: StatesOfPlan): boolean {
  if (resource.kind === 'workspace')
    return matchedStates([resource], states).some((state) => guardSelects(selector, state));
  const { kind, id, name, attributes } = resource;
  return ofProject(selector, kind === 'project' ? (id ?? uncreatedProject(name)) : attributes.project);
}

type Sides = ReturnType<typeof inheritingStates>;

/** Whether a window selects one of the workspaces before a change only. */
export function endsSelection(window: FreezeWindow, change: Pick<Change, 'address'>, sides: Sides): boolean {
  const { select } = window;
  return (
    select !== undefined &&
    ofWindow(window, change, sides).some(
      ([before, after]) => guardSelects(select, before) && !guardSelects(select, after),
    )
  );
}

/** A workspace of the file must not change because the project of another file does. */
function ofWindow({ isOwn, declares }: FreezeWindow, change: Pick<Change, 'address'>, sides: Sides): Sides {
  return sides.filter(([{ address }]) => isOwn?.(change.address) !== false || declares?.(address));
}

/** The settings of workspaces by those of the project that they inherit. */
const handedDown: Readonly<Record<string, string>> = {
  'default-execution-mode': 'execution-mode',
  'default-agent-pool': 'agent-pool-id',
  [destroyDuration]: destroyDuration,
};

/** A selected workspace must not change because its project does. One that the plan creates waits itself. */
function changesInherited(window: FreezeWindow, change: ProjectChange, sides: Sides): boolean {
  const { select } = window;
  const paths = change.fields.flatMap(({ path }) => handedDown[path] ?? []);
  return ofWindow(window, change, sides).some(
    ([before, after]) =>
      before.id !== undefined &&
      paths.some((path) => settingInEffect(path, before)?.isInherited) &&
      (select === undefined || guardSelects(select, after)),
  );
}

/** Only a selector by projects alone is also about the projects themselves and their team access. */
function ofProject({ project, tag, name, except, tagged }: Selector, id: string): boolean {
  if (tag !== undefined || name !== undefined || except !== undefined || tagged !== undefined) return false;
  return [project].flat().includes(id);
}
