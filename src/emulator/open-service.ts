import { answerError, type Handled, handleRequest, type ServiceCall } from './http/handle-request.ts';
import { reject } from './http/responses.ts';
import { createRouter } from './http/router.ts';
import type { Edition, EmulatorOptions } from './options.ts';
import type { RateLimit } from './rate-limit.ts';
import { serviceRoutes } from './routes/routes.ts';
import { loadSeed } from './seed/load-seed.ts';
import { seedStore } from './seed/seed-store.ts';
import { type OpenStore, openStore } from './store/open-store.ts';
import type { ServiceTime, World } from './world.ts';

/** The service with its data, without a way to reach it. */
export interface OpenService {
  readonly world: World;
  readonly data: OpenStore;
  readonly route: ReturnType<typeof createRouter>;
}

type ServiceOptions = Pick<EmulatorOptions, 'organization' | 'dialect' | 'edition' | 'data' | 'seed'>;

export async function openService(options: ServiceOptions): Promise<OpenService> {
  const clock: ServiceTime = { ahead: 0 };
  const settings = {
    dialect: options.dialect ?? 'iac',
    edition: editionOf(options),
    clock,
    now: () => new Date(Date.now() + clock.ahead * 1000).toISOString(),
  } as const;
  const organizations = [options.organization ?? []].flat();
  const data = await openStore(options.data, async (store) => {
    const seed = options.seed === undefined ? undefined : await loadSeed(options.seed);
    seedStore({ store, ...settings }, seed, organizations[0]);
  });
  const world: World = { store: data.store, ...settings };
  try {
    for (const organization of organizations) ensureOrganization(world, organization);
    await data.commit();
  } catch (error) {
    await data.close();
    throw error;
  }
  return { world, data, route: createRouter(serviceRoutes(settings.dialect)) };
}

/** Resolves when the data is on the disk. */
export async function answerCall(
  { world, data, route }: OpenService,
  rateLimit: RateLimit | undefined,
  call: ServiceCall,
): Promise<Handled> {
  const handled = handleRequest({ world, route, rateLimit, call });
  try {
    await data.commit();
    return handled;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...handled, answer: answerError(reject(500, `The data cannot be written: ${why}`)) };
  }
}

/** The data of an earlier run may not contain a newly requested organization. */
function ensureOrganization(world: World, organization: string): void {
  if (world.store.get('organizations', organization)) return;
  seedStore(world, undefined, organization);
}

/** The interface document describes both editions at once, so the iac dialect serves both by default. */
function editionOf({ edition, dialect }: ServiceOptions): Edition | null {
  return edition ?? (dialect === 'terraform' ? 'hosted' : null);
}
