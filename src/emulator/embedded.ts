import { setImmediate } from 'node:timers/promises';
import { answerHeaders } from './http/handle-request.ts';
import { checkOptions, type EmulatorOptions } from './options.ts';
import { answerCall, openService } from './service.ts';

export interface EmbeddedService {
  exchange(request: Request): Promise<Response>;
  close(): Promise<void>;
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Response {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Opens the service without a server: a client in the same process needs no port and no connections. */
export async function openEmbedded(
  origin: string,
  options: Pick<EmulatorOptions, 'organization' | 'dialect' | 'data' | 'seed'>,
): Promise<EmbeddedService> {
  checkOptions(options);
  const service = await openService(options);
  return {
    async exchange({ method, path, headers, body = '' }) {
      // As with a connection, signals and timers are handled between two requests.
      await setImmediate();
      const target = new URL(path, origin);
      const handled = await answerCall(service, undefined, { method, target, headers, body, from: '' });
      const { status, body: text = '' } = handled.answer;
      const answered = Object.entries(answerHeaders(service.world, handled));
      return {
        status,
        headers: Object.fromEntries(answered.map(([name, value]) => [name.toLowerCase(), String(value)])),
        text,
      };
    },
    close: () => service.data.close(),
  };
}
