import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { folderWith } from './attune.ts';

/** A loopback server with its own certificate for `localhost`. */
export interface TlsServer {
  readonly url: string;
  /** PEM file of the certificate, which is its own CA. */
  readonly certificate: string;
  /** TLS connections that clients tried to open. */
  readonly connections: () => number;
}

/** Makes a key and a self-signed certificate for the test, and serves with them until the test is finished. */
export async function tlsServer(listener: RequestListener): Promise<TlsServer> {
  const folder = await folderWith({});
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', ['req', ...kind, ...names, '-keyout', key, '-out', certificate], {
    stdio: 'pipe',
  });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, listener);
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}`, certificate, connections: () => connections };
}
