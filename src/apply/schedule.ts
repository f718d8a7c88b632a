import { AttuneError } from '../model/attune-error.ts';
import type { Call, Plan, PlannedChange } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { placeholdersOf } from '../plan/placeholders.ts';
import { type CallKind, callKind, callKinds } from './call-kind.ts';

/** One call of a plan with what must be done before it. */
export interface Task {
  readonly change: PlannedChange;
  readonly call: Call;
  readonly kind: CallKind;
  /** Tasks that must have succeeded. */
  readonly needs: readonly Task[];
}

/**
 * Lays the calls of a plan out as tasks, in the order in which they are started where nothing else decides.
 *
 * `dependsOn` of a change is told for readers; what has to wait is decided per call, so that two workspaces may read
 * each other's state: a call waits for the call before it in its change, and for the creation of every workspace whose
 * id it needs. A deletion waits for the whole of what it depends on, and starts when all other calls have ended.
 *
 * @throws {AttuneError} where the plan holds a call that is not one of ours, or one that waits for itself.
 */
export function scheduleTasks(plan: Plan): Task[] {
  const tasks = plan.changes.flatMap((change) =>
    change.calls.map((call) => {
      const kind = callKind(call);
      if (kind === undefined) {
        throw new AttuneError(
          `the plan holds a call that Attune does not make: ${call.method} ${call.path}`,
          {
            hint: 'make the plan again',
          },
        );
      }
      return { change, call, kind, needs: [] as Task[] };
    }),
  );
  const byAddress = groupBy(tasks, (task) => task.change.address);
  for (const task of tasks) {
    const own = byAddress.get(task.change.address) ?? [];
    const before = own[own.indexOf(task) - 1];
    if (before) task.needs.push(before);
    for (const address of placeholdersOf(task.call)) {
      const creation = byAddress.get(address)?.find(({ kind }) => kind === 'create-workspace');
      if (creation === undefined) {
        throw new AttuneError(
          `${task.change.address} needs the id of ${address}, which the plan does not create`,
        );
      }
      if (creation !== task) task.needs.push(creation);
    }
    if (task.kind === 'delete-workspace') {
      for (const address of task.change.dependsOn) task.needs.push(...(byAddress.get(address) ?? []));
    }
  }
  const rank = (task: Task) => callKinds.indexOf(task.kind);
  // The sort is stable: within a kind the plan's own order stays.
  return tasks.sort((a, b) => rank(a) - rank(b));
}
