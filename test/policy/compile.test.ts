import { expect, test } from 'vitest';
import { loadCompiler } from '../../src/policy/compile.ts';
import { ExpressionError, Meter } from '../../src/policy/meter.ts';
import { rowsIn } from '../support/rows.ts';

const compileExpression = await loadCompiler();

function problemOf(text: string, subject: 'workspace' | 'grant' = 'workspace'): string {
  try {
    compileExpression(text, subject, new Meter());
    return 'none';
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return `${error.message} at ${error.offset}; ${error.hint}`;
  }
}

test.each(rowsIn<[string, string]>`
- ["workspace.attributes['auto-aply']", 'no such key: auto-aply at 0; did you mean "auto-apply"?']
- ["'auto-aply' in workspace.attributes", 'no such key: auto-aply at 0; did you mean "auto-apply"?']
- ["workspace.attributes[?'auto-aply'].orValue(true)", 'no such key: auto-aply at 22; did you mean "auto-apply"?']
- [workspace.attributes.?autoAply.orValue(true), 'no such key: autoAply at 0; did you mean "auto-apply"?']
- [workspace.?protekt.orValue(true), 'no such key: protekt at 0; did you mean "protect"?']
- ["workspace.tags.exists(x, 'auto-aply' in workspace.attributes)", 'no such key: auto-aply at 25; did you mean "auto-apply"?']
`)('the expression %s is an error', (text, problem) => {
  expect(problemOf(text)).toBe(problem);
});

test('a field of another type is an error', () => {
  expect(problemOf("grant.attributes.access != 'read'", 'grant')).toMatch(
    /^no such key: attributes at \d+; use a field of the tables/,
  );
});

test.each([
  "'auto-apply' in workspace.attributes",
  "workspace.attributes[?'auto-apply'].orValue(true)",
  "'anything' in workspace.tags",
  "'env' in workspace.tagBindings",
  "workspace.tagBindings[?'env'].orValue('') == ''",
])('the expression %s is none', (text) => {
  expect(problemOf(text)).toBe('none');
});

const deep =
  'the expression is nested too deeply at 0; write a list with `in`, or split the policy into several ones';

test.each([
  ['a chain of ||', Array(2000).fill("workspace.name == 'a'").join(' || ')],
  ['a chain of +', `${Array(4000).fill("'a'").join(' + ')} == ''`],
  ['a chain of conditions', `${'true ? true : '.repeat(90)}${Array(3000).fill('true').join(' && ')}`],
])('%s is a message about the expression', (_, text) => {
  expect(problemOf(text)).toBe(deep);
});

test('brackets and calls are limited, too', () => {
  expect(problemOf(`${'('.repeat(5000)}true${')'.repeat(5000)}`)).toMatch(/maxDepth|nested too deeply/);
  expect(problemOf(`${'!'.repeat(9000)}true`)).toMatch(/maxDepth|maxAstNodes|nested too deeply/);
  expect(problemOf(`workspace.tags${'.map(x, x)'.repeat(400)}.size() == 1`)).toMatch(
    /maxDepth|nested too deeply/,
  );
});
