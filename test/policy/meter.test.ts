import { expect, test } from 'vitest';
import { loadCompiler, policyData } from '../../src/policy/compile.ts';
import { Meter, TooManyStepsError } from '../../src/policy/meter.ts';

const compileExpression = await loadCompiler();

function planOf(count: number): object {
  const fields = [{ path: 'description', before: null, after: 'a'.repeat(30) }];
  const changes = Array.from({ length: count }, (_, index) => ({ name: `w${index}`, fields }));
  return policyData('Plan', { changes });
}

const evaluate = (text: string, steps: number): boolean =>
  compileExpression(text, 'plan', new Meter(steps)).evaluate(planOf(40));

const doubled = (start: string, sum: string) => `${start}${`.map(x, ${sum})`.repeat(40)}.size() == 1`;

test.each([
  ['nested loops', 'plan.changes.all(a, plan.changes.all(b, plan.changes.all(c, a.name != "")))'],
  ['loops that catch errors', 'plan.changes.exists(a, plan.changes.exists(b, b.id == a.id))'],
  ['a text that doubles', doubled("['aaaaaaaa']", 'x + x')],
  ['a list that doubles', doubled('[[1, 2, 3, 4]]', 'x + x')],
  ['comparisons of long lists', 'plan.changes.all(a, plan.changes == plan.changes)'],
  ['searches in long lists', 'plan.changes.all(a, !(a.name in plan.changes.map(b, b.name + "x")))'],
])('the limit of steps ends an expression that takes more steps than it may: %s', (_name, text) => {
  expect(() => evaluate(text, 3000)).toThrow(TooManyStepsError);
});

test('the limit of steps is reported even if a quantifier or an operator caught the error', () => {
  const loop = 'plan.changes.all(a, plan.changes.all(b, plan.changes.all(c, a.name != "")))';
  expect(() => evaluate(`${loop} || true`, 10_000)).toThrow(TooManyStepsError);
  expect(() => evaluate(`plan.changes.exists(x, ${loop} || true)`, 10_000)).toThrow(TooManyStepsError);
});

test('the limit of steps is enough for an expression that looks at each change once', () => {
  expect(evaluate('plan.changes.all(c, c.fields.all(f, f.path != "tags"))', 10_000)).toBe(true);
});

test('a pattern that backtracking engines take exponential time for is matched in linear time', () => {
  const text = 'plan.changes.all(c, c.fields.all(f, !f.after.matches("^(a+)+$|(a|aa)+b|(a*)*b") || true))';
  expect(evaluate(text, 100_000)).toBe(true);
  expect(evaluate('plan.changes[0].fields[0].after.matches("^(a|a?)+$")', 1000)).toBe(true);
});

test('the steps of a pattern grow with its size, so that large repetitions end at the limit', () => {
  const text = 'plan.changes.all(c, !c.fields[0].after.matches("^([a-z]+-?){900}$"))';
  expect(() => evaluate(text, 1_000_000)).toThrow(TooManyStepsError);
  expect(
    evaluate('plan.changes.all(c, !c.fields[0].after.matches("^([a-z]+-?){9}$") || true)', 1_000_000),
  ).toBe(true);
});

test('making computed patterns takes steps', () => {
  const text = 'plan.changes.all(c, !"x".matches(c.name + "(a|b){500}"))';
  expect(() => evaluate(text, 1_000_000)).toThrow(TooManyStepsError);
});

test('the steps of a pattern grow with the text that is searched', () => {
  expect(() => evaluate('plan.changes.all(c, c.fields[0].after.matches("a"))', 1000)).toThrow(
    TooManyStepsError,
  );
});
