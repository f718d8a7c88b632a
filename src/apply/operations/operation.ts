import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import type { Call, PlannedChange, WriteRequest } from '../../model/plan.ts';
import type { ListRule } from '../../model/state.ts';
import type { BindingRule } from '../../model/tag-bindings.ts';
import type { Values } from '../../model/value.ts';
import type { ServiceReader } from '../../service/client.ts';
import type { Clock } from '../../service/clock.ts';
import type { Document, ResourceObject } from '../../service/documents.ts';
import type { SendOptions } from '../../service/exchange.ts';
import type { FirstUses } from '../first-uses.ts';
import type { OutcomeRecord } from '../journal/journal.ts';

/**
 * Sends a write. `undefined` where the answer holds no document.
 *
 * @throws {ServiceError | NetworkError} where it failed; then it had no effect that is known of.
 */
export type Sender<Request extends WriteRequest = Call> = (
  request: Request,
  options?: CallOptions,
) => Promise<Document | undefined>;

/** How a call is sent. */
export interface CallOptions extends SendOptions {
  /** Reads what the call created, if its answer has no document: the journal needs the id. */
  readonly readCreated?: () => Promise<Document | undefined>;
}

/** The run that a call is part of. */
export interface SendContext {
  readonly reader: ServiceReader;
  /** All writes go through it, and so through the journal. */
  readonly send: Sender;
  readonly clock: Clock;
  readonly organization: string;
  readonly dialect: Dialect;
  /** The ids of the workspaces that this run created, by address. */
  readonly ids: Map<string, string>;
  /** Tags that this run has used, or is about to. */
  readonly firstUses: FirstUses;
  /** When the live state was read, on the clock of the context; unknown for a plan from elsewhere. */
  readonly readAt?: number;
  /** Set to false once the service refused to replace a consumer list: the rest of the run does not try again. */
  readonly rights: { replaceConsumers: boolean };
  /** Writes the values of a workspace that is about to be deleted to the journal. */
  readonly keep?: (values: Values) => Promise<void>;
  readonly notice: (diagnostic: Diagnostic) => void;
}

/** A call that is about to be sent. */
export interface PreparedCall {
  /** Without placeholders. */
  readonly call: Call;
  readonly change: PlannedChange;
  /** The id of the resource; empty before it is created. */
  readonly id: string;
}

/** What a call writes, under neutral names and ids. */
export interface Written {
  readonly values: Values;
  readonly tags?: ListRule;
  readonly consumers?: ListRule;
  readonly bindings?: BindingRule;
}

/** All that is particular to one operation. */
export interface OperationHandler {
  writes(call: Call, dialect: Dialect): Written;
  /**
   * Re-reads live values that the call removes or overwrites although they are no difference of the plan. A value that
   * the files declare is written as declared, whatever it has become.
   *
   * @throws {ChangedSincePlanError} where they are not what the plan was computed from.
   */
  recheck?(prepared: PreparedCall, context: SendContext): Promise<void>;
  /**
   * Sends the call: what a lost answer means, and what an answer other than success means.
   *
   * @throws {ServiceError | NetworkError | AttuneError} where it failed; then it had no effect that is known of.
   */
  send(prepared: PreparedCall, context: SendContext): Promise<Document | undefined>;
  /** Compares the answer with what was sent. */
  verify?(prepared: PreparedCall, document: Document, dialect: Dialect): Diagnostic[];
  /** What the journal keeps of the answer. */
  record?(
    prepared: Pick<PreparedCall, 'call' | 'change'>,
    answered: ResourceObject,
    dialect: Dialect,
  ): Pick<OutcomeRecord, 'id' | 'answered'>;
}

/** Sends a call that does no more when it is sent twice. */
export function sendRepeatable({ call }: PreparedCall, { send }: SendContext): Promise<Document | undefined> {
  return send(call, { repeatable: true });
}
