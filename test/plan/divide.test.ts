import { expect, test } from 'vitest';
import type { ApplyResult } from '../../src/model/apply-result.ts';
import { note } from '../../src/model/diagnostic.ts';
import type { Plan } from '../../src/model/plan.ts';
import { divideResult, withParts } from '../../src/plan/divide.ts';
import { emptyPlan } from '../support/empty-plan.ts';

const readersOf = (...names: readonly string[]) => ({
  stateAccess: names.map((workspace) => ({ workspace, gains: ['x'], loses: [] })),
  moves: [],
});
const part = (addresses: readonly string[], readers: readonly string[], more: Partial<Plan> = {}): Plan => ({
  ...emptyPlan,
  changes: addresses.map((address) => ({ address })) as unknown as Plan['changes'],
  effects: readersOf(...readers),
  ...more,
});

test('the result of each root file has its changes, its diagnostics and who may read its states', () => {
  const parts = [part(['workspace.a'], ['shared']), part(['workspace.b', 'workspace.c'], [])];
  const about = (address?: string) => note('x', `about ${address ?? 'all'}`, { at: { address } });
  const result = {
    plan: { ...emptyPlan, effects: readersOf('a', 'shared', 'b', 'nobody') },
    changes: ['workspace.b', 'workspace.a', 'workspace.c'].map((address) => ({ address })),
    diagnostics: [about('workspace.c'), about(), about('workspace.a')],
  } as unknown as ApplyResult;
  const shown = divideResult(result, parts).map(({ plan, changes, diagnostics }) => [
    plan.changes.map(({ address }) => address),
    plan.effects,
    changes.map(({ address }) => address),
    diagnostics.map(({ message }) => message),
  ]);
  expect(shown).toEqual([
    [['workspace.a'], readersOf('a', 'shared'), ['workspace.a'], ['about all', 'about workspace.a']],
    [['workspace.b', 'workspace.c'], readersOf('b'), ['workspace.b', 'workspace.c'], ['about workspace.c']],
  ]);
  expect(divideResult(result, parts.slice(0, 1))).toEqual([result]);
  expect(divideResult(result, [])).toEqual([result]);
});

test('the plan of an organization has the policies and the diagnostics of its parts', () => {
  const policy = (name: string) => [{ name }] as unknown as NonNullable<Plan['policies']>;
  const noteOf = (message: string) => [note('x', message)];
  const parts = [
    part([], [], { policies: policy('one'), diagnostics: noteOf('one') }),
    part([], [], { policies: policy('two'), diagnostics: noteOf('two') }),
    part([], []),
  ];
  const { plan } = withParts({ ...emptyPlan, diagnostics: noteOf('zero') }, parts);
  expect(plan.policies).toEqual([...policy('one'), ...policy('two')]);
  expect(plan.diagnostics).toEqual([...noteOf('one'), ...noteOf('two')]);
  expect(withParts(emptyPlan, parts.slice(2)).plan.policies).toBeUndefined();
  expect(withParts(emptyPlan, [part([], []), part([], [])]).plan.policies).toBeUndefined();
  expect(withParts(emptyPlan, parts.slice(0, 1)).plan).toBe(parts[0]);
});
