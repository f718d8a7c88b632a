import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { WorkspaceSeed } from '../../src/emulator/index.ts';
import type { LiveQuery } from '../../src/live/live-query.ts';
import { readLive } from '../../src/live/read-live.ts';
import { createCapabilities } from '../../src/service/capabilities.ts';
import type { Document } from '../../src/service/documents.ts';
import { rowsIn } from '../support/rows.ts';
import { liveService, numbered, queryFor } from './live-service.ts';

const list = 'GET /organizations/acme/workspaces';
const single = (name: string) => `GET /organizations/acme/workspaces/${name}`;
const page = (number: number) =>
  number === 1 ? `${list}?page[size]=100` : `${list}?page[number]=${number}&page[size]=100`;

const projectsOf = (rest: Readonly<Record<string, WorkspaceSeed>>, count: number, project: string) => ({
  ...numbered(count, { project }),
  ...rest,
});
const inTwo = { project: 'prj-2' };
const apps = { 'app-1': inTwo, 'app-2': inTwo, 'app-3': inTwo, 'app-4': inTwo };

/** Organizations by name; a number is one of so many workspaces. */
const organizations: Readonly<Record<string, Readonly<Record<string, WorkspaceSeed>>>> = {
  apart: projectsOf(apps, 330, 'prj-1'),
  'one more': projectsOf({ b: inTwo }, 101, 'prj-1'),
  many: projectsOf({ a: { project: 'prj-1' }, b: inTwo }, 400, 'prj-3'),
  mixed: projectsOf(
    { 'app-prod': { ...inTwo, tags: ['managed', 'prod'] }, 'app-dev': { ...inTwo, tags: ['managed'] } },
    130,
    'prj-1',
  ),
};

/** A number is a page of the whole list, a query one of a filtered list, and a name that of one workspace. */
function requestOf(request: string | number): string {
  if (typeof request === 'number') return page(request);
  if (request.startsWith('GET ')) return request;
  if (!request.startsWith('?')) return single(request);
  return `${list}${request}${request.includes('page[size]') ? '' : '&page[size]=100'}`;
}

/** What is read in full: `whole` is the organization, and `scope` the scope alone. */
type Row = [
  name: string,
  workspaces: string | number,
  query: Partial<LiveQuery>,
  requests: readonly (string | number)[],
  found: readonly string[],
  inFull?: 'whole' | 'scope',
];

async function check(...[, workspaces, query, requests, found, inFull]: Row): Promise<void> {
  const seeded = typeof workspaces === 'number' ? numbered(workspaces) : (organizations[workspaces] ?? {});
  const service = await liveService({
    seed: { projects: { One: 'prj-1', Two: 'prj-2', Three: 'prj-3' }, workspaces: seeded },
  });
  const live = await readLive(service.client, queryFor(query));
  expect(service.requests()).toEqual(requests.map(requestOf).sort());
  const names = [...live.state.resources.values()].map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([...found]));
  expect([live.whole, live.scopeWhole]).toEqual([inFull === 'whole', inFull !== undefined]);
}

test.each(rowsIn<Row>`
- [one request for a single name, 5, {names: [w-002]}, [w-002], [w-002]]
- [three concurrent requests for three names, 5, {names: [w-001, w-002, w-003]}, [w-001, w-002, w-003], [w-001, w-002, w-003]]
- [a name that does not exist is not an error, 5, {names: [w-001, new]}, [w-001, new], [w-001]]
- ['the list too if no name exists, to detect a wrong organization', 5, {names: [new, newer]}, [new, newer, '?page[size]=1'], []]
- [the empty list if no workspace exists, 0, {names: [new]}, [GET /organizations/acme, new, '?page[size]=1'], [], whole]
`)('up to three names: %s', check);

test.each(rowsIn<Row>`
- [one request if one page has them all, 100, {names: [w-001, w-002, w-003, w-004]}, [1], [w-001, w-004], whole]
- [only the first page if it has all names, 250, {names: [w-001, w-002, w-003, w-004]}, [1], [w-001, w-004]]
- [one missing name by name if two more pages exist, 250, {names: [w-001, w-002, w-003, w-204]}, [1, w-204], [w-204]]
- ['two more pages if two names are missing, because pages return more', 250, {names: [w-001, w-002, w-203, w-204]}, [1, 2, 3], [w-203, w-204], whole]
- [four more pages if four names are missing, 450, {names: [w-401, w-402, w-403, w-404, w-001]}, [1, 2, 3, 4, 5], [w-401, w-404], whole]
- [new names by name if that takes fewer requests, 450, {names: [new-1, new-2, new-3, w-001]}, [1, new-1, new-2, new-3], [w-001]]
`)('a query of four names and more reads this: %s', check);

test.each(rowsIn<Row>`
- ['the whole list is read in pages, without single requests', 201, {whole: true, names: [w-001, new]}, [1, 2, 3], [w-001, w-201], whole]
- [the whole list is read even if a scope is narrower, 2, {whole: true, scopes: [{names: [x-*]}]}, [1], [w-001], whole]
`)('a selector needs every workspace: %s', check);

test.each(rowsIn<Row>`
- [the filtered list instead of the other pages, apart, {names: [app-1, app-2, app-3, app-4], within: {projects: [prj-2]}}, [1, '?filter[project][id]=prj-2'], [app-1, app-2, app-3, app-4], scope]
- [single names outside of the filtered list, apart, {names: [app-1, app-2, app-3, app-4, w-001, w-330, new], within: {projects: [prj-2]}}, [1, '?filter[project][id]=prj-2', w-330, new], [app-1, app-2, app-3, app-4, w-001, w-330], scope]
- [the other pages where the filtered list is not shorter, apart, {names: [w-101, w-201, w-301, w-001], within: {projects: [prj-1]}}, [1, '?filter[project][id]=prj-1', 2, 3, 4], [w-101, w-201, w-301, w-001], whole]
- [the second page instead of a filtered list, one more, {names: [b, x, y, z], within: {projects: [prj-2]}}, [1, 2], [b], whole]
- [the whole list where the scope needs several lists, apart, {names: [app-1, app-2, app-3, app-4], within: {projects: [prj-2, prj-3]}}, [1, 2, 3, 4], [app-1, app-2, app-3, app-4], whole]
`)('more than three names of a scope that is not read need this: %s', check);

test.each(rowsIn<Row>`
- [one project with one filtered list, mixed, {scopes: [{projects: [prj-2]}]}, ['?filter[project][id]=prj-2'], [app-prod, app-dev], scope]
- [tags with one list that has all of them, mixed, {scopes: [{tags: [managed, prod]}]}, ['?search[tags]=managed,prod'], [app-prod], scope]
- [one name pattern with one list, mixed, {scopes: [{names: [app-*]}]}, ['?search[wildcard-name]=app-*'], [app-prod, app-dev], scope]
- [all three with one list that has three filters, mixed, {scopes: [{projects: [prj-2], tags: [managed], names: ['*-prod']}]}, ['?filter[project][id]=prj-2&search[tags]=managed&search[wildcard-name]=*-prod'], [app-prod], scope]
- [a list of several pages to its end, mixed, {scopes: [{projects: [prj-1]}]}, ['?filter[project][id]=prj-1', '?filter[project][id]=prj-1&page[number]=2'], [w-001, w-130], scope]
- [two projects in an organization of two pages with the whole list, mixed, {scopes: [{projects: [prj-1, prj-2]}]}, [1, 2], [app-prod, w-130], whole]
- [two projects in an organization of many pages with a list each, many, {scopes: [{projects: [prj-1, prj-2]}]}, [1, '?filter[project][id]=prj-1', '?filter[project][id]=prj-2'], [a, b], scope]
- ['a \`*\` in the middle, which has no filter, with the whole list', mixed, {scopes: [{names: [app-*-x]}]}, [1, 2], [], whole]
- ['a tag with a comma, which has no filter, with the whole list', mixed, {scopes: [{tags: ['a,b']}]}, [1, 2], [], whole]
- ['a tag in capitals, which may be stored without, with the whole list', mixed, {scopes: [{tags: [Managed]}]}, [1, 2], [], whole]
- [a scope of everything with the whole list, 2, {scopes: [{names: ['*']}]}, [1], [], whole]
- [declared names outside of the scope by name, mixed, {scopes: [{projects: [prj-2]}], names: [w-001, app-prod]}, ['?filter[project][id]=prj-2', w-001], [w-001, app-prod, app-dev], scope]
- [the first page of the whole list only once, many, {scopes: [{projects: [prj-1, prj-2]}], names: [a, b, new-1, new-2, new-3, w-398]}, [1, '?filter[project][id]=prj-1', '?filter[project][id]=prj-2', 2, 3, 4, 5], [a, b, w-398], whole]
`)('the workspaces of a scope are read: %s', check);

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
