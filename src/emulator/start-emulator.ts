import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createTagRace } from './faults/fault-answers.ts';
import { createFaultPlan, readFaultFile, readFaults } from './faults/faults.ts';
import { openService } from './open-service.ts';
import { checkOptions, type Emulator, type EmulatorOptions, OptionError } from './options.ts';
import { createRateLimit } from './rate-limit.ts';
import { createRequestLog } from './request-log.ts';
import { createEmulatorServer } from './server.ts';

/**
 * Starts the service on loopback: the whole interface, kept in memory or in a file. For tests, examples and CI.
 *
 * @throws {@link OptionError}, {@link SeedError}, {@link FaultError} or {@link DataError} if an option or a file is
 * invalid.
 * @example
 * ```ts
 * import { startEmulator } from 'attune/emulator';
 *
 * const emulator = await startEmulator({ seed: { workspaces: { network: { tags: ['prod'] } } } });
 * const response = await fetch(`${emulator.url}/api/v2/organizations/acme/workspaces`);
 * console.log(response.status); // 200
 * await emulator.stop();
 * ```
 */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  checkOptions(options);
  const faults = createFaultPlan(await initialFaults(options.faults));
  const service = await openService(options);
  const { data } = service;
  const log = createRequestLog(options.log);
  const clock = () => performance.now();
  const server = createEmulatorServer({
    ...service,
    faults,
    log,
    rateLimit: options.rate === undefined ? undefined : createRateLimit(options.rate, clock),
    tagRace: createTagRace(clock),
    latency: options.latency ?? 0,
  });
  try {
    server.listen(options.port ?? 0, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    await data.close();
    throw isTaken(error)
      ? new OptionError(`cannot listen on port ${options.port}: it is in use`, { cause: error })
      : error;
  }
  const { port } = server.address() as AddressInfo;
  let stopping: Promise<void> | undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    needsToken: data.store.size('tokens') > 0,
    requests: log.entries,
    clearRequests: () => log.clear(),
    setFaults: (next) => faults.set(readFaults(next, 'setFaults')),
    stop: () => {
      stopping ??= (async () => {
        server.close();
        await data.close().finally(() => server.closeAllConnections());
        await log.close();
      })();
      return stopping;
    },
  };
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

async function initialFaults(faults: EmulatorOptions['faults']) {
  return typeof faults === 'string' ? readFaultFile(faults) : readFaults(faults ?? [], 'faults');
}
