/*
 * A plan is sent, and nothing else: no call is derived here that the plan does not contain.
 *
 *   task     one call of a change, with the calls that have to succeed before it (schedule.ts)
 *   handler  how one operation is rechecked, sent, looked up after a lost answer, and compared with its answer (operations)
 *   facts    the live values that a change was computed from; a recheck compares them with the present ones
 *   journal  one record before each call and one after it, from which an undo and the next run know what was written
 *
 * plan -> tasks -> runTasks, in parallel: recheck -> record -> send -> compare and record the answer -> outcome of each change
 */
import { recoverableItems } from '../live/access-facts.ts';
import type { AppliedChange, ApplyResult, CallError, Outcome } from '../model/apply-result.ts';
import type { Aliases } from '../model/configuration.ts';
import { AttuneError, type Diagnostic, problem } from '../model/diagnostic.ts';
import { type Call, isHeld, type Plan, type PlannedChange, type StateAccessChange } from '../model/plan.ts';
import { holdText } from '../model/rules.ts';
import { counted } from '../model/text.ts';
import { groupBy } from '../model/value.ts';
import { fillPlaceholders } from '../resolve/placeholders.ts';
import type { ServiceClient, ServiceReader } from '../service/client.ts';
import { type Clock, systemClock } from '../service/clock.ts';
import { asResourceObject } from '../service/documents.ts';
import { NetworkError } from '../service/service-error.ts';
import { handedDownBy } from './changed-since-plan.ts';
import { beginRun } from './journal/begin-run.ts';
import { type Journal, JournalError } from './journal/journal.ts';
import { type CallOptions, prepareCall, type SendContext } from './operations/operation.ts';
import { createChangeSender, sendCall } from './operations/operations.ts';
import { adminCheck } from './operations/projects.ts';
import { runTasks, type TaskOutcome } from './run-tasks.ts';
import { scheduleTasks } from './schedule.ts';

/** What {@link applyPlan} needs, and its settings. */
export interface ApplyOptions {
  readonly client: ServiceClient;
  /** Maximum number of calls in flight. @default 10 */
  readonly parallelism?: number;
  readonly clock?: Clock;
  /** The present time, which the journal records. @default the system's */
  readonly date?: () => Date;
  /** When the live state was read, on `clock`. If absent, lists are re-read before they are replaced. */
  readonly readAt?: number;
  /** Once aborted, running calls finish and no other call starts. */
  readonly stop?: AbortSignal;
  readonly observe?: (event: ApplyEvent) => void;
  /** Records each call before it is sent, and its outcome. If a record cannot be written, the run ends. */
  readonly journal?: Journal | undefined;
  /**
   * The teams of each `guards.keep-admin` that covers a project, by id: one of them must remain an admin. The access to a
   * project is read again before it loses one of these admins.
   */
  readonly keepAdmin?: (project: string) => readonly ReadonlySet<string>[];
  /** Aliases of ids, which the journal records for its readers. */
  readonly aliases?: Aliases;
  /** The data of the embedded service as a path from the folder of the journal, which records it. */
  readonly data?: string | undefined;
  /** The journal that this run undoes, which its journal names. */
  readonly undoes?: string | undefined;
  /** Whether this run leaves changes of that journal as they are. */
  readonly undoesPart?: boolean | undefined;
}

/** One finished call, for progress output. */
export interface ApplyEvent {
  readonly address: string;
  readonly result: Outcome;
  /** Why the call failed; a defect of Attune includes its stack. */
  readonly error?: unknown;
}

/**
 * Sends the calls of a plan in parallel, ordered by their dependencies. If a call fails, the calls that depend on it
 * are skipped and all others are sent. A partial failure is part of the result and not an exception.
 *
 * @throws {@link AttuneError} before the first call if the plan holds a call that Attune would not send.
 * @example
 * ```ts
 * const plan = await makePlan(configuration, { source: serviceSource(client), address });
 * const { changes } = await applyPlan(plan, { client });
 * console.log(changes.filter(({ result }) => result === 'done').length); // 4
 * ```
 */
export async function applyPlan(plan: Plan, options: ApplyOptions): Promise<ApplyResult> {
  const { client, parallelism = 10, stop, observe, journal } = options;
  const unwritten = new AbortController();
  const diagnostics: Diagnostic[] = [];
  const readers: StateAccessChange[] = [];
  const context = sendContext(plan, options, {
    notice: (diagnostic) => diagnostics.push(diagnostic),
    readersGained: (change) => readers.push(change),
  });
  const { send, ids } = context;
  const journalRun = journal && beginRun({ ...options, date: options.date ?? now, journal, plan, send, ids });
  const begun = new Set<PlannedChange>();
  const senders = new Map(
    plan.changes.map((change) => {
      const send = journalRun?.senderFor(change) ?? context.send;
      return [change, createChangeSender(change, send, context)];
    }),
  );
  const tasks = scheduleTasks(plan);
  const outcomes = await runTasks(tasks, {
    run: async ({ change, call }, joint) => {
      begun.add(change);
      const own: SendContext = {
        ...context,
        send: senders.get(change)?.send ?? context.send,
        keep: journalRun && ((values) => journalRun.keep(change, values)),
        joint,
      };
      const filled = fillPlaceholders(call, context.ids);
      await sendCall(prepareCall(change, filled, context), own).catch((error) => {
        if (error instanceof JournalError) unwritten.abort(error);
        throw error;
      });
    },
    parallelism,
    // A change that has begun is completed.
    isFrozen: ({ change }) => !begun.has(change) && isFrozen(change, options),
    stop: AbortSignal.any([unwritten.signal, stop ?? []].flat()),
    onOutcome: ({ change: { address } }, outcome) => {
      const { result } = outcome;
      observe?.({ address, result, error: result === 'failed' ? outcome.error : undefined });
    },
  });
  const byChange = groupBy(tasks, (task) => task.change);
  const applied = plan.changes.map((change) => {
    const ended = (byChange.get(change) ?? []).map((task) => outcomes.get(task));
    return appliedChange(change, ended, senders.get(change));
  });
  const changes = stop?.aborted ? applied : await withRecoverableUntil(applied, plan.organization, client);
  diagnostics.push(...(await endOf(journalRun, changes)));
  return { plan: withReaders(plan, readers), changes, diagnostics };
}

function sendContext(
  { changes, organization, dialect }: Plan,
  { client, clock = systemClock, readAt, keepAdmin = () => [] }: ApplyOptions,
  found: Pick<SendContext, 'notice' | 'readersGained'>,
): SendContext {
  return {
    ...found,
    reader: client,
    send: (call, { joint, ...callOptions } = {}) =>
      joint ? joint.send(call, callOptions, client) : sendAndRead(call, client, callOptions),
    clock,
    organization,
    dialect,
    ids: new Map(),
    handedDown: handedDownBy(changes),
    rights: { replaceConsumers: true },
    leavesAdmin: adminCheck(changes, keepAdmin, { reader: client, organization }),
    readAt,
  };
}

function isFrozen({ nextFreeze }: PlannedChange, { date = now }: ApplyOptions): boolean {
  if (nextFreeze === undefined) return false;
  const at = date();
  // Without an end, there is no time after it.
  return at >= new Date(nextFreeze.from) && !(at >= new Date(nextFreeze.until));
}

const now = () => new Date();

function withReaders(plan: Plan, shared: readonly StateAccessChange[]): Plan {
  if (shared.length === 0) return plan;
  const gained = new Map(shared.map((change) => [change.workspace, change]));
  const stateAccess = plan.effects.stateAccess.filter(({ workspace }) => !gained.has(workspace));
  const workspaces = plan.overview.workspaces.map((one) => {
    const { gains } = gained.get(one.name) ?? {};
    if (gains === undefined) return one;
    return { ...one, readers: { ...one.readers, after: gains.includes('*') ? ('*' as const) : gains } };
  });
  return {
    ...plan,
    effects: {
      ...plan.effects,
      stateAccess: [...stateAccess, ...shared].sort((a, b) => (a.workspace < b.workspace ? -1 : 1)),
    },
    overview: { ...plan.overview, workspaces },
  };
}

/** A success may come without a document; the document of a created object is then read. */
async function sendAndRead(call: Call, client: ServiceClient, { readCreated, ...options }: CallOptions) {
  const document = await client.send(call, options);
  if (readCreated === undefined || asResourceObject(document?.data)) return document;
  return readCreated().catch((cause: unknown) => {
    // Not an error of the create: a status in the journal would mean that the create took no effect.
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new AttuneError(`it was created, and reading it failed: ${why}`, { hint: 'run again', cause });
  });
}

/** A journal that lost records is incomplete: that is an error even if every change succeeded. */
async function endOf(
  run: ReturnType<typeof beginRun> | undefined,
  changes: readonly AppliedChange[],
): Promise<Diagnostic[]> {
  try {
    await run?.end(changes);
    return [];
  } catch (error) {
    if (!(error instanceof JournalError)) throw error;
    return [problem(error.code, error.message, { hint: error.hint })];
  }
}

/** A call whose answer shows another value took effect, so dependent calls are sent; its change is not done. */
function appliedChange(
  change: PlannedChange,
  outcomes: readonly (TaskOutcome | undefined)[],
  sender: ReturnType<typeof createChangeSender> | undefined,
): AppliedChange {
  const counts = sender?.counts() ?? { callsDone: 0 };
  const { callsDone, extraCalls = 0 } = counts;
  const sent = change.calls.length + extraCalls + (sender?.extraFailed() ?? 0);
  const notDone = (result: 'failed' | 'skipped', error: CallError): AppliedChange => {
    if (callsDone === 0) return { ...change, result, ...counts, error };
    const message = `${error.message} (${callsDone} of ${counted(sent, 'call')} completed)`;
    return { ...change, result: 'partial', ...counts, error: { ...error, message } };
  };
  const notTaken = sender?.notTaken();
  const failed = outcomes.find((outcome) => outcome?.result === 'failed');
  if (failed?.result === 'failed') return notDone('failed', callError(failed.error));
  if (notTaken) {
    const { method, path } = notTaken.call;
    const hints = new Set(notTaken.diagnostics.flatMap(({ hint }) => hint ?? []));
    const message = [...notTaken.diagnostics.map((one) => one.message), ...hints].join('; ');
    return notDone('failed', { message, code: 'not-taken', method, path });
  }
  const { nextFreeze } = change;
  if (nextFreeze && outcomes.some((outcome) => outcome?.result === 'held')) {
    const { reason, until } = nextFreeze;
    const hold = { by: 'freeze', reason, until } as const;
    const error = { message: `held by ${holdText(hold)}` };
    return { ...change, held: (change.held ?? []).concat(hold), result: 'held', ...counts, error };
  }
  if (isHeld(change)) return { ...change, result: 'held', ...counts };
  const skipped = outcomes.find((outcome) => outcome?.result === 'skipped');
  if (skipped?.result === 'skipped') {
    const { reason, isStopped } = skipped;
    const rest = `the rest ${isStopped ? 'was ' : ''}${reason}`;
    return notDone('skipped', { message: callsDone === 0 ? reason : rest });
  }
  return { ...change, result: 'done', ...counts };
}

function callError(error: unknown): CallError {
  const { method, path, status } = error as Partial<CallError>;
  const isKnown = error instanceof AttuneError;
  const message = isKnown ? error.message : `internal error: ${String(error)}`;
  const hint = isKnown ? error.hint : undefined;
  return {
    message: hint ? `${message}; ${hint}` : message,
    code: error instanceof NetworkError && error.effect === 'unknown' ? 'unknown-effect' : undefined,
    method,
    path,
    status,
  };
}

async function withRecoverableUntil(
  changes: readonly AppliedChange[],
  organization: string,
  reader: ServiceReader,
): Promise<readonly AppliedChange[]> {
  const deleted = changes.filter(({ recovery, result }) => recovery === 'recoverable' && result === 'done');
  const ids = deleted.flatMap(({ id }) => id ?? []);
  // The deletes are done, whatever a read after them answers.
  const items = await recoverableItems(reader, organization, ids).catch((error: unknown) => {
    if (error instanceof AttuneError) return undefined;
    throw error;
  });
  return changes.map((change) => {
    const { expiresAt } = (deleted.includes(change) && items?.get(change.id ?? '')) || {};
    return expiresAt === undefined ? change : { ...change, recoverableUntil: expiresAt };
  });
}
