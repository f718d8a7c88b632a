import { type Configuration, embeddedData } from '../../desired/configuration.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { Dialect } from '../../model/dialect.ts';
import { embedded, parseAddress, printAddress } from '../../service/address.ts';
import { type ClientOptions, createServiceClient, type ServiceClient } from '../../service/client.ts';
import { findToken } from '../../service/credentials.ts';
import type { CommonFlags } from '../flags.ts';
import type { Io } from '../io.ts';

export interface Connection {
  readonly client: ServiceClient;
  /** As it is shown and saved. */
  readonly address: string;
  readonly parallelism: number;
  /** Known before anything is read where the service is the embedded one. */
  readonly dialect?: Dialect;
  /** Ends it for all organizations that share it. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly io: Io;
  readonly flags: CommonFlags;
  readonly observe: NonNullable<ClientOptions['observe']>;
  /** A token that is found goes in here, to be masked wherever it would be printed. */
  readonly secrets: Set<string>;
}

/**
 * Connects to the services of configurations, in their order: the address from `--address`, `ATTUNE_ADDRESS` or the
 * file, the token from the environment or Terraform's credentials file. `embedded` starts the service that Attune brings
 * along.
 *
 * Those with the same token at the same address share one client, and with it the pace that the service allows that
 * token; of what their files say about the pace, the most careful counts. The same goes for organizations that are
 * embedded in one data file.
 */
export async function connectAll(
  configurations: readonly Configuration[],
  options: ConnectOptions,
): Promise<readonly PromiseSettledResult<Connection>[]> {
  const targets = await Promise.allSettled(configurations.map((one) => findTarget(one, options)));
  const found = targets.flatMap((target) => (target.status === 'fulfilled' ? [target.value] : []));
  const opened = new Map<string, Promise<Connection>>();
  return Promise.allSettled(
    targets.map(async (target) => {
      if (target.status === 'rejected') throw target.reason;
      const { key, configuration } = target.value;
      const sharing = found.filter((other) => other.key === key);
      const connection = opened.get(key) ?? open(sharing, options);
      opened.set(key, connection);
      const isEmbedded = target.value.url === undefined;
      const dialect = isEmbedded ? (configuration.service.dialect ?? 'iac') : undefined;
      return { ...(await connection), ...(dialect && { dialect }) };
    }),
  );
}

export async function closeAll(connections: readonly PromiseSettledResult<Connection>[]): Promise<void> {
  for (const connection of connections) {
    if (connection.status === 'fulfilled') await connection.value.close();
  }
}

interface Target {
  readonly configuration: Configuration;
  /** The same for what shares a connection. */
  readonly key: string;
  /** Absent where the service is the embedded one. */
  readonly url?: URL;
  readonly token?: string;
}

async function findTarget(
  configuration: Configuration,
  { io, flags, secrets }: ConnectOptions,
): Promise<Target> {
  const { service, desired } = configuration;
  const wanted = flags.address || io.env.ATTUNE_ADDRESS || service.address;
  if (!wanted) {
    throw new AttuneError(`no address for the service of ${desired.organization}`, {
      code: 'no-address',
      hint: 'write service.address, set ATTUNE_ADDRESS, or give --address; the word `embedded` needs no account',
    });
  }
  if (wanted === embedded) return { configuration, key: `${embedded} ${embeddedData(configuration)}` };
  const url = parseAddress(wanted);
  const token = await findToken(url.host, desired.organization, io);
  secrets.add(token);
  return { configuration, key: `${url.href} ${token}`, url, token };
}

async function open(sharing: readonly Target[], { io, flags, observe }: ConnectOptions): Promise<Connection> {
  const settings = sharing.map(({ configuration }) => configuration.service);
  const rate = flags.rate ?? least(settings.map((service) => service.rate));
  const timeout = flags.timeout ?? most(settings.map((service) => service.timeout));
  const without = [...new Set(settings.flatMap((service) => service.without ?? []))];
  const parallelism = flags.parallelism ?? least(settings.map((service) => service.parallelism)) ?? 10;
  const common = {
    parallelism,
    observe,
    clock: io.clock,
    without,
    ...(rate !== undefined && { rate }),
    ...(timeout !== undefined && { timeout }),
  };
  const { url, token } = sharing[0] ?? {};
  if (url) {
    const client = createServiceClient({ ...common, address: url, token });
    return { client, address: printAddress(url), parallelism, close: once(() => client.close()) };
  }
  const emulator = await startEmbedded(sharing.map(({ configuration }) => configuration));
  const client = createServiceClient({ ...common, address: new URL(emulator.url) });
  return {
    client,
    address: embedded,
    parallelism,
    close: once(async () => {
      await client.close();
      await emulator.stop();
    }),
  };
}

async function startEmbedded(configurations: readonly Configuration[]) {
  const { startEmulator } = await import('../../emulator/index.ts');
  // A seed that names no organization is about the one whose file names the seed.
  const bySeed = [...configurations].sort((a, b) => Number(!a.service.seed) - Number(!b.service.seed));
  const [first] = bySeed as [Configuration, ...Configuration[]];
  const { dialect, seed } = first.service;
  return startEmulator({
    organization: bySeed.map(({ desired }) => desired.organization),
    data: embeddedData(first),
    ...(dialect && { dialect }),
    ...(seed && { seed }),
  });
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? Math.min(...given) : undefined;
}

function most(values: readonly (number | undefined)[]): number | undefined {
  const given = values.filter((value) => value !== undefined);
  return given.length > 0 ? Math.max(...given) : undefined;
}

/** What several share is closed by whoever is first. */
function once(close: () => Promise<void>): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}
