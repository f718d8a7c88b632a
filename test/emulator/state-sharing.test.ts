import { describe, expect, it } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import { workspaceBody } from '../support/ask.ts';
import { type Service, serve } from './service.ts';

const list = '/organizations/acme/workspaces';
const [everyone, project] = ['global-remote-state', 'project-remote-state'] as const;
const consumersPath = '/workspaces/ws-w/relationships/remote-state-consumers';

const seed: Seed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  workspaces: {
    w: { id: 'ws-w', project: 'Platform', 'remote-state-consumers': ['near', 'far'] },
    near: { id: 'ws-near', project: 'Platform' },
    other: { id: 'ws-other', project: 'Platform' },
    far: { id: 'ws-far', project: 'Payments' },
  },
};
const serveLive = (given: Seed = seed, edition: 'hosted' | 'self-hosted' = 'hosted') =>
  serve({ seed: given, dialect: 'terraform', edition });

/** The ids of the consumers that GET returns. */
async function consumersOf({ ask }: Service, query = ''): Promise<string[]> {
  const { body } = await ask('GET', `${consumersPath}${query}`);
  return body.data.map(({ id }: { id: string }) => id).sort();
}
const patch = ({ ask }: Service, attributes: Record<string, unknown>, to?: string) =>
  ask('PATCH', '/workspaces/ws-w', workspaceBody(attributes, to));

describe('who may read the state of a workspace', () => {
  it('without a switch GET of consumers returns the list', async () => {
    expect(await consumersOf(await serveLive())).toEqual(['ws-far', 'ws-near']);
  });

  it('with project-remote-state GET of consumers returns the other workspaces of the project, also after a move', async () => {
    const service = await serveLive();
    const { body } = await patch(service, { [project]: true });
    expect(body.data.attributes).toMatchObject({ [everyone]: false, [project]: true });
    expect(await consumersOf(service)).toEqual(['ws-near', 'ws-other']);
    await patch(service, {}, 'prj-payments');
    expect(await consumersOf(service)).toEqual(['ws-far']);
  });

  it('with global-remote-state GET of consumers returns the other workspaces of the organization', async () => {
    const service = await serveLive();
    await patch(service, { [everyone]: true });
    expect(await consumersOf(service)).toEqual(['ws-far', 'ws-near', 'ws-other']);
  });

  it('the stored list is kept while a switch is on, and show_only_configured returns it', async () => {
    const service = await serveLive();
    await patch(service, { [project]: true });
    expect(await consumersOf(service, '?show_only_configured=true')).toEqual(['ws-far', 'ws-near']);
    await patch(service, { [project]: false });
    expect(await consumersOf(service)).toEqual(['ws-far', 'ws-near']);
  });

  it('a write of consumers while a switch is on is 422', async () => {
    const service = await serveLive();
    await patch(service, { [project]: true });
    const body = { data: [{ type: 'workspaces', id: 'ws-other' }] };
    for (const method of ['POST', 'PATCH', 'DELETE'])
      expect((await service.ask(method, consumersPath, body)).status).toBe(422);
  });
});

describe('both switches', () => {
  it.each([
    [{}, { [everyone]: true, [project]: true }],
    [{ [everyone]: true }, { [project]: true }],
    [{ [project]: true }, { [everyone]: true }],
  ])('a PATCH of a workspace with %j by %j is 422', async (before, sent) => {
    const service = await serveLive();
    await patch(service, before);
    const { status, body } = await patch(service, sent);
    expect([status, body.errors[0]]).toMatchObject([
      422,
      {
        detail: 'Project remote state cannot be enabled when global remote state sharing is enabled',
        source: { pointer: `/data/attributes/${project}` },
      },
    ]);
  });

  it('one PATCH turns one switch off and the other one on', async () => {
    const service = await serveLive();
    await patch(service, { [everyone]: true });
    expect((await patch(service, { [everyone]: false, [project]: true })).status).toBe(200);
  });
});

describe('sharing of new workspaces', () => {
  it('settings.global-remote-state of the seed decides it', async () => {
    const shared = async (given: boolean) => {
      const { ask } = await serveLive({ settings: { [everyone]: given } }, 'self-hosted');
      return (await ask('POST', list, workspaceBody({ name: 'w' }))).body.data.attributes[everyone];
    };
    expect([await shared(true), await shared(false)]).toEqual([true, false]);
  });

  it('a create with project-remote-state is 422 where new workspaces share with all, unless it also sends global-remote-state: false', async () => {
    const { ask } = await serveLive({}, 'self-hosted');
    const create = (attributes: Record<string, unknown>) =>
      ask('POST', list, workspaceBody({ name: 'w', ...attributes }));
    expect((await create({ [project]: true })).status).toBe(422);
    expect((await create({ [project]: true, [everyone]: false })).status).toBe(201);
  });

  it('a seed shares a workspace with its project also where new workspaces share with all', async () => {
    const { ask } = await serveLive({ workspaces: { w: { [project]: true } } }, 'self-hosted');
    expect((await ask('GET', `${list}/w`)).body.data.attributes).toMatchObject({
      [everyone]: false,
      [project]: true,
    });
  });
});

it('the iac dialect has no project-remote-state', async () => {
  const { ask } = await serve();
  const { attributes } = (await ask('POST', list, workspaceBody({ name: 'w', [project]: true }))).body.data;
  expect(attributes).not.toHaveProperty(project);
  await expect(serve({ seed: { workspaces: { w: { [project]: true } } } })).rejects.toThrow(
    'only services of the terraform dialect have this attribute',
  );
});
