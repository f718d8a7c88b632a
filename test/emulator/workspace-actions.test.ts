import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { type Service, serve } from './service.ts';

const list = '/organizations/acme/workspaces';

async function withWorkspace(content: NonNullable<Seed['workspaces']>[string], rest: Seed = {}) {
  const service = await serve({ seed: { ...rest, workspaces: { w: content } } });
  return { ...service, path: `/workspaces/${await idOf(service, 'w')}` };
}

async function idOf({ ask }: Service, name: string): Promise<string> {
  return (await ask('GET', `${list}/${name}`)).body.data.id;
}

describe('4.2 safe delete and force delete', () => {
  it.each(['id', 'name'])(
    'POST safe-delete by %s is 204 without a body, then the workspace is gone',
    async (by) => {
      const { ask, path } = await withWorkspace({});
      const target = by === 'id' ? path : `${list}/w`;
      const deleted = await ask('POST', `${target}/actions/safe-delete`);
      expect([deleted.status, deleted.body]).toEqual([204, undefined]);
      expect((await ask('GET', path)).status).toBe(404);
      expect((await ask('POST', `${target}/actions/safe-delete`)).status).toBe(404);
    },
  );

  it.each(['id', 'name'])('POST safe-delete by %s is 409 while resources are managed', async (by) => {
    const { ask, path } = await withWorkspace({ 'resource-count': 1 });
    const refused = await ask('POST', `${by === 'id' ? path : `${list}/w`}/actions/safe-delete`);
    expect(refused.status).toBe(409);
    expect((await ask('GET', path)).status).toBe(200);
  });

  it.each(['id', 'name'])('DELETE by %s ignores managed resources', async (by) => {
    const { ask, path } = await withWorkspace({ 'resource-count': 1 });
    const target = by === 'id' ? path : `${list}/w`;
    const deleted = await ask('DELETE', target);
    expect([deleted.status, deleted.body]).toEqual([204, undefined]);
    expect((await ask('DELETE', target)).status).toBe(404);
  });
});

describe('3 and 4.3 lock, unlock and force-unlock', () => {
  const freeze = { reason: 'freeze' };

  it('lock of an unlocked workspace is 200 with the reason and the user', async () => {
    const { ask, path } = await withWorkspace({});
    const locked = await ask('POST', `${path}/actions/lock`, freeze);
    expect(locked.status).toBe(200);
    expect(locked.body.data.attributes).toMatchObject({ locked: true, 'locked-reason': 'freeze' });
    expect(locked.body.data.relationships['locked-by'].data.type).toBe('users');
  });

  it('the reason of a lock is optional and empty by default', async () => {
    const { ask, path } = await withWorkspace({});
    const locked = await ask('POST', `${path}/actions/lock`);
    expect(locked.body.data.attributes['locked-reason']).toBe('');
  });

  it('lock of a locked workspace is 409', async () => {
    const { ask, path } = await withWorkspace({ locked: true });
    expect((await ask('POST', `${path}/actions/lock`, freeze)).status).toBe(409);
  });

  it('unlock of a workspace that the same user locked is 200', async () => {
    const { ask, path } = await withWorkspace({});
    await ask('POST', `${path}/actions/lock`, freeze);
    const unlocked = await ask('POST', `${path}/actions/unlock`);
    expect(unlocked.status).toBe(200);
    expect(unlocked.body.data.attributes).toMatchObject({ locked: false, 'locked-reason': null });
  });

  it('unlock of an unlocked workspace is 409', async () => {
    const { ask, path } = await withWorkspace({});
    expect((await ask('POST', `${path}/actions/unlock`)).status).toBe(409);
  });

  it.each([
    ['user-jo', 'User user-jo'],
    ['team-sre', 'Team team-sre'],
    ['run-1', 'Run run-1'],
  ])('unlock of a workspace locked by %s is 409 and names the holder', async (by, holder) => {
    const { ask, path } = await withWorkspace({ locked: { by } });
    const refused = await ask('POST', `${path}/actions/unlock`);
    expect([refused.status, refused.body.errors[0].detail]).toEqual([409, expect.stringContaining(holder)]);
  });

  it('unlock with an intermediate state version that is not finalized is 503 and the lock stays', async () => {
    const { ask, path } = await withWorkspace({ locked: true, state: { intermediate: 'pending' } });
    expect((await ask('POST', `${path}/actions/unlock`)).status).toBe(503);
    expect((await ask('GET', path)).body.data.attributes.locked).toBe(true);
  });

  it('unlock with a finalized intermediate state version is 200 and makes it the current one', async () => {
    const { ask, path } = await withWorkspace({
      locked: true,
      state: { id: 'sv-old', intermediate: 'finalized' },
    });
    const current = async (action: string) =>
      (await ask('POST', `${path}/actions/${action}`)).body.data.relationships['current-state-version'].data
        .id;
    const finalized = await current('unlock');
    expect(finalized).not.toBe('sv-old');
    await current('lock');
    expect(await current('unlock')).toBe(finalized);
  });

  it('force-unlock of a workspace that any user locked is 200', async () => {
    const { ask, path } = await withWorkspace({
      locked: { by: 'user-jo' },
      state: { intermediate: 'pending' },
    });
    const unlocked = await ask('POST', `${path}/actions/force-unlock`);
    expect([unlocked.status, unlocked.body.data.attributes.locked]).toEqual([200, false]);
  });

  it('force-unlock of an unlocked workspace is 409', async () => {
    const { ask, path } = await withWorkspace({});
    expect((await ask('POST', `${path}/actions/force-unlock`)).status).toBe(409);
  });

  it.each(['lock', 'unlock', 'force-unlock'])(
    '%s of a workspace that does not exist is 404',
    async (action) => {
      const { ask } = await serve();
      expect((await ask('POST', `/workspaces/ws-none/actions/${action}`)).status).toBe(404);
    },
  );
});

describe('4.4 SSH key', () => {
  const body = (id: unknown) => ({ data: { type: 'workspaces', attributes: { id } } });
  const keys = { 'ssh-keys': { deploy: 'sshkey-1' } };

  it('PATCH of the SSH key assigns an id, removes the key with null, and answers the workspace', async () => {
    const { ask, path } = await withWorkspace({}, keys);
    const assigned = await ask('PATCH', `${path}/relationships/ssh-key`, body('sshkey-1'));
    expect([assigned.status, assigned.body.data.relationships['ssh-key'].data.id]).toEqual([200, 'sshkey-1']);
    const removed = await ask('PATCH', `${path}/relationships/ssh-key`, body(null));
    expect([removed.status, removed.body.data.relationships['ssh-key'].data]).toEqual([200, null]);
  });

  it('PATCH of the SSH key with an unknown key is 404, and without an id 422', async () => {
    const { ask, path } = await withWorkspace({}, keys);
    expect((await ask('PATCH', `${path}/relationships/ssh-key`, body('sshkey-9'))).status).toBe(404);
    expect((await ask('PATCH', `${path}/relationships/ssh-key`, body(undefined))).status).toBe(422);
  });
});

describe('4.7 data retention policy', () => {
  const older = (days: number) => ({
    data: { type: 'data-retention-policy-delete-olders', attributes: { 'delete-older-than-n-days': days } },
  });
  const never = { data: { type: 'data-retention-policy-dont-deletes', attributes: {} } };
  const fallback = { settings: { 'data-retention': { 'delete-older-than-days': 90 } } } as const;

  it('POST creates a retention policy, POST again updates it and keeps the id, and another kind replaces it', async () => {
    const { ask, path } = await withWorkspace({});
    const url = `${path}/relationships/data-retention-policy`;
    const created = (await ask('POST', url, older(30))).body.data;
    expect(created.attributes).toEqual({ 'delete-older-than-n-days': 30 });
    expect(created.relationships.target.data.type).toBe('workspaces');
    const updated = (await ask('POST', url, older(60))).body.data;
    expect([updated.id, updated.attributes['delete-older-than-n-days']]).toEqual([created.id, 60]);
    await ask('POST', url, never);
    expect((await ask('GET', url)).body.data).toMatchObject({
      type: 'data-retention-policy-dont-deletes',
      attributes: {},
    });
    const workspace = (await ask('GET', path)).body.data;
    expect(workspace.relationships['data-retention-policy'].data.type).toBe(
      'data-retention-policy-dont-deletes',
    );
  });

  it('GET without a retention policy answers the default of the organization, or 404', async () => {
    const inherited = await withWorkspace({}, fallback);
    const { data } = (await inherited.ask('GET', `${inherited.path}/relationships/data-retention-policy`))
      .body;
    expect(data.relationships.target.data).toEqual({ id: 'acme', type: 'organizations' });
    const without = await withWorkspace({});
    expect((await without.ask('GET', `${without.path}/relationships/data-retention-policy`)).status).toBe(
      404,
    );
  });

  it('DELETE removes the retention policy of the workspace, or answers the default of the organization', async () => {
    const { ask, path } = await withWorkspace({ 'data-retention': { 'dont-delete': true } }, fallback);
    const url = `${path}/relationships/data-retention-policy`;
    expect((await ask('DELETE', url)).status).toBe(204);
    const again = await ask('DELETE', url);
    expect([again.status, again.body.data.relationships.target.data.type]).toEqual([200, 'organizations']);
  });

  it.each([0, -1, 1.5])('a retention policy of %d days is 422', async (days) => {
    const { ask, path } = await withWorkspace({});
    expect((await ask('POST', `${path}/relationships/data-retention-policy`, older(days))).status).toBe(422);
  });

  it('the hosted edition has no retention policy endpoint', async () => {
    const service = await serve({ edition: 'hosted', seed: { workspaces: { w: {} } } });
    const id = await idOf(service, 'w');
    for (const method of ['GET', 'POST', 'DELETE']) {
      const body = method === 'POST' ? older(3) : undefined;
      expect(
        (await service.ask(method, `/workspaces/${id}/relationships/data-retention-policy`, body)).status,
      ).toBe(404);
    }
  });
});
