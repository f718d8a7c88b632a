import { applyListRule, mapListRule } from '../../diff/list-rule.ts';
import { sameAttribute } from '../../diff/normalize.ts';
import type { ListRule } from '../../model/state.ts';
import { applyBindingRule, asBindings } from '../../model/tag-bindings.ts';
import { sameValue, sortedSet, type Value } from '../../model/value.ts';
import type { Facts } from '../../plan/facts.ts';
import type { LookUpResult } from '../../service/exchange.ts';
import type { PreparedCall, SendContext } from './operation.ts';
import { operationHandlers } from './operations.ts';
import { asStored } from './workspace-tags.ts';

/**
 * Reads whether a repeatable call took effect: its answer was lost, and no repetition has succeeded. It took effect if
 * all values are as sent, and did not if all are as before. Anything else cannot be known.
 */
export async function lookUpEffect(
  prepared: PreparedCall,
  context: SendContext,
): Promise<LookUpResult | undefined> {
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
  readonly isBefore?: boolean;
}

/** Compares what a call writes with the live values. Values that the service does not return are left out. */
function comparedValues({ written, change }: PreparedCall, now: Facts, { dialect }: SendContext): Compared[] {
  const { values, tags, consumers, bindings } = written;
  const before = (path: string): Value | undefined =>
    change.action === 'create' ? null : change.facts?.[path];
  const list = (path: string, rule: ListRule | undefined): Compared[] => {
    const live = entries(now[path]);
    const was = before(path);
    if (rule === undefined || live === undefined) return [];
    return [
      {
        path,
        isSent: sameValue(applyListRule(rule, live), live),
        ...(was !== undefined && { isBefore: sameValue(entries(was) ?? [], live) }),
      },
    ];
  };
  const bindingsNow = asBindings(now['tag-bindings']);
  return [
    ...Object.entries(values).flatMap(([path, sent]): Compared[] => {
      const live = now[path];
      if (live === undefined) return [];
      const was = before(path);
      const isSent = sameAttribute(path, sent, live);
      return [{ path, isSent, ...(was !== undefined && { isBefore: sameAttribute(path, was, live) }) }];
    }),
    ...list('tags', tags && mapListRule(tags, (names) => names.map((name) => asStored(name, dialect)))),
    ...list('remote-state-consumers', consumers),
    ...(bindings && bindingsNow
      ? [
          {
            path: 'tag-bindings',
            isSent: sameValue(applyBindingRule(bindings, bindingsNow), bindingsNow),
            isBefore: sameValue(asBindings(before('tag-bindings') ?? {}) ?? {}, bindingsNow),
          },
        ]
      : []),
  ];
}

function entries(value: Value | undefined): string[] | undefined {
  return Array.isArray(value) ? sortedSet(value.map(String)) : undefined;
}
