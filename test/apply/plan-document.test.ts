import { expect, test } from 'vitest';
import { documentOfPlan } from '../../src/apply/plan-document.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import { canonicalDigest } from '../../src/model/value.ts';
import { declarationDigest } from '../../src/plan/create-plan.ts';
import { emptyPlan } from '../support/empty-plan.ts';

test('a digest is the SHA-256 of the canonical JSON in hexadecimal', () => {
  const digest = 'sha256:43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777';
  expect(canonicalDigest({ b: 2, a: 1 })).toBe(digest);
  expect(canonicalDigest({ a: 1, b: 2 })).toBe(digest);
});

const workspace = (
  attributes: WorkspaceResource['attributes'],
  declared?: WorkspaceResource['declared'],
): WorkspaceResource => ({
  kind: 'workspace',
  address: 'workspace.app',
  name: 'app',
  attributes,
  ...(declared && { declared }),
});

test('the digest of a declaration depends on its attributes and rules, and not on its lines', () => {
  const location = { file: 'attune.yaml', line: 1, column: 1 };
  const one = declarationDigest(workspace({ description: 'a' }));
  expect(declarationDigest(workspace({ description: 'a' }, { locations: { description: location } }))).toBe(
    one,
  );
  expect(declarationDigest({ ...workspace({ description: 'a' }), location })).toBe(one);
  expect(declarationDigest(workspace({ description: 'b' }))).not.toBe(one);
  expect(declarationDigest(workspace({ description: 'a' }, { protect: true }))).not.toBe(one);
});

test('a printed plan has the optional parts of a plan, and no other member', () => {
  const parts = {
    undo: { journal: 'attune.journal', runs: [] },
    at: '2026-03-01T00:00:00Z',
    hypothetical: true,
    freezeOverridden: 'incident',
    undeclaredAccess: [],
    policies: [{ id: 'a', on: 'plan', severity: 'error', file: 'p.yaml', checked: 1, violations: 0 }],
    noLongerDeclared: [{ address: 'workspace.old' }],
  };
  const base = { ref: 'main', commit: 'c0ffee', onlyChanged: true };
  const plan = { ...emptyPlan, ...parts, base } as unknown as Plan;
  const { digest: _digest, ...printed } = documentOfPlan(plan, 'attune.plan/1');
  const { digest: _other, ...required } = documentOfPlan(emptyPlan, 'attune.plan/1');
  expect(printed).toEqual({ ...required, ...parts, base });
  expect(Object.keys(required).filter((key) => key in parts || key === 'base')).toEqual([]);
});
