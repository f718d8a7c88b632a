import type { FieldChange } from '../model/change.ts';
import { isRecord, type Value } from '../model/value.ts';

/** A list as a file has it. */
type List = readonly Value[] | Readonly<Record<string, Value>>;

export interface ListContext {
  /** What the workspace itself declares. */
  readonly own: Value | undefined;
  /** Whether layers declare the list, too. */
  readonly isLayered: boolean;
  /** The live entries as a file has them. */
  readonly live: readonly string[];
  /** What a plan would add to the live list and remove from it, as a file has them. */
  readonly difference: Required<Pick<FieldChange, 'add' | 'remove'>>;
  /** Two spellings of one entry. */
  readonly same: (a: string, b: string) => boolean;
}

/**
 * What a workspace can declare so that its list is the live one, the best first: in the form that it has, then without a
 * list at all, then as an exact list. `undefined` means that it declares no list.
 */
export function listCandidates(context: ListContext): readonly (Value | undefined)[] {
  const { live } = context;
  const kept = inForm(context);
  // Without it, an exact list would no longer be managed.
  const mayEnd = context.isLayered || (isRecord(context.own) && !('exactly' in context.own));
  return [
    ...(kept === undefined || isEmpty(kept) ? [] : [kept]),
    ...(context.own === undefined || !mayEnd ? [] : [undefined]),
    [...live],
    { exactly: [...live] },
  ];
}

function inForm({ own, difference, same }: ListContext): List | undefined {
  const { add: missing, remove: extra } = difference;
  const without = (items: readonly Value[], gone: readonly string[]) =>
    items.filter((item) => typeof item !== 'string' || !gone.some((entry) => same(entry, item)));
  const texts = (items: Value | undefined): readonly Value[] => (Array.isArray(items) ? items : []);
  const has = (items: readonly Value[], entry: string) =>
    items.some((item) => typeof item === 'string' && same(item, entry));
  if (Array.isArray(own)) return [...without(own, missing), ...extra];
  if (isRecord(own) && Array.isArray(own.exactly))
    return { exactly: [...without(own.exactly as readonly Value[], missing), ...extra] };
  if (own !== undefined && own !== null && isRecord(own)) {
    const add = texts(own.add as Value | undefined);
    const remove = texts(own.remove as Value | undefined);
    const added = [...without(add, missing), ...extra.filter((entry) => !has(remove, entry))];
    const removed = [...without(remove, extra), ...missing.filter((entry) => !has(add, entry))];
    return {
      ...(added.length > 0 && { add: added }),
      ...(removed.length > 0 && { remove: removed }),
    };
  }
  if (missing.length === 0) return [...extra];
  return { ...(extra.length > 0 && { add: [...extra] }), remove: [...missing] };
}

function isEmpty(list: List): boolean {
  return Array.isArray(list) ? list.length === 0 : Object.keys(list).length === 0;
}
