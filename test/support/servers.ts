import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** The port of a server on loopback, which stops after the test. */
export async function listen(
  server: Server & { closeAllConnections?: () => void },
  host = '127.0.0.1',
): Promise<number> {
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections?.();
  });
  return (server.address() as AddressInfo).port;
}

/** The address of an HTTP server on loopback, which stops after the test. */
export async function serverWith(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}`;
}

/** Sends a request of a server on to a service. */
export async function forward(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Uint8Array | string,
) {
  const { authorization = 'Bearer test-token' } = headers;
  const answer = await fetch(target + url, {
    method: method ?? 'GET',
    headers: { 'content-type': 'application/vnd.api+json', authorization },
    ...(body.length > 0 && { body }),
  });
  return { status: answer.status, text: await answer.text() };
}
