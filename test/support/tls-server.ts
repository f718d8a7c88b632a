import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { folderWith } from './attune.ts';
import { listen } from './servers.ts';

/** A loopback server with a certificate for `localhost` and `iac.example.test`. */
export interface TlsServer {
  readonly url: string;
  readonly port: number;
  /** PEM file of the CA of the certificate. */
  readonly authority: string;
  /** TLS connections that clients tried to open. */
  readonly connections: () => number;
}

const names = 'subjectAltName=DNS:localhost,DNS:iac.example.test';

/**
 * Makes a key and a certificate for the test, and serves with them until the test is finished. The certificate is its own CA, unless
 * `hasPrivateCa` is set.
 */
export async function tlsServer(
  listener: RequestListener,
  { hasPrivateCa = false } = {},
): Promise<TlsServer> {
  const folder = await folderWith({});
  const certificate = hasPrivateCa ? 'signed' : 'own';
  selfSigned(folder, 'own', ['-subj', '/CN=localhost', '-addext', names]);
  if (hasPrivateCa) {
    selfSigned(folder, 'ca', ['-subj', '/CN=Private CA of acme']);
    const request = ['req', '-new', '-key', 'own.key', '-subj', '/CN=localhost', '-addext', names];
    openssl(folder, [...request, '-out', 'own.csr']);
    const sign = ['x509', '-req', '-in', 'own.csr', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'];
    openssl(folder, [...sign, '-copy_extensions', 'copy', '-days', '2', '-out', 'signed.pem']);
  }
  const read = (name: string) => readFileSync(join(folder, name));
  const server = createServer({ key: read('own.key'), cert: read(`${certificate}.pem`) }, listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(server, 'localhost');
  const authority = join(folder, hasPrivateCa ? 'ca.pem' : 'own.pem');
  return { url: `https://localhost:${port}`, port, authority, connections: () => connections };
}

function selfSigned(folder: string, name: string, options: readonly string[]): void {
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl(folder, ['req', ...kind, ...options, '-keyout', `${name}.key`, '-out', `${name}.pem`]);
}

function openssl(folder: string, argv: readonly string[]): void {
  execFileSync('openssl', argv, { cwd: folder, stdio: 'pipe' });
}
