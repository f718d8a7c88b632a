import { describe, expect, test } from 'vitest';
import type { WorkspaceSeed } from '../../src/emulator/index.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import { readLive } from '../../src/live/read-live.ts';
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

describe('up to three names', () => {
  test.each<Row>([
    {
      name: 'one is read straight away',
      workspaces: numbered(5),
      query: { names: ['w-002'] },
      requests: [single('w-002')],
      found: ['w-002'],
    },
    {
      name: 'three are, side by side',
      workspaces: numbered(5),
      query: { names: ['w-001', 'w-002', 'w-003'] },
      requests: [single('w-001'), single('w-002'), single('w-003')],
      found: ['w-001', 'w-002', 'w-003'],
    },
    {
      name: 'one of them that does not exist is not an error',
      workspaces: numbered(5),
      query: { names: ['w-001', 'new'] },
      requests: [single('w-001'), single('new')],
      found: ['w-001'],
    },
    {
      name: 'none of them there: the list distinguishes that from a wrong organization',
      workspaces: numbered(5),
      query: { names: ['new', 'newer'] },
      requests: [single('new'), single('newer'), `${list}?page[size]=1`],
    },
    {
      name: 'nothing there at all: everything is known',
      workspaces: {},
      query: { names: ['new'] },
      requests: ['GET /organizations/acme', single('new'), `${list}?page[size]=1`],
      whole: true,
    },
  ])('$name', check);
});

describe('four names and more', () => {
  test.each<Row>([
    {
      name: 'one page holds them all: one request',
      workspaces: numbered(100),
      query: { names: ['w-001', 'w-002', 'w-003', 'w-004'] },
      requests: [page(1)],
      found: ['w-001', 'w-004'],
      whole: true,
    },
    {
      name: 'all on the first of many pages: the others are not read',
      workspaces: numbered(250),
      query: { names: ['w-001', 'w-002', 'w-003', 'w-004'] },
      requests: [page(1)],
      found: ['w-001', 'w-004'],
    },
    {
      name: 'one left over and two pages more: by name',
      workspaces: numbered(250),
      query: { names: ['w-001', 'w-002', 'w-003', 'w-204'] },
      requests: [page(1), single('w-204')],
      found: ['w-204'],
    },
    {
      name: 'two left over and two pages more: the pages, which return more for the same',
      workspaces: numbered(250),
      query: { names: ['w-001', 'w-002', 'w-203', 'w-204'] },
      requests: [page(1), page(2), page(3)],
      found: ['w-203', 'w-204'],
      whole: true,
    },
    {
      name: 'four left over and four pages more: the pages',
      workspaces: numbered(450),
      query: { names: ['w-401', 'w-402', 'w-403', 'w-404', 'w-001'] },
      requests: [page(1), page(2), page(3), page(4), page(5)],
      found: ['w-401', 'w-404'],
      whole: true,
    },
    {
      name: 'new ones are asked for by name where that is fewer',
      workspaces: numbered(450),
      query: { names: ['new-1', 'new-2', 'new-3', 'w-001'] },
      requests: [page(1), single('new-1'), single('new-2'), single('new-3')],
      found: ['w-001'],
    },
  ])('$name', check);
});

describe('a selector needs every workspace', () => {
  test.each<Row>([
    {
      name: 'the whole list is read in pages, and no single',
      workspaces: numbered(201),
      query: { whole: true, names: ['w-001', 'new'] },
      requests: [page(1), page(2), page(3)],
      found: ['w-001', 'w-201'],
      whole: true,
    },
    {
      name: 'also where a scope would be narrower',
      workspaces: numbered(2),
      query: { whole: true, scope: { names: ['x-*'] } },
      requests: [page(1)],
      found: ['w-001'],
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
      name: 'of one project is one filtered list',
      workspaces: mixed,
      query: { scope: { projects: ['prj-2'] } },
      requests: [`${list}?filter[project][id]=prj-2&page[size]=100`],
      found: ['app-prod', 'app-dev'],
      scopeWhole: true,
    },
    {
      name: 'of tags is one list with all of them',
      workspaces: mixed,
      query: { scope: { tags: ['managed', 'prod'] } },
      requests: [`${list}?search[tags]=managed,prod&page[size]=100`],
      found: ['app-prod'],
      scopeWhole: true,
    },
    {
      name: 'of one name pattern is one list',
      workspaces: mixed,
      query: { scope: { names: ['app-*'] } },
      requests: [`${list}?search[wildcard-name]=app-*&page[size]=100`],
      found: ['app-prod', 'app-dev'],
      scopeWhole: true,
    },
    {
      name: 'of all three is one list with three filters',
      workspaces: mixed,
      query: { scope: { projects: ['prj-2'], tags: ['managed'], names: ['*-prod'] } },
      requests: [
        `${list}?filter[project][id]=prj-2&search[tags]=managed&search[wildcard-name]=*-prod&page[size]=100`,
      ],
      found: ['app-prod'],
      scopeWhole: true,
    },
    {
      name: 'of several pages is followed to its end',
      workspaces: mixed,
      query: { scope: { projects: ['prj-1'] } },
      requests: [
        `${list}?filter[project][id]=prj-1&page[size]=100`,
        `${list}?filter[project][id]=prj-1&page[number]=2&page[size]=100`,
      ],
      found: ['w-001', 'w-130'],
      scopeWhole: true,
    },
    {
      name: 'of two projects in an organization of two pages is the whole list',
      workspaces: mixed,
      query: { scope: { projects: ['prj-1', 'prj-2'] } },
      requests: [page(1), page(2)],
      found: ['app-prod', 'w-130'],
      whole: true,
    },
    {
      name: 'of two projects in an organization of many pages is a list each',
      workspaces: {
        ...numbered(400, { project: 'prj-3' }),
        a: { project: 'prj-1' },
        b: { project: 'prj-2' },
      },
      query: { scope: { projects: ['prj-1', 'prj-2'] } },
      requests: [
        page(1),
        `${list}?filter[project][id]=prj-1&page[size]=100`,
        `${list}?filter[project][id]=prj-2&page[size]=100`,
      ],
      found: ['a', 'b'],
      scopeWhole: true,
    },
    {
      name: 'without a matching filter is the whole list: a `*` in the middle',
      workspaces: mixed,
      query: { scope: { names: ['app-*-x'] } },
      requests: [page(1), page(2)],
      whole: true,
    },
    {
      name: 'without a matching filter is the whole list: a tag with a comma',
      workspaces: mixed,
      query: { scope: { tags: ['a,b'] } },
      requests: [page(1), page(2)],
      whole: true,
    },
    {
      name: 'without a matching filter is the whole list: a tag in capitals, which may be stored without',
      workspaces: mixed,
      query: { scope: { tags: ['Managed'] } },
      requests: [page(1), page(2)],
      whole: true,
    },
    {
      name: 'of everything is the whole list',
      workspaces: numbered(2),
      query: { scope: { names: ['*'] } },
      requests: [page(1)],
      whole: true,
    },
    {
      name: 'leaves declared names outside of it to be read by name',
      workspaces: mixed,
      query: { scope: { projects: ['prj-2'] }, names: ['w-001', 'app-prod'] },
      requests: [`${list}?filter[project][id]=prj-2&page[size]=100`, single('w-001')],
      found: ['w-001', 'app-prod', 'app-dev'],
      scopeWhole: true,
    },
    {
      name: 'never reads the first page of the whole list twice',
      workspaces: {
        ...numbered(400, { project: 'prj-3' }),
        a: { project: 'prj-1' },
        b: { project: 'prj-2' },
      },
      query: {
        scope: { projects: ['prj-1', 'prj-2'] },
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
  ])('$name', check);
});

test('a read that fails fails the whole reading', async () => {
  const { client, service } = await liveService({ seed: { workspaces: numbered(350) } });
  service.setFaults([{ kind: 'status', status: 403, path: '*?page[number]=3&*' }]);
  await expect(readLive(client, queryFor({ whole: true }))).rejects.toThrow(
    'GET /organizations/acme/workspaces?page[number]=3&page[size]=100 answered 403',
  );
});

test('a wrong organization is reported, and not taken for an empty one', async () => {
  const { client, service } = await liveService({ seed: { workspaces: {} } });
  const reading = readLive(client, { ...queryFor({ names: ['app'] }), organization: 'acne' });
  await expect(reading).rejects.toMatchObject({
    message:
      'GET /organizations/acne/workspaces?page[size]=1 answered 404: not found, or this token may not see it',
    hint: `check the name of the organization, and that the token for ${new URL(service.url).host} belongs to it`,
  });
});
