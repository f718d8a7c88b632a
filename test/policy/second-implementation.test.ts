import { celEnv, parse, plan } from '@bufbuild/cel';
import { strings } from '@bufbuild/cel/ext';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { loadCompiler, policyData } from '../../src/policy/compile.ts';
import { Meter } from '../../src/policy/meter.ts';
import { cases } from '../support/cases.ts';

/** Conditions on changes, as policies use them. Those that fail for some changes have to fail in both implementations. */
const conditions = [
  "change.kind == 'workspace'",
  "change.kind in ['workspace', 'project']",
  "change.action != 'delete'",
  "change.name.endsWith('-prod') || change.name.startsWith('a')",
  "change.name.contains('a') && !change.name.contains('b')",
  "change.name.matches('^[a-z]+-(prod|dev)$')",
  String.raw`change.name.matches('(a|b)+\\d?')`,
  'size(change.name) > 3',
  'change.name < "m"',
  'has(change.mode)',
  "has(change.mode) && change.mode == 'force'",
  "change.mode == 'force'",
  'has(change.resources) ? change.resources > 2 : true',
  'change.resources >= 3',
  'change.fields.size() == 0',
  "change.fields.exists(f, f.path == 'auto-apply' && f.after == true)",
  "change.fields.all(f, f.path != 'auto-apply' || f.after == false)",
  "change.fields.exists_one(f, f.path == 'tags')",
  "change.fields.filter(f, f.before == null).map(f, f.path).exists(p, p == 'tags')",
  "change.fields.exists(f, has(f.add) && 'prod' in f.add)",
  "change.fields.all(f, !has(f.remove) || !('prod' in f.remove))",
  'change.fields.exists(f, f.after == 5)',
  'change.fields.exists(f, f.after > 3)',
  'change.fields.all(f, f.after > 3 || f.after != 3)',
  'change.fields.exists(f, type(f.after) == string && f.after.startsWith("~"))',
  "change.calls.exists(c, c.method == 'DELETE')",
  "change.calls.all(c, size(c.path) > 4 && c.path.startsWith('/'))",
  "change.calls[0].method == 'PATCH'",
  "change.calls.exists(c, has(c.body) && 'data' in c.body && c.body['data']['type'] == 'workspaces')",
  "change.dependsOn == [] || change.dependsOn[0] == 'workspace.a'",
  "change.name + '-x' == change.name.substring(0, 1) + 'x-x' || true",
  '!(change.fields.size() + 1 > 2) && 7 / 2 == 3 && -7 % 3 == -1',
  'change.fields.map(f, f.path) + ["x"] != ["x"]',
];

const value = fc.oneof(
  fc.boolean(),
  fc.constant(null),
  fc.integer({ min: 0, max: 6 }),
  fc.constantFrom('~> 1.9.0', '', 'remote'),
  fc.array(fc.constantFrom('prod', 'dev', 'a'), { maxLength: 3 }),
);
const entries = fc.option(fc.array(fc.constantFrom('prod', 'dev'), { maxLength: 2 }), { nil: undefined });
const field = fc.record({
  path: fc.constantFrom('auto-apply', 'tags', 'iac-version'),
  before: value,
  after: value,
  add: entries,
  remove: entries,
});
const call = fc.record({
  operation: fc.constant('updateWorkspace'),
  method: fc.constantFrom('PATCH', 'POST', 'DELETE'),
  path: fc.constantFrom('/workspaces/ws-1', '/projects', '/x'),
  body: fc.option(fc.constant({ data: { type: 'workspaces', attributes: { 'auto-apply': true } } }), {
    nil: undefined,
  }),
});
const change = fc.record({
  address: fc.constant('workspace.a'),
  kind: fc.constantFrom('workspace', 'project', 'team-access'),
  name: fc.constantFrom('a-prod', 'network-dev', 'b', 'ab1', 'zeta-prod'),
  action: fc.constantFrom('create', 'update', 'delete'),
  mode: fc.option(fc.constantFrom('safe', 'force'), { nil: undefined }),
  resources: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
  fields: fc.array(field, { maxLength: 3 }),
  calls: fc.array(call, { maxLength: 2 }),
  dependsOn: fc.array(fc.constantFrom('workspace.a', 'workspace.b'), { maxLength: 1 }),
});

const environment = celEnv({ funcs: strings });
const compileExpression = await loadCompiler();
const compiled = conditions.map((text) => ({
  text,
  ours: compileExpression(text, 'change', new Meter(Number.POSITIVE_INFINITY)),
  theirs: plan(environment, parse(text)),
}));

/** Plain data as the other implementation has it, without the members that are undefined. */
function theirData(value: unknown): unknown {
  if (typeof value === 'number') return BigInt(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(theirData);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return new Map(members.map(([key, member]) => [key, theirData(member)]));
}

function resultOf(evaluate: () => unknown): unknown {
  try {
    const result = evaluate();
    return typeof result === 'boolean' ? result : 'error';
  } catch {
    return 'error';
  }
}

test('policy expressions have the same results as in another implementation of CEL', () => {
  const results = new Map(conditions.map((text) => [text, new Set<unknown>()]));
  fc.assert(
    fc.property(change, (generated) => {
      const ours = policyData('Change', generated);
      const theirs = theirData(generated);
      for (const one of compiled) {
        const result = resultOf(() => one.ours.evaluate(ours));
        const other = resultOf(() => one.theirs({ change: theirs as never }));
        expect(`${one.text}: ${result}`).toBe(`${one.text}: ${other}`);
        results.get(one.text)?.add(result);
      }
    }),
    cases({ fast: 15, soak: 5000 }),
  );
  // An expression that fails for every change would compare nothing.
  const onlyErrors = [...results].filter(([, seen]) => !seen.has(true) && !seen.has(false));
  expect(onlyErrors.map(([text]) => text)).toEqual([]);
});
