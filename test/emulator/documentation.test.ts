import { readdir, readFile, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startEmulator } from '../../src/emulator/index.ts';
import { serviceRoutes } from '../../src/emulator/service.ts';
import { folderWith } from '../support/attune.ts';
import { serve } from './service.ts';

const here = new URL('./', import.meta.url);
const page = await readFile(new URL('../../docs/guides/emulator.md', here), 'utf8');
const names = (await readdir(here, { recursive: true })).filter(
  (name) => /\.(test\.ts|txt)$/.test(name) && name !== 'documentation.test.ts',
);
const tests = (await Promise.all(names.map((name) => readFile(new URL(name, here), 'utf8')))).join('\n');

/** The page's rows with endpoints: what it lists, and the title of the test that holds it. */
const rows = page
  .split('\n')
  .filter((line) => /^\| `(GET|POST|PATCH|PUT|DELETE) \/(?!_)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, endpoints = '', title = '']) => ({
    endpoints: [...endpoints.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? ''),
    title,
  }));

it('docs/guides/emulator.md lists every endpoint, and no other', () => {
  const served = serviceRoutes('terraform').map(([method, path]) => `${method} ${path}`);
  expect(rows.flatMap((row) => row.endpoints).sort()).toEqual([...served].sort());
});

it.each(rows)('docs/guides/emulator.md names an existing test: $title', ({ title }) => {
  const template = title.replace('in either dialect', 'in the %s dialect');
  const quoted = [`'${template}'`, `"${template}"`, `\`${template}\``, `=== ${title}\n`];
  expect(quoted.some((text) => tests.includes(text))).toBe(true);
});

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
