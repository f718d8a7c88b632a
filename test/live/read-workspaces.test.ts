import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { WorkspaceSeed } from '../../src/emulator/index.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import { readLive } from '../../src/live/read-live.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';
import type { Document } from '../../src/service/documents.ts';
import { liveService, numbered, queryFor } from './live-service.ts';

const list = 'GET /organizations/acme/workspaces';
const single = (name: string) => `GET /organizations/acme/workspaces/${name}`;
const page = (number: number) =>
  number === 1 ? `${list}?page[size]=100` : `${list}?page[number]=${number}&page[size]=100`;

interface Row {
  readonly name: string;
  readonly workspaces: Readonly<Record<string, WorkspaceSeed>>;
  readonly query: Partial<LiveQuery>;
  readonly requests: readonly string[];
  /** Names that have to be among what was read. */
  readonly found?: readonly string[];
  readonly whole?: boolean;
  readonly scopeWhole?: boolean;
}

async function check({ workspaces, query, requests, found, whole, scopeWhole }: Row): Promise<void> {
  const service = await liveService({
    seed: { projects: { One: 'prj-1', Two: 'prj-2', Three: 'prj-3' }, workspaces },
  });
  const live = await readLive(service.client, queryFor(query));
  expect(service.requests()).toEqual([...requests].sort());
  const names = [...live.state.resources.values()].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...(found ?? [])]));
  expect(live.whole).toBe(whole ?? false);
  expect(live.scopeWhole).toBe(scopeWhole ?? whole ?? false);
}

test.each<Row>([
  {
    name: 'one request for a single name',
    workspaces: numbered(5),
    query: { names: ['w-002'] },
    requests: [single('w-002')],
    found: ['w-002'],
  },
  {
    name: 'three concurrent requests for three names',
    workspaces: numbered(5),
    query: { names: ['w-001', 'w-002', 'w-003'] },
    requests: [single('w-001'), single('w-002'), single('w-003')],
    found: ['w-001', 'w-002', 'w-003'],
  },
  {
    name: 'a name that does not exist is not an error',
    workspaces: numbered(5),
    query: { names: ['w-001', 'new'] },
    requests: [single('w-001'), single('new')],
    found: ['w-001'],
  },
  {
    name: 'the list too if no name exists, to detect a wrong organization',
    workspaces: numbered(5),
    query: { names: ['new', 'newer'] },
    requests: [single('new'), single('newer'), `${list}?page[size]=1`],
  },
  {
    name: 'the empty list if no workspace exists',
    workspaces: {},
    query: { names: ['new'] },
    requests: ['GET /organizations/acme', single('new'), `${list}?page[size]=1`],
    whole: true,
  },
])('up to three names: $name', check);

test.each<Row>([
  {
    name: 'one request if one page has them all',
    workspaces: numbered(100),
    query: { names: ['w-001', 'w-002', 'w-003', 'w-004'] },
    requests: [page(1)],
    found: ['w-001', 'w-004'],
    whole: true,
  },
  {
    name: 'only the first page if it has all names',
    workspaces: numbered(250),
    query: { names: ['w-001', 'w-002', 'w-003', 'w-004'] },
    requests: [page(1)],
    found: ['w-001', 'w-004'],
  },
  {
    name: 'one missing name by name if two more pages exist',
    workspaces: numbered(250),
    query: { names: ['w-001', 'w-002', 'w-003', 'w-204'] },
    requests: [page(1), single('w-204')],
    found: ['w-204'],
  },
  {
    name: 'two more pages if two names are missing, because pages return more',
    workspaces: numbered(250),
    query: { names: ['w-001', 'w-002', 'w-203', 'w-204'] },
    requests: [page(1), page(2), page(3)],
    found: ['w-203', 'w-204'],
    whole: true,
  },
  {
    name: 'four more pages if four names are missing',
    workspaces: numbered(450),
    query: { names: ['w-401', 'w-402', 'w-403', 'w-404', 'w-001'] },
    requests: [page(1), page(2), page(3), page(4), page(5)],
    found: ['w-401', 'w-404'],
    whole: true,
  },
  {
    name: 'new names by name if that takes fewer requests',
    workspaces: numbered(450),
    query: { names: ['new-1', 'new-2', 'new-3', 'w-001'] },
    requests: [page(1), single('new-1'), single('new-2'), single('new-3')],
    found: ['w-001'],
  },
])('a query of four names and more reads this: $name', check);

test.each<Row>([
  {
    name: 'the whole list is read in pages, without single requests',
    workspaces: numbered(201),
    query: { whole: true, names: ['w-001', 'new'] },
    requests: [page(1), page(2), page(3)],
    found: ['w-001', 'w-201'],
    whole: true,
  },
  {
    name: 'the whole list is read even if a scope is narrower',
    workspaces: numbered(2),
    query: { whole: true, scopes: [{ names: ['x-*'] }] },
    requests: [page(1)],
    found: ['w-001'],
    whole: true,
  },
])('a selector needs every workspace: $name', check);

describe('more than three names of a scope that is not read', () => {
  const names = ['app-1', 'app-2', 'app-3', 'app-4'];
  const mixed = {
    ...numbered(330, { project: 'prj-1' }),
    ...Object.fromEntries(names.map((name) => [name, { project: 'prj-2' }])),
  };
  const filtered = (project: string) => `${list}?filter[project][id]=${project}&page[size]=100`;

  test.each<Row>([
    {
      name: 'the filtered list instead of the other pages',
      workspaces: mixed,
      query: { names, within: { projects: ['prj-2'] } },
      requests: [page(1), filtered('prj-2')],
      found: names,
      scopeWhole: true,
    },
    {
      name: 'single names outside of the filtered list',
      workspaces: mixed,
      query: { names: [...names, 'w-001', 'w-330', 'new'], within: { projects: ['prj-2'] } },
      requests: [page(1), filtered('prj-2'), single('w-330'), single('new')],
      found: [...names, 'w-001', 'w-330'],
      scopeWhole: true,
    },
    {
      name: 'the other pages where the filtered list is not shorter',
      workspaces: mixed,
      query: { names: ['w-101', 'w-201', 'w-301', 'w-001'], within: { projects: ['prj-1'] } },
      requests: [page(1), filtered('prj-1'), page(2), page(3), page(4)],
      found: ['w-101', 'w-201', 'w-301', 'w-001'],
      whole: true,
    },
    {
      name: 'the second page instead of a filtered list',
      workspaces: { ...numbered(101, { project: 'prj-1' }), b: { project: 'prj-2' } },
      query: { names: ['b', 'x', 'y', 'z'], within: { projects: ['prj-2'] } },
      requests: [page(1), page(2)],
      found: ['b'],
      whole: true,
    },
    {
      name: 'the whole list where the scope needs several lists',
      workspaces: mixed,
      query: { names, within: { projects: ['prj-2', 'prj-3'] } },
      requests: [page(1), page(2), page(3), page(4)],
      found: names,
      whole: true,
    },
  ])('$name', check);
});

describe('a scope', () => {
  const mixed = {
    ...numbered(130, { project: 'prj-1' }),
    'app-prod': { project: 'prj-2', tags: ['managed', 'prod'] },
    'app-dev': { project: 'prj-2', tags: ['managed'] },
  };

  test.each<Row>([
    {
      name: 'one project with one filtered list',
      workspaces: mixed,
      query: { scopes: [{ projects: ['prj-2'] }] },
      requests: [`${list}?filter[project][id]=prj-2&page[size]=100`],
      found: ['app-prod', 'app-dev'],
      scopeWhole: true,
    },
    {
      name: 'tags with one list that has all of them',
      workspaces: mixed,
      query: { scopes: [{ tags: ['managed', 'prod'] }] },
      requests: [`${list}?search[tags]=managed,prod&page[size]=100`],
      found: ['app-prod'],
      scopeWhole: true,
    },
    {
      name: 'one name pattern with one list',
      workspaces: mixed,
      query: { scopes: [{ names: ['app-*'] }] },
      requests: [`${list}?search[wildcard-name]=app-*&page[size]=100`],
      found: ['app-prod', 'app-dev'],
      scopeWhole: true,
    },
    {
      name: 'all three with one list that has three filters',
      workspaces: mixed,
      query: { scopes: [{ projects: ['prj-2'], tags: ['managed'], names: ['*-prod'] }] },
      requests: [
        `${list}?filter[project][id]=prj-2&search[tags]=managed&search[wildcard-name]=*-prod&page[size]=100`,
      ],
      found: ['app-prod'],
      scopeWhole: true,
    },
    {
      name: 'a list of several pages to its end',
      workspaces: mixed,
      query: { scopes: [{ projects: ['prj-1'] }] },
      requests: [
        `${list}?filter[project][id]=prj-1&page[size]=100`,
        `${list}?filter[project][id]=prj-1&page[number]=2&page[size]=100`,
      ],
      found: ['w-001', 'w-130'],
      scopeWhole: true,
    },
    {
      name: 'two projects in an organization of two pages with the whole list',
      workspaces: mixed,
      query: { scopes: [{ projects: ['prj-1', 'prj-2'] }] },
      requests: [page(1), page(2)],
      found: ['app-prod', 'w-130'],
      whole: true,
    },
    {
      name: 'two projects in an organization of many pages with a list each',
      workspaces: {
        ...numbered(400, { project: 'prj-3' }),
        a: { project: 'prj-1' },
        b: { project: 'prj-2' },
      },
      query: { scopes: [{ projects: ['prj-1', 'prj-2'] }] },
      requests: [
        page(1),
        `${list}?filter[project][id]=prj-1&page[size]=100`,
        `${list}?filter[project][id]=prj-2&page[size]=100`,
      ],
      found: ['a', 'b'],
      scopeWhole: true,
    },
    {
      name: 'a `*` in the middle, which has no filter, with the whole list',
      workspaces: mixed,
      query: { scopes: [{ names: ['app-*-x'] }] },
      requests: [page(1), page(2)],
      whole: true,
    },
    {
      name: 'a tag with a comma, which has no filter, with the whole list',
      workspaces: mixed,
      query: { scopes: [{ tags: ['a,b'] }] },
      requests: [page(1), page(2)],
      whole: true,
    },
    {
      name: 'a tag in capitals, which may be stored without, with the whole list',
      workspaces: mixed,
      query: { scopes: [{ tags: ['Managed'] }] },
      requests: [page(1), page(2)],
      whole: true,
    },
    {
      name: 'a scope of everything with the whole list',
      workspaces: numbered(2),
      query: { scopes: [{ names: ['*'] }] },
      requests: [page(1)],
      whole: true,
    },
    {
      name: 'declared names outside of the scope by name',
      workspaces: mixed,
      query: { scopes: [{ projects: ['prj-2'] }], names: ['w-001', 'app-prod'] },
      requests: [`${list}?filter[project][id]=prj-2&page[size]=100`, single('w-001')],
      found: ['w-001', 'app-prod', 'app-dev'],
      scopeWhole: true,
    },
    {
      name: 'the first page of the whole list only once',
      workspaces: {
        ...numbered(400, { project: 'prj-3' }),
        a: { project: 'prj-1' },
        b: { project: 'prj-2' },
      },
      query: {
        scopes: [{ projects: ['prj-1', 'prj-2'] }],
        names: ['a', 'b', 'new-1', 'new-2', 'new-3', 'w-398'],
      },
      requests: [
        page(1),
        `${list}?filter[project][id]=prj-1&page[size]=100`,
        `${list}?filter[project][id]=prj-2&page[size]=100`,
        page(2),
        page(3),
        page(4),
        page(5),
      ],
      found: ['a', 'b', 'w-398'],
      whole: true,
    },
  ])('the workspaces of a scope are read: $name', check);
});

test('one failing read fails the whole reading', async () => {
  const { client, service } = await liveService({ seed: { workspaces: numbered(350) } });
  service.setFaults([{ kind: 'status', status: 403, path: '*?page[number]=3&*' }]);
  await expect(readLive(client, queryFor({ whole: true }))).rejects.toThrow(
    'GET /organizations/acme/workspaces?page[number]=3&page[size]=100 answered 403',
  );
});

test('an unknown organization is reported, and not read as an empty one', async () => {
  const { client, service } = await liveService({ seed: { workspaces: {} } });
  const reading = readLive(client, { ...queryFor({ names: ['app'] }), organization: 'acne' });
  await expect(reading).rejects.toMatchObject({
    message:
      'GET /organizations/acne/workspaces?page[size]=1 answered 404: not found, or this token may not see it',
    hint: `check the name of the organization, and that the token for ${new URL(service.url).host} belongs to it`,
  });
});

test('at most 16 lists of workspaces are read at a time, and the grants of other organizations meanwhile', async () => {
  const lists = new Map<string, (document: Document) => void>();
  const grants: string[] = [];
  const readerOf = (organization: string) => ({
    capabilities: createCapabilities(),
    get(path: string): Promise<Document> {
      if (path.endsWith('/workspaces')) return new Promise((resolve) => lists.set(organization, resolve));
      if (path === '/team-projects') grants.push(organization);
      return Promise.resolve({ data: [] });
    },
  });
  const organizations = Array.from({ length: 20 }, (_, index) => `acme-${index}`);
  const reading = Promise.all(
    organizations.map((organization) =>
      readLive(
        readerOf(organization),
        queryFor({ organization, whole: true, projects: ['prj-1'], dialect: 'iac' }),
      ),
    ),
  );
  await turn();
  expect([...lists.keys()]).toEqual(organizations.slice(0, 16));
  expect(grants).toEqual(organizations);
  for (const answer of lists.values()) answer({ data: [] });
  await turn();
  expect([...lists.keys()]).toEqual(organizations);
  for (const answer of lists.values()) answer({ data: [] });
  expect((await reading).every(({ whole }) => whole)).toBe(true);
});
