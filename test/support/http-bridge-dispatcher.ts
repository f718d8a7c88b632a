import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Dispatcher } from 'undici';

/**
 * Sends undici's requests through `node:http`, where nock sees them. For tests only: no pool, no backpressure.
 *
 * Get one from {@link httpBridge}, which lets undici adapt the older handlers that its own `request` brings.
 */
class HttpBridgeDispatcher extends Dispatcher {
  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const url = new URL(options.path, String(options.origin));
    const body = options.body as string | undefined;
    const headers = {
      ...(options.headers as Record<string, string>),
      // As undici does; node:http would send the body of a DELETE without its length.
      ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }),
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method: options.method, headers });
    const controller = new BridgeController(request);
    handler.onRequestStart?.(controller, {});
    const fail = (error: Error) => handler.onResponseError?.(controller, controller.reason ?? error);
    request.on('error', fail);
    request.on('response', (response: IncomingMessage) => {
      try {
        const { statusCode = 0, statusMessage } = response;
        handler.onResponseStart?.(controller, statusCode, response.headers, statusMessage);
      } catch (error) {
        // That is how an interceptor requests a retry.
        request.destroy();
        return fail(error as Error);
      }
      response.on('data', (chunk: Buffer) => handler.onResponseData?.(controller, chunk));
      response.on('end', () => handler.onResponseEnd?.(controller, {}));
      response.on('error', fail);
    });
    request.end(body);
    return true;
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override close(callback?: () => void): Promise<void> | undefined {
    return callback ? void callback() : Promise.resolve();
  }
}

class BridgeController implements Dispatcher.DispatchController {
  readonly paused = false;
  readonly rawHeaders = null;
  readonly rawTrailers = null;
  reason: Error | null = null;
  readonly #request: ClientRequest;

  constructor(request: ClientRequest) {
    this.#request = request;
  }

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    this.reason = reason;
    this.#request.destroy(reason);
  }

  pause(): void {}
  resume(): void {}
}

export function httpBridge(): Dispatcher {
  return new HttpBridgeDispatcher().compose((dispatch) => (options, handler) => dispatch(options, handler));
}
