import { expect, test } from 'vitest';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import type { Call } from '../../src/model/plan.ts';
import { notices, stage } from './stage.ts';

test('observers of apply get every call with its outcome', async () => {
  const { apply, service } = await stage('workspaces: {a: {tags: [x]}, b: {}}\n', {
    seed: { workspaces: {} },
  });
  service.setFaults([{ kind: 'status', status: 403, path: '*/tags' }]);
  const seen: string[] = [];
  const result = await apply({ observe: ({ address, result }) => seen.push(`${result} ${address}`) });
  expect(seen).toEqual(['done workspace.a', 'done workspace.b', 'failed workspace.a']);
  expect(notices(result)).toEqual([]);
});

test('apply refuses a plan with a call that Attune does not make before the first call', async () => {
  const { plan, client, clock, requests } = await stage('workspaces: {a: {}}\n', {
    seed: { workspaces: {} },
  });
  const [change] = plan.changes;
  if (change === undefined) throw new Error('no change');
  const forgery: Call = {
    operation: 'deleteWorkspace',
    method: 'DELETE',
    path: '/organizations/acme',
    mode: 'force',
  };
  const calls = [...change.calls, forgery];
  const forged = { ...plan, changes: [{ ...change, calls }] };
  await expect(applyPlan(forged, { client, clock })).rejects.toThrow(
    'the plan contains an unknown call: DELETE /organizations/acme',
  );
  expect(await requests()).toEqual([]);
});

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
