import type { Part } from './json-schema.ts';
import { canonicalJson, isRecord } from './value.ts';

/*
 * Checks plain data against a JSON Schema (draft 2020-12) with the keywords that the published schemas use. It reads the
 * schema itself: code that a library generates from one is ten times as large, and each start would have to compile it.
 */

/** What a schema does not allow. */
export interface SchemaError {
  readonly keyword: string;
  /** The keys and indexes that lead to the value. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  /** The part of the schema that has the keyword. */
  readonly part: Part;
  /** The key of the value that is unknown, missing or not allowed. */
  readonly key?: string;
  /** Such as `must be >= 1`. */
  readonly message: string;
}

/**
 * All errors of data; none if it is valid. A key with the value `undefined` counts as present, and the value as right.
 *
 * @param definition the one of the schema's `$defs` that the data has to match
 */
export function schemaErrors(schema: Part, data: unknown, definition?: string): readonly SchemaError[] {
  const part = definition === undefined ? schema : { $ref: `#/$defs/${definition}` };
  return errorsIn(data, part, { schema, path: [] });
}

interface Visit {
  readonly schema: Part;
  /** Of the value that is visited now. */
  readonly path: (string | number)[];
  readonly errors: SchemaError[];
}

type Keyword = (value: unknown, part: Part, visit: Visit) => void;

function errorsIn(value: unknown, part: Part, at: Omit<Visit, 'errors'>): readonly SchemaError[] {
  const visit = { ...at, errors: [] };
  check(value, part, visit);
  return visit.errors;
}

function check(value: unknown, part: Part, visit: Visit): void {
  for (const keyword of keywordsOf(part)) keyword(value, part, visit);
}

function checkInside(key: string | number, value: unknown, part: Part, visit: Visit): void {
  if (value === undefined) return;
  visit.path.push(key);
  check(value, part, visit);
  visit.path.pop();
}

function report(visit: Visit, error: Omit<SchemaError, 'path'>): void {
  visit.errors.push({ ...error, path: [...visit.path] });
}

const keywordsOfParts = new WeakMap<Part, readonly Keyword[]>();

function keywordsOf(part: Part): readonly Keyword[] {
  const known = keywordsOfParts.get(part);
  if (known) return known;
  const found = Object.entries(keywords).flatMap(([name, keyword]) => (name in part ? [keyword] : []));
  keywordsOfParts.set(part, found);
  return found;
}

const referredParts = new WeakMap<Part, Part>();

/** What the reference of a part points at. */
function referred(part: Part, schema: Part): Part {
  const known = referredParts.get(part);
  if (known) return known;
  const [, ...keys] = String(part.$ref).split('/');
  const found = keys.reduce<Part | undefined>((at, key) => at?.[key] as Part | undefined, schema);
  if (found === undefined) throw new Error(`the schema has no ${part.$ref}`);
  referredParts.set(part, found);
  return found;
}

/** A keyword that one function decides about. */
function rule<Argument>(
  keyword: string,
  isMet: (value: unknown, argument: Argument) => boolean,
  message: (argument: Argument) => string,
): Readonly<Record<string, Keyword>> {
  return {
    [keyword]: (value, part, visit) => {
      const argument = part[keyword] as Argument;
      if (!isMet(value, argument)) report(visit, { keyword, value, part, message: message(argument) });
    },
  };
}

/** A limit of what `measure` finds; there is none for a value of another type. */
function limit(
  keyword: string,
  measure: (value: unknown) => number | undefined,
  isMet: (measured: number, bound: number) => boolean,
  message: (bound: number) => string,
): Readonly<Record<string, Keyword>> {
  const isWithin = (value: unknown, bound: number) => {
    const measured = measure(value);
    return measured === undefined || isMet(measured, bound);
  };
  return rule(keyword, isWithin, message);
}

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: Number.isFinite,
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: isRecord,
};

const figure = (value: unknown) => (typeof value === 'number' ? value : undefined);
const characters = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined);
const items = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const properties = (value: unknown) => (isRecord(value) ? Object.keys(value).length : undefined);
const atLeast = (measured: number, bound: number) => measured >= bound;
const atMost = (measured: number, bound: number) => measured <= bound;

type Keyed = Readonly<Record<string, unknown>>;

interface Mapping extends Part {
  readonly properties?: Readonly<Record<string, Part>>;
  readonly additionalProperties?: Part | boolean;
}

function keysOf(value: unknown): readonly string[] {
  return isRecord(value) ? Object.keys(value) : [];
}

/** A keyword that counts how many of several parts a value matches. */
function combination(keyword: string, isMet: (passed: number) => boolean, message: string): Keyword {
  return (value, part, visit) => {
    const errors = (part[keyword] as readonly Part[]).map((one) => errorsIn(value, one, visit));
    if (isMet(errors.filter(({ length }) => length === 0).length)) return;
    visit.errors.push(...errors.flat());
    report(visit, { keyword, value, part, message });
  };
}

const expressions = new Map<string, RegExp>();

function expression(pattern: string): RegExp {
  const known = expressions.get(pattern) ?? new RegExp(pattern, 'u');
  expressions.set(pattern, known);
  return known;
}

/** In the order in which the errors of a value are reported. */
const keywords: Readonly<Record<string, Keyword>> = {
  $ref: (value, part, visit) => check(value, referred(part, visit.schema), visit),
  ...rule<string | readonly string[]>(
    'type',
    (value, names) =>
      Array.isArray(names) ? names.some((name) => types[name]?.(value)) : !!types[names as string]?.(value),
    (names) => `must be ${names}`,
  ),
  ...limit('minimum', figure, atLeast, (bound) => `must be >= ${bound}`),
  ...limit(
    'exclusiveMinimum',
    figure,
    (given, bound) => given > bound,
    (bound) => `must be > ${bound}`,
  ),
  ...limit('maximum', figure, atMost, (bound) => `must be <= ${bound}`),
  ...limit('minLength', characters, atLeast, (bound) => `must NOT have fewer than ${bound} characters`),
  ...limit('maxLength', characters, atMost, (bound) => `must NOT have more than ${bound} characters`),
  ...rule<string>(
    'pattern',
    (value, pattern) => typeof value !== 'string' || expression(pattern).test(value),
    (pattern) => `must match pattern "${pattern}"`,
  ),
  ...rule<unknown>(
    'const',
    (value, only) => value === only,
    () => 'must be equal to constant',
  ),
  ...rule<readonly unknown[]>(
    'enum',
    (value, allowed) => allowed.includes(value),
    () => 'must be equal to one of the allowed values',
  ),
  anyOf: combination('anyOf', (passed) => passed > 0, 'must match a schema in anyOf'),
  oneOf: combination('oneOf', (passed) => passed === 1, 'must match exactly one schema in oneOf'),
  if: (value, part, visit) => {
    const branch = errorsIn(value, part.if as Part, visit).length === 0 ? part.then : part.else;
    if (branch) check(value, branch as Part, visit);
  },
  items: (value, part, visit) => {
    if (!Array.isArray(value)) return;
    for (const [index, item] of value.entries()) checkInside(index, item, part.items as Part, visit);
  },
  ...limit('minItems', items, atLeast, (bound) => `must NOT have fewer than ${bound} items`),
  ...rule(
    'uniqueItems',
    (value) => !Array.isArray(value) || new Set(value.map(canonicalJson)).size === value.length,
    () => 'must NOT have duplicate items',
  ),
  ...limit('minProperties', properties, atLeast, (bound) => `must NOT have fewer than ${bound} properties`),
  ...limit('maxProperties', properties, atMost, (bound) => `must NOT have more than ${bound} properties`),
  required: (value, part, visit) => {
    for (const key of part.required as readonly string[]) {
      if (!isRecord(value) || Object.hasOwn(value, key)) continue;
      report(visit, {
        keyword: 'required',
        value,
        part,
        key,
        message: `must have required property '${key}'`,
      });
    }
  },
  dependentSchemas: (value, part, visit) => {
    for (const [key, dependent] of Object.entries(part.dependentSchemas as Readonly<Record<string, Part>>))
      if (isRecord(value) && value[key] !== undefined) check(value, dependent, visit);
  },
  propertyNames: (value, part, visit) => {
    for (const key of keysOf(value))
      if (errorsIn(key, part.propertyNames as Part, visit).length > 0)
        report(visit, { keyword: 'propertyNames', value, part, key, message: 'property name must be valid' });
  },
  additionalProperties: (value, part, visit) => {
    const { properties = {}, additionalProperties: others } = part as Mapping;
    for (const key of keysOf(value)) {
      if (Object.hasOwn(properties, key)) continue;
      if (typeof others === 'object') checkInside(key, (value as Keyed)[key], others, visit);
      else if (!others)
        report(visit, {
          keyword: 'additionalProperties',
          value,
          part,
          key,
          message: 'must NOT have additional properties',
        });
    }
  },
  properties: (value, part, visit) => {
    const { properties = {} } = part as Mapping;
    for (const key of keysOf(value)) {
      const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
      if (property) checkInside(key, (value as Keyed)[key], property, visit);
    }
  },
};
