import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Emulator, type RequestEntry, startEmulator } from '../../../src/emulator/index.ts';
import { attune } from '../../support/attune.ts';
import { count, sample } from '../../support/cases.ts';
import { configurationFolder } from './configuration-folder.ts';
import { liveSide } from './mixed-apply.ts';
import { organizationState } from './organization-state.ts';

/** Runs the built program in a separate process. */
const bin = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli', 'bin.js');
const env = { ATTUNE_TOKEN: 'test-token' };

let folder: string;
let reference: unknown;
let requests: number;

beforeAll(async () => {
  if (!existsSync(bin)) throw new Error('there is no build: say `npm run build`, or `npm test`, which does');
  folder = await configurationFolder();
  const service = await serve();
  const { code } = await applyHere(service);
  if (code !== 0) throw new Error('the apply that all others are held against failed');
  requests = service.requests.length;
  reference = await organizationState(service);
  await service.stop();
});
afterAll(() => rm(folder, { recursive: true }));

test('after an apply is killed during any of its requests, the next run completes it: nothing is lost and nothing is made twice', async () => {
  const each = Array.from({ length: requests }, (_unused, index) => index + 1);
  const chosen = sample(each, 10);
  for (const nth of chosen) {
    count('kills tried');
    await surviveKill(nth);
    count('kills survived');
  }
});

async function surviveKill(nth: number): Promise<void> {
  let seen = 0;
  let kill = () => {};
  // The service reports a request after it took effect and before it is answered.
  const service = await serve(() => {
    seen += 1;
    if (seen === nth) kill();
  });
  try {
    const argv = [bin, 'apply', '--yes', '--address', service.url];
    const child = spawn(process.execPath, argv, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: 'ignore',
    });
    kill = () => child.kill('SIGKILL');
    const [, signal] = await once(child, 'close');
    expect(signal).toBe('SIGKILL');

    const again = await applyHere(service);
    expect(again.code, again.stderr).toBe(0);
    expect(await organizationState(service)).toEqual(reference);
  } catch (error) {
    throw new Error(`killed after request ${nth}: ${(error as Error).message}`, { cause: error });
  } finally {
    await service.stop();
  }
}

function serve(log?: (entry: RequestEntry) => void): Promise<Emulator> {
  return startEmulator({ seed: { organization: 'acme', ...liveSide }, ...(log && { log }) });
}

function applyHere(service: Emulator) {
  return attune(['apply', '--yes', '--address', service.url], { cwd: folder, env });
}
