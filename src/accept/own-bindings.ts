import type { FieldChange } from '../model/change.ts';
import { asBindings, type BindingRule, isBindingForm, type TagBindings } from '../model/tag-bindings.ts';
import type { Value } from '../model/value.ts';

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
    inForm(context),
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

function inForm(context: BindingContext): Value | undefined {
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
