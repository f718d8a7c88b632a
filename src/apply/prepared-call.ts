import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Call, PlannedChange } from '../model/plan.ts';
import type { Values } from '../model/value.ts';
import type { ServiceClient } from '../service/client.ts';
import type { Clock } from '../service/clock.ts';
import type { CallKind } from './call-kind.ts';
import type { FirstUses } from './first-uses.ts';

/** What a call needs to know of the run that it is part of. */
export interface SendContext {
  readonly client: ServiceClient;
  readonly clock: Clock;
  readonly organization: string;
  readonly dialect: Dialect;
  /** Tags that this run has used, or is about to. */
  readonly firstUses: FirstUses;
  /** When the live state was read, on the clock of the context; unknown for a plan from elsewhere. */
  readonly readAt?: number;
  /** Taken away once the service refused to replace a consumer list: the rest of the run does not ask again. */
  readonly rights: { replaceConsumers: boolean };
  /** Keeps what a call is about to destroy, where somebody may want it back. */
  readonly keep?: (values: Values) => Promise<void>;
  readonly notice: (diagnostic: Diagnostic) => void;
}

export interface PreparedCall {
  readonly kind: CallKind;
  /** Without placeholders. */
  readonly call: Call;
  readonly change: PlannedChange;
}
