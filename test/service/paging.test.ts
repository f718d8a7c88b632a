import { expect, test } from 'vitest';
import { createCapabilities } from '../../src/service/capabilities.ts';
import type { Query, ServiceReader } from '../../src/service/client.ts';
import type { Document } from '../../src/service/documents.ts';
import { readList, readListAs, readPage } from '../../src/service/paging.ts';
import { rowsIn } from '../support/rows.ts';
import { rejection } from './nocked-client.ts';

const list = { path: '/organizations/acme/workspaces' };
const ids = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ id: `ws-${from + index}`, type: 'workspaces' }));

/** A reader that notes which pages are asked for, and gives the configured answers. */
function readerOf(answer: (number: number, size: number, request: number) => unknown) {
  const asked: Query[] = [];
  const reader: ServiceReader = {
    capabilities: createCapabilities(),
    get: async (_path, query = {}) => {
      asked.push(query);
      return answer(
        Number(query['page[number]'] ?? 1),
        Number(query['page[size]']),
        asked.length,
      ) as Document;
    },
  };
  return { reader, asked, pages: () => asked.map((query) => Number(query['page[number]'] ?? 1)) };
}

/** A service with so many workspaces, that gives no more than so many at a time. */
function serviceOf(count: number, largest = 100) {
  return readerOf((number, asked) => {
    const size = Math.min(asked, largest);
    const pages = Math.max(Math.ceil(count / size), 1);
    return {
      data: ids((number - 1) * size + 1, Math.min(number * size, count)),
      meta: {
        pagination: {
          'current-page': number,
          'page-size': size,
          'next-page': number < pages ? number + 1 : null,
          'total-pages': pages,
          'total-count': count,
        },
      },
    };
  });
}

test.each([
  { name: 'an empty one with one request', count: 0, largest: 100, pages: [1] },
  { name: 'a full page with one request', count: 100, largest: 100, pages: [1] },
  { name: 'one entry more with two', count: 101, largest: 100, pages: [1, 2] },
  { name: 'by the totals of a service that gives 20 at a time', count: 55, largest: 20, pages: [1, 2, 3] },
  { name: 'by totals of one entry per page', count: 3, largest: 1, pages: [1, 2, 3] },
])('a list is read to its end: $name', async ({ count, largest, pages }) => {
  const { reader, asked, ...service } = serviceOf(count, largest);
  expect((await readList(reader, list)).map(({ id }) => id)).toEqual(ids(1, count).map(({ id }) => id));
  expect(service.pages()).toEqual(pages);
  expect(new Set(asked.map((query) => query['page[size]']))).toEqual(new Set([100]));
});

test('a list is read with its filter on every page', async () => {
  const { reader, asked } = serviceOf(250);
  await readList(reader, { ...list, query: { 'search[tags]': 'prod' } });
  expect(asked).toEqual([
    { 'search[tags]': 'prod', 'page[size]': 100 },
    { 'search[tags]': 'prod', 'page[number]': 2, 'page[size]': 100 },
    { 'search[tags]': 'prod', 'page[number]': 3, 'page[size]': 100 },
  ]);
});

test('a list is read without a second request of a known first page', async () => {
  const { reader, pages } = serviceOf(250);
  const first = await readPage(reader, list);
  expect(await readListAs(reader, list, ({ id }) => id, first)).toHaveLength(250);
  expect(pages()).toEqual([1, 2, 3]);
});

test.each([
  ['if the totals are missing', [2, 2, 2]],
  ['up to an empty last page', [2, 0]],
])('a list is read by next-page %s', async (_, counts) => {
  const { reader, pages } = readerOf((number) => ({
    data: ids(number * 10, number * 10 + (counts[number - 1] ?? 0) - 1),
    meta: { pagination: { 'next-page': number < counts.length ? number + 1 : null } },
  }));
  const expected = counts.flatMap((count, index) => ids(index * 10 + 10, index * 10 + 9 + count));
  expect((await readList(reader, list)).map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  expect(pages()).toEqual(counts.map((_count, index) => index + 1));
});

test('a list without totals is read by the link to the next page', async () => {
  const { reader, pages } = readerOf((number) => ({
    data: ids(number * 10, number * 10 + 1),
    links: { next: number < 3 ? `https://iac.example.com/list?page%5Bnumber%5D=${number + 1}` : null },
  }));
  expect(await readList(reader, list)).toHaveLength(6);
  expect(pages()).toEqual([1, 2, 3]);
});

test.each([
  { name: 'no meta', rest: {} },
  { name: 'meta without pagination', rest: { meta: { 'status-counts': {} } } },
  { name: 'empty pagination', rest: { meta: { pagination: {} } } },
  { name: 'meta that is null', rest: { meta: null } },
])('a list with $name is read as one page', async ({ rest }) => {
  const { reader, pages } = readerOf(() => ({ data: ids(1, 3), ...rest }));
  expect(await readList(reader, list)).toHaveLength(3);
  expect(pages()).toEqual([1]);
});

const page = (data: unknown, total: number, pages: number, next: number | null = null) => ({
  data,
  meta: { pagination: { 'total-count': total, 'total-pages': pages, 'next-page': next } },
});

const workspace = (id: string, name: string) => ({ id, type: 'workspaces', attributes: { name } });
const grant = (id: string, team: string, project = 'prj-1') => ({
  id,
  type: 'team-projects',
  attributes: { access: 'read' },
  relationships: { team: { data: { id: team } }, project: { data: { id: project } } },
});

/** The answers to the requests one after the other, the pages that are asked for, and the entries at the end. */
test.each([
  // First reading: page 1 of 2, then one goes and everything moves up.
  [
    'after a deletion between two pages',
    [page(ids(1, 2), 3, 2, 2), page([], 2, 1), page(ids(2, 3), 2, 1)],
    [1, 2, 1],
    ids(2, 3),
  ],
  [
    'if a create moves an item to two pages',
    [page(ids(1, 2), 3, 2, 2), page(ids(2, 2), 3, 2), page(ids(0, 1), 4, 2, 2), page(ids(2, 3), 4, 2)],
    [1, 2, 1, 2],
    ids(0, 3),
  ],
  [
    'if a workspace was recreated and its name is on two pages',
    ['app', 'app', 'app-1', 'app-2'].map((name, index) =>
      page([workspace(`ws-${(index % 2) + 1}`, name)], 2, 2, index % 2 ? null : 2),
    ),
    [1, 2, 1, 2],
    [workspace('ws-1', 'app-1'), workspace('ws-2', 'app-2')],
  ],
])('a list that shifts while it is read is read again %s', async (_, answers, asked, entries) => {
  const { reader, pages } = readerOf((_number, _size, request) => answers[request - 1]);
  expect(await readList(reader, list)).toMatchObject(entries);
  expect(pages()).toEqual(asked);
});

test.each([
  [
    'grants of one team to several projects',
    [grant('t-1', 'team-1'), grant('t-2', 'team-2'), grant('t-3', 'team-1', 'prj-2')],
  ],
  ['other things of one name', ['x-1', 'x-2'].map((id) => ({ ...workspace(id, 'deploy'), type: 'keys' }))],
  ['workspaces without names', ids(1, 3)],
])('a list is not read again for %s', async (_, data) => {
  const { reader, pages } = readerOf(() => page(data, data.length, 1));
  expect(await readList(reader, list)).toHaveLength(data.length);
  expect(pages()).toEqual([1]);
});

test.each([
  ['a name twice', page([workspace('ws-1', 'a'), workspace('ws-2', 'a')], 2, 1)],
  ['a team twice', page([grant('tprj-1', 'team-1'), grant('tprj-2', 'team-1')], 2, 1)],
  ['totals that do not add up', page(ids(1, 2), 3, 1)],
  ['the same entry twice', page([...ids(1, 1), ...ids(1, 1)], 2, 1)],
  ['totals that end before the list does', page(ids(1, 2), 2, 1, 2)],
  ['the same page whatever is asked for', page(ids(1, 2), 4, 2, 2)],
])('a list that shifts while it is read fails after the third time: %s', async (_, answer) => {
  const { reader, pages } = readerOf(() => answer);
  const error = await rejection(readList(reader, list));
  expect(pages().filter((number) => number === 1)).toHaveLength(3);
  expect(error).toMatchObject({ code: 'no-usable-answer' });
  expect(error.message).toBe(
    'GET /organizations/acme/workspaces: the list changed each of the 3 times it was read',
  );
  expect(error.hint).toBe('run again when no other client creates or deletes entries of the list');
});

// The next page that the first answer names, and the second one.
test.each<{ name: string; next: readonly number[]; data?: readonly unknown[] }>([
  { name: 'a next page that is the same one', next: [1] },
  { name: 'a next page that is an earlier one', next: [5, 3] },
  { name: 'empty pages that promise more', next: [2, 3], data: [] },
  { name: 'the same page for ever', next: [2, 3] },
])('a list without end is refused: $name', async ({ next, data }) => {
  const { reader, pages } = readerOf((_number, _size, request) => ({
    data: data ?? ids(1, 2),
    meta: { pagination: { 'next-page': next[request - 1] } },
  }));
  const error = await rejection(readList(reader, list));
  expect(error.message).toBe(
    'GET /organizations/acme/workspaces: the service announces more pages than the list can have',
  );
  expect(pages()).toHaveLength(next.length);
});

test('a list with more entries than its pages can have is refused with the first answer', async () => {
  const pagination = { 'total-count': 500, 'total-pages': 5 };
  const { reader, pages } = readerOf(() => ({ data: ids(1, 20), meta: { pagination } }));
  expect((await rejection(readList(reader, list))).message).toBe(
    'GET /organizations/acme/workspaces: the response is not usable: more entries than its pages can have',
  );
  expect(pages()).toEqual([1]);
});

test.each([
  { name: 'more pages than entries', totals: { 'total-count': 2, 'total-pages': 3 } },
  { name: 'more pages than any organization has', totals: { 'total-pages': 10_001 } },
  { name: 'a million of them', totals: { 'total-count': 5_000_000, 'total-pages': 1_000_000 } },
])('a list without end is refused with the first answer: $name', async ({ totals }) => {
  const { reader, pages } = readerOf(() => ({ data: ids(1, 2), meta: { pagination: totals } }));
  const error = await rejection(readList(reader, list));
  expect(error.message).toBe(
    'GET /organizations/acme/workspaces: the service announces more pages than the list can have',
  );
  expect(pages()).toEqual([1]);
});

test.each(rowsIn<{ name: string; answer: Record<string, unknown>; what: string }>`
- {name: no data, answer: {}, what: no list}
- {name: one resource, answer: {data: {id: ws-1}}, what: no list}
- {name: 'null', answer: {data: null}, what: no list}
- {name: an entry without an id, answer: {data: [{type: workspaces}]}, what: an entry without a usable id}
- {name: an entry with an empty id, answer: {data: [{id: ''}]}, what: an entry without a usable id}
- {name: an entry whose id a plan file could not hold, answer: {data: [{id: ws-1.2, type: workspaces}]}, what: an entry without a usable id}
- {name: an entry that is a text, answer: {data: [ws-1]}, what: an entry without a usable id}
- {name: a total that is a text, answer: {data: [], meta: {pagination: {total-count: '3'}}}, what: totals that are not numbers}
- {name: a negative total, answer: {data: [], meta: {pagination: {total-pages: -1}}}, what: totals that are not numbers}
- {name: a fraction of a page, answer: {data: [], meta: {pagination: {next-page: 1.5}}}, what: totals that are not numbers}
`)('a response that is not a list is refused: $name', async ({ answer, what }) => {
  const { reader } = readerOf(() => answer);
  const error = await rejection(readList(reader, list));
  expect(error.message).toBe(`GET /organizations/acme/workspaces: the response is not usable: ${what}`);
  expect(error.hint).toBe('check that the address is the service itself');
});
