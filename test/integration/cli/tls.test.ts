import { request as send } from 'node:http';
import { expect, test } from 'vitest';
import { folderWith, serviceWith } from '../../support/attune.ts';
import { connectProxy } from '../../support/connect-proxy.ts';
import { tlsServer } from '../../support/tls-server.ts';
import { startAttune } from '../attune-process.ts';

const unset = {
  NODE_EXTRA_CA_CERTS: undefined,
  https_proxy: undefined,
  http_proxy: undefined,
  no_proxy: undefined,
};

/** The emulator behind https, with a certificate of a private CA. */
async function privateService() {
  const service = await serviceWith({ seed: { organization: 'acme', workspaces: { legacy: {} } } });
  const { hostname, port } = new URL(service.url);
  const server = await tlsServer(
    (incoming, response) => {
      const { url: path, method, headers } = incoming;
      const direct = { ...headers, host: `${hostname}:${port}` };
      const forwarded = send({ hostname, port, path, method, headers: direct }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(forwarded);
    },
    { hasPrivateCa: true },
  );
  const cwd = await folderWith({ 'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {app: {}}\n' });
  return { ...server, cwd };
}

test('plan fails at once for an unknown CA, and succeeds with NODE_EXTRA_CA_CERTS', async () => {
  const { url, authority, cwd } = await privateService();
  const plan = (env: object) =>
    startAttune(['plan', '--address', url], { cwd, env: { ...unset, ...env } }).ended;
  const refused = await plan({});
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `the TLS certificate of ${new URL(url).host} is not trusted: unable to verify the first certificate`,
  );
  expect(refused.stderr).toContain(
    'hint: set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it',
  );
  const trusted = await plan({ NODE_EXTRA_CA_CERTS: authority });
  expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('1 to create') });
});

test('plan and apply work behind a CONNECT proxy with a password and a private CA', async () => {
  const { port, authority, cwd } = await privateService();
  const proxy = await connectProxy({ port });
  const password = 'Nq7-secret-word';
  const address = `https://iac.example.test:${port}`;
  const attune = (argv: readonly string[], env: object = {}) =>
    startAttune([...argv, '--address', address, '--verbose', '--report', 'report.html'], {
      cwd,
      env: {
        ...unset,
        HTTPS_PROXY: `http://user:${password}@${proxy.host}`,
        NODE_EXTRA_CA_CERTS: authority,
        ...env,
      },
    }).ended;

  const planned = await attune(['plan']);
  expect(planned).toMatchObject({ code: 0, stdout: expect.stringContaining('1 to create') });
  const applied = await attune(['apply', '--yes']);
  expect(applied).toMatchObject({ code: 0, stdout: expect.stringContaining('1 created') });
  const again = await attune(['plan', '--detailed-exitcode']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('No changes.') });
  const login = Buffer.from(`user:${password}`).toString('base64');
  expect(new Set(proxy.asked)).toEqual(new Set([`iac.example.test:${port} Basic ${login}`]));

  const untrusted = await attune(['plan'], { NODE_EXTRA_CA_CERTS: undefined });
  expect(untrusted.stderr).toContain(`the TLS certificate of iac.example.test:${port} is not trusted`);
  const down = await attune(['plan'], { HTTPS_PROXY: `http://user:${password}@127.0.0.1:1` });
  expect(down.stderr).toContain(
    'the proxy http://user:***@127.0.0.1:1 in HTTPS_PROXY, or add iac.example.test:',
  );
  const outputs = [planned, applied, again, untrusted, down].flatMap(({ stdout, stderr }) => [
    stdout,
    stderr,
  ]);
  expect(outputs.join('\n')).not.toMatch(new RegExp(`${password}|${login}`));
});
