import { type Diagnostic, note } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Call, PlannedChange, StateAccessChange, WriteRequest, Written } from '../../model/plan.ts';
import type { Values } from '../../model/value.ts';
import type { Facts } from '../../plan/kinds.ts';
import { writtenBy } from '../../service/call-codec.ts';
import type { ServiceReader } from '../../service/client.ts';
import type { Clock } from '../../service/clock.ts';
import type { Document } from '../../service/documents.ts';
import type { SendOptions } from '../../service/exchange.ts';
import {
  changesSince,
  type handedDownBy,
  requireUnchanged,
  withoutHandedDown,
} from '../changed-since-plan.ts';
import type { OutcomeRecord } from '../journal/journal.ts';
import type { JointRequest } from '../run-tasks.ts';

/** Resolves with `undefined` if the answer holds no document. */
export type Sender<Request extends WriteRequest = Call> = (
  request: Request,
  options?: CallOptions,
) => Promise<Document | undefined>;

export interface CallOptions extends SendOptions {
  /** Reads the object that the call created if its answer has no document: the journal needs the id. */
  readonly readCreated?: () => Promise<Document | undefined>;
  /** The request that the call is sent in, with calls of other changes. */
  readonly joint?: JointRequest | undefined;
}

export interface SendContext {
  readonly reader: ServiceReader;
  readonly send: Sender;
  readonly clock: Clock;
  readonly organization: string;
  readonly dialect: Dialect;
  readonly ids: Map<string, string>;
  /** When the live state was read, on the clock of the context; absent if the caller does not know. */
  readonly readAt?: number | undefined;
  readonly handedDown: ReturnType<typeof handedDownBy>;
  /** Set to false once the service refused to replace a consumer list: the rest of the run does not retry it. */
  readonly rights: { replaceConsumers: boolean };
  /** Whether a change of access leaves the admins of its project that the guards require. It reads the access. */
  readonly leavesAdmin?: ((change: PlannedChange) => Promise<boolean>) | undefined;
  /** Records the values of a workspace that is about to be deleted in the journal. */
  readonly keep?: ((values: Values) => Promise<void>) | undefined;
  /** The request that the call is part of; absent for a call that is sent by itself. */
  readonly joint?: JointRequest | undefined;
  readonly notice: (diagnostic: Diagnostic) => void;
  /** Adds readers of a state that no file declares to the effects of the result. */
  readonly readersGained: (change: StateAccessChange) => void;
}

export interface PreparedCall {
  readonly call: Call;
  readonly written: Written;
  readonly change: PlannedChange;
  readonly id: string;
}

export function prepareCall(
  change: PlannedChange,
  call: Call,
  { ids, dialect }: Pick<SendContext, 'ids' | 'dialect'>,
): PreparedCall {
  return { change, call, written: writtenBy(call, dialect), id: change.id ?? ids.get(change.address) ?? '' };
}

export type ReadValues = (prepared: PreparedCall, context: SendContext) => Promise<Facts | undefined>;

export interface OperationHandler {
  /**
   * Re-reads live values that the call removes or overwrites although the plan shows no difference in them. Declared
   * values need no recheck: they are written as declared in any case.
   *
   * @throws {AttuneError} `moved-on` if they have changed since the plan.
   */
  readonly recheck?: ((prepared: PreparedCall, context: SendContext) => Promise<void>) | undefined;
  send(prepared: PreparedCall, context: SendContext): Promise<Document | undefined>;
  /** Reads the values that the call writes. It decides on a repeatable call whose answer was lost. */
  readonly read?: ReadValues;
  verify?(prepared: PreparedCall, document: Document, dialect: Dialect): Diagnostic[];
  /** The values of the answer that the journal records; an answer that shows none of them confirms nothing. */
  record?(
    prepared: Pick<PreparedCall, 'call' | 'written' | 'change'>,
    document: Document,
    dialect: Dialect,
  ): Pick<OutcomeRecord, 'answered'>;
}

export function alreadyDone({ name, address }: PlannedChange, how: string, part = ''): Diagnostic {
  return note('already-done', `${part}"${name}" was ${how} already`, { at: { address } });
}

export function sendRepeatable({ call }: PreparedCall, { send }: SendContext): Promise<Document | undefined> {
  return send(call, { repeatable: true });
}

/** A value that is older than this many milliseconds is read again before it is removed or overwritten. */
const freshFor = 3000;

export function isFresh({ clock, readAt }: Pick<SendContext, 'clock' | 'readAt'>): boolean {
  return readAt !== undefined && clock.now() - readAt <= freshFor;
}

/**
 * Compares facts of a plan with the live state, unless that was read less than `freshFor` ago. A deletion is compared in
 * any case.
 *
 * @param read resolves with `undefined` if the resource no longer exists. The call then handles that: a delete
 * succeeds, any other call fails.
 * @throws {AttuneError} `moved-on`
 */
export async function recheckFacts(
  { change }: PreparedCall,
  context: SendContext,
  { facts, read }: { readonly facts: Facts; readonly read: () => Promise<Facts | undefined> },
): Promise<void> {
  const isCompared = change.action === 'delete' || (change.action === 'update' && !isFresh(context));
  if (!isCompared || Object.keys(facts).length === 0) return;
  const now = await read();
  if (now) requireUnchanged(change, changesSince(withoutHandedDown(facts, now, context.handedDown), now));
}

export function pickFacts(facts: Facts, paths: readonly string[]): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([path]) => paths.includes(path)));
}
