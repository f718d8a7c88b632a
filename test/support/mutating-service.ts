import { buffer } from 'node:stream/consumers';
import { forward, serverWith } from './servers.ts';

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
  const url = await serverWith(async (request, response) => {
    const index = requests.push(`${request.method} ${request.url}`) - 1;
    const { status, text } = await forward(service.target, request, await buffer(request));
    response.writeHead(status, { 'content-type': 'application/vnd.api+json' });
    response.end(text === '' ? text : service.mutate(text, index));
  });
  const service: MutatingService = {
    url,
    target,
    mutate: (text) => text,
    requests,
    clear: () => requests.splice(0),
  };
  return service;
}
