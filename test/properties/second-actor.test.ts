import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { cases } from '../support/cases.ts';
import { liveFacts } from './live-facts.ts';
import { configurationOf, openScene } from './scene.ts';

const names = ['app', 'api', 'web'] as const;
const ids: Readonly<Record<string, string>> = { app: 'ws-app', api: 'ws-api', web: 'ws-web' };

/** Ways to have a workspace deleted; a guard by key/value tags makes every plan read them. */
const desired = fc.record({
  workspaces: fc.dictionary(
    fc.constantFrom(...names),
    fc.record({ state: fc.constant('absent'), delete: fc.constantFrom('safe', 'force') }),
  ),
  guards: fc.constant({ protect: [{ tagged: { env: 'prod' } }] }),
  limits: fc.constant({ deletes: 100, 'delete-percent': 100 }),
  pruned: fc.constantFrom<Readonly<Record<string, unknown>>>(
    {},
    { scope: { names: ['*'] }, prune: { workspaces: 'safe' } },
    { scope: { tags: ['old'] }, prune: { workspaces: 'force' } },
    { scope: { tagged: { env: 'test' } }, prune: { workspaces: 'safe' } },
    { scope: { projects: ['prj-1'] }, prune: { workspaces: 'force' } },
  ),
});

const binding = (key: string, value: string) => ({
  data: [{ type: 'tag-bindings', attributes: { key, value } }],
});

/** What another user does with a workspace between plan and apply. */
const acts = fc.constantFrom<readonly [method: string, rest: string, body: object]>(
  ['PATCH', '', workspaceBody({ name: 'kept' })],
  ['PATCH', '', workspaceBody({}, 'prj-2')],
  ['POST', '/relationships/tags', { data: [{ type: 'tags', attributes: { name: 'keep' } }] }],
  ['DELETE', '/relationships/tags', { data: [{ type: 'tags', attributes: { name: 'old' } }] }],
  ['PATCH', '/tag-bindings', binding('env', 'prod')],
  ['PATCH', '/tag-bindings', binding('owner', 'them')],
  ['POST', '/actions/lock', { reason: 'incident' }],
);

test('a workspace that another user changes between plan and apply is never deleted', async () => {
  const seen = { changed: 0, deleted: 0 };
  await fc.assert(
    fc.asyncProperty(desired, fc.constantFrom(...names), acts, async ({ pruned, ...rest }, name, act) => {
      const { configuration } = await configurationOf({ ...rest, ...pruned });
      if (!configuration) return;
      const workspace = (project: string) => ({ project, tags: ['old'], 'tag-bindings': { env: 'test' } });
      const scene = await openScene({
        dialect: 'terraform',
        seed: {
          projects: { One: 'prj-1', Two: 'prj-2' },
          workspaces: Object.fromEntries(names.map((one) => [one, { id: ids[one], ...workspace('One') }])),
        } as never,
      });
      try {
        const plan = await scene.plan(configuration);
        const [method, path, body] = act;
        await sendTo(scene.service, method, `/workspaces/${ids[name]}${path}`, body);
        const { changes } = await scene.apply(plan);
        const left = new Set((await liveFacts(scene.service.url)).workspaces.map(({ id }) => id));
        expect([...left]).toContain(ids[name]);
        for (const change of changes) {
          const isChanged = change.id === ids[name];
          expect(change.result).toBe(isChanged ? 'failed' : 'done');
          seen[isChanged ? 'changed' : 'deleted'] += 1;
        }
        for (const change of changes) expect(left.has(change.id ?? '')).toBe(change.result === 'failed');
      } finally {
        await scene.close();
      }
    }),
    cases({ fast: 3, soak: 400 }),
  );
  expect(seen.changed).toBeGreaterThan(0);
  expect(seen.deleted).toBeGreaterThan(0);
});
