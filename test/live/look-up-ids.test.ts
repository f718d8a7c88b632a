import { expect, test } from 'vitest';
import { readObjects } from '../../src/live/read-names.ts';
import { existingWorkspaces } from '../../src/live/read-workspaces.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { serviceWith } from '../support/attune.ts';

async function clientOf(seed: object) {
  const service = await serviceWith({ seed, dialect: 'terraform' });
  const client = createServiceClient({ address: new URL(service.url) });
  return { service, client };
}

test('objects without a name have their ids, and what the token may not do with them', async () => {
  const { client } = await clientOf({
    organization: 'acme',
    projects: { Platform: 'prj-1' },
    'vcs-connections': { GitHub: 'ot-1' },
  });
  const [project] = (await readObjects(client, 'acme', 'projects')).filter(({ id }) => id === 'prj-1');
  expect(project).toEqual({ id: 'prj-1', name: 'Platform', denied: [] });
  expect(await readObjects(client, 'acme', 'vcs-connections')).toEqual([
    { id: 'ot-1', name: 'GitHub', denied: [] },
  ]);
});

test('ids of workspaces are looked up one by one, or with the list if there are more than three', async () => {
  const names = Array.from({ length: 250 }, (_, index) => `w${index}`);
  const { service, client } = await clientOf({
    organizations: {
      acme: { workspaces: Object.fromEntries(names.map((name) => [name, { id: `ws-${name}` }])) },
      other: { workspaces: { theirs: { id: 'ws-theirs' } } },
    },
  });
  const found = async (...ids: string[]) => {
    service.clearRequests();
    const existing = await existingWorkspaces(client, 'acme', ids);
    return [ids.filter((id) => existing.has(id)), service.requests.length];
  };
  expect(await found('ws-w1', 'ws-none', 'ws-theirs')).toEqual([['ws-w1'], 3]);
  const few = ['ws-w240', 'ws-theirs', 'ws-a', 'ws-b'];
  expect(await found(...few)).toEqual([['ws-w240'], 3]);
});
