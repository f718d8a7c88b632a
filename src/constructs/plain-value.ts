import type { AliasKind } from '../model/alias-kind.ts';
import { referencePaths } from '../model/attributes.ts';
import { type Diagnostic, problem } from '../model/diagnostic.ts';
import { pointerStep } from '../model/json-schema.ts';
import { isBindingForm } from '../model/list-rule.ts';
import { camelCase } from '../model/rows.ts';
import { quote } from '../model/text.ts';
import { isRecord, type Value } from '../model/value.ts';
import { locate, PlacedValue, type ValueOrigin } from './origin.ts';

export interface OriginTracing {
  /** Origins by JSON pointer, where they differ from that of the enclosing value. */
  readonly origins: Map<string, ValueOrigin>;
  /** The value of a construct at this place. Undefined if the object is not a construct, or not allowed there. */
  readonly meaningOf: (value: object, at: At) => Value | undefined;
  /** Each `{name}` of a reference. */
  readonly names: { readonly kind: AliasKind; readonly name: string; readonly origin: ValueOrigin }[];
  readonly problems: Diagnostic[];
}

export function report(
  { problems }: OriginTracing,
  { origin }: Pick<At, 'origin'>,
  ...[code, message, hint = typeHint]: [code: string, message: string, hint?: string]
): void {
  problems.push(problem(code, message, { at: locate(origin), hint }));
}

interface At {
  readonly pointer: string;
  readonly origin: ValueOrigin;
  /** The nearest key, in the spelling of the configuration language. */
  readonly key: string;
  readonly holds?: Content | undefined;
  /** The enclosing values, outermost first. */
  readonly around?: readonly object[];
}

/**
 * What a key holds other than props. For a reference, that is the kind of what it refers to: `{name}` is a name to look up
 * there, and otherwise a selector or an alias. `tags` have keys of the user, and `bindings` are such tags or changes of them.
 */
type Content = AliasKind | 'tags' | 'bindings';

const contents: ReadonlyMap<unknown, Content | undefined> = new Map([
  ...Object.entries(referencePaths).map(([path, kind]) => [path.slice(path.indexOf('.') + 1), kind] as const),
  ['projects', 'projects'],
  ['tagged', 'tags'],
  ['tag-bindings', 'bindings'],
]);

/**
 * Converts props to data of the configuration language: keys in its spelling and sorted, constructs as their names,
 * without keys that are `undefined`. The keys of a `Map` are user data and are not converted.
 */
export function plainValue(value: unknown, at: At, tracing: OriginTracing): Value | undefined {
  if (value instanceof PlacedValue) {
    tracing.origins.set(at.pointer, value.origin);
    return plainValue(value.value, { ...at, origin: value.origin }, tracing);
  }
  if (value === null || ['string', 'boolean', 'number'].includes(typeof value)) return value as Value;
  if (value === undefined) return refuse('undefined', at, tracing);
  if (typeof value !== 'object') return refuse(`a ${typeof value}`, at, tracing);
  const { around = [] } = at;
  if (around.includes(value)) return refuse('a value that contains itself', at, tracing);
  const inside: At = { ...at, around: [...around, value] };
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      plainValue(item, { ...inside, pointer: `${at.pointer}/${index}` }, tracing),
    );
    return items.filter((item) => item !== undefined);
  }
  if (value instanceof Map) return mapping([...value], { ...inside, contentOf: () => undefined }, tracing);
  const meaning = tracing.meaningOf(value, at);
  if (meaning !== undefined) return meaning;
  if (isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    const { holds } = at;
    if (holds !== undefined && holds !== 'tags' && holds !== 'bindings' && typeof value.name === 'string') {
      tracing.names.push({ kind: holds, name: value.name, origin: at.origin });
      return value.name;
    }
    // The value of an exception is written as that of its field.
    const contentOf = (key: string) =>
      holds === 'bindings' ? 'tags' : contents.get(key === 'value' ? value.field : key);
    if (holds === 'tags' || (holds === 'bindings' && !isBindingForm(value)))
      return mapping(Object.entries(value), { ...inside, contentOf: () => undefined }, tracing);
    return mapping(Object.entries(value).flatMap(spelled(at, tracing)), { ...inside, contentOf }, tracing);
  }
  return refuse(`an object of the class ${value.constructor.name}`, at, tracing);
}

const typeHint = 'use a value of the type of the prop';

function refuse(what: string, at: At, tracing: OriginTracing): undefined {
  report(tracing, at, 'wrong-type', `${quote(at.key)} cannot be ${what}`);
}

function mapping(
  entries: readonly (readonly [string, unknown])[],
  { contentOf, ...at }: Omit<At, 'holds'> & { readonly contentOf: (key: string) => Content | undefined },
  tracing: OriginTracing,
): Value {
  const data: Record<string, Value> = Object.create(null);
  for (const [key, value] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    const pointer = `${at.pointer}/${pointerStep(key)}`;
    const plain = plainValue(value, { ...at, pointer, key, holds: contentOf(key) }, tracing);
    if (plain !== undefined) data[key] = plain;
  }
  return data;
}

/** Respells a prop for the language. A key that is already in the language's spelling is not a prop. */
function spelled(at: At, tracing: OriginTracing) {
  return ([prop, value]: [string, unknown]): [string, unknown][] => {
    if (camelCase(prop) === prop)
      return [[prop.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`), value]];
    report(tracing, at, 'unknown-key', `${quote(prop)} is not a prop`, `write ${camelCase(prop)}`);
    return [];
  };
}
