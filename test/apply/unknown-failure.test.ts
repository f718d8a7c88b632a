import { expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { stage } from './stage.ts';

test('an unexpected error fails only its change, and its stack is passed to observers only', async () => {
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
  const errors: unknown[] = [];
  const observe = ({ error }: { error?: unknown }) => errors.push(error);
  const { changes } = await applyPlan(plan, { client: faulty, parallelism: 1, observe });
  expect(changes.map(({ result }) => result)).toEqual(['failed', 'done']);
  expect(changes[0]?.error).toEqual({ message: 'internal error: TypeError: a slip in the program' });
  expect(errors).toEqual([new TypeError('a slip in the program'), undefined]);
});
