import { expect, test } from 'vitest';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

const env = { ATTUNE_TOKEN: 'test-token' };

test('the service address comes from --address, ATTUNE_ADDRESS or the file, in that order; an empty one is ignored', async () => {
  const seed = { organization: 'acme', workspaces: { app: {} } };
  const [flag, variable, file] = [
    await serviceWith({ seed }),
    await serviceWith({ seed }),
    await serviceWith({ seed }),
  ];
  const cwd = await folderWith({
    'attune.yaml': `attune: 1\norganization: acme\nservice: {address: "${file.url}"}\nworkspaces: {app: {}}\n`,
  });
  const asked = async (argv: readonly string[], more: Record<string, string>) => {
    for (const service of [flag, variable, file]) service.clearRequests();
    const { code } = await attune(['plan', ...argv], { cwd, env: { ...env, ...more } });
    return [code, flag.requests.length, variable.requests.length, file.requests.length];
  };
  expect(await asked(['--address', flag.url], { ATTUNE_ADDRESS: variable.url })).toEqual([0, 1, 0, 0]);
  expect(await asked([], { ATTUNE_ADDRESS: variable.url })).toEqual([0, 0, 1, 0]);
  expect(await asked([], {})).toEqual([0, 0, 0, 1]);
  expect(await asked([], { ATTUNE_ADDRESS: '' })).toEqual([0, 0, 0, 1]);
});
