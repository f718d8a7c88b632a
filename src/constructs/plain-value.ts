import { quote } from '../desired/text.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { isRecord, type Value } from '../model/value.ts';
import { locate, type Origin, PlacedValue } from './call-site.ts';

/** What a program found wrong; its place is from the working folder. */
export interface ProgramProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly location: SourceLocation;
}

/** Where the parts of a document come from, and what is wrong with them. */
export interface Tracing {
  /** JSON pointer -> origin, where it is another than that of the value around. */
  readonly origins: Map<string, Origin>;
  /** What a construct stands for at this place. Undefined for what is none, or none that may stand there. */
  readonly meaningOf: (value: object, at: At) => Value | undefined;
  readonly problems: ProgramProblem[];
}

export function report(
  { problems }: Tracing,
  { origin }: Pick<At, 'origin'>,
  problem: Omit<ProgramProblem, 'location'>,
): void {
  problems.push({ ...problem, location: locate(origin) });
}

/** A place in the document that is made. */
export interface At {
  readonly pointer: string;
  readonly origin: Origin;
  /** The nearest key, as the language spells it. */
  readonly key: string;
  /** Whether that key wants an id: there `{name}` is a name to look up, and elsewhere a selector or an alias. */
  readonly isReference?: boolean;
  /** The values around, outermost first. */
  readonly around?: readonly object[];
}

const references: ReadonlySet<string> = new Set([
  'project',
  'projects',
  'ssh-key',
  'agent-pool-id',
  'oauth-token-id',
]);

/**
 * Makes props into data of the configuration language: keys in its spelling and sorted, constructs as their names, what
 * is `undefined` left out. A `Map` has keys of the user's own; they stay as they are.
 */
export function plainValue(value: unknown, at: At, tracing: Tracing): Value | undefined {
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
    const items = value.filter((item) => item !== undefined);
    return items.flatMap(
      (item, index) => plainValue(item, { ...inside, pointer: `${at.pointer}/${index}` }, tracing) ?? [],
    );
  }
  if (value instanceof Map) return mapping([...value], { ...inside, isReference: () => false }, tracing);
  // The keys of key/value tags are the user's own.
  if (at.key === 'tagged')
    return mapping(Object.entries(value), { ...inside, isReference: () => false }, tracing);
  const meaning = tracing.meaningOf(value, at);
  if (meaning !== undefined) return meaning;
  if (isRecord(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))) {
    if (at.isReference && typeof value.name === 'string') return value.name;
    const entries = Object.entries(value).flatMap(spelled(at, tracing));
    return mapping(entries, { ...inside, isReference: (key) => references.has(key) }, tracing);
  }
  return refuse(`an object of the class ${value.constructor.name}`, at, tracing);
}

function refuse(what: string, at: At, tracing: Tracing): undefined {
  const message = `${quote(at.key)} cannot be ${what}`;
  report(tracing, at, { code: 'wrong-type', message, hint: 'use a value of the type of the prop' });
}

interface MappingContext extends Omit<At, 'isReference'> {
  readonly isReference: (key: string) => boolean;
}

function mapping(
  entries: readonly (readonly [string, unknown])[],
  { isReference, ...at }: MappingContext,
  tracing: Tracing,
): Value {
  const data: Record<string, Value> = Object.create(null);
  for (const [key, value] of entries.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined) continue;
    const pointer = `${at.pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const plain = plainValue(value, { ...at, pointer, key, isReference: isReference(key) }, tracing);
    if (plain !== undefined) data[key] = plain;
  }
  return data;
}

/** Props in the language's spelling. One that is in it already is none of theirs. */
function spelled(at: At, tracing: Tracing) {
  return ([prop, value]: [string, unknown]): [string, unknown][] => {
    const camelCase = prop.replaceAll(/-(.)/g, (_dash, letter: string) => letter.toUpperCase());
    if (camelCase === prop) return [[kebabCase(prop), value]];
    const hint = `write ${camelCase}`;
    report(tracing, at, { code: 'unknown-key', message: `${quote(prop)} is not a prop`, hint });
    return [];
  };
}

/** `iacVersion` is `iac-version`. */
function kebabCase(prop: string): string {
  return prop.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
