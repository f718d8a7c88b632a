import type { ParseResult } from '@marcbachmann/cel-js';

/** How many steps a policy may take for one plan: about a second of CPU time. */
export const mostSteps = 10_000_000;

/** A policy takes more than {@link mostSteps}. */
export class TooManyStepsError extends Error {
  override readonly name = 'TooManyStepsError';
}

/** Counts the steps of a policy. A step is the evaluation of one node of an expression; long values cost more. */
export class Meter {
  #left: number;

  constructor(steps = mostSteps) {
    this.#left = steps;
  }

  /** To be asked after each evaluation, because quantifiers catch the errors of their predicates. */
  get isSpent(): boolean {
    return this.#left < 0;
  }

  /** @throws {TooManyStepsError} at each step after the last one that is left, so that nested loops end. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooManyStepsError();
  }

  spendAll(value: unknown): void {
    this.spend(1);
    if (typeof value === 'string') this.spend(value.length >> 6);
    if (typeof value !== 'object' || value === null) return;
    for (const one of value instanceof Map ? value.values() : Object.values(value)) this.spendAll(one);
  }
}

/** A node of the library's syntax tree, with what its published types leave out. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly checkedType?: { readonly name: string };
  readonly meta: { readonly evaluate: Evaluate; readonly alternate?: Node };
  setMeta(key: 'evaluate', evaluate: Evaluate): void;
}

type Run = (node: Node, context: unknown) => unknown;
type Evaluate = (evaluator: { readonly run: Run }, node: Node, context: unknown) => unknown;

interface Metering {
  readonly meter: Meter;
  readonly matches: (text: string, pattern: string) => boolean;
  readonly stepsOfMatch: (text: string, pattern: string) => number;
}

/**
 * What an expression consists of.
 *
 * @throws {ExpressionError} if it is nested too deeply for the functions of the library.
 */
export function treeOf({ ast }: ParseResult) {
  const nodes = nodesOf(ast);
  return {
    /** The constant patterns that it matches. */
    patterns: nodes.filter(isMatches).flatMap(patternOf),
    /** The constant names of the fields that it reads. */
    fields: nodes.flatMap(fieldOf),
    /** The constant names that it looks for without an error if the type does not have them. Requires that it is checked. */
    soughtNames: () => nodes.flatMap(soughtNameOf),
    /** Where it calls a function. */
    callsOf: (name: string) =>
      nodes
        .filter(({ op, args }) => op === 'call' && (args as readonly unknown[])[0] === name)
        .map(({ start }) => start),
    meter: (metering: Metering) => meterNodes(nodes, metering),
  };
}

/**
 * Makes a checked expression count its steps when it is evaluated, and replaces `matches`, because that of the library
 * backtracks: some patterns take exponential time.
 */
function meterNodes(nodes: readonly Node[], metering: Metering): void {
  const compared = new Set(
    nodes.filter(({ op }) => op === '==' || op === '!=' || op === 'in').flatMap(({ args }) => args as Node[]),
  );
  for (const node of nodes) {
    const evaluate = isMatches(node) ? matching(node, metering) : node.meta.evaluate;
    node.setMeta('evaluate', metered(node.op, evaluate, metering.meter, compared.has(node)));
  }
}

/** Comparing takes a step for each value inside of its operands. */
function metered(op: string, evaluate: Evaluate, meter: Meter, isCompared: boolean): Evaluate {
  const makesList = op === '+' || op === 'call' || op === 'rcall';
  return (evaluator, node, context) => {
    meter.spend(1);
    const value = evaluate(evaluator, node, context);
    if (typeof value === 'string') {
      if (value.length > 63) meter.spend(value.length >> 6);
    } else if (typeof value === 'object' && value !== null) {
      if (isCompared) meter.spendAll(value);
      else if (makesList && Array.isArray(value)) meter.spend(value.length);
    }
    return value;
  };
}

function matching({ args, meta }: Node, { meter, matches, stepsOfMatch }: Metering): Evaluate {
  const [, receiver, [argument]] = args as readonly [string, Node, readonly [Node]];
  return (evaluator, node, context) => {
    const text = evaluator.run(receiver, context);
    const pattern = evaluator.run(argument, context);
    // The library reports the wrong type.
    if (typeof text !== 'string' || typeof pattern !== 'string')
      return meta.evaluate(evaluator, node, context);
    meter.spend(stepsOfMatch(text, pattern));
    return matches(text, pattern);
  };
}

function isMatches({ op, args }: Node): boolean {
  return op === 'rcall' && Array.isArray(args) && args[0] === 'matches' && args[2]?.length === 1;
}

function patternOf({ args }: Node) {
  const [, , [argument]] = args as readonly [string, Node, readonly [Node]];
  return argument.op === 'value' && typeof argument.args === 'string'
    ? [{ text: argument.args, offset: argument.start }]
    : [];
}

function fieldOf({ op, args }: Node): readonly string[] {
  if (!['.', '.?', '[]', '[?]'].includes(op)) return [];
  const [, key] = args as readonly [Node, string | Node];
  if (typeof key === 'string') return [key];
  return key.op === 'value' && typeof key.args === 'string' ? [key.args] : [];
}

function soughtNameOf({ op, args }: Node) {
  if (!['in', '.?', '[?]'].includes(op)) return [];
  const [first, second] = args as readonly [Node, Node | string];
  const [key, holder] = op === 'in' ? [first, second] : [second, first];
  if (typeof holder === 'string' || holder.checkedType === undefined) return [];
  const name = typeof key === 'string' ? key : key.op === 'value' ? key.args : undefined;
  const offset = typeof key === 'string' ? holder.start : key.start;
  return typeof name === 'string' ? [{ name, type: holder.checkedType.name, offset }] : [];
}

/** The library counts no chains of operators, and its functions call themselves for each operator of a chain. */
const mostNested = 500;

/** Every node of a tree once. A macro keeps the call as it is written, and has what replaces it beside it. */
function nodesOf(tree: unknown): readonly Node[] {
  const nodes = new Set<Node>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isNode(value)) {
      if (nodes.has(value)) return;
      if (depth > mostNested) throw tooDeep();
      nodes.add(value);
      visit(value.args, depth + 1);
      visit(value.meta.alternate, depth + 1);
    } else if (Array.isArray(value)) for (const inner of value) visit(inner, depth);
    // The parts of a loop. It also holds the types of its variables.
    else
      for (const part of ['iterable', 'init', 'step']) visit((value as Record<string, unknown>)[part], depth);
  };
  visit(tree, 1);
  return [...nodes];
}

function isNode(value: object): value is Node {
  return 'op' in value && 'setMeta' in value;
}

/** An expression is wrong, or cannot be evaluated. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
  /** Where in the expression, from 0. */
  readonly offset: number;
  readonly hint: string;

  constructor(message: string, { offset, hint }: { readonly offset: number; readonly hint: string }) {
    super(message);
    this.offset = offset;
    this.hint = hint;
  }
}

export function tooDeep(): ExpressionError {
  return new ExpressionError('the expression is nested too deeply', {
    offset: 0,
    hint: 'write a list with `in`, or split the policy into several ones',
  });
}
