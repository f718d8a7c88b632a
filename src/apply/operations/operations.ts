import { sameAttribute } from '../../diff/fields.ts';
import type { AppliedChange } from '../../model/apply-result.ts';
import { AttuneError, type Diagnostic, warning } from '../../model/diagnostic.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  applyBindingRule,
  applyListRule,
  asBindings,
  bindingTexts,
  type ListRule,
  listDifference,
  mapListRule,
} from '../../model/list-rule.ts';
import type { Call, Operation, PlannedChange } from '../../model/plan.ts';
import { sameValue, sortedSet, type Value } from '../../model/value.ts';
import type { Facts } from '../../plan/kinds.ts';
import { asResourceObject, type Document } from '../../service/documents.ts';
import type { LookUpResult } from '../../service/exchange.ts';
import { dialectOf } from '../../service/wire-codec.ts';
import { creationOperations } from './create-workspace.ts';
import { asStored, listOperations } from './lists.ts';
import { lockAndDeleteOperations } from './lock-and-delete.ts';
import {
  type CallOptions,
  type OperationHandler,
  type PreparedCall,
  prepareCall,
  type SendContext,
  type Sender,
} from './operation.ts';
import { projectOperations } from './projects.ts';
import { settingOperations } from './workspace-settings.ts';

export const operationHandlers: Readonly<Record<Operation, OperationHandler>> = {
  ...projectOperations,
  ...creationOperations,
  ...settingOperations,
  ...listOperations,
  ...lockAndDeleteOperations,
};

export async function sendCall(prepared: PreparedCall, context: SendContext): Promise<Document | undefined> {
  const { recheck, send } = operationHandlers[prepared.call.operation];
  await recheck?.(prepared, context);
  return send(prepared, context);
}

/** The dialect in which an answer shows values: another one than the plan's if that was declared or assumed wrongly. */
export function dialectOfAnswer({ data }: Document, dialect: Dialect): Dialect {
  const answered = asResourceObject(data);
  return (answered && dialectOf(answered)) ?? dialect;
}

/** Compares an answer with what was sent. An answer that cannot be compared is reported, but is not a failure. */
export function verifyAnswer(
  prepared: PreparedCall,
  document: Document | undefined,
  dialect: Dialect,
): Diagnostic[] {
  const { call, change } = prepared;
  if (document?.data === undefined || document.data === null) return [];
  try {
    const answered = dialectOfAnswer(document, dialect);
    const found = operationHandlers[call.operation].verify?.(prepared, document, answered) ?? [];
    if (answered === dialect) return found;
    return found.map((one) => ({ ...one, hint: `set service.dialect to \`${answered}\`` }));
  } catch (error) {
    if (!(error instanceof AttuneError)) throw error;
    return [
      warning(
        'not-compared',
        `${call.method} ${call.path} took effect, but its response could not be compared with the request: ${error.message}`,
        { at: { address: change.address } },
      ),
    ];
  }
}

/**
 * Every call of a run is sent here, those that an operation adds included: each answer is compared with what was sent,
 * and a repeatable call whose answer was lost is looked up if no repetition succeeds.
 */
export function createChangeSender(change: PlannedChange, send: Sender, context: SendContext) {
  const planned = new Set(change.calls.map(({ operation }) => operation));
  let callsDone = 0;
  let extraCalls = 0;
  let extraFailed = 0;
  let notTaken: { readonly call: Call; readonly diagnostics: readonly Diagnostic[] } | undefined;
  return {
    async send(call: Call, options: CallOptions = {}): Promise<Document | undefined> {
      const sent = prepareCall(change, call, context);
      const lookUp = options.lookUp ?? (() => lookUpEffect(sent, context));
      const asked: CallOptions = options.repeatable ? { ...options, lookUp } : options;
      const isPlanned = planned.has(call.operation) && callsDone - extraCalls < change.calls.length;
      const document = await send(call, asked).catch((error: unknown) => {
        if (!isPlanned) extraFailed += 1;
        throw error;
      });
      callsDone += 1;
      if (!isPlanned) extraCalls += 1;
      const found = verifyAnswer(sent, document, context.dialect);
      for (const diagnostic of found) if (diagnostic.severity !== 'error') context.notice(diagnostic);
      const refused = found.filter(({ severity }) => severity === 'error');
      if (refused.length > 0)
        notTaken = {
          call: notTaken?.call ?? call,
          diagnostics: (notTaken?.diagnostics ?? []).concat(refused),
        };
      return document;
    },
    /** How many calls took effect so far. An operation can send none, several, or another than the planned one. */
    counts: (): Pick<AppliedChange, 'callsDone' | 'extraCalls'> => ({
      callsDone,
      extraCalls: extraCalls || undefined,
    }),
    extraFailed: () => extraFailed,
    notTaken: () => notTaken,
  };
}

/**
 * Reads whether a repeatable call took effect: its answer was lost, and no repetition has succeeded. It took effect if
 * all values are as sent, and did not if all are as before. Anything else cannot be known.
 */
async function lookUpEffect(prepared: PreparedCall, context: SendContext): Promise<LookUpResult | undefined> {
  const now = await operationHandlers[prepared.call.operation].read?.(prepared, context);
  if (now === undefined) return { unknown: 'it does not exist, or this token may not see it' };
  // A value that the call does not change, such as one that is coupled to another, shows nothing.
  const compared = comparedValues(prepared, now, context).filter(
    ({ isSent, isBefore }) => !isSent || !isBefore,
  );
  if (compared.length > 0 && compared.every(({ isSent }) => isSent)) return {};
  const known = compared.filter(({ isBefore }) => isBefore !== undefined);
  if (known.length > 0 && known.every(({ isBefore }) => isBefore)) return undefined;
  const other = known.find(({ isSent, isBefore }) => !isSent && !isBefore);
  return {
    unknown: other ? `its ${other.path} is neither as before nor as sent` : 'its values do not show it',
  };
}

interface Compared {
  readonly path: string;
  readonly isSent: boolean;
  /** Absent if the plan did not read the value. */
  readonly isBefore: boolean | undefined;
}

function comparedValues({ written, change }: PreparedCall, now: Facts, { dialect }: SendContext): Compared[] {
  const { values, tags, consumers, bindings } = written;
  const before = (path: string): Value | undefined =>
    change.action === 'create' ? null : change.facts?.[path];
  const list = (path: string, sent: (value: Value) => Value): Compared[] => {
    const live = entries(now[path]);
    const was = before(path);
    if (live === undefined) return [];
    const isSent = sameValue(entries(sent(now[path] ?? null)), live);
    if (was === undefined) return [{ path, isSent, isBefore: undefined }];
    // Other entries can have changed: by another call of the change, or by another user.
    const { add, remove } = listDifference(entries(was) ?? [], entries(sent(was)) ?? []);
    return [{ path, isSent, isBefore: sameValue(applyListRule({ add: remove, remove: add }, live), live) }];
  };
  const listed = (path: string, rule: ListRule | undefined) =>
    rule ? list(path, (value) => applyListRule(rule, entries(value) ?? [])) : [];
  return [
    Object.entries(values).flatMap(([path, sent]): Compared[] => {
      const live = now[path];
      if (live === undefined) return [];
      const was = before(path);
      const isSent = sameAttribute(path, sent, live);
      return [{ path, isSent, isBefore: was === undefined ? undefined : sameAttribute(path, was, live) }];
    }),
    listed('tags', tags && mapListRule(tags, (names) => names.map((name) => asStored(name, dialect)))),
    listed('remote-state-consumers', consumers),
    bindings ? list('tag-bindings', (value) => applyBindingRule(bindings, asBindings(value) ?? {})) : [],
  ].flat();
}

function entries(value: Value | undefined): string[] | undefined {
  if (Array.isArray(value)) return sortedSet(value.map(String));
  const bindings = asBindings(value);
  return bindings && sortedSet(bindingTexts(bindings));
}
