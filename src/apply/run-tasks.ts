import pLimit from 'p-limit';
import { AttuneError } from '../model/diagnostic.ts';
import { type Call, mostMoved, operations } from '../model/plan.ts';
import { idsIn } from '../service/call-codec.ts';
import type { ServiceClient } from '../service/client.ts';
import { consumersBody } from '../service/endpoints.ts';
import type { LookUpResult, SendOptions } from '../service/exchange.ts';
import { JournalError } from './journal/journal.ts';
import { isDeletion, type Task } from './schedule.ts';

export type TaskOutcome =
  | { readonly result: 'done' }
  | { readonly result: 'failed'; readonly error: unknown }
  /** `isStopped`: the run was stopped before the task started. */
  | { readonly result: 'skipped'; readonly reason: string; readonly isStopped?: true | undefined }
  /** A freeze window began before the first call of its change. */
  | { readonly result: 'held' };

export interface TaskOptions {
  /**
   * Sends the call of a task; an exception is the task's failure. A joint task that throws {@link JointRefusal} runs
   * once more, without a joint request.
   */
  readonly run: (task: Task, joint?: JointRequest) => Promise<void>;
  readonly parallelism: number;
  readonly stop?: AbortSignal;
  readonly isFrozen?: (task: Task) => boolean;
  readonly onOutcome?: (task: Task, outcome: TaskOutcome) => void;
}

/**
 * Runs tasks in parallel, each after the tasks that it needs. A failure skips the tasks that need it, and no others.
 * Deletions of workspaces and projects start when all other tasks have ended.
 */
export async function runTasks(
  tasks: readonly Task[],
  options: TaskOptions,
): Promise<Map<Task, TaskOutcome>> {
  const outcomes = new Map<Task, TaskOutcome>();
  const isLate = ({ call }: Task) => isDeletion(call);
  await runPhase(
    tasks.filter((task) => !isLate(task)),
    outcomes,
    options,
  );
  await runPhase(tasks.filter(isLate), outcomes, options);
  return outcomes;
}

async function runPhase(
  tasks: readonly Task[],
  outcomes: Map<Task, TaskOutcome>,
  { run, parallelism, stop, isFrozen, onOutcome }: TaskOptions,
): Promise<void> {
  const limit = pLimit(parallelism);
  const waitingFor = new Map<Task, number>();
  const followers = new Map<Task, Task[]>();
  const running: Promise<void>[] = [];
  /** In the order in which operations start; within an operation, in the order in which tasks became ready. */
  const ready = operations.map((): Task[] => []);
  const apart = new Set<Task>();

  const complete = (task: Task, outcome: TaskOutcome) => {
    outcomes.set(task, outcome);
    onOutcome?.(task, outcome);
    for (const follower of followers.get(task) ?? []) {
      const left = (waitingFor.get(follower) ?? 1) - 1;
      waitingFor.set(follower, left);
      if (left === 0) start(follower);
    }
  };

  const skip = (task: Task, reason: string) =>
    complete(task, { result: 'skipped', reason, isStopped: stop?.aborted ? true : undefined });

  /** Each ready task requests a slot; a free slot takes the ready task that is first at that time. */
  const start = (task: Task) => {
    ready[operations.indexOf(task.call.operation)]?.push(task);
    running.push(limit(runFirst));
  };
  const runFirst = async () => {
    const taken = takeFirst(ready, apart).filter((task) => {
      const reason = leftOut(task, outcomes, stop);
      if (reason === undefined && isFrozen?.(task)) {
        complete(task, { result: 'held' });
        return false;
      }
      if (reason === undefined) return true;
      skip(task, reason);
      return false;
    });
    const [first] = taken;
    const joints = first && isJoint(first, apart) ? jointRequests(taken.length) : [];
    await Promise.all(taken.map((task, index) => runOne(task, joints[index])));
  };
  const runOne = async (task: Task, joint: JointRequest | undefined) => {
    try {
      await run(task, joint);
      complete(task, { result: 'done' });
    } catch (error) {
      // A call that the journal does not record is not sent.
      if (error instanceof JournalError) return skip(task, leftOut(task, outcomes, stop) ?? error.message);
      if (!(error instanceof JointRefusal)) return complete(task, { result: 'failed', error });
      apart.add(task);
      start(task);
    } finally {
      joint?.leave();
    }
  };

  for (const task of tasks) {
    const open = task.needs.filter((need) => !outcomes.has(need));
    waitingFor.set(task, open.length);
    for (const need of open) {
      const known = followers.get(need);
      if (known) known.push(task);
      else followers.set(need, [task]);
    }
  }
  for (const task of tasks) if (waitingFor.get(task) === 0) start(task);
  // Tasks that become ready meanwhile are appended to the list during the iteration.
  for (const next of running) await next;
}

/** The first ready task, with those that are sent in the same request; none if an earlier slot has taken all. */
function takeFirst(ready: readonly Task[][], apart: ReadonlySet<Task>): Task[] {
  const queue = ready.find((tasks) => tasks.length > 0) ?? [];
  const first = queue.shift();
  if (first === undefined) return [];
  if (!isJoint(first, apart)) return [first];
  const isAlike = (task: Task) => task.joint === first.joint && !apart.has(task);
  const others = new Set(queue.filter(isAlike).slice(0, mostMoved - 1));
  queue.push(...queue.splice(0).filter((task) => !others.has(task)));
  return [first, ...others];
}

function isJoint(task: Task, apart: ReadonlySet<Task>): boolean {
  return task.joint !== undefined && !apart.has(task);
}

function leftOut(task: Task, outcomes: ReadonlyMap<Task, TaskOutcome>, stop: AbortSignal | undefined) {
  if (stop?.aborted) {
    const isUnwritten = stop.reason instanceof JournalError;
    return `not attempted: ${isUnwritten ? 'the journal cannot be written' : 'the run was stopped'}`;
  }
  const failed = task.needs.find((need) => outcomes.get(need)?.result !== 'done');
  if (failed === undefined) return undefined;
  const { address } = failed.change;
  if (outcomes.get(failed)?.result === 'held') return `needs ${address}, which is held`;
  return address === task.change.address
    ? 'skipped after an earlier call of the same change failed'
    : `needs ${address}, which ${outcomes.get(failed)?.result === 'failed' ? 'failed' : 'was skipped'}`;
}

/** The place of one call in a request that is sent for several changes. */
export interface JointRequest {
  /** Once each of the others has arrived or left. */
  send(call: Call, options: SendOptions, client: Pick<ServiceClient, 'send'>): Promise<undefined>;
  leave(): void;
}

/** The service refused a request as a whole, so that each of its calls has to be made in another way. */
export class JointRefusal extends AttuneError {}

type Part = Pick<SendOptions, 'lookUp'> & { readonly call: Call };

/** The places of a request that is sent for so many changes. All calls have one method and path, and a list as body. */
export function jointRequests(places: number): JointRequest[] {
  const parts: Part[] = [];
  let awaited = places;
  let complete: () => void = () => undefined;
  const isComplete = new Promise<void>((resolve) => {
    complete = resolve;
  });
  let sent: Promise<unknown> | undefined;
  return Array.from({ length: places }, () => {
    let isAwaited = true;
    const leave = () => {
      if (!isAwaited) return;
      isAwaited = false;
      awaited -= 1;
      if (awaited === 0) complete();
    };
    return {
      leave,
      async send(call, { lookUp }, client) {
        parts.push({ call, lookUp });
        leave();
        await isComplete;
        const body = consumersBody(parts.flatMap((part) => idsIn(part.call.body)));
        sent ??= client.send({ ...call, body }, { repeatable: true, lookUp: () => lookUpAll(parts) });
        await sent;
        return undefined;
      },
    };
  });
}

/** The request took effect if each of its calls did, and did not if none of them did. */
async function lookUpAll(parts: readonly Part[]): Promise<LookUpResult | undefined> {
  const found = await Promise.all(parts.map(({ lookUp }) => lookUp?.()));
  const effects = found.filter((one) => one !== undefined);
  if (effects.length === 0) return undefined;
  const unclear = effects.find(({ unknown }) => unknown !== undefined);
  if (unclear) return unclear;
  return effects.length === found.length ? {} : { unknown: 'it took effect on some of the changes only' };
}
