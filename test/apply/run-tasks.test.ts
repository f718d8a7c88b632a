import { expect, test } from 'vitest';
import type { CallKind } from '../../src/apply/call-kind.ts';
import { runTasks } from '../../src/apply/run-tasks.ts';
import type { Task } from '../../src/apply/schedule.ts';

function task(kind: CallKind, address: string, needs: readonly Task[] = []): Task {
  return {
    kind,
    needs,
    call: { method: 'POST', path: '/' },
    change: {
      address,
      kind: 'workspace',
      name: address,
      action: 'update',
      fields: [],
      calls: [],
      dependsOn: [],
    },
  };
}

/** The order in which tasks are started. */
async function started(tasks: readonly Task[], parallelism: number): Promise<string[]> {
  const order: string[] = [];
  await runTasks(tasks, {
    parallelism,
    run: async ({ kind, change }) => {
      order.push(`${kind} ${change.address}`);
    },
  });
  return order;
}

test('tasks start in the order of their kinds, and within a kind in the order in which they became ready', async () => {
  const [a, b] = [task('create-workspace', 'a'), task('create-workspace', 'b')];
  const tags = [task('tags', 'a', [a]), task('tags', 'b', [b]), task('tags', 'c')];
  expect(await started([a, b, ...tags, task('lock', 'd')], 1)).toEqual([
    'create-workspace a',
    'create-workspace b',
    'tags c',
    'tags a',
    'tags b',
    'lock d',
  ]);
});
