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

  /** Spends a step for each value inside a value. */
  spendAll(value: unknown): void {
    this.spend(1);
    if (typeof value === 'string') this.spend(value.length >> 6);
    if (typeof value !== 'object' || value === null) return;
    const inner = value instanceof Map ? value.values() : Object.values(value);
    for (const one of inner) this.spendAll(one);
  }
}

/** A node of the library's syntax tree, with what its published types leave out. */
interface Node {
  readonly op: string;
  readonly args: unknown;
  readonly meta: { readonly evaluate: Evaluate; readonly alternate?: Node };
  setMeta(key: 'evaluate', evaluate: Evaluate): void;
}

type Evaluate = (evaluator: Evaluator, node: Node, context: unknown) => unknown;

interface Evaluator {
  run(node: Node, context: unknown): unknown;
}

/** Whether a pattern matches somewhere in a text, in linear time. */
export type Matches = (text: string, pattern: string) => boolean;

export interface Metering {
  readonly meter: Meter;
  readonly matches: Matches;
}

/**
 * Makes a checked expression count its steps when it is evaluated, and replaces `matches`, because that of the library
 * backtracks: some patterns take exponential time.
 */
export function meterExpression({ ast }: ParseResult, metering: Metering): void {
  const nodes = nodesOf(ast);
  const compared = new Set(
    nodes.filter(({ op }) => op === '==' || op === '!=' || op === 'in').flatMap(({ args }) => args as Node[]),
  );
  for (const node of nodes) {
    const evaluate = isMatches(node) ? matching(node, metering) : node.meta.evaluate;
    node.setMeta(
      'evaluate',
      metered(node, { evaluate, meter: metering.meter, isCompared: compared.has(node) }),
    );
  }
}

interface MeteredNode {
  readonly evaluate: Evaluate;
  readonly meter: Meter;
  /** Comparing takes a step for each value inside of its operands. */
  readonly isCompared: boolean;
}

function metered({ op }: Node, { evaluate, meter, isCompared }: MeteredNode): Evaluate {
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

function matching({ args, meta }: Node, { meter, matches }: Metering): Evaluate {
  const [, receiver, [argument]] = args as readonly [string, Node, readonly [Node]];
  return (evaluator, node, context) => {
    const text = evaluator.run(receiver, context);
    const pattern = evaluator.run(argument, context);
    // The library reports the wrong type.
    if (typeof text !== 'string' || typeof pattern !== 'string')
      return meta.evaluate(evaluator, node, context);
    meter.spend(text.length + pattern.length);
    return matches(text, pattern);
  };
}

function isMatches({ op, args }: Node): boolean {
  return op === 'rcall' && Array.isArray(args) && args[0] === 'matches' && args[2]?.length === 1;
}

/** The texts of all patterns that an expression contains as literals, with their offsets. */
export function patternsOf({
  ast,
}: ParseResult): readonly { readonly text: string; readonly offset: number }[] {
  return nodesOf(ast)
    .filter(isMatches)
    .flatMap(({ args }) => {
      const [, , [argument]] = args as readonly [string, Node, readonly [Node & { readonly start: number }]];
      return argument.op === 'value' && typeof argument.args === 'string'
        ? [{ text: argument.args, offset: argument.start }]
        : [];
    });
}

/** The names that an expression looks up in values: `a` and `b` in `x.a['b']`. */
export function fieldsOf({ ast }: ParseResult): readonly string[] {
  return nodesOf(ast).flatMap(({ op, args }) => {
    if (!['.', '.?', '[]', '[?]'].includes(op)) return [];
    const [, key] = args as readonly [Node, string | Node];
    if (typeof key === 'string') return [key];
    return key.op === 'value' && typeof key.args === 'string' ? [key.args] : [];
  });
}

/** The offsets of the calls of a function. */
export function callsOf({ ast }: ParseResult, name: string): readonly number[] {
  return nodesOf(ast).flatMap(({ op, args, ...node }) =>
    op === 'call' && (args as readonly unknown[])[0] === name
      ? [(node as unknown as { readonly start: number }).start]
      : [],
  );
}

/** Every node of a tree once. A macro keeps the call as it is written, and has what replaces it beside it. */
function nodesOf(tree: unknown): readonly Node[] {
  const nodes = new Set<Node>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if (isNode(value)) {
      if (nodes.has(value)) return;
      nodes.add(value);
      visit(value.args);
      visit(value.meta.alternate);
    } else if (Array.isArray(value)) for (const inner of value) visit(inner);
    // The parts of a loop. It also holds the types of its variables.
    else for (const part of ['iterable', 'init', 'step']) visit((value as Record<string, unknown>)[part]);
  };
  visit(tree);
  return [...nodes];
}

function isNode(value: object): value is Node {
  return 'op' in value && 'setMeta' in value;
}
