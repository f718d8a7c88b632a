import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { interfaceRoutes, serviceRoutes } from '../../src/emulator/service.ts';
import { endpoints } from '../../src/service/endpoints.ts';

/** The endpoints of the interface (section 4), and those of the live service's published interface beyond it. */
const published: Readonly<Record<'interface' | 'live', readonly string[]>> = JSON.parse(
  await readFile(new URL('./fixtures/published-routes.json', import.meta.url), 'utf8'),
);

/** Routes that the published interface lacks, with their reason. */
const unpublished: Readonly<Record<string, string>> = {
  'GET /account/details': 'plan reads the teams of the token',
  'GET /organizations/:/entitlement-set': 'the official Go client reads it first',
  'GET /organizations/:/tags':
    'the list that section 4.6 of the interface names; the official Go client reads it',
  'DELETE /organizations/:/tags': 'the tests of the official Go client send it',
  'POST /tags/:/relationships/workspaces': 'the tests of the official Go client send it',
  'GET /workspaces/:/tag-bindings': 'documented; the official Go client reads it',
  'PATCH /workspaces/:/tag-bindings': 'documented; plans and the official Go client send it',
  'GET /projects/:/tag-bindings': 'documented; the official Go client reads it',
  'PATCH /projects/:/tag-bindings': 'documented; plans and the official Go client send it',
  'GET /organizations/:/relationships/data-retention-policy': 'documented for self-hosted services',
  'POST /organizations/:/relationships/data-retention-policy': 'documented for self-hosted services',
  'PATCH /organizations/:/relationships/data-retention-policy': 'documented for self-hosted services',
  'DELETE /organizations/:/relationships/data-retention-policy': 'documented for self-hosted services',
  'POST /oauth-clients/:/relationships/projects': 'documented; the official Go client sends it',
  'DELETE /oauth-clients/:/relationships/projects': 'documented; the official Go client sends it',
};

/** Parameters have other names in each source. */
const nameless = ([method, path]: readonly [string, string, ...unknown[]]): string =>
  `${method} ${path.replaceAll(/:\w+/g, ':')}`;
const served = serviceRoutes('terraform').map(nameless);
const table = Object.values(endpoints).map(nameless);

it('the embedded service serves every endpoint of the interface, and every published one', () => {
  const missing = [...published.interface, ...published.live].filter((route) => !served.includes(route));
  expect(missing).toEqual([]);
});

it('the embedded service has no route that is not published, except those with a reason', () => {
  const known = [...published.interface, ...published.live];
  const extra = served.filter((route) => !known.includes(route));
  expect(extra.sort()).toEqual(Object.keys(unpublished).sort());
});

it('the routes of the interface are in both dialects, with the method that some services accept for POST', () => {
  const patched = 'PATCH /workspaces/:/relationships/data-retention-policy';
  expect(interfaceRoutes.map(nameless).sort()).toEqual([...published.interface, patched].sort());
});

it('the table of endpoints has every endpoint of the interface, each once, and only routes of the service', () => {
  expect(published.interface.filter((route) => !table.includes(route))).toEqual([]);
  expect(table.filter((route) => !served.includes(route))).toEqual([]);
  expect(table).toHaveLength(new Set(table).size);
});

const contract = new URL('contract/', import.meta.url);
const tables = (await readdir(contract)).map((name) => readFile(new URL(name, contract), 'utf8'));
const requests = (await Promise.all(tables)).flatMap((table) =>
  [...table.matchAll(/^(?:@\S+ )?([A-Z]+ \/[^\s?]*)/gm)].map(([, request = '']) => request),
);

it.each(serviceRoutes('terraform').map(([method, path]) => `${method} ${path}`))(
  'a contract table requests %s',
  (route) => {
    const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`);
    expect(requests.some((one) => pattern.test(one))).toBe(true);
  },
);
