import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type RequestEntry, type Seed, startEmulator } from '../../src/emulator/index.ts';
import { ask } from '../support/ask.ts';

/**
 * Requests that the official Go client (1.109.0) sent to this service while a program used it and checked every answer.
 * Ids are worked out from names, so the same requests meet the same things again.
 */
async function recorded(file: string): Promise<RequestEntry[]> {
  const text = await readFile(new URL(`./fixtures/${file}`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

async function replay(requests: readonly RequestEntry[], seed: Seed): Promise<void> {
  const emulator = await startEmulator({ dialect: 'terraform', edition: 'self-hosted', seed });
  try {
    for (const { method, path, body } of requests) await ask(emulator, method, path, body);
    expect(emulator.requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual(
      requests.map(({ method, path, status }) => `${method} ${path} ${status}`),
    );
  } finally {
    await emulator.stop();
  }
}

it('recorded requests of the official Go client for workspaces, tags, consumers, locks, retention, access and look-ups get valid answers', async () => {
  const seed: Seed = {
    settings: { 'global-remote-state': false },
    projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
    teams: { sre: 'team-sre', dev: 'team-dev' },
    'ssh-keys': { deploy: 'sshkey-1' },
    'agent-pools': { onprem: 'apool-1' },
    'vcs-connections': { github: { id: 'ot-1', client: 'oc-1' } },
    workspaces: {
      full: {
        id: 'ws-full',
        project: 'Payments',
        'resource-count': 2,
        run: { id: 'run-1' },
        state: { outputs: { vpc: 'x' } },
        readme: 'r',
        locked: { by: 'team-sre' },
      },
      'run-locked': { id: 'ws-run', locked: { by: 'run-1' } },
      pending: { id: 'ws-pending', locked: true, state: { intermediate: 'pending' } },
    },
  };
  await replay(await recorded('go-client-requests.jsonl'), seed);
});

it('recorded requests of the official Go client for organizations, projects, teams, keys, pools and connections get valid answers', async () => {
  await replay(await recorded('go-client-writes.jsonl'), {});
});
