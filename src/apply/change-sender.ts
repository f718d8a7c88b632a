import type { Diagnostic } from '../model/diagnostic.ts';
import type { Call, PlannedChange } from '../model/plan.ts';
import { writtenBy } from '../service/call-codec.ts';
import { lookUpEffect } from './operations/look-up-effect.ts';
import type { CallOptions, SendContext, Sender } from './operations/operation.ts';
import { verifyAnswer } from './operations/operations.ts';

/** What is wrong in the answers to the calls of a change, and the first such call. */
export interface NotTaken {
  readonly call: Call;
  readonly diagnostics: readonly Diagnostic[];
}

/** Sends the calls of one change, and keeps what their answers show. */
export interface ChangeSender {
  readonly send: Sender;
  /** How many calls took effect so far. An operation can send none, several, or another than the planned one. */
  readonly counts: () => { readonly callsDone: number; readonly extraCalls?: number };
  readonly notTaken: () => NotTaken | undefined;
}

/**
 * Every call of a run is sent here, those that an operation adds included: each answer is compared with what was sent,
 * and a repeatable call whose answer was lost is looked up if no repetition succeeds.
 */
export function createChangeSender(change: PlannedChange, send: Sender, context: SendContext): ChangeSender {
  const planned = new Set(change.calls.map(({ operation }) => operation));
  let callsDone = 0;
  let extraCalls = 0;
  let notTaken: NotTaken | undefined;
  return {
    async send(call, options = {}) {
      const written = writtenBy(call, context.dialect);
      const prepared = { change, call, written, id: change.id ?? context.ids.get(change.address) ?? '' };
      const lookUp = options.lookUp ?? (() => lookUpEffect(prepared, context));
      const asked: CallOptions = options.repeatable ? { ...options, lookUp } : options;
      const document = await send(call, asked);
      if (planned.has(call.operation)) callsDone += 1;
      else extraCalls += 1;
      const found = verifyAnswer(prepared, document, context.dialect);
      for (const diagnostic of found) if (diagnostic.severity !== 'error') context.notice(diagnostic);
      const refused = found.filter(({ severity }) => severity === 'error');
      if (refused.length > 0)
        notTaken = {
          call: notTaken?.call ?? call,
          diagnostics: [...(notTaken?.diagnostics ?? []), ...refused],
        };
      return document;
    },
    counts: () => ({ callsDone, ...(extraCalls > 0 && { extraCalls }) }),
    notTaken: () => notTaken,
  };
}
