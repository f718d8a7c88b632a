import { type AliasKind, byAliasKind } from '../../model/alias-kind.ts';
import { type AppliedChange, isMade } from '../../model/apply-result.ts';
import type { Aliases } from '../../model/configuration.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import type { Call, Plan, PlannedChange } from '../../model/plan.ts';
import { addressIn } from '../../model/state.ts';
import { noneIfEmpty, type Values } from '../../model/value.ts';
import { writtenBy } from '../../service/call-codec.ts';
import { asResourceObject, type Document, isId } from '../../service/documents.ts';
import { NetworkError, ServiceError } from '../../service/service-error.ts';
import type { Sender } from '../operations/operation.ts';
import { dialectOfAnswer, operationHandlers } from '../operations/operations.ts';
import { documentOfPlan } from '../plan-document.ts';
import {
  creations,
  type Journal,
  type JournalRecord,
  journalFormat,
  type OutcomeRecord,
  type RunRecord,
} from './journal.ts';

interface BeginRunOptions {
  readonly journal: Journal;
  readonly plan: Plan;
  readonly send: Sender;
  readonly ids: ReadonlyMap<string, string>;
  readonly date: () => Date;
  readonly aliases?: Aliases | undefined;
  readonly data?: string | undefined;
  readonly undoes?: string | undefined;
  readonly undoesPart?: boolean | undefined;
}

/** Begins a run in a journal. Its first record is written with the first call, or at the end of a run without calls. */
export function beginRun(options: BeginRunOptions) {
  const { journal, plan, send, ids } = options;
  const append = (record: JournalRecord) => journal.append(record);
  const recorded = new Set<PlannedChange>();
  let calls = 0;
  let begun: Promise<void> | undefined;
  const begin = () => {
    begun ??= append(runRecord(options));
    return begun;
  };

  const sending = async (change: PlannedChange, call: Call): Promise<number> => {
    const number = ++calls;
    const records = [
      begin(),
      recorded.has(change) ? [] : append(changeRecord(change, ids)),
      append({ record: 'call', number, address: change.address, ...call }),
    ].flat();
    recorded.add(change);
    await Promise.all(records);
    return number;
  };
  /** Ignores the failure of an outcome record: the call has been made, and the next `append` throws. */
  const ended = (record: OutcomeRecord) => append(record).catch(() => undefined);

  return {
    senderFor:
      (change: PlannedChange): Sender =>
      async (call, options) => {
        const number = await sending(change, call);
        try {
          const document = await send(call, options);
          await ended({ record: 'outcome', number, result: 'done', ...answer(change, call, document, plan) });
          return document;
        } catch (error) {
          const isUnknown = error instanceof NetworkError && error.effect === 'unknown';
          const result = isUnknown ? 'unknown' : 'failed';
          await ended({ record: 'outcome', number, result, error: failure(error) });
          throw error;
        }
      },
    keep: async (change: PlannedChange, values: Values) => {
      await Promise.all([begin(), append({ record: 'kept', address: change.address, values })]);
    },
    end: async (changes: readonly AppliedChange[]) => {
      const results = changes.flatMap(({ address, result }) =>
        result === 'done' || result === 'held' ? [] : [[address, result] as const],
      );
      const record = {
        record: 'end',
        complete: changes.every(isMade) ? undefined : false,
        results: results.length > 0 ? Object.fromEntries(results) : undefined,
      } as const;
      await Promise.all([begin(), append(record)]);
    },
  };
}

function runRecord({ plan, aliases, data, undoes, undoesPart, date }: BeginRunOptions): RunRecord {
  const { organization, address, dialect, without, freezeOverridden } = plan;
  const held = plan.changes.flatMap(({ address: of, held: holds = [] }) =>
    holds.map((hold) => ({ address: of, ...hold })),
  );
  return {
    record: 'run',
    format: journalFormat,
    organization,
    address,
    data,
    dialect,
    without,
    plan: String(documentOfPlan(plan, 'attune.plan/1').digest),
    at: date().toISOString(),
    freezeOverridden,
    held: noneIfEmpty(held),
    aliases: plainAliases(aliases),
    undoes,
    undoesPart: undoesPart || undefined,
  };
}

function plainAliases(aliases: Aliases | undefined): Record<AliasKind, Record<string, string>> {
  // Without an id are a name that the run does not need, and a project that it creates: its id is in an outcome.
  const known = (kind: AliasKind) => [...(aliases?.[kind] ?? [])].filter(([, id]) => isId(id));
  return byAliasKind((kind) => Object.fromEntries(known(kind)));
}

function changeRecord(
  { address, kind, name, action, id, calls, facts = {} }: PlannedChange,
  ids: ReadonlyMap<string, string>,
) {
  // The project of a new grant may be new, too.
  const created = typeof facts.project === 'string' ? ids.get(addressIn(facts.project)) : undefined;
  return {
    record: 'change',
    address,
    kind,
    name,
    action,
    id,
    calls: calls.length,
    before: created === undefined ? facts : { ...facts, project: created },
  } as const;
}

function answer(
  change: PlannedChange,
  call: Call,
  document: Document | undefined,
  { dialect }: Plan,
): Pick<OutcomeRecord, 'id' | 'answered'> {
  if (document === undefined) return {};
  const { record } = operationHandlers[call.operation];
  const id = creations.has(call.operation) ? asResourceObject(document.data)?.id : undefined;
  return {
    id,
    ...record?.(
      { call, written: writtenBy(call, dialect), change },
      document,
      dialectOfAnswer(document, dialect),
    ),
  };
}

function failure(error: unknown): NonNullable<OutcomeRecord['error']> {
  const message = error instanceof Error ? error.message : String(error);
  // Only an error response of the service proves that nothing took effect.
  return {
    message,
    status: error instanceof ServiceError ? error.status : undefined,
    notOurs: error instanceof AttuneError && error.code === 'name-conflict' ? true : undefined,
  };
}
