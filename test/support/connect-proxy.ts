import { createServer, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { listen } from './servers.ts';

export interface ConnectProxy {
  /** Without a scheme and credentials: `127.0.0.1:41783`. */
  readonly host: string;
  /** What clients asked for: `iac.example.test:443 Basic dXNlcjpwYXNz`. */
  readonly asked: readonly string[];
}

interface ProxyOptions {
  /** The loopback port that every host is connected to. */
  readonly port: number;
  /** The status of the answer to CONNECT. @default 200 */
  readonly status?: number;
}

/** A loopback proxy that tunnels with CONNECT, and nothing else. */
export async function connectProxy({ port, status = 200 }: ProxyOptions): Promise<ConnectProxy> {
  const asked: string[] = [];
  const server = createServer((_request, response) => response.writeHead(405).end());
  server.on('connect', ({ url, headers }: IncomingMessage, client: Duplex) => {
    asked.push([url, headers['proxy-authorization']].filter(Boolean).join(' '));
    client.on('error', () => {});
    if (status !== 200) {
      client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
      return;
    }
    const service = connect(port, 'localhost', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      service.pipe(client).pipe(service);
    });
    service.on('error', () => client.destroy());
    client.on('close', () => service.destroy());
  });
  return { host: `127.0.0.1:${await listen(server)}`, asked };
}
