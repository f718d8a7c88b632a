import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Dialect } from '../../src/model/dialect.ts';
import { sendTo } from '../support/ask.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';

const dialects: readonly Dialect[] = ['iac', 'terraform'];
const scopes = {
  tag: '{tags: [managed]}',
  project: '{projects: [one]}',
  name: '{names: [app-*]}',
  'tag and project': '{tags: [managed], projects: [one]}',
};

const configuration = (dialect: Dialect, scope: string) => `attune: 1
organization: acme
service: {dialect: ${dialect}}
projects: {one: prj-1}
ssh-keys: {deploy: sshkey-1}
workspaces:
  app-a:
    project: one
    description: words
    tags: [managed, extra]
    ssh-key: deploy
    remote-state-consumers: [app-b]
    lock: true
  app-b: {project: one, tags: [managed]}
scope: ${scope}
prune: {workspaces: safe}
`;
const seed = { organization: 'acme', projects: { One: 'prj-1' }, 'ssh-keys': { deploy: 'sshkey-1' } };

const cases = dialects.flatMap((dialect) =>
  Object.entries(scopes).map(([by, scope]) => ({ dialect, by, scope })),
);

test.each(cases)(
  'an apply that is interrupted after any call is completed by the next one: $dialect, scope by $by',
  async ({ dialect, scope }) => {
    const folder = await folderWith({ 'attune.yaml': configuration(dialect, scope) });
    for (let calls = 1, isWhole = false; !isWhole; calls += 1) {
      const controller = new AbortController();
      let writes = 0;
      const service = await serviceWith({
        seed,
        dialect,
        log: ({ method }) => {
          if (method !== 'GET' && ++writes === calls) controller.abort();
        },
      });
      const run = (stop = new AbortController().signal) =>
        attune(
          ['apply', '--yes', '--quiet', '--no-journal', '--parallelism', '1', '--address', service.url],
          {
            cwd: folder,
            env: { ATTUNE_TOKEN: 'test-token' },
            interrupts: { stop, exitCode: () => (stop.aborted ? 130 : undefined), release: () => {} },
          },
        );
      const first = await run(controller.signal);
      isWhole = !/skipped/.test(first.stdout);
      const second = await run();
      expect(second.code, `after ${calls} calls: ${second.stderr}${second.stdout}`).toBe(0);
      const third = await run();
      expect(third.stdout, `after ${calls} calls`).toContain('No changes.');
    }
  },
);

const yaml = `attune: 1
organization: acme
workspaces: {app: {description: words, tags: [managed]}}
scope: {tags: [managed]}
`;

test('plan notes that it continues an unfinished creation', async () => {
  const world = await worldWith(yaml, { seed: { workspaces: { app: { description: 'words' } } } });
  const { code, stderr } = await world.attune('plan');
  expect(code).toBe(0);
  expect(stderr).toContain(
    'note[unfinished-creation]: the creation of workspace.app is continued: tag "managed" of scope.tags is missing, but the workspace is unused and has every value that its creation sends',
  );
});

test.each([
  ['another value', { description: 'others' }],
  ['a tag', { description: 'words', tags: ['theirs'] }],
  ['resources', { description: 'words', 'resource-count': 1 }],
  ['a run', { description: 'words', run: { status: 'applied' } }],
])('a workspace outside the scope with %s is not taken for an unfinished creation', async (_what, app) => {
  const world = await worldWith(yaml, { seed: { workspaces: { app } } });
  const { code, stderr } = await world.attune('plan');
  expect(code).toBe(1);
  expect(stderr).toContain('error[outside-scope]: workspace.app is live outside the scope');
});

const refusedTags = {
  kind: 'status',
  method: 'POST',
  path: '*/relationships/tags',
  times: 1,
  status: 403,
} as const;

/** Changes the workspace `app` as another user, who gives it values that its creation did not send. */
async function changeByOther(
  { service }: Pick<World, 'service'>,
  path: string,
  method: string,
  data: unknown,
): Promise<void> {
  const { id } = await sendTo(service, 'GET', '/organizations/acme/workspaces/app');
  await sendTo(service, method, `/workspaces/${id}${path}`, { data });
}

const otherWords = { type: 'workspaces', attributes: { description: 'others' } };
const managed = [{ type: 'tags', attributes: { name: 'managed' } }];

test('apply continues a creation that the journal shows, also if another user has changed the workspace since', async () => {
  const world = await worldWith(yaml, { seed: { organization: 'acme' }, faults: [refusedTags] });
  expect((await world.attune('apply', '--yes')).code).toBe(1);
  await changeByOther(world, '', 'PATCH', otherWords);
  await changeByOther(world, '/relationships/tags', 'POST', [
    { type: 'tags', attributes: { name: 'theirs' } },
  ]);
  const note =
    'note[unfinished-creation]: the creation of workspace.app is continued: tag "managed" of scope.tags is missing, but the last journal shows that the run which created the workspace did not complete';
  expect((await world.attune('drift')).stderr).toContain(note);
  const applied = await world.attune('apply', '--yes');
  expect(applied.code).toBe(0);
  expect(applied.stderr).toContain(note);
  expect((await world.attune('plan')).stdout).toContain('No changes.');
});

test('apply continues a creation that an older journal shows if the newest is for another service', async () => {
  const services = [
    await serviceWith({ seed: { organization: 'acme' }, faults: [refusedTags] }),
    await serviceWith({ seed: { organization: 'acme' } }),
  ] as const;
  const [east, west] = services.map(({ url }) =>
    yaml.replace('workspaces', `service: {address: "${url}"}\nworkspaces`),
  );
  const cwd = await folderWith({ 'east.yaml': east ?? '', 'west.yaml': west ?? '' });
  const go = (...argv: string[]) => attune(argv, { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
  expect((await go('apply', 'east.yaml', '--yes')).code).toBe(1);
  await changeByOther({ service: services[0] }, '', 'PATCH', otherWords);
  expect((await go('apply', 'west.yaml', '--yes')).code).toBe(0);
  expect((await go('plan', 'east.yaml')).stderr).toContain('note[unfinished-creation]: ');
});

test('a workspace of which another user removed the tags is outside the scope, although a run that did not complete created it', async () => {
  const world = await worldWith(yaml.replace('workspaces: {', 'workspaces: {base: {tags: [managed]}, '), {
    seed: { organization: 'acme' },
    faults: [{ ...refusedTags, nth: 2 }],
  });
  const applied = await world.attune('apply', '--yes', '--parallelism', '1');
  expect(applied.code).toBe(1);
  await changeByOther(world, '', 'PATCH', otherWords);
  await changeByOther(world, '/relationships/tags', 'DELETE', managed);
  const { code, stderr } = await world.attune('plan');
  expect(code).toBe(1);
  expect(stderr).toContain('error[outside-scope]: workspace.app is live outside the scope');
  expect(stderr).toContain('the creation of workspace.base is continued');
});

test.each([
  ['of another service', (text: string) => text.replace('http://', 'http://other.')],
  ['that is not valid', (text: string) => text.replace('"record":"change"', '"record":"none"')],
])(
  'plan without a usable journal takes a changed workspace to be outside the scope: %s',
  async (_what, edit) => {
    const world = await worldWith(yaml, { seed: { organization: 'acme' }, faults: [refusedTags] });
    await world.attune('apply', '--yes');
    await changeByOther(world, '', 'PATCH', otherWords);
    const folder = join(world.folder, '.attune', 'journal');
    const [name = ''] = await readdir(folder);
    await writeFile(join(folder, name), edit(await readFile(join(folder, name), 'utf8')));
    const { code, stderr } = await world.attune('plan');
    expect(code).toBe(1);
    expect(stderr).toContain('error[outside-scope]: workspace.app is live outside the scope');
    expect(stderr).not.toContain('journal');
  },
);
