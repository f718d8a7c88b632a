import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../support/attune.ts';
import { tlsServer } from '../../support/tls-server.ts';

const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');

test('plan fails at once for an unknown CA, and succeeds with NODE_EXTRA_CA_CERTS', async () => {
  const { url, certificate } = await tlsServer((request, response) => {
    const path = request.url ?? '';
    if (!path.includes('/workspaces/app')) return response.writeHead(404).end('{"errors":[]}');
    const attributes = { name: 'app', 'iac-version': '1.9.0', 'auto-apply': true };
    return response.end(JSON.stringify({ data: { id: 'ws-1', type: 'workspaces', attributes } }));
  });
  const cwd = await folderWith({
    'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {auto-apply: true}}\n',
  });
  const plan = (env: Readonly<Record<string, string>>) =>
    new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const options = { cwd, env: { PATH: process.env.PATH, HOME: cwd, ATTUNE_TOKEN: 't', ...env } };
      execFile(process.execPath, [bin, 'plan', '--address', url], options, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
  const refused = await plan({});
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`the TLS certificate of ${new URL(url).host} is not trusted`);
  expect(refused.stderr).toContain('NODE_EXTRA_CA_CERTS');
  const trusted = await plan({ NODE_EXTRA_CA_CERTS: certificate });
  expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes') });
});
