import { destroyDuration, destroyTime } from '../model/attributes.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { type Call, operations, type Plan, type PlannedChange } from '../model/plan.ts';
import { kindOfAddress, placeholderOf } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { placeholdersOf } from '../resolve/placeholders.ts';
import { isRequestOf } from './check-calls.ts';

export interface Task {
  readonly change: PlannedChange;
  readonly call: Call;
  readonly needs: readonly Task[];
  /** Tasks of a plan with the same value are sent as one request, as far as they are ready at the same time. */
  readonly joint?: string;
}

/**
 * The calls of a plan as tasks, in their default order.
 *
 * `dependsOn` of a change is for readers. The order is decided per call, so that two workspaces may read each other's
 * state: a call waits for the call before it in its change, and for the creation of every resource whose id it needs.
 * A deletion waits for all calls of the changes that it depends on, and starts when all other calls have ended. So does
 * the update of a project, which waits for workspaces that stop inheriting its schedule, and what takes access that a guard
 * keeps, which waits for the access that is given instead. A workspace that begins to inherit the schedule waits for the update.
 *
 * @throws {AttuneError} if the path of a call does not match its operation, or it needs a resource that is not created.
 */
export function scheduleTasks(plan: Plan): Task[] {
  const tasks = tasksOf(plan);
  for (const task of tasks.filter(reschedules)) orderSchedule(plan, task, tasks);
  const rank = ({ call }: Task) => operations.indexOf(call.operation);
  // The sort is stable: calls of one operation keep the order of the plan.
  return tasks.sort((a, b) => rank(a) - rank(b));
}

interface OpenTask extends Task {
  readonly needs: Task[];
}

function tasksOf(plan: Plan): OpenTask[] {
  const tasks = plan.changes.flatMap((change) =>
    change.calls.map((call) => {
      const { id = placeholderOf(change.address) } = change;
      if (!isRequestOf(call, { id, organization: plan.organization })) {
        throw new AttuneError(`the plan contains an unknown call: ${call.method} ${call.path}`, {
          hint: 'plan again',
        });
      }
      const joint = call.operation === 'moveWorkspaces' && { joint: call.path };
      return { change, call, needs: [] as Task[], ...joint };
    }),
  );
  const byAddress = groupBy(tasks, (task) => task.change.address);
  for (const own of byAddress.values())
    for (const [index, task] of own.entries()) task.needs.push(...needsOf(task, own[index - 1], byAddress));
  return tasks;
}

function needsOf(
  { change, call }: Task,
  before: Task | undefined,
  byAddress: ReadonlyMap<string, readonly Task[]>,
): Task[] {
  const creations = placeholdersOf(call).map((address) => {
    const creation = byAddress
      .get(address)
      ?.find(({ call: { operation } }) => operation === 'createWorkspace' || operation === 'createProject');
    if (creation !== undefined) return creation;
    throw new AttuneError(`${change.address} requires the id of ${address}, which the plan does not create`);
  });
  const isOfAccess = change.dependsOn.some((address) => kindOfAddress(address) === 'team-access');
  const waits = isDeletion(call) || call.operation === 'updateProject' || isOfAccess;
  const earlier = waits ? change.dependsOn.flatMap((address) => byAddress.get(address) ?? []) : [];
  return [before ?? [], creations, earlier].flat();
}

function reschedules({ change, call }: Task): boolean {
  return call.operation === 'updateProject' && change.fields.some(({ path }) => path === destroyDuration);
}

/**
 * Workspaces begin to inherit a destroy schedule after that of their project changes; all that move to the project do, because
 * they move in one request.
 */
function orderSchedule(plan: Plan, update: OpenTask, tasks: readonly OpenTask[]): void {
  for (const task of tasks) {
    const { kind, action, fields } = task.change;
    const isInside = kind === 'workspace' && projectAfter(plan, task.change) === update.change.id;
    if (!isInside || action !== 'update') continue;
    const schedule = fields.filter(({ path }) => path === destroyDuration || path === destroyTime);
    if (schedule.some(({ after }) => after)) continue;
    if (schedule.length > 0 || fields.some(({ path }) => path === 'project')) task.needs.push(update);
  }
}

function projectAfter({ overview }: Plan, { name }: PlannedChange): string | undefined {
  const project = overview.workspaces.find((workspace) => workspace.name === name)?.project ?? undefined;
  return project === undefined ? undefined : (overview.ids?.projects[project] ?? project);
}

/** Deletions of workspaces and projects start when all other calls have ended. */
export function isDeletion({ operation }: Call): boolean {
  return operation === 'deleteWorkspace' || operation === 'deleteProject';
}
