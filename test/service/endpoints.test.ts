import { expect, test } from 'vitest';
import { pathTo, requestTo } from '../../src/service/endpoints.ts';

test('a path has its parameters percent-encoded', () => {
  expect(pathTo('showWorkspaceByName', { organization: 'a/b', name: 'c?d e' })).toBe(
    '/organizations/a%2Fb/workspaces/c%3Fd%20e',
  );
});

test('a path keeps the placeholder of an unknown id', () => {
  expect(requestTo('lockWorkspace', { workspace: '{workspace.network}' }, { reason: 'freeze' })).toEqual({
    method: 'POST',
    path: '/workspaces/{workspace.network}/actions/lock',
    body: { reason: 'freeze' },
  });
});

test.each(['', '.', '..'])(
  'a path with the parameter %j, which leads to another path, is refused',
  (workspace) => {
    expect(() => pathTo('showWorkspace', { workspace })).toThrow(`invalid id or name "${workspace}"`);
  },
);
