import {
  inheritingStates,
  matchedStates,
  type StatesOfPlan,
  settingInEffect,
  statesOfPlan,
} from '../diff/settings-in-effect.ts';
import { destroyDuration } from '../model/attributes.ts';
import type { Change, ProjectChange } from '../model/change.ts';
import type { PlannedChange } from '../model/plan.ts';
import type { FreezeWindow, Hold } from '../model/rules.ts';
import { guardSelects, type Selector } from '../model/selector.ts';
import { type Resource, uncreatedProject } from '../model/state.ts';
import { printTime } from '../model/value.ts';
import type { Filtered, FilterInput } from './keep-live.ts';

type FreezeInput = Pick<FilterInput, 'now' | 'live' | 'found'>;

export function windowsOf({
  configuration,
  overrideFreeze,
  purpose,
}: Pick<FilterInput, 'configuration' | 'overrideFreeze' | 'purpose'>): readonly FreezeWindow[] {
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
  const selected = windows.map((window) => ({
    hold: freezeAt(window, now),
    frozen: changes.filter((change) => freezes(window, change, states)),
    others: unchanged.filter((one) => selects(window, one, states)),
  }));
  return {
    keeps: selected.flatMap(({ hold, frozen, others }) =>
      hold ? [...frozen, ...others].map(({ address }) => ({ address, hold })) : [],
    ),
    isDated: selected.some(({ frozen }) => frozen.length > 0),
  };
}

export function nextFreezes(
  windows: readonly FreezeWindow[],
  { now, live, found }: FreezeInput,
): ReadonlyMap<string, NonNullable<PlannedChange['nextFreeze']>> {
  const states = statesOfPlan(live, found.after);
  const periods = windows.flatMap((window) => {
    const period = window.periodAt(now);
    return period ? [{ window, period }] : [];
  });
  periods.sort((a, b) => a.period.start - b.period.start);
  return new Map(
    found.changes.flatMap((change) => {
      const next = periods.find(({ window }) => freezes(window, change, states));
      if (next === undefined) return [];
      const { start, end } = next.period;
      const { reason } = next.window;
      return [[change.address, { from: printTime(start), until: printTime(end), reason }]];
    }),
  );
}

function freezeAt({ reason, periodAt }: FreezeWindow, time: number): Hold | undefined {
  const period = periodAt(time);
  if (period === undefined || time < period.start) return undefined;
  return { by: 'freeze', reason, until: printTime(period.end) };
}

/** Whether a window selects a change, by the live or by the planned state, or a workspace that the change of its project concerns. */
function freezes(window: FreezeWindow, change: Change, states: StatesOfPlan): boolean {
  const { select, isOwn } = window;
  const sides = [change.live, change.target];
  const isSelected = !select || sides.some((one) => one && isMatched(select, one, states));
  if (isSelected && isOwn?.(change.address) !== false) return true;
  if (change.kind !== 'project') return false;
  const inheriting = inheritingStates(change, states);
  // If the project lost the key/value tag that selects a workspace, the next run would change this workspace inside the window.
  return endsSelection(window, change, inheriting) || changesInherited(window, change, inheriting);
}

function selects({ select, isOwn }: FreezeWindow, resource: Resource, states: StatesOfPlan): boolean {
  return isOwn?.(resource.address) !== false && (select === undefined || isMatched(select, resource, states));
}

function isMatched(selector: Selector, resource: Resource, states: StatesOfPlan): boolean {
  switch (resource.kind) {
    case 'workspace':
      return matchedStates([resource], states).some((state) => guardSelects(selector, state));
    case 'project':
      return ofProject(selector, resource.id ?? uncreatedProject(resource.name));
    case 'team-access':
      return ofProject(selector, resource.attributes.project);
    default:
      return resource satisfies never;
  }
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
