import { expect, test } from 'vitest';
import { JournalError } from '../../src/apply/journal/journal.ts';
import { JointRefusal, jointRequests, runTasks, type TaskOptions } from '../../src/apply/run-tasks.ts';
import type { Task } from '../../src/apply/schedule.ts';
import { mostMoved, type Operation } from '../../src/model/plan.ts';
import type { Value } from '../../src/model/value.ts';
import type { LookUpResult, SendOptions } from '../../src/service/exchange.ts';
import { rowsIn } from '../support/rows.ts';

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

const shown = ({ call: { operation }, change }: Task) => `${operation} ${change.address}`;

/** Tasks such as `addTags b < createWorkspace a`: the operation, the address and the tasks that it needs. */
function tasksOf(lines: readonly string[]): readonly Task[] {
  const found = lines.map((line) => {
    const [shown = '', ...needed] = line.split(' < ');
    const [operation, address = ''] = shown.split(' ');
    const needs: Task[] = [];
    return { needs, needed, task: task(operation as Operation, address, needs) };
  });
  const tasks = found.map((one) => one.task);
  for (const { needs, needed } of found) needs.push(...tasks.filter((one) => needed.includes(shown(one))));
  return tasks;
}

/** How each task ends, in the order of the ends; the tasks in `failing` fail. */
async function outcomes(
  tasks: readonly Task[],
  failing: readonly string[],
  options: Partial<TaskOptions> = {},
): Promise<string[]> {
  const ended: string[] = [];
  await runTasks(tasks, {
    parallelism: 1,
    run: async (task) => {
      if (failing.includes(shown(task))) throw new Error('refused');
    },
    onOutcome: (task, outcome) => {
      const reason = outcome.result === 'skipped' ? `: ${outcome.reason}` : '';
      ended.push(`${shown(task)} ${outcome.result}${reason}`);
    },
    ...options,
  });
  return ended;
}

test.each(rowsIn<{ name: string; tasks: string[]; failing?: string[]; frozen?: string[]; ends: string[] }>`
- name: tasks run in the order of their operations, and within an operation in the order in which they became ready
  tasks: [createWorkspace a, createWorkspace b, addTags a < createWorkspace a, addTags b < createWorkspace b, addTags c, lockWorkspace d]
  ends: [createWorkspace a done, createWorkspace b done, addTags c done, addTags a done, addTags b done, lockWorkspace d done]
- name: a failure skips the later calls of its change and the changes that need it, and no others
  tasks:
    - createWorkspace a
    - addTags a < createWorkspace a
    - addConsumers b < createWorkspace a
    - addConsumers d
    - lockWorkspace a < addTags a
    - lockWorkspace c < addConsumers b
  failing: [createWorkspace a]
  ends:
    - createWorkspace a failed
    - 'addTags a skipped: skipped after an earlier call of the same change failed'
    - addConsumers d done
    - 'addConsumers b skipped: needs a, which failed'
    - 'lockWorkspace a skipped: skipped after an earlier call of the same change failed'
    - 'lockWorkspace c skipped: needs b, which was skipped'
- name: a task waits for all tasks that it needs, also if its operation would start before that of one of them
  tasks: [addTags c < createWorkspace a < lockWorkspace b, createWorkspace a, lockWorkspace b]
  ends: [createWorkspace a done, lockWorkspace b done, addTags c done]
- name: a task that is frozen when it would start is held, with those that need it, and no others
  tasks: [createWorkspace a, addTags a < createWorkspace a, addConsumers b < addTags a, createWorkspace e, addTags c < createWorkspace e]
  failing: [createWorkspace e]
  frozen: [a, c]
  ends:
    - createWorkspace a held
    - createWorkspace e failed
    - 'addTags a skipped: needs a, which is held'
    - 'addTags c skipped: needs e, which failed'
    - 'addConsumers b skipped: needs a, which was skipped'
`)('$name', async ({ tasks, failing = [], frozen = [], ends }) => {
  const isFrozen = ({ change }: Task) => frozen.includes(change.address);
  expect(await outcomes(tasksOf(tasks), failing, { isFrozen })).toEqual(ends);
});

test('deletions of workspaces and projects start when all other tasks have ended', async () => {
  const tasks = tasksOf([
    'deleteProject project < deleteWorkspace gone',
    'deleteWorkspace gone',
    'deleteWorkspace kept < lockWorkspace app',
    'lockWorkspace app',
  ]);
  const order: string[] = [];
  const ended = await outcomes(tasks, [], {
    parallelism: 10,
    run: async (task) => {
      order.push(`start ${shown(task)}`);
      await new Promise(setImmediate);
      order.push(`end ${shown(task)}`);
      if (task.change.address === 'app') throw new Error('refused');
    },
  });
  expect(order).toEqual(
    ['lockWorkspace app', 'deleteWorkspace gone', 'deleteProject project'].flatMap((name) => [
      `start ${name}`,
      `end ${name}`,
    ]),
  );
  expect(ended).toEqual([
    'lockWorkspace app failed',
    'deleteWorkspace kept skipped: needs app, which failed',
    'deleteWorkspace gone done',
    'deleteProject project done',
  ]);
});

test('no more tasks run at a time than the parallelism allows', async () => {
  const most: number[] = [];
  for (const parallelism of [1, 3]) {
    let open = 0;
    let highest = 0;
    const run = async () => {
      open += 1;
      highest = Math.max(highest, open);
      await new Promise(setImmediate);
      open -= 1;
    };
    await outcomes(tasksOf(['addTags a', 'addTags b', 'addTags c', 'addTags d', 'addTags e']), [], {
      parallelism,
      run,
    });
    most.push(highest);
  }
  expect(most).toEqual([1, 3]);
});

test.each([
  ['the run was stopped', undefined],
  ['the journal cannot be written', new JournalError('no space left')],
])('after a stop the running task ends and no other starts: %s', async (reason, error) => {
  const stop = new AbortController();
  const tasks = tasksOf(['createWorkspace a', 'addTags b']);
  const ended = await outcomes(tasks, [], { stop: stop.signal, run: async () => stop.abort(error) });
  expect(ended).toEqual(['createWorkspace a done', `addTags b skipped: not attempted: ${reason}`]);
});

test('what is skipped because the run was stopped is marked, and nothing else is', async () => {
  const stopped: unknown[] = [];
  const run = async () => {
    throw new Error('refused');
  };
  const onOutcome: TaskOptions['onOutcome'] = ({ change }, outcome) => {
    if (outcome.result === 'skipped') stopped.push([change.address, outcome.isStopped]);
  };
  const tasks = tasksOf(['createWorkspace a', 'addTags b < createWorkspace a', 'addTags c']);
  for (const options of [{}, { stop: AbortSignal.abort() }])
    await outcomes(tasks, [], { run, onOutcome, ...options });
  expect(stopped).toEqual([['b', undefined], ...['a', 'c', 'b'].map((address) => [address, true])]);
});

test('a task whose call the journal cannot record is skipped, and what needs it', async () => {
  const run = async ({ change: { address } }: Task) => {
    if (address === 'a') throw new JournalError('no space left');
  };
  const tasks = tasksOf(['createWorkspace a', 'addTags b < createWorkspace a', 'addTags c']);
  expect(await outcomes(tasks, [], { run })).toEqual([
    'createWorkspace a skipped: no space left',
    'addTags c done',
    'addTags b skipped: needs a, which was skipped',
  ]);
});

test('the outcomes of all tasks are returned', async () => {
  const tasks = tasksOf(['createWorkspace a']);
  const ended = await runTasks(tasks, { parallelism: 1, run: async () => undefined });
  expect([...ended]).toEqual(tasks.map((one) => [one, { result: 'done' }]));
});

const move = (address: string, joint = '/projects/one'): Task => ({
  ...task('moveWorkspaces', address),
  joint,
});
/** The addresses that start together; a task has a joint request unless it is marked with `alone`. */
async function batches(tasks: readonly Task[], refuses: (address: string) => boolean = () => false) {
  const found: string[][] = [];
  const left: string[] = [];
  let open: string[] | undefined;
  const ended = await outcomes(tasks, [], {
    run: async ({ change: { address } }, joint) => {
      if (open === undefined) {
        open = [];
        found.push(open);
        setImmediate(() => {
          open = undefined;
        });
      }
      open.push(joint ? address : `${address} alone`);
      await new Promise((resolve) => setImmediate(resolve));
      if (!joint) return;
      const leave = joint.leave;
      Object.assign(joint, {
        leave: () => {
          left.push(address);
          leave();
        },
      });
      if (refuses(address)) throw new JointRefusal('refused');
    },
  });
  return { found, left, ended };
}

test('ready tasks with the same joint request start together, and others do not', async () => {
  const other = task('moveWorkspaces', 'other');
  const { found, left } = await batches([move('a'), move('x', '/projects/two'), move('b'), other, move('c')]);
  expect(found).toEqual([['a', 'b', 'c'], ['x'], ['other alone']]);
  expect(left).toEqual(['a', 'b', 'c', 'x']);
});

test('a request has at most as many tasks as the service moves', async () => {
  const tasks = Array.from({ length: mostMoved + 2 }, (_, index) => move(`${index}`));
  expect((await batches(tasks)).found.map((addresses) => addresses.length)).toEqual([mostMoved, 2]);
});

test('a task whose joint request is refused runs once more, alone', async () => {
  const { found, ended } = await batches([move('a'), move('b'), move('c')], (address) => address !== 'b');
  expect(found).toEqual([['a', 'b', 'c'], ['a alone'], ['c alone']]);
  expect(ended).toEqual(['moveWorkspaces b done', 'moveWorkspaces a done', 'moveWorkspaces c done']);
});

interface JointService {
  /** What was sent, and what the request knows of its effect after its answer was lost. */
  readonly sent: {
    body: Value | undefined;
    repeatable: boolean | undefined;
    found?: LookUpResult | undefined;
  }[];
  readonly send: (call: { readonly body?: Value }, options: SendOptions) => Promise<undefined>;
}
/** A service that answers, or whose answer is lost. */
const service = (isLost: boolean): JointService => {
  const sent: JointService['sent'] = [];
  return {
    sent,
    send: async ({ body }, { repeatable, lookUp }) => {
      const request: JointService['sent'][number] = { body, repeatable };
      sent.push(request);
      if (!isLost) return undefined;
      request.found = await lookUp?.();
      if (request.found && !request.found.unknown) return undefined;
      throw new Error('lost');
    },
  };
};
const moveCall = (id: string) => ({
  ...task('moveWorkspaces', id).call,
  body: { data: [{ type: 'workspaces', id }] },
});
const lookUps = {
  made: async () => ({}),
  missing: async () => undefined,
  unknown: async () => ({ unknown: 'it was answered late' }),
  none: undefined,
};

test.each(rowsIn<[string, (keyof typeof lookUps)[], LookUpResult | null, string[]]>`
- [is done if all changes are made, [made, made], {}, [done, done]]
- [failed if none of them is made, [missing, missing], null, [lost, lost]]
- [failed if some of them are made, [made, missing], {unknown: it took effect on some of the changes only}, [lost, lost]]
- [failed if one of them cannot be looked up, [made, none], {unknown: it took effect on some of the changes only}, [lost, lost]]
- [failed if the effect on one is unknown, [made, unknown], {unknown: it was answered late}, [lost, lost]]
`)('a joint request whose answer is lost %s', async (_, kinds, found, ends) => {
  const client = service(true);
  const joints = jointRequests(kinds.length);
  const ended = await Promise.allSettled(
    kinds.map((kind, index) =>
      joints[index]?.send(moveCall(`${index}`), { lookUp: lookUps[kind] }, client as never),
    ),
  );
  const body = { data: kinds.map((_, index) => ({ type: 'workspaces', id: `${index}` })) };
  expect(client.sent).toEqual([{ body, repeatable: true, found: found ?? undefined }]);
  expect(ended.map(({ status }) => (status === 'fulfilled' ? 'done' : 'lost'))).toEqual(ends);
});

test('a joint request is sent once each of its changes has arrived or left, whatever leaves twice', async () => {
  const client = service(false);
  const [a, b, c, d] = jointRequests(4);
  const first = a?.send(moveCall('a'), {}, client as never);
  a?.leave();
  b?.leave();
  b?.leave();
  await new Promise(setImmediate);
  expect(client.sent).toEqual([]);
  c?.leave();
  await Promise.all([first, d?.send(moveCall('d'), {}, client as never)]);
  expect(client.sent.map(({ body }) => body)).toEqual([
    { data: ['a', 'd'].map((id) => ({ type: 'workspaces', id })) },
  ]);
});
