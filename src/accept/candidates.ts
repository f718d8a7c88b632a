import type { FieldChange } from '../model/change.ts';
import { asBindings, type BindingRule, isBindingForm, type TagBindings } from '../model/tag-bindings.ts';
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
  const kept = listInForm(context);
  // Without it, an exact list would no longer be managed.
  const mayEnd = context.isLayered || (isRecord(context.own) && !('exactly' in context.own));
  return [
    ...(kept === undefined || isEmpty(kept) ? [] : [kept]),
    ...(context.own === undefined || !mayEnd ? [] : [undefined]),
    [...live],
    { exactly: [...live] },
  ];
}

function listInForm({ own, difference, same }: ListContext): List | undefined {
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

export interface BindingContext {
  /** What the resource itself declares. */
  readonly own: Value | undefined;
  readonly live: TagBindings;
  /** The key/value tags that a plan would leave. */
  readonly declared: TagBindings;
}

/** The live and the declared key/value tags of a difference. */
export function fieldBindings({ before, after }: FieldChange): Pick<BindingContext, 'live' | 'declared'> {
  return { live: asBindings(before) ?? {}, declared: asBindings(after) ?? {} };
}

/**
 * What a resource can declare so that its key/value tags are the live ones, the best first: in the form that it has, then
 * with each difference named, then nothing, then exactly the live ones. `undefined` means that it declares none.
 */
export function bindingCandidates(context: BindingContext): readonly (Value | undefined)[] {
  const { own, live } = context;
  return [
    bindingsInForm(context),
    ...(isAdditive(own) ? [written(naming(own, context))] : []),
    ...(own === undefined ? [] : [undefined]),
    { ...live },
    { exactly: { ...live } },
  ];
}

type Additive = Extract<BindingRule, { readonly add: TagBindings }>;

/** Written keys of a rule; both are optional in a file. */
type AdditiveForm = Partial<Additive>;

function isAdditive(own: Value | undefined): own is Value & AdditiveForm {
  return isBindingForm(own) && !('exactly' in own);
}

function bindingsInForm(context: BindingContext): Value | undefined {
  const { own, live } = context;
  if (own === undefined || own === null) return written(changes({ add: {}, remove: [] }, context));
  if (isAdditive(own)) return written(changes(own, context));
  return isBindingForm(own) ? { exactly: { ...live } } : { ...live };
}

/** The rule without the keys that are not live, and with the live values of the others. */
function changes({ add = {}, remove = [] }: AdditiveForm, { live, declared }: BindingContext): Additive {
  const { gone, other } = differences({ live, declared });
  return {
    add: {
      ...without(add, gone),
      ...picked(
        live,
        other.filter((key) => !remove.includes(key)),
      ),
    },
    remove: [
      ...remove.filter((key) => !other.includes(key)),
      ...gone.filter((key) => !Object.hasOwn(add, key)),
    ],
  };
}

/** The rule with every difference in it: a layer may declare a key that the rule only stops to change. */
function naming({ add = {}, remove = [] }: AdditiveForm, { live, declared }: BindingContext): Additive {
  const { gone, other } = differences({ live, declared });
  return {
    add: { ...without(add, gone), ...picked(live, other) },
    remove: [...new Set([...remove.filter((key) => !other.includes(key)), ...gone])],
  };
}

/** The keys that are declared and not live, and those whose live value is another one. */
function differences({ live, declared }: Pick<BindingContext, 'live' | 'declared'>): {
  readonly gone: readonly string[];
  readonly other: readonly string[];
} {
  return {
    gone: Object.keys(declared).filter((key) => !Object.hasOwn(live, key)),
    other: Object.keys(live).filter((key) => !Object.hasOwn(declared, key) || declared[key] !== live[key]),
  };
}

/** The rule as a file has it; `undefined` if it has no effect. */
function written({ add, remove }: Additive): Value | undefined {
  const form = {
    ...(Object.keys(add).length > 0 && { add }),
    ...(remove.length > 0 && { remove }),
  };
  return Object.keys(form).length > 0 ? form : undefined;
}

function picked(bindings: TagBindings, keys: readonly string[]): TagBindings {
  return Object.fromEntries(keys.map((key) => [key, bindings[key] ?? null]));
}

function without(bindings: TagBindings, keys: readonly string[]): TagBindings {
  return Object.fromEntries(Object.entries(bindings).filter(([key]) => !keys.includes(key)));
}
