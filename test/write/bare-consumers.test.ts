import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attune, folderWith, type Ran, serviceWith } from '../support/attune.ts';
import { mutatingService } from '../support/mutating-service.ts';

/** A service that returns the entries of a consumer list as identifiers without attributes, as some do. */
async function bareService(files: Readonly<Record<string, string>>) {
  const emulator = await serviceWith({
    seed: {
      organization: 'acme',
      workspaces: {
        network: { id: 'ws-network', 'remote-state-consumers': ['billing', 'web'] },
        billing: { id: 'ws-billing' },
        web: { id: 'ws-web' },
      },
    },
  });
  const service = await mutatingService(emulator.url);
  service.mutate = (text, index) => {
    const isConsumerList = /^GET .*\/relationships\/remote-state-consumers/.test(
      service.requests[index] ?? '',
    );
    if (!isConsumerList) return text;
    const document = JSON.parse(text);
    return JSON.stringify({
      ...document,
      data: document.data.map(({ id, type }: { id: string; type: string }) => ({ id, type })),
    });
  };
  const cwd = await folderWith(files);
  const run = (...argv: string[]): Promise<Ran> =>
    attune([...argv, '--address', service.url], { cwd, env: { ATTUNE_TOKEN: 'test-token' } });
  return { cwd, run };
}

test('import names consumers that the service returns as bare identifiers', async () => {
  const { cwd, run } = await bareService({});
  const imported = await run('import', '--organization', 'acme', '--out', 'attune.yaml');
  expect([imported.code, imported.stdout]).toEqual([
    0,
    expect.stringContaining('Imported: 3 workspaces and 0 grants in 1 file.\n'),
  ]);
  expect(await readFile(join(cwd, 'attune.yaml'), 'utf8')).toContain(
    'remote-state-consumers: [billing, web]\n',
  );
  const planned = await run('plan');
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining(' 0 calls.')]);
});

test('import of a part writes the id of a consumer whose name no answer contains', async () => {
  const { cwd, run } = await bareService({});
  const imported = await run('import', '--organization', 'acme', '--name', 'network', '--out', 'attune.yaml');
  expect([imported.code, imported.stderr]).toEqual([0, 'Next: attune plan\n']);
  expect(await readFile(join(cwd, 'attune.yaml'), 'utf8')).toContain(
    'remote-state-consumers: [ws-billing, ws-web]\n',
  );
});

test('a plan shows a consumer by the name that the run has read', async () => {
  const { run } = await bareService({
    'attune.yaml':
      'attune: 1\norganization: acme\nworkspaces:\n  network: {remote-state-consumers: [web]}\n  billing: {}\n  web: {}\n',
  });
  const planned = await run('plan');
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('-billing')]);
  expect(planned.stdout).not.toContain('ws-billing');
});

test('workspace show shows a consumer by the name that the run has read', async () => {
  const { run } = await bareService({});
  const shown = await run(
    'workspace',
    'show',
    'network',
    'web',
    '--organization',
    'acme',
    '--format',
    'json',
  );
  expect(JSON.parse(shown.stdout).workspaces[0].consumers).toEqual([
    { id: 'ws-web', name: 'web' },
    { id: 'ws-billing' },
  ]);
});

test('access --state-of shows a consumer that the service returns as a bare identifier by its name', async () => {
  const { run } = await bareService({});
  const shown = await run('access', '--state-of', 'network', '--organization', 'acme', '--format', 'csv');
  expect(shown.stdout).toContain('billing');
  expect(shown.stdout).not.toContain('ws-billing');
});
