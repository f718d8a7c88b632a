import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Sits between the client and the service, and may change the responses. */
export interface MutatingService {
  readonly url: string;
  /** The address of the service behind it. */
  target: string;
  /** Gets each answer's text with its number among the requests. */
  mutate: (text: string, index: number) => string;
  /** So far, as `METHOD /path`. */
  readonly requests: readonly string[];
  /** Forgets them, and counts from the beginning. */
  clear(): void;
}

/** A proxy in front of a service. Stops after the test. */
export async function mutatingService(target: string): Promise<MutatingService> {
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/' } = request;
    const index = requests.push(`${method} ${url}`) - 1;
    const body = method === 'GET' ? undefined : await bodyOf(request);
    const answer = await fetch(service.target + url, {
      method,
      headers: { 'content-type': 'application/vnd.api+json', authorization: 'Bearer test-token' },
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    response.writeHead(answer.status, { 'content-type': 'application/vnd.api+json' });
    response.end(text === '' ? text : service.mutate(text, index));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const service: MutatingService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    target,
    mutate: (text) => text,
    requests,
    clear: () => requests.splice(0),
  };
  return service;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
