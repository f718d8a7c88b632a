import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { serviceRoutes } from '../../src/emulator/service.ts';
import { folderWith } from '../support/attune.ts';
import { serve } from './service.ts';

const here = new URL('./', import.meta.url);
const page = await readFile(new URL('../../docs/guides/emulator.md', here), 'utf8');
const contract = new URL('contract/', here);
const tables = (await readdir(contract)).map((name) => readFile(new URL(name, contract), 'utf8'));
const requests = (await Promise.all(tables)).flatMap((table) =>
  [...table.matchAll(/^(?:@\S+ )?([A-Z]+) (\/[^\s?]*)/gm)].map(
    ([, method = '', path = '']) => `${method} ${path}`,
  ),
);

it.each(serviceRoutes('terraform').map(([method, path]) => `${method} ${path}`))(
  'a contract table requests %s',
  (route) => {
    const pattern = new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`);
    expect(requests.some((one) => pattern.test(one))).toBe(true);
  },
);

it('the seed of docs/guides/emulator.md works unchanged', async () => {
  const seed = `${await folderWith({})}/seed.yaml`;
  await writeFile(seed, /```yaml\n(# yaml-language-server[\s\S]*?)```/.exec(page)?.[1] ?? '');
  const { ask } = await serve({ seed });
  const list = await ask('GET', '/organizations/acme/workspaces', undefined, {
    authorization: 'Bearer read-only-token',
  });
  expect(list.body.meta.pagination['total-count']).toBe(1);
});

it('the faults of docs/guides/emulator.md are accepted', async () => {
  const faults = `${await folderWith({})}/faults.yaml`;
  await writeFile(faults, /```yaml\n(- \{kind[\s\S]*?)```/.exec(page)?.[1] ?? '');
  const emulator = await startEmulator({ faults });
  expect((await (await fetch(`${emulator.url}/api/v2/ping`)).text()).length).toBeGreaterThan(0);
  await emulator.stop();
});
