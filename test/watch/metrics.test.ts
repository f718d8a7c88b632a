import { expect, test } from 'vitest';
import type { AppliedChange } from '../../src/model/apply-result.ts';
import type { Plan } from '../../src/model/plan.ts';
import { createMetrics } from '../../src/watch/metrics.ts';
import { updateOfApp as change } from '../support/empty-plan.ts';

/** The metrics after a cycle of one organization. */
async function textAfter({
  plans = [],
  applied = [],
}: {
  readonly plans?: readonly Plan[];
  readonly applied?: readonly AppliedChange[];
}): Promise<string> {
  const found = { entries: [], plans, applied, waiting: [], held: [], remaining: [], readAt: new Date(0) };
  const organization = { organization: 'acme', roots: [], isSuccess: false, errors: [], found };
  const metrics = await createMetrics();
  metrics.cycleEnded({ organizations: [organization], refused: [] }, { seconds: 1, endedAt: new Date(1000) });
  return metrics.text();
}

test('the metric of applied changes counts unknown and partial ones', async () => {
  const applied: AppliedChange[] = [
    { ...change, result: 'partial', callsDone: 1 },
    { ...change, result: 'failed', callsDone: 0, error: { message: 'lost', code: 'unknown-effect' } },
  ];
  const text = await textAfter({ applied });
  const counts = ['done', 'failed', 'unknown', 'partial', 'skipped'].map((result) =>
    Number(
      text.split(`attune_apply_changes_total{organization="acme",result="${result}"} `)[1]?.split('\n')[0],
    ),
  );
  expect(counts).toEqual([0, 0, 1, 1, 0]);
});

test('the metric of undeclared resources counts those of each kind, and is absent without a scope', async () => {
  const planOf = (scope: 'none' | 'whole', unmanaged: readonly string[], projects?: readonly string[]) =>
    ({ unmanaged, overview: { scope, projects } }) as unknown as Plan;
  const measured = async (plan: Plan) =>
    (await textAfter({ plans: [plan] })).match(/^attune_undeclared\{.*$/gm);
  const unmanaged = ['workspace.a', 'workspace.b', 'team-access.x/y'];
  expect(await measured(planOf('whole', unmanaged))).toEqual([
    'attune_undeclared{organization="acme",kind="project"} 0',
    'attune_undeclared{organization="acme",kind="workspace"} 2',
    'attune_undeclared{organization="acme",kind="team-access"} 1',
  ]);
  expect(await measured(planOf('none', []))).toBeNull();
  expect(await measured(planOf('none', [], ['payments']))).toEqual([
    'attune_undeclared{organization="acme",kind="team-access"} 0',
  ]);
});
