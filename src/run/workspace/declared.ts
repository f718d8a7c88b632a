import { currentRunOf } from '../../live/included.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Resource } from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import type { ReportEntry } from '../../report/report.ts';
import type { RunContext } from '../context.ts';
import { entryOf } from '../report-entry.ts';
import type { Found } from './find.ts';
import type { Target } from './open-target.ts';

/** Warns of workspaces whose declared lock the next apply restores. */
export function checkLocks(
  found: Found,
  wanted: 'locked' | 'unlocked',
  target: Target,
  context: RunContext,
): ReportEntry {
  const diagnostics = declarations(found, target).flatMap(({ name, by }): Diagnostic[] => {
    const { lock } = by.attributes;
    if (!isRecord(lock) || lock.locked === (wanted === 'locked')) return [];
    return [
      {
        severity: 'warning',
        code: 'declared-lock',
        message: `"${name}" is declared ${lock.locked ? 'locked' : 'unlocked'}: the next apply ${lock.locked ? 'locks' : 'unlocks'} it again`,
        address: by.address,
        ...located(by),
        hint: 'change `lock` in the declaration, or remove it to lock manually',
      },
    ];
  });
  return entryOf(context, target.configuration.folder, { diagnostics });
}

/** Statuses of runs that have ended, and of a saved plan, which holds no lock. */
const ended: ReadonlySet<unknown> = new Set([
  'applied',
  'canceled',
  'discarded',
  'errored',
  'force_canceled',
  'planned_and_finished',
  'planned_and_saved',
  'policy_soft_failed',
]);

/** Warns of workspaces whose current run goes on: without the lock another run can change the same state. */
export function checkRuns(found: Found, target: Target, context: RunContext): ReportEntry {
  const diagnostics = found.flatMap(({ document, resource: { name, address } }): Diagnostic[] => {
    const { id, status } = currentRunOf(document) ?? {};
    if (status === undefined || ended.has(status)) return [];
    return [
      {
        severity: 'warning',
        code: 'unfinished-run',
        message: `the run ${id} of "${name}" is not finished (${status}): without the lock, another run can start beside it`,
        address,
        hint: 'wait for the run to end, or cancel it first',
      },
    ];
  });
  return entryOf(context, target.configuration.folder, { diagnostics });
}

/** The declaration of each workspace, under its present or its new name. */
function declarations(
  found: Found,
  { configuration }: Target,
): { readonly name: string; readonly by: Resource }[] {
  const byName = new Map<string, Resource>();
  for (const resource of configuration.desired.resources.values()) {
    if (resource.kind !== 'workspace') continue;
    byName.set(resource.name, resource);
    if (resource.declared?.renamedFrom) byName.set(resource.declared.renamedFrom, resource);
  }
  return found.flatMap(({ resource: { name } }) => {
    const by = byName.get(name);
    return by ? [{ name, by }] : [];
  });
}

function located({ location }: Resource): Pick<Diagnostic, 'location'> {
  return location ? { location } : {};
}
