import { expect, it } from 'vitest';
import { createRouter } from '../../src/emulator/http/handle-request.ts';
import { noContent } from '../../src/emulator/http/responses.ts';
import { serviceRoutes } from '../../src/emulator/service.ts';

const route = createRouter([
  ['GET', '/things', () => noContent],
  ['GET', '/things/:id', () => noContent],
  ['GET', '/things/:id/parts/:part', () => noContent],
]);

it.each([
  ['/things', {}],
  ['/things/a', { id: 'a' }],
  ['/things/a%20b', { id: 'a b' }],
  ['/things/a/parts/b', { id: 'a', part: 'b' }],
  ['/things/things/parts/parts', { id: 'things', part: 'parts' }],
])('the router finds %s with its parts', (path, params) => {
  expect(route('GET', path)?.params).toEqual(params);
});

it.each([
  '',
  '/',
  '/thing',
  '/things/',
  '/things/a/parts',
  '/things/a/parts/b/c',
  '/things/%',
  '/things//parts/b',
])('the router does not find %j', (path) => expect(route('GET', path)).toBeUndefined());

it('the router does not find a method that the path does not have', () => {
  expect(route('POST', '/things')).toBeUndefined();
});

it.each(['iac', 'terraform'] as const)(
  'the router finds every route of the %s dialect under its own path',
  (dialect) => {
    const routes = serviceRoutes(dialect);
    const find = createRouter(routes);
    for (const [method, path, handler] of routes)
      expect(find(method, path.replaceAll(':', 'x'))?.handler, `${method} ${path}`).toBe(handler);
  },
);
