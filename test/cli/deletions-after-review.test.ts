import { describe, expect, test } from 'vitest';
import { sendTo } from '../support/ask.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { mutatingService } from '../support/mutating-service.ts';

const env = { ATTUNE_TOKEN: 'test-token' };
const seed = {
  projects: { One: 'prj-1' },
  workspaces: { old: { id: 'ws-old', 'resource-count': 0 }, app: { id: 'ws-app' } },
};

/** Files and a service in which another user works on the workspaces. */
async function world(yaml: string) {
  const service = await serviceWith({ seed, dialect: 'terraform' });
  const between = await mutatingService(service.url);
  const cwd = await folderWith({ 'attune.yaml': `attune: 1\norganization: acme\n${yaml}` });
  const run = (argv: readonly string[], answer?: () => Promise<string>) =>
    attune([...argv, '--address', between.url], { cwd, env, ...(answer && { answer }) });
  const live = async () => {
    const { stdout } = await run(['workspace', 'list', '--format', 'json']);
    return (JSON.parse(stdout) as { workspaces: { name: string }[] }).workspaces.map(({ name }) => name);
  };
  return {
    run,
    live,
    /** An apply in another checkout creates resources. */
    manage: (resources: number) => {
      const first = between.requests.length;
      between.mutate = (text, index) =>
        index < first ? text : text.replaceAll(/"resource-count":\d+/g, `"resource-count":${resources}`);
    },
    service,
  };
}

const _forced = 'workspaces: {old: {state: absent, delete: force}}\nlimits: {delete-percent: 100}\n';
const grown = 'it managed 0 resources and manages 200 resources now';

describe('a workspace that manages resources since the review is not deleted', () => {
  test('undo --force does not delete a workspace that got resources while it asked', async () => {
    const { run, live, manage } = await world('workspaces: {new: {}}\n');
    expect((await run(['apply', '--yes'])).code).toBe(0);
    const { code, stdout } = await run(['undo', '--last', '--force', '--max-deletes', '1'], async () => {
      manage(200);
      return 'yes';
    });
    expect([code, await live()]).toEqual([1, ['app', 'new', 'old']]);
    expect(stdout).toContain(grown);
  });
});

describe('a workspace that another user changed since the review is not deleted', () => {
  test('undo does not delete a workspace that another user configured while it asked', async () => {
    const { run, live, service } = await world('workspaces: {new: {description: ours}}\n');
    expect((await run(['apply', '--yes'])).code).toBe(0);
    const { workspaces } = JSON.parse((await run(['workspace', 'list', '--format', 'json'])).stdout) as {
      workspaces: { name: string; id: string }[];
    };
    const id = workspaces.find(({ name }) => name === 'new')?.id;
    const { code, stdout } = await run(['undo', '--last', '--max-deletes', '1'], async () => {
      await sendTo(service, 'PATCH', `/workspaces/${id}`, {
        data: { type: 'workspaces', attributes: { description: 'theirs' } },
      });
      return 'yes';
    });
    expect([code, await live()]).toEqual([1, ['app', 'new', 'old']]);
    expect(stdout).toContain('(description was "ours" and is "theirs")');
  });
});

test('workspace unlock --force leaves a lock that another user set while it asked', async () => {
  const seed = { workspaces: { kims: { id: 'ws-kims', locked: { by: 'user-kim', reason: 'incident' } } } };
  const clock = jumpingClock();
  const answer = async () => {
    await clock.sleep(4000);
    await sendTo(world.service, 'POST', '/workspaces/ws-kims/actions/force-unlock');
    await sendTo(world.service, 'POST', '/workspaces/ws-kims/actions/lock', { reason: 'another incident' });
    world.service.clearRequests();
    return 'yes';
  };
  const world: World = await worldWith('attune: 1\norganization: acme\n', { seed }, { clock, answer });
  const { code, stdout } = await world.attune('workspace', 'unlock', 'k*', '--force');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stdout).toContain('workspace.kims changed after the plan was made (its lock is another one now)');
});
