import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';

export interface Reply {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
  readonly headers: Headers;
}

/** A running service with a short way to ask it. Stopped after the test that started it. */
export interface Service {
  readonly emulator: Emulator;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
}

const running: Emulator[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.stop()));
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })));
});

/** A folder that is gone after the test, once every service that may write to it has stopped. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'attune-emulator-'));
  folders.push(folder);
  return folder;
}

export async function serve(options: EmulatorOptions = {}): Promise<Service> {
  const emulator = await startEmulator(options);
  running.push(emulator);
  return { emulator, ask: (...request) => ask(emulator, ...request) };
}

export async function ask(
  emulator: Emulator,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const response = await fetch(
    `${emulator.url}${path.startsWith('/_') || path.startsWith('/.') ? '' : '/api/v2'}${path}`,
    {
      method,
      headers: { 'content-type': 'application/vnd.api+json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    },
  );
  const text = await response.text();
  return {
    status: response.status,
    body: text === '' ? undefined : JSON.parse(text),
    headers: response.headers,
  };
}

/** A workspace write with these attributes. */
export function workspaceBody(attributes: Record<string, unknown>, project?: string) {
  return {
    data: {
      type: 'workspaces',
      attributes,
      ...(project !== undefined && {
        relationships: { project: { data: { type: 'projects', id: project } } },
      }),
    },
  };
}
