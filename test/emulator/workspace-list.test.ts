import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

const seed: Seed = {
  projects: { Platform: 'prj-platform' },
  workspaces: {
    'network-prod': {
      project: 'Platform',
      tags: ['network', 'prod'],
      run: { status: 'applied', 'created-at': '2024-01-02T00:00:00Z' },
    },
    'network-dev': {
      tags: ['network'],
      run: { status: 'errored', 'created-at': '2024-01-01T00:00:00Z' },
      'tag-bindings': { env: 'dev', team: null },
    },
    'Billing-prod': {
      tags: ['prod'],
      'tag-bindings': { env: 'prod' },
      state: { 'created-at': '2030-01-01T00:00:00Z' },
    },
  },
};

async function names(query: string): Promise<string[]> {
  const { ask } = await serve({ seed });
  const { status, body } = await ask('GET', `${list}?${query}`);
  expect(status).toBe(200);
  return body.data.map((workspace: { attributes: { name: string } }) => workspace.attributes.name);
}

describe('4.1 list parameters', () => {
  it.each(rowsIn<[string, string, readonly string[]]>`
- ['no parameter lists all, in a stable order', '', [network-prod, network-dev, Billing-prod]]
- ['search[name] matches a part in any case', 'search[name]=BILL', [Billing-prod]]
- ['search[tags] with one tag', 'search[tags]=network', [network-prod, network-dev]]
- ['search[tags] with several requires all', 'search[tags]=network,prod', [network-prod]]
- ['search[exclude-tags] excludes any', 'search[exclude-tags]=network', [Billing-prod]]
- ['search[exclude-tags] with several excludes any of them', 'search[exclude-tags]=network,prod', []]
- ['search[wildcard-name] as prefix', 'search[wildcard-name]=*-prod', [network-prod, Billing-prod]]
- ['search[wildcard-name] as suffix', 'search[wildcard-name]=network*', [network-prod, network-dev]]
- ['search[wildcard-name] on both sides', 'search[wildcard-name]=*work*', [network-prod, network-dev]]
- ['search[wildcard-name] without one matches the whole name', 'search[wildcard-name]=network', []]
- [sort=name, sort=name, [Billing-prod, network-dev, network-prod]]
- [sort=-name, sort=-name, [network-prod, network-dev, Billing-prod]]
- [sort=current-run.created-at, sort=current-run.created-at, [Billing-prod, network-dev, network-prod]]
- [sort=-current-run.created-at, sort=-current-run.created-at, [network-prod, network-dev, Billing-prod]]
- [sort=-latest-change-at, 'sort=-latest-change-at&page[size]=1', [Billing-prod]]
- ['filter[project][id]', 'filter[project][id]=prj-platform', [network-prod]]
- ['filter[current-run][status]', 'filter[current-run][status]=errored', [network-dev]]
- ['filter[tagged][i][key]', 'filter[tagged][0][key]=env', [network-dev, Billing-prod]]
- ['filter[tagged][i][key] knows flat tags as keys', 'filter[tagged][0][key]=prod', [network-prod, Billing-prod]]
- ['filter[tagged][i][value]', 'filter[tagged][0][key]=env&filter[tagged][0][value]=dev', [network-dev]]
- ['filter[tagged][i][value] alone', 'filter[tagged][0][value]=prod', [Billing-prod]]
- ['several filter[tagged] combine with AND', 'filter[tagged][0][key]=env&filter[tagged][1][key]=team', [network-dev]]
- [filters combine with AND, 'search[name]=network&search[tags]=prod', [network-prod]]
- [percent-encoded brackets, search%5Bname%5D=bill, [Billing-prod]]
`)('the list of workspaces: %s', async (_title, query, expected) => {
    expect(await names(query)).toEqual(expected);
  });
});

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

  it('a page of a list past the end is empty and echoes its number', async () => {
    const { ask } = await serve({ seed: many });
    const { status, body } = await ask('GET', `${list}?page[number]=9`);
    expect([status, body.data]).toEqual([200, []]);
    expect(body.meta.pagination).toMatchObject({
      'current-page': 9,
      'prev-page': 3,
      'next-page': null,
      'total-count': 45,
    });
  });

  it.each(['page[size]=101', 'page[size]=0', 'page[size]=-1', 'page[size]=ten', 'page[number]=0'])(
    'the page %s of a list is 422',
    async (query) => {
      const { ask } = await serve({ seed: many });
      const { status, body } = await ask('GET', `${list}?${query}`);
      expect([status, body.errors[0].title]).toEqual([422, 'invalid attribute']);
    },
  );

  it('the largest page of a list has 100 items', async () => {
    const { ask } = await serve({ seed: many });
    expect((await ask('GET', `${list}?page[size]=100`)).body.data).toHaveLength(45);
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

  it('an unknown value of include is a bad request', async () => {
    const { ask } = await serve({ seed: included });
    const { status, body } = await ask('GET', `${list}/w?include=everything`);
    expect(status).toBe(400);
    expect(body.errors[0].detail).toContain('include parameter');
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
