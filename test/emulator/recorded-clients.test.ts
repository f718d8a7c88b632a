import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { type RequestEntry, startEmulator } from '../../src/emulator/index.ts';
import { ask } from './service.ts';

/**
 * Requests that the official Go client (1.109.0) sent to this service while a program went through its workspaces,
 * tags, consumers, locks, retention, team access and look-ups, and took every answer. Ids are worked out from names,
 * so the same requests meet the same things again.
 */
const recorded: RequestEntry[] = (
  await readFile(new URL('./fixtures/go-client-requests.jsonl', import.meta.url), 'utf8')
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

it('every recorded request of the official Go client gets the answer that it took', async () => {
  const emulator = await startEmulator({
    dialect: 'terraform',
    edition: 'self-hosted',
    seed: {
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
    },
  });
  try {
    for (const { method, path, body } of recorded) await ask(emulator, method, path, body);
    expect(emulator.requests.map(({ method, path, status }) => `${method} ${path} ${status}`)).toEqual(
      recorded.map(({ method, path, status }) => `${method} ${path} ${status}`),
    );
  } finally {
    await emulator.stop();
  }
});
