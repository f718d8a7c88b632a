/*
 * The embedded service: the interface, and what live services have beside it, over data in memory or in a file.
 *
 *   request -> caller -> rate -> route -> rules: the values after a write, or why it is refused -> store -> document
 *
 * Terms: the terraform *dialect* has further routes and rules. An *edition* is one of the two offerings of live services. A *seed*
 * is what an empty store starts with. A write is in the log of the data file before it is answered.
 */

import { setImmediate } from 'node:timers/promises';
import type { Dialect } from '../model/dialect.ts';
import { EmulatorError } from './emulator-error.ts';
import {
  answerError,
  answerHeaders,
  createRouter,
  type Handled,
  handleRequest,
  type RateLimit,
  type Route,
  type RouteSet,
  type ServiceCall,
} from './http/handle-request.ts';
import { reject } from './http/responses.ts';
import type { EmulatorOptions } from './options.ts';
import { lookUpRoutes } from './routes/named-kinds.ts';
import { oauthRoutes } from './routes/oauth.ts';
import { organizationRoutes } from './routes/organizations.ts';
import { ownedRoutes } from './routes/owned.ts';
import { projectRoutes } from './routes/projects.ts';
import { readWorkspaceRoutes } from './routes/read-workspaces.ts';
import { teamProjectRoutes } from './routes/team-projects.ts';
import { workspaceActionRoutes } from './routes/workspace-actions.ts';
import { relationRoutes } from './routes/workspace-relations.ts';
import { writeWorkspaceRoutes } from './routes/write-workspaces.ts';
import { loadSeed } from './seed/load-seed.ts';
import { openStore } from './store/store-file.ts';
import type { World } from './world.ts';

type ServiceOptions = Pick<EmulatorOptions, 'organization' | 'dialect' | 'edition' | 'data' | 'seed'>;

export async function openService(options: ServiceOptions) {
  const clock = { ahead: 0 };
  const settings = {
    dialect: options.dialect ?? 'iac',
    // The interface document describes both editions at once, so the iac dialect serves both by default.
    edition: options.edition ?? (options.dialect === 'terraform' ? 'hosted' : null),
    clock,
    now: () => new Date(Date.now() + clock.ahead * 1000).toISOString(),
  } as const;
  const organizations = [options.organization ?? []].flat();
  const data = await openStore(options.data, (store) =>
    loadSeed({ store, ...settings }, options.seed, organizations[0]),
  );
  const world: World = { store: data.store, ...settings };
  try {
    // The data of an earlier run may not contain a newly requested organization.
    for (const organization of organizations)
      if (!data.store.get('organizations', organization)) await loadSeed(world, undefined, organization);
    await data.commit();
  } catch (error) {
    await data.close();
    throw error;
  }
  const route = createRouter(serviceRoutes(settings.dialect));
  return {
    world,
    data,
    async answer(call: ServiceCall, rateLimit?: RateLimit): Promise<Handled> {
      const handled = handleRequest({ world, route }, rateLimit, call);
      try {
        await data.commit();
        return handled;
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return { ...handled, answer: answerError(reject(500, `The data cannot be written: ${why}`)) };
      }
    },
  };
}

const subjects: readonly RouteSet[] = [
  readWorkspaceRoutes,
  writeWorkspaceRoutes,
  workspaceActionRoutes,
  relationRoutes,
  ownedRoutes,
  teamProjectRoutes,
  organizationRoutes,
  projectRoutes,
  lookUpRoutes,
  oauthRoutes,
];

const routesOf = (part: keyof RouteSet) => subjects.flatMap(({ [part]: routes = [] }) => routes);

/** Every endpoint of section 4 of the interface, relative to `/api/v2`. */
export const interfaceRoutes = routesOf('interface');

export function serviceRoutes(dialect: Dialect): readonly Route[] {
  return interfaceRoutes.concat(routesOf('common'), dialect === 'terraform' ? routesOf('live') : []);
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

/** Opens the service without a server: a client in the same process needs no port and no connections. */
export async function openEmbedded(
  origin: string,
  options: Pick<EmulatorOptions, 'organization' | 'dialect' | 'data' | 'seed'>,
) {
  const service = await openService(options);
  if (service.data.store.all('tokens').length > 0) {
    await service.data.close();
    throw new EmulatorError(
      'the data of the embedded service has tokens, and no command sends it one: run `attune emulator --seed FILE`, and use its address instead of `embedded`',
    );
  }
  return {
    async exchange({ method, path, headers, body = '' }: Request) {
      // As with a connection, signals and timers are handled between two requests.
      await setImmediate();
      const handled = await service.answer({ method, target: new URL(path, origin), headers, body });
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

export type EmbeddedService = Awaited<ReturnType<typeof openEmbedded>>;
