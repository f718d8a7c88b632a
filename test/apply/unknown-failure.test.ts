import { expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { stage } from './stage.ts';

test('a failure that is none of ours is told with its stack, and fails its change alone', async () => {
  const { plan, client } = await stage('workspaces: {a: {}, b: {}}', { seed: { organization: 'acme' } });
  let calls = 0;
  const faulty: typeof client = {
    ...client,
    send: (...args) => {
      calls += 1;
      if (calls === 1) throw new TypeError('a slip in the program');
      return client.send(...args);
    },
  };
  const { changes } = await applyPlan(plan, { client: faulty, parallelism: 1 });
  expect(changes.map(({ result }) => result)).toEqual(['failed', 'done']);
  expect(changes[0]?.error?.message).toMatch(/^TypeError: a slip in the program\n +at /);
});
