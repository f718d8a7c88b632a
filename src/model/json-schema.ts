import { withoutUndefined } from './value.ts';

export interface Part<Accepted = unknown> {
  readonly [keyword: string]: unknown;
  /** For the compiler only: no part has this member. */
  readonly [accepted]?: Accepted;
}

declare const accepted: unique symbol;

export type Data<Of extends Part> = Of extends Part<infer Accepted> ? Accepted : never;

/** A mapping whose keys are known. A key can also be `undefined`: its value was wrong and was taken out. */
export type Mapping<Keys extends Readonly<Record<string, Part>>> = {
  readonly [Key in keyof Keys]?: Data<Keys[Key]> | undefined;
};

export type Dictionary<Value> = Readonly<Record<string, Value | undefined>>;

type Keywords = Readonly<Record<string, unknown>>;

export function text(description: string, keywords: Keywords = {}): Part<string> {
  return { description, type: 'string', ...keywords };
}

/** A text with at least one character. Editors offer the examples. */
export function word(description: string, ...examples: readonly string[]): Part<string> {
  return text(description, examples.length > 0 ? { minLength: 1, examples } : { minLength: 1 });
}

export function format(pattern: RegExp, errorMessage: string): Keywords {
  return { pattern: pattern.source, errorMessage };
}

export function entry(example: string): Part<string> {
  return { type: 'string', minLength: 1, examples: [example] };
}

export function flag(description: string, byDefault: boolean): Part<boolean> {
  return { description, type: 'boolean', default: byDefault };
}

export function number(description: string, keywords: Keywords): Part<number> {
  return { description, type: 'number', ...keywords };
}

export function integer(description: string, keywords: Keywords): Part<number> {
  return { description, type: 'integer', ...keywords };
}

export function fixed<const Value>(description: string, value: Value): Part<Value> {
  return { description, const: value };
}

export function choice<const Value extends string>(
  description: string,
  values: readonly Value[],
  byDefault?: Value,
): Part<Value> {
  return withoutUndefined({ description, type: 'string', enum: [...values], default: byDefault });
}

export function list<Item>(
  description: string,
  items: Part<Item>,
  keywords: Keywords = {},
): Part<readonly Item[]> {
  return { description, type: 'array', items, ...keywords };
}

export function mapping<Keys extends Readonly<Record<string, Part>>>(
  head: Keywords,
  properties: Keys,
): Part<Mapping<Keys>> {
  return { ...head, type: 'object', additionalProperties: false, properties };
}

export function titled<Keys extends Readonly<Record<string, Part>>>(
  title: string,
  description: string,
  properties: Keys,
  keywords: Keywords = {},
): Part<Mapping<Keys>> {
  return mapping({ title, description, ...keywords }, properties);
}

export function dictionary<Value>(head: Keywords, values: Part<Value>): Part<Dictionary<Value>> {
  return { ...head, type: 'object', additionalProperties: values };
}

export function nullable<Accepted>(part: Part<Accepted>): Part<Accepted | null> {
  const { enum: values } = part as { readonly enum?: readonly unknown[] };
  const type = [part.type, 'null'].flat();
  return values ? { ...part, type, enum: [...values, null] } : { ...part, type };
}

/**
 * A part that accepts what one of two parts accepts. Their data have different types (text and mapping, for example), so
 * a validator reports what is wrong with the given one.
 */
export function either<One, Other>(head: Keywords, one: Part<One>, other: Part<Other>): Part<One | Other> {
  return { ...one, ...other, ...head, type: [one.type, other.type].flat() };
}

export function reference<Accepted>(path: string, _part?: Part<Accepted>): Part<Accepted> {
  return { $ref: `#/$defs/${path}` };
}

export function accepting<Accepted>(part: Part): Part<Accepted> {
  return part as Part<Accepted>;
}

export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

export function keysOfPointer(pointer: string): string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
