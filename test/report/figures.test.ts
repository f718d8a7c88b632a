import { expect, test } from 'vitest';
import type { AppliedChange } from '../../src/model/apply-result.ts';
import { incompleteText } from '../../src/report/figures.ts';
import { emptyPlan, updateOfApp } from '../support/empty-plan.ts';

const call = { operation: 'updateWorkspace', method: 'PATCH', path: '/workspaces/ws-app' } as const;
const change = { ...updateOfApp, calls: [call], callsDone: 0 };

test('an apply that freeze windows interrupt counts what they hold, and names their end', () => {
  const held = (until: string): AppliedChange => ({
    ...change,
    held: [
      { by: 'exception', reason: 'INC-7', until: '2027-06-30', fields: ['auto-apply'] },
      { by: 'freeze', reason: 'year end', until },
    ],
    result: 'held',
  });
  const changes = [
    held('2027-01-05T00:00:00Z'),
    held('2027-01-04T00:00:00Z'),
    { ...change, result: 'done' } as const,
  ];
  expect(incompleteText([{ plan: emptyPlan, changes, diagnostics: [] }], 'run again')).toBe(
    'Apply incomplete: 2 held of 3 changes. Completed changes are kept; run again, held changes after 2027-01-05T00:00:00Z.',
  );
});
