import { expect, test } from 'vitest';
import { runTasks } from '../../src/apply/run-tasks.ts';
import type { Task } from '../../src/apply/schedule.ts';
import type { Operation } from '../../src/model/plan.ts';

function task(operation: Operation, address: string, needs: readonly Task[] = []): Task {
  return {
    needs,
    call: { operation, method: 'POST', path: '/' },
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
    run: async ({ call: { operation }, change }) => {
      order.push(`${operation} ${change.address}`);
    },
  });
  return order;
}

test('tasks start in the order of their operations, and within an operation in the order in which they became ready', async () => {
  const [a, b] = [task('createWorkspace', 'a'), task('createWorkspace', 'b')];
  const tags = [task('addTags', 'a', [a]), task('addTags', 'b', [b]), task('addTags', 'c')];
  expect(await started([a, b, ...tags, task('lockWorkspace', 'd')], 1)).toEqual([
    'createWorkspace a',
    'createWorkspace b',
    'addTags c',
    'addTags a',
    'addTags b',
    'lockWorkspace d',
  ]);
});
