import { describe, expect, test } from 'vitest';
import { moveWorkspacesRoutes } from '../../src/emulator/routes/move-workspaces.ts';
import { lookUpRoutes } from '../../src/emulator/routes/named-kinds.ts';
import { notificationRoutes } from '../../src/emulator/routes/notifications.ts';
import { oauthRoutes } from '../../src/emulator/routes/oauth.ts';
import { projectRoutes, writeProjectRoutes } from '../../src/emulator/routes/projects.ts';
import { recoverableItemRoutes } from '../../src/emulator/routes/recoverable-items.ts';
import { interfaceRoutes } from '../../src/emulator/routes/routes.ts';
import { tagBindingRoutes } from '../../src/emulator/routes/tag-bindings.ts';
import { endpoints, pathTo, requestTo } from '../../src/service/endpoints.ts';

const known = Object.entries(endpoints).map(([, [method, path]]) => nameless(method, path));

/** Parameters are called differently in the interface, here and in the embedded service. */
function nameless(method: string, path: string): string {
  return `${method} ${path.replaceAll(/:\w+/g, ':')}`;
}

describe('the table of endpoints', () => {
  test('the table of endpoints has every endpoint of the interface, the look-ups, the writes of projects and key/value tags, recoverable items, and notifications', () => {
    const served = [
      // Methods that some versions of the service accept instead of POST are not in the interface.
      ...interfaceRoutes.filter(
        ([method, path]) => !(method === 'PATCH' && path.endsWith('/data-retention-policy')),
      ),
      ...projectRoutes,
      ...lookUpRoutes,
      ...oauthRoutes,
      ...writeProjectRoutes,
      ...moveWorkspacesRoutes,
      ...recoverableItemRoutes,
      ...notificationRoutes,
      // The other endpoints of key/value tags do not add by key.
      ...tagBindingRoutes.filter(([method, path]) => method === 'PATCH' && !path.includes('relationships')),
      ['GET', '/organizations/:organization'] as const,
    ].map(([method, path]) => nameless(method, path));
    expect([...known].sort()).toEqual([...served].sort());
  });

  test('the table of endpoints has each endpoint once', () => {
    expect(known).toHaveLength(new Set(known).size);
  });
});

describe('a path', () => {
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
});
