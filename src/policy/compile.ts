import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import type { PolicySubject } from '../model/rules.ts';
import { hintAt } from '../model/text.ts';
import { ExpressionError, type Meter, TooManyStepsError, tooDeep, treeOf } from './meter.ts';
import { type PolicyType, policyTypes, subjectTypes } from './subjects.ts';

interface CompiledExpression {
  readonly fields: readonly string[];
  evaluate(value: unknown): boolean;
}

/** Longer expressions are generated, and unreadable; the library's own limits allow ten times as much. */
const limits = { maxAstNodes: 10_000, maxDepth: 100 };

class PolicyData {}

/** The classes of the data: the library finds the type of a value by its constructor. */
const policyClasses = Object.fromEntries(
  Object.keys(policyTypes).map((name) => [name, { [name]: class extends PolicyData {} }[name]]),
) as Readonly<Record<PolicyType, new () => PolicyData>>;

const environments = new Map<PolicySubject, Environment>();

/**
 * Compiles a CEL expression about a subject, with its types.
 *
 * @throws {ExpressionError} if its syntax or a type is wrong.
 */
export type CompileExpression = (text: string, subject: PolicySubject, meter: Meter) => CompiledExpression;

export async function loadCompiler(): Promise<CompileExpression> {
  const cel = await import('@marcbachmann/cel-js');
  return (text, subject, meter) => compile(text, subject, meter, environmentOf(subject, cel));
}

function compile(
  text: string,
  subject: PolicySubject,
  meter: Meter,
  environment: Environment,
): CompiledExpression {
  const parsed = parse(text, environment);
  const tree = treeOf(parsed);
  checkTypes(text, { parsed, tree }, subject, environment);
  for (const { text: pattern, offset } of tree.patterns) {
    const problem = patternProblem(pattern);
    if (problem !== undefined)
      throw new ExpressionError(`bad regular expression ${JSON.stringify(pattern)}: ${problem}`, {
        offset,
        hint: 'write the pattern in the syntax of RE2',
      });
  }
  // RE2 takes a time that is linear in the text and the pattern.
  const matches = (matched: string, pattern: string) => patternOf(pattern).test(matched);
  tree.meter({ meter, matches, stepsOfMatch });
  return { fields: tree.fields, evaluate: (value) => evaluate(parsed, { [subject]: value }, meter) };
}

function environmentOf(subject: PolicySubject, { Environment }: typeof import('@marcbachmann/cel-js')) {
  const known = environments.get(subject);
  if (known) return known;
  const environment = new Environment({
    enableOptionalTypes: true,
    homogeneousAggregateLiterals: false,
    limits,
  });
  for (const [name, fields] of Object.entries(policyTypes)) {
    const types = Object.entries(fields).map(([key, { type }]) => [key, type]);
    environment.registerType(name, {
      ctor: policyClasses[name as PolicyType],
      fields: Object.fromEntries(types),
    });
  }
  for (const name of ['Attributes', 'Permissions'])
    environment.registerOperator(`string in ${name}`, (key: string, value: object) =>
      Object.hasOwn(value, key),
    );
  environment.registerVariable(subject, subjectTypes[subject]);
  environments.set(subject, environment);
  return environment;
}

function parse(text: string, environment: Environment): ParseResult {
  try {
    return environment.parse(text);
  } catch (error) {
    throw expressionError(error, { hint: 'correct the CEL expression here, or shortly before' });
  }
}

function checkTypes(
  text: string,
  { parsed, tree }: { readonly parsed: ParseResult; readonly tree: ReturnType<typeof treeOf> },
  subject: PolicySubject,
  environment: Environment,
): void {
  const check = (checked: ReturnType<ParseResult['check']>) => {
    if (!checked.valid) throw expressionError(checked.error, { hint: typeHint(checked.error, subject) });
  };
  const checked = parsed.check();
  check(checked);
  if (checked.type !== 'bool' && checked.type !== 'dyn')
    throw new ExpressionError(`the expression is of type ${checked.type}, not bool`, {
      offset: 0,
      hint: writeCondition,
    });
  for (const { name, type, offset } of tree.soughtNames()) {
    const fields: object | undefined = policyTypes[type as PolicyType];
    if (fields === undefined || Object.hasOwn(fields, name)) continue;
    const hint = hintAt(name, Object.keys(fields), useField);
    throw new ExpressionError(`no such key: ${name}`, { offset, hint });
  }
  // The library accepts any field inside has(). `dyn` has as many letters, and its argument is checked.
  const calls = tree.callsOf('has');
  if (calls.length === 0) return;
  const letters = [...Array(text.length).keys()].map((index) => text[index]);
  for (const offset of calls) letters.splice(offset, 3, 'd', 'y', 'n');
  check(environment.check(letters.join('')));
}

function typeHint(error: unknown, subject: PolicySubject): string {
  const { code, summary = '' } = error as { readonly code?: string; readonly summary?: string };
  if (code === 'unknown_variable') return `use \`${subject}\`, which is the variable of \`on: ${subject}\``;
  if (code !== 'no_such_key')
    return 'compare values of the same type, with an operator or a function that it has';
  const types = [policyTypes[subjectTypes[subject]], ...Object.values(policyTypes)];
  const fields = types.flatMap((type) => Object.keys(type));
  return hintAt(summary.slice(summary.indexOf(': ') + 2), fields, useField);
}

const useField = 'use a field of the tables in docs/guides/policies.md';
const writeCondition = 'write a condition, such as a comparison with == or a call of exists()';

function evaluate(parsed: ParseResult, variables: Readonly<Record<string, unknown>>, meter: Meter): boolean {
  let value: unknown;
  try {
    value = parsed(variables);
  } catch (error) {
    if (meter.isSpent) throw new TooManyStepsError();
    throw expressionError(error, { hint: evaluationHint(error) });
  }
  if (meter.isSpent) throw new TooManyStepsError();
  if (typeof value === 'boolean') return value;
  throw new ExpressionError('the expression has no bool value', { offset: 0, hint: writeCondition });
}

function evaluationHint(error: unknown): string {
  if ((error as { readonly code?: string }).code === 'no_such_key')
    return 'check first that the value exists, with has() or `in`, or write a default with .? and orValue()';
  return 'check the type of the value first, for example with type(value) == string';
}

function expressionError(error: unknown, { hint }: { readonly hint: string }): ExpressionError {
  if (error instanceof RangeError && error.message.includes('call stack')) return tooDeep();
  const { summary, range } = error as {
    readonly summary?: string;
    readonly range?: { readonly start: number };
  };
  const message = summary ?? (error as Error).message;
  return new ExpressionError(message.slice(0, 1).toLowerCase() + message.slice(1), {
    offset: range?.start ?? 0,
    hint,
  });
}

/** Data of a type, without members that the type does not have or that are undefined: such fields are missing. */
export function policyData(type: PolicyType, data: object): object {
  const members: Readonly<Record<string, unknown>> = { ...data };
  const present = Object.entries(policyTypes[type]).filter(([name]) => members[name] !== undefined);
  const values = present.map(([name, { type: inner }]) => [name, typedAs(inner, members[name])]);
  return Object.assign(new policyClasses[type](), Object.fromEntries(values));
}

function typedAs(type: string, value: unknown): unknown {
  const [, inner = type] = /^(?:list<|map<string, )(\w+)>$/.exec(type) ?? [];
  if (!Object.hasOwn(policyTypes, inner) || value instanceof PolicyData) return plainValue(value);
  if (Array.isArray(value)) return value.map((one) => typedAs(inner, one));
  if (inner === type) return policyData(inner as PolicyType, value as object);
  return new Map(Object.entries(value as object).map(([key, one]) => [key, typedAs(inner, one)]));
}

/** Whole numbers are `int`, and mappings are maps. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if ([PolicyData, Date, Map].some((made) => value instanceof made)) return value;
  if (Array.isArray(value)) return value.map(plainValue);
  return new Map(Object.entries(value).map(([key, inner]) => [key, plainValue(inner)]));
}

/** The patterns of a run are few; those that an expression computes can be many. */
const mostPatterns = 1000;
const compiled = new Map<string, RE2JS>();

/** Making an instruction of a pattern takes as long as some hundred steps. */
const stepsPerInstruction = 400;

/** The steps of a match: each character can visit each instruction of the pattern. Making a new pattern costs more. */
function stepsOfMatch(text: string, pattern: string): number {
  const isNew = !compiled.has(pattern);
  const size = patternOf(pattern).programSize();
  return text.length * size + pattern.length + (isNew ? size * stepsPerInstruction : 0);
}

function patternProblem(pattern: string): string | undefined {
  try {
    patternOf(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function patternOf(pattern: string): RE2JS {
  const known = compiled.get(pattern);
  if (known) return known;
  if (compiled.size >= mostPatterns) compiled.clear();
  const made = RE2JS.compile(pattern);
  compiled.set(pattern, made);
  return made;
}
