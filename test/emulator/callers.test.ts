import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { rowsIn } from '../support/rows.ts';
import { serve } from './service.ts';

const list = '/organizations/acme/workspaces';

const seed: Seed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre', dev: 'team-dev', hidden: { id: 'team-hidden', secret: true } },
  workspaces: {
    mine: { id: 'ws-mine', project: 'Platform' },
    other: { id: 'ws-other', project: 'Platform', 'remote-state-consumers': ['mine', 'third'] },
    third: { id: 'ws-third', project: 'Platform' },
  },
  'team-access': { Platform: { sre: 'admin', hidden: 'read', dev: 'read' }, Payments: { sre: 'admin' } },
  tokens: {
    'owner-token': { role: 'owner' },
    'manager-token': { role: 'manage-workspaces' },
    'admin-token': { role: 'workspace-admin', workspaces: ['mine', 'other'] },
    'reader-token': { role: 'reader', workspaces: ['mine', 'other'] },
    'stranger-token': { role: 'none' },
  },
};
type Who = 'owner' | 'manager' | 'admin' | 'reader' | 'stranger';

async function as(who: Who) {
  const { ask } = await serve({ seed });
  const token = { authorization: `Bearer ${who}-token` };
  return (method: string, path: string, body?: unknown) => ask(method, path, body, token);
}

const everybody: readonly Who[] = ['owner', 'manager', 'admin', 'reader', 'stranger'];

it.each([undefined, 'Bearer wrong', 'Basic abc', 'Bearer'])(
  'the emulator answers the header %j with 401',
  async (authorization) => {
    const { ask } = await serve({ seed });
    const { status, body } = await ask(
      'GET',
      list,
      undefined,
      authorization === undefined ? {} : { authorization },
    );
    expect([status, body]).toEqual([401, { errors: [{ status: '401', title: 'unauthorized' }] }]);
  },
);

// What each role is answered, in the order of `everybody`.
describe.each(rowsIn<[string, readonly number[], string, string, unknown?]>`
- [GET a workspace, [200, 200, 200, 200, 404], GET, /workspaces/ws-mine]
- [GET a workspace that the role does not cover, [200, 200, 404, 404, 404], GET, /workspaces/ws-third]
- [GET the list, [200, 200, 200, 200, 404], GET, /organizations/acme/workspaces]
- [POST a workspace, [201, 201, 404, 404, 404], POST, /organizations/acme/workspaces, {data: {type: workspaces, attributes: {name: new}}}]
- [PATCH a workspace, [200, 200, 200, 404, 404], PATCH, /workspaces/ws-mine, {data: {type: workspaces, attributes: {description: x}}}]
- [POST lock, [200, 200, 200, 404, 404], POST, /workspaces/ws-mine/actions/lock]
- [POST force-unlock, [409, 409, 409, 404, 404], POST, /workspaces/ws-mine/actions/force-unlock]
- [POST safe-delete, [204, 204, 204, 404, 404], POST, /workspaces/ws-mine/actions/safe-delete]
- [DELETE (force delete), [204, 403, 403, 403, 404], DELETE, /workspaces/ws-mine]
- [POST tags, [204, 204, 204, 404, 404], POST, /workspaces/ws-mine/relationships/tags, {data: [{type: tags, attributes: {name: x}}]}]
- [PATCH consumers, [204, 204, 404, 404, 404], PATCH, /workspaces/ws-mine/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-other}]}]
- [POST consumers, [204, 204, 204, 404, 404], POST, /workspaces/ws-mine/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-other}]}]
- [POST consumers that not everybody can read, [204, 204, 422, 404, 404], POST, /workspaces/ws-mine/relationships/remote-state-consumers, {data: [{type: workspaces, id: ws-third}]}]
- [POST team access, [200, 404, 404, 404, 404], POST, /team-projects, {data: {type: team-projects, attributes: {access: read}, relationships: {project: {data: {type: projects, id: prj-payments}}, team: {data: {type: teams, id: team-dev}}}}}]
`)('5 and 7: %s', (what, statuses, method, path, body) => {
  it.each(everybody.map((who, index) => ({ who, status: statuses[index] })))(
    `${what} is $status for $who`,
    async ({ who, status }) => {
      expect((await (await as(who))(method, path, body)).status).toBe(status);
    },
  );
});
