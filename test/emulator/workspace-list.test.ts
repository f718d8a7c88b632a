import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

describe('2.5 pagination envelope', () => {
  const many: Seed = { workspaces: Object.fromEntries(Array.from({ length: 45 }, (_, i) => [`w${i}`, {}])) };

  it('the first page of a list has 20 items without parameters', async () => {
    const { ask } = await serve({ seed: many });
    const { body } = await ask('GET', list);
    expect(body.data).toHaveLength(20);
    expect(body.meta.pagination).toEqual({
      'current-page': 1,
      'page-size': 20,
      'prev-page': null,
      'next-page': 2,
      'total-pages': 3,
      'total-count': 45,
    });
  });

  it('the links of a list are absolute, keep the other parameters and lead through every page', async () => {
    const { ask, emulator } = await serve({ seed: many });
    const first = await ask('GET', `${list}?search[name]=w&page[size]=20`);
    expect(first.body.links.prev).toBeNull();
    let next: string | null = first.body.links.self;
    let seen = 0;
    while (next) {
      expect(next).toMatch(`${emulator.url}/api/v2${list}?`);
      const page = (await (await fetch(next)).json()) as {
        data: unknown[];
        links: { next: string | null; last: string };
      };
      seen += page.data.length;
      expect(page.links.last).toContain('page%5Bnumber%5D=3');
      next = page.links.next;
    }
    expect(seen).toBe(45);
  });
});

describe('4.8 include', () => {
  const included: Seed = {
    workspaces: {
      w: {
        run: { id: 'run-1', status: 'planned' },
        locked: { by: 'team-sre', reason: 'freeze' },
        readme: '# Network',
        state: { outputs: { vpc: 'vpc-1' } },
      },
    },
    teams: { sre: 'team-sre' },
  };

  it.each([
    ['current_configuration_version', ['configuration-versions']],
    ['current_configuration_version.ingress_attributes', ['configuration-versions', 'ingress-attributes']],
    ['current_run', ['runs']],
    ['current_run.configuration_version', ['configuration-versions', 'runs']],
    [
      'current_run.configuration_version.ingress_attributes',
      ['configuration-versions', 'ingress-attributes', 'runs'],
    ],
    ['current_run.plan', ['plans', 'runs']],
    ['locked_by', ['teams']],
    ['organization', ['organizations']],
    ['outputs', ['workspace-outputs']],
    ['project', ['projects']],
    ['readme', ['workspace-readme']],
    ['organization,project', ['organizations', 'projects']],
  ])('include=%s adds the resources on all three reads', async (name, types) => {
    const { ask } = await serve({ seed: included });
    const { data } = (await ask('GET', `${list}/w`)).body;
    for (const path of [`${list}/w`, `/workspaces/${data.id}`, list]) {
      const { body } = await ask('GET', `${path}?include=${name}`);
      expect(body.included.map((resource: { type: string }) => resource.type).sort(), path).toEqual(types);
    }
  });

  it('include adds exactly the resources that the relationships name', async () => {
    const { ask } = await serve({ seed: included });
    const { data, included: found } = (await ask('GET', `${list}/w?include=current_run,readme,outputs`)).body;
    const ids = [
      data.relationships['current-run'].data.id,
      data.relationships.readme.data.id,
      data.relationships.outputs.data[0].id,
    ];
    expect(found.map((resource: { id: string }) => resource.id).sort()).toEqual(ids.sort());
  });
});

it.each([
  '/workspaces/ws-w',
  '/organizations/acme/workspaces/w',
  '/organizations/acme/workspaces',
  '/projects/prj-payments',
  '/organizations/acme/projects',
])('include=effective_tag_bindings on %s names the included bindings in a relationship', async (path) => {
  const { ask } = await serve({
    dialect: 'terraform',
    seed: {
      projects: { Payments: { id: 'prj-payments', 'tag-bindings': { team: 'web' } } },
      workspaces: { w: { id: 'ws-w', project: 'Payments', 'tag-bindings': { env: 'prod' } } },
    },
  });
  const { body: answer } = await ask('GET', `${path}?include=effective_tag_bindings`);
  const data = [answer.data].flat().find(({ id }: { id: string }) => ['ws-w', 'prj-payments'].includes(id));
  const related = data.relationships['effective-tag-bindings'].data;
  expect(related).toHaveLength(data.type === 'workspaces' ? 2 : 1);
  const included = answer.included.map(({ id, type }: { id: string; type: string }) => ({ id, type }));
  for (const identifier of related) expect(included).toContainEqual(identifier);
  const without = [(await ask('GET', path)).body.data].flat()[0];
  expect(without.relationships['effective-tag-bindings'].data).toBeUndefined();
});
