import { expect, test } from 'vitest';
import type { AppliedChange } from '../../src/model/apply-result.ts';
import { createMetrics } from '../../src/watch/metrics.ts';

test('the metric of applied changes counts unknown and interrupted ones', async () => {
  const change = {
    address: 'workspace.app',
    kind: 'workspace',
    name: 'app',
    action: 'update',
    fields: [],
    calls: [],
    dependsOn: [],
  } as const;
  const applied: AppliedChange[] = [
    { ...change, result: 'skipped', callsDone: 1, interrupted: true },
    { ...change, result: 'failed', callsDone: 0, error: { message: 'lost', code: 'unknown-effect' } },
  ];
  const found = { entries: [], plans: [], applied, waiting: [], remaining: [], readAt: new Date(0) };
  const organization = { organization: 'acme', isSuccess: false, errors: [], oldestReadAge: () => 0, found };
  const metrics = await createMetrics();
  metrics.cycleEnded({ seconds: 1, endedAt: 1, organizations: [organization], refused: [] });
  const text = await metrics.text();
  const counts = ['done', 'failed', 'unknown', 'interrupted', 'skipped'].map((result) =>
    Number(
      text.split(`attune_apply_changes_total{organization="acme",result="${result}"} `)[1]?.split('\n')[0],
    ),
  );
  expect(counts).toEqual([0, 0, 1, 1, 0]);
});
