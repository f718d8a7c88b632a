import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createServiceClient } from '../../src/service/client.ts';
import { certificateFailure } from '../../src/service/failures.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { rowsIn } from '../support/rows.ts';
import { listen } from '../support/servers.ts';
import { tlsServer } from '../support/tls-server.ts';
import { rejection } from './nocked-client.ts';

function clientFor(address: string) {
  const client = createServiceClient({ address: new URL(address), token: 't', clock: jumpingClock() });
  onTestFinished(() => client.close());
  return client;
}

test('a self-signed certificate is reported with host, reason and NODE_EXTRA_CA_CERTS, and not retried', async () => {
  const { url, connections } = await tlsServer((_request, response) => response.end('{}'));
  const { host } = new URL(url);
  const error = await rejection(clientFor(url).get('/x'));
  expect(error.message).toBe(
    `GET /x: the TLS certificate of ${host} is not trusted: self-signed certificate (DEPTH_ZERO_SELF_SIGNED_CERT)`,
  );
  expect(error.hint).toBe(
    'set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it',
  );
  expect(connections()).toBe(1);
});

test('a write over an untrusted connection fails without a look-up, because nothing was sent', async () => {
  const { url, connections } = await tlsServer((_request, response) => response.end('{}'));
  let lookUps = 0;
  const lookUp = async () => {
    lookUps += 1;
    return undefined;
  };
  const error = await rejection(clientFor(url).send({ method: 'POST', path: '/x' }, { lookUp }));
  expect(error.message).toContain('is not trusted');
  expect([connections(), lookUps]).toEqual([1, 0]);
});

test('an https address of a server without TLS fails once and names the host', async () => {
  let connections = 0;
  const server = createServer();
  server.on('connection', () => {
    connections += 1;
  });
  const host = `127.0.0.1:${await listen(server)}`;
  const error = await rejection(clientFor(`https://${host}`).get('/x'));
  expect(error.message).toMatch(new RegExp(`^GET /x: no TLS connection to ${host}: `));
  expect(error.hint).toBe(`check that ${host} serves https on that port and supports TLS 1.2 or later`);
  expect(connections).toBe(1);
});

test.each(rowsIn<[Record<string, unknown>, string, string]>`
- [{code: CERT_HAS_EXPIRED, message: certificate has expired}, 'the TLS certificate of iac.example.com is not valid: certificate has expired (CERT_HAS_EXPIRED)',
   'replace the certificate of iac.example.com, set the address to a host name that it contains, or correct the clock of this machine']
- [{code: UNABLE_TO_GET_ISSUER_CERT_LOCALLY, message: unable to get local issuer certificate}, 'the TLS certificate of iac.example.com is not trusted: unable to get local issuer certificate (UNABLE_TO_GET_ISSUER_CERT_LOCALLY)',
   set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the CA that issued it]
- [{code: UND_ERR_PRX_TLS, message: Secure Proxy Connection failed, cause: {code: ERR_TLS_CERT_ALTNAME_INVALID, message: Hostname/IP does not match}},
   'the TLS certificate of iac.example.com is not valid: Hostname/IP does not match (ERR_TLS_CERT_ALTNAME_INVALID)',
   'replace the certificate of iac.example.com, set the address to a host name that it contains, or correct the clock of this machine']
`)('the certificate failure %o is reported with its reason and a hint', (error, reason, hint) => {
  expect(certificateFailure(error, 'iac.example.com')).toEqual({ reason, hint });
});

test('an error that is not of TLS is not a certificate failure', () => {
  expect(certificateFailure({ code: 'ECONNREFUSED' }, 'iac.example.com')).toBeUndefined();
});
