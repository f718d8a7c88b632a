import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { decodeBody } from './decode-body.ts';
import { tooLarge } from './lost-connection.ts';

/** One exchange with the service, without any check of the answer. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With the query, below the origin. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The answer of the service, decoded. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Empty after a 204, whatever the service sends after its header. */
  readonly text: string;
}

/** Sends requests to one origin. */
export interface Transport {
  /** Throws the error of the connection: refused, cut, timed out, not trusted. */
  exchange(request: HttpRequest): Promise<HttpResponse>;
  /** Ends the connections. */
  close(): Promise<void>;
}

export interface TransportOptions {
  readonly origin: string;
  readonly connections: number;
  /** Seconds per attempt. */
  readonly timeout: number;
}

/** No page of 100 workspaces comes near this. */
const largestBody = 64 * 1024 * 1024;
/** Many servers close an idle connection after five seconds: a request that meets the close is lost. */
const idleMilliseconds = 4000;

/**
 * Sends requests over kept-alive connections of `node:http`, which accepts what HTTP allows and services do: a
 * `100 Continue` that was not asked for, and a body after a 204.
 */
export function createTransport({ origin, connections, timeout }: TransportOptions): Transport {
  const target = urlToHttpOptions(new URL(origin));
  const isTls = target.protocol === 'https:';
  const pool = { keepAlive: true, maxSockets: connections, timeout: idleMilliseconds };
  const agent = isTls ? new HttpsAgent(pool) : new HttpAgent(pool);
  const send = isTls ? httpsRequest : httpRequest;

  return {
    exchange: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const sent = body ?? (method === 'POST' || method === 'PATCH' ? '' : undefined);
        const request = send({
          ...target,
          path,
          method,
          agent,
          headers: {
            ...headers,
            'accept-encoding': 'gzip',
            // Without it node:http sends a DELETE in chunks, which some proxies drop.
            ...(sent !== undefined && { 'content-length': String(Buffer.byteLength(sent)) }),
          },
        });
        const timer = setTimeout(() => request.destroy(timedOut()), timeout * 1000);
        request.on('close', () => clearTimeout(timer));
        request.on('error', reject);
        request.on('response', (response) => {
          // At once: a body after a 204 is an error of the parser, which follows and then has no effect.
          if (response.statusCode === 204) resolve(withoutBody(response));
          else
            readResponse(response).then(resolve, (error: Error) => {
              request.destroy();
              reject(error);
            });
        });
        request.end(sent);
      }),
    close: async () => agent.destroy(),
  };
}

function withoutBody(response: IncomingMessage): HttpResponse {
  const { headers } = response;
  const { 'content-length': length = '0', 'transfer-encoding': chunked } = headers;
  // The bytes of that body would be read as the beginning of the next answer.
  if (length !== '0' || chunked !== undefined) response.destroy();
  else response.resume();
  return { status: 204, headers, text: '' };
}

async function readResponse(response: IncomingMessage): Promise<HttpResponse> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > largestBody) throw tooLarge();
    chunks.push(chunk);
  }
  const text = await decodeBody(Buffer.concat(chunks), headers['content-encoding'], largestBody);
  return { status, headers, text };
}

function timedOut(): Error {
  return Object.assign(new Error('the attempt timed out'), { name: 'TimeoutError' });
}
