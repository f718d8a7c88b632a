import { expect, test } from 'vitest';
import type { AppliedChange, ApplyResult } from '../../src/model/apply-result.ts';
import { plain } from '../../src/report/paint.ts';
import { resultText } from '../../src/report/text/text.ts';
import { emptyPlan } from '../support/empty-plan.ts';

function failed(name: string, reason: string): AppliedChange {
  const path = `/workspaces/ws-${name}`;
  return {
    address: `workspace.${name}`,
    kind: 'workspace',
    name,
    action: 'update',
    fields: [{ path: 'auto-apply', before: false, after: true }],
    calls: [],
    dependsOn: [],
    result: 'failed',
    callsDone: 0,
    error: { message: `PATCH ${path}: ${reason}`, method: 'PATCH', path },
  };
}

function textOf(changes: readonly AppliedChange[]): string {
  const summary = { create: 0, update: changes.length, delete: 0, unchanged: 0, calls: changes.length };
  const plan: ApplyResult['plan'] = {
    ...emptyPlan,
    address: 'https://iac.example.com',
    summary,
    changes,
  };
  const result: ApplyResult = { plan, changes, diagnostics: [] };
  const entry = { plan, result, diagnostics: [], path: (file: string) => file };
  return resultText({ kind: 'apply', entries: [entry] }, { paint: plain });
}

test('a failure reason of several changes is printed once, with their number', () => {
  const refused = 'the connection was refused';
  const changes = [
    failed('a', refused),
    failed('b', refused),
    failed('c', 'answered 403'),
    failed('d', refused),
  ];
  expect(textOf(changes).split('\n\n')[0]).toBe(
    [
      '  failed   ~ workspace.a',
      '             PATCH /workspaces/ws-a: the connection was refused (2 more changes failed for this reason)',
      '  failed   ~ workspace.b',
      '  failed   ~ workspace.c',
      '             PATCH /workspaces/ws-c: answered 403',
      '  failed   ~ workspace.d',
    ].join('\n'),
  );
});

test('failures of different endpoints are printed separately, also with the same status', () => {
  const other = failed('b', 'answered 403');
  const path = '/workspaces/ws-b/relationships/tags';
  const error = { ...other.error, message: `POST ${path} answered 403`, method: 'POST', path };
  const text = textOf([failed('a', 'answered 403'), { ...other, error }]);
  expect(text).toContain('PATCH /workspaces/ws-a: answered 403\n');
  expect(text).toContain(`POST ${path} answered 403\n`);
  expect(text).not.toContain('for this reason');
});
