import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendTo } from '../support/ask.ts';
import { worldWith } from '../support/attune.ts';

test('import leaves out the id of a VCS connection that was deleted', async () => {
  const repository = (token: string) => ({ 'vcs-repo': { identifier: 'acme/web', 'oauth-token-id': token } });
  const { attune, folder, service } = await worldWith(
    {},
    {
      dialect: 'terraform',
      seed: {
        organization: 'acme',
        'vcs-connections': { GitHub: 'ot-kept', Former: 'ot-gone' },
        workspaces: { api: repository('ot-kept'), web: repository('ot-gone') },
      },
    },
  );
  const clients = await sendTo(service, 'GET', '/organizations/acme/oauth-clients');
  const former = clients.find(
    (client: { attributes: { name: string } }) => client.attributes.name === 'Former',
  );
  await sendTo(service, 'DELETE', `/oauth-clients/${former.id}`);
  const { stderr } = await attune('import', '--organization', 'acme', '--out', 'one.yaml');
  const text = await readFile(join(folder, 'one.yaml'), 'utf8');
  expect(text).toContain('ot-kept');
  expect(text).not.toContain('ot-gone');
  expect(stderr).toContain('workspace.web: vcs-repo.oauth-token-id is left out');
  expect((await attune('plan', 'one.yaml')).stdout).toContain('No changes.');
});
