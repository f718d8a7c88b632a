import { AttuneError } from '../model/attune-error.ts';
import { type Call, operations, type Plan, type PlannedChange } from '../model/plan.ts';
import { groupBy } from '../model/value.ts';
import { placeholdersOf } from '../plan/placeholders.ts';
import { isRequestOf } from './check-calls.ts';

/** One call of a plan with the calls that must succeed before it. */
export interface Task {
  readonly change: PlannedChange;
  readonly call: Call;
  /** Tasks that must have succeeded. */
  readonly needs: readonly Task[];
}

/**
 * The calls of a plan as tasks, in their default order.
 *
 * `dependsOn` of a change is for readers. The order is decided per call, so that two workspaces may read each other's
 * state: a call waits for the call before it in its change, and for the creation of every resource whose id it needs.
 * A deletion waits for all calls of the changes that it depends on, and starts when all other calls have ended.
 *
 * @throws {AttuneError} if the path of a call does not match its operation, or it needs a resource that is not created.
 */
export function scheduleTasks(plan: Plan): Task[] {
  const tasks = plan.changes.flatMap((change) =>
    change.calls.map((call) => {
      const { id = `{${change.address}}` } = change;
      if (!isRequestOf(call, { id, organization: plan.organization })) {
        throw new AttuneError(`the plan contains an unknown call: ${call.method} ${call.path}`, {
          hint: 'plan again',
        });
      }
      return { change, call, needs: [] as Task[] };
    }),
  );
  const byAddress = groupBy(tasks, (task) => task.change.address);
  for (const task of tasks) {
    const own = byAddress.get(task.change.address) ?? [];
    const before = own[own.indexOf(task) - 1];
    if (before) task.needs.push(before);
    for (const address of placeholdersOf(task.call)) {
      const creation = byAddress.get(address)?.find(({ call }) => isCreation(call));
      if (creation === undefined) {
        throw new AttuneError(
          `${task.change.address} requires the id of ${address}, which the plan does not create`,
        );
      }
      if (creation !== task) task.needs.push(creation);
    }
    if (isDeletion(task.call)) {
      for (const address of task.change.dependsOn) task.needs.push(...(byAddress.get(address) ?? []));
    }
  }
  const rank = ({ call }: Task) => operations.indexOf(call.operation);
  // The sort is stable: calls of one operation keep the order of the plan.
  return tasks.sort((a, b) => rank(a) - rank(b));
}

function isCreation({ operation }: Call): boolean {
  return operation === 'createWorkspace' || operation === 'createProject';
}

/** Deletions of workspaces and projects start when all other calls have ended. */
export function isDeletion({ operation }: Call): boolean {
  return operation === 'deleteWorkspace' || operation === 'deleteProject';
}
