import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookAlikes, looksLike } from '../../src/check/look-alikes.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import type { WorkspaceResource } from '../../src/model/state.ts';
import type { Values } from '../../src/model/value.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { cases } from '../support/cases.ts';
import { planOf } from '../support/plan-tables.ts';
import { random } from '../support/random.ts';
import { rowsIn } from '../support/rows.ts';
import { findings } from './findings.ts';

const sets = { repository: { 'vcs-repo.identifier': 'acme/shop', 'working-directory': 'infra' }, none: {} };
type Given = readonly [name: string, set: keyof typeof sets, more?: Values];
const made = ([name, set, more = {}]: Given): WorkspaceResource => ({
  kind: 'workspace',
  address: `workspace.${name}`,
  name,
  attributes: { ...sets[set], ...more },
});

test.each(rowsIn<[string, Given, Given, boolean]>`
- ['a name of which a third differs', [network-prod, none], [net-prod, none], true]
- ['a similar name in what may be the default project', [billing, none], [biling, none, {project: prj-1}], true]
- ['a name of which more than a third differs', [shop-web, none], [shop-api, none], false]
- ['another repository', [shop, repository], [shops, repository, {vcs-repo.identifier: acme/web}], false]
- ['a name that differs only in its number', [web-1, none], [web-12, none], false]
- ['a similar name, where only it has a repository', [billing, repository], [biling, none], true]
- ['a similar name, where only the live one has a repository', [billing, none], [biling, repository], true]
- ['a name of which a word is longer', [net-prod, none], [network-prod, none], true]
- ['a name of which half of a word differs', [service-abcd, none], [service-abxy, none], true]
- ['a name of which half of the longer word differs', [service-abc, none], [service-xbcd, none], true]
- ['a name with two separators in one place', [shop--network, none], [shop-network-eu, none], true]
- ['a name with another word before it', [the-checkout-service, none], [checkout-service, none], true]
- ['a name without the word before it', [search-prod, none], [sf-search-prod, none], true]
- ['a name with another word between', [shop-eu-prod, none], [shop-prod, none], true]
- ['a name without its environment', [payments, none], [payments-prd, none], true]
`)('whether a created workspace looks like a live one with %s', (_, created, live, isAlike) => {
  expect(looksLike(made(created), made(live))).toBe(isAlike);
});

test('no workspace that is created in a generated organization of 1,000 looks like a renamed one', async () => {
  const words = (text: string) => text.split(' ');
  const teams = words('payments shop search billing identity ledger media maps fraud growth');
  const parts = words('network cluster database cache queue storage gateway dns certificates monitoring');
  const places = words('dev test stage prod').flatMap((stage) =>
    [1, 2, 3, 4].map((one) => `${stage}-${one}`),
  );
  const all = teams.flatMap((team) =>
    parts.flatMap((part) => places.map((place) => ({ team, part, place }))),
  );
  const property = fc.asyncProperty(fc.nat(), async (seed) => {
    const next = random(seed);
    const drawn = all.map((one) => ({ ...one, order: next() })).sort((a, b) => a.order - b.order);
    // In the repositories of a project, each place has a folder, or none has; or the project has no repositories.
    const sets = new Map(teams.map((team) => [team, Math.floor(next() * 3)]));
    const workspaces = drawn.map(({ team, part, place }) => {
      const folder = sets.get(team) === 0 ? place : null;
      const set = { 'vcs-repo.identifier': part, 'working-directory': folder };
      const name = `${team}-${part}-${place}`;
      return { ...made([name, 'none', { project: team, ...(sets.get(team) !== 2 && set) }]), id: name };
    });
    const [live, created] = [workspaces.slice(0, 1000), workspaces.slice(1000, 1200)];
    const resources = (list: readonly WorkspaceResource[]) => new Map(list.map((one) => [one.address, one]));
    const pass = {
      configuration: { desired: { resources: resources(created) }, aliases: { projects: new Map() } },
      live: { state: { resources: resources(live) }, whole: true },
      difference: { changes: created.map((target) => ({ kind: 'workspace', action: 'create', target })) },
    };
    expect(await findings(lookAlikes, pass)).toEqual([]);
  });
  await fc.assert(property, cases({ fast: 2, soak: 20 }));
});

test.each(rowsIn<[string, string, string, string[]]>`
- [a workspace whose name a renamed one leaves, 'workspaces: {billing: {project: prj-1}, ledger: {project: prj-1, renamed-from: biling}}', 'workspaces: {biling: {project: prj-1}}', []]
- [a workspace outside the default project, 'workspaces: {billing: {}}', 'default-project: prj-1, workspaces: {biling: {project: prj-2}}', []]
- [a workspace that is read for it, 'workspaces: {billing: {project: prj-1}}', 'all-read: false, scope-read: false, later: {workspaces: {biling: {project: prj-1}}}', ['workspace.billing: biling']]
- [a workspace of a project that may not be read, 'workspaces: {billing: {project: prj-1}}', 'all-read: false, scope-read: false, refused: {members: 403}, later: {workspaces: {biling: {project: prj-1}}}', []]
- [a project that a file refers to, 'projects: {pay: {name: Payments, manage: true}, old: prj-1}', 'projects: {prj-1: {name: Payment}}', []]
- [a project that is deleted, 'projects: {pay: {name: Payments, manage: true}, old: {id: prj-1, name: Payment, manage: true, state: absent}}', 'projects: {prj-1: {name: Payment}}', ['project.pay: Payment']]
- [several projects, 'projects: {pay: {name: Payments, manage: true}}', 'projects: {prj-1: {name: Payment}, prj-2: {name: Paymets}}', []]
- [a project beside one that is renamed, 'projects: {pay: {id: prj-2, name: Payments, manage: true}}', 'projects: {prj-1: {name: Payment}, prj-2: {name: Pay}}', []]
- [a project whose name is nearer to another new one, 'projects: {pay: {name: Payments, manage: true}, more: {name: Paymentees, manage: true}}', 'projects: {prj-1: {name: Payment}}', ['project.pay: Payment']]
`)('what is created can be the new name of %s', async (_, files, live, found) => {
  // Only this dialect has managed projects.
  const [service, dialect] = files.includes('manage: true')
    ? ['service: {dialect: terraform}, ', 'dialect: terraform, ']
    : ['', ''];
  const { diagnostics } = (await planOf(`{${service}${files}}`, `{${dialect}${live}}`)).plan;
  const renames = diagnostics.filter(({ code }) => code === 'looks-like-rename');
  expect(renames.map(({ address, hint }) => `${address}: ${hint?.replace('renamed-from: ', '')}`)).toEqual(
    found,
  );
});

/** What is read beside workspaces that are created, with their projects. */
async function readFor(
  created: readonly (readonly [name: string, project?: string])[],
  live: object,
  error?: Error,
) {
  const queries: LiveQuery[] = [];
  const state = { resources: new Map() };
  const pass = {
    configuration: {
      desired: { organization: 'acme', resources: new Map() },
      aliases: { projects: new Map() },
    },
    live: { state, dialect: 'iac', whole: false, scopeWhole: false, ...live },
    difference: {
      changes: created.map(([name, project]) => ({
        kind: 'workspace',
        action: 'create',
        target: made([name, 'none', project === undefined ? {} : { project }]),
      })),
    },
    source: {
      read: async (query: LiveQuery) => {
        queries.push(query);
        if (error) throw error;
        return { state };
      },
    },
  };
  expect(await findings(lookAlikes, pass)).toEqual([]);
  return queries.map(({ organization, dialect, scopes }) => ({ organization, dialect, scopes }));
}

test('the workspaces beside created ones are read in one request, for at most five projects', async () => {
  const places = (project: string) =>
    (['1', '2', '3', '4', '5', '6'] as const).map((one) => `${project}-${one}`);
  const apart = places('prj').map((project) => [project, project] as const);
  const service = { organization: 'acme', dialect: 'iac' };
  const projects = places('prj')
    .slice(0, 5)
    .map((project) => ({ projects: [project] }));
  expect(await readFor([...apart, ['prj-1-b', 'prj-1']], {})).toEqual([{ ...service, scopes: projects }]);
});

test.each([
  ['all workspaces are read', [['app', 'prj-1']], { whole: true }],
  ['the project is read', [['app', 'prj-1']], { wholeProjects: ['prj-1'] }],
] as const)('no workspace is read beside created ones if %s', async (_, created, live) => {
  expect(await readFor(created, live)).toEqual([]);
});

test('a defect ends the check of names, and a refused read does not', async () => {
  const refused = new ServiceError({ method: 'GET', path: '/workspaces' }, 403, []);
  expect(await readFor([['app', 'prj-1']], {}, refused)).toHaveLength(1);
  await expect(readFor([['app', 'prj-1']], {}, new TypeError('no list'))).rejects.toThrow('no list');
});
