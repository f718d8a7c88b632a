import { join } from 'node:path';
import type { Configuration } from '../desired/configuration.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { Dialect } from '../model/dialect.ts';
import { embedded, parseAddress, printAddress } from '../service/address.ts';
import { type ClientOptions, createServiceClient, type ServiceClient } from '../service/client.ts';
import { findToken } from '../service/credentials.ts';
import type { CommonFlags } from './flags.ts';
import type { Io } from './io.ts';

export interface Connection {
  readonly client: ServiceClient;
  /** As it is shown and saved. */
  readonly address: string;
  readonly parallelism: number;
  /** Known before anything is read where the service is the embedded one. */
  readonly dialect?: Dialect;
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
 * Connects to the service of a configuration: the address from `--address`, `ATTUNE_ADDRESS` or the file, the token
 * from the environment or Terraform's credentials file. `embedded` starts the service that Attune brings along.
 *
 * @throws {AttuneError} where there is no address or no token, or the embedded service cannot start.
 */
export async function connect(configuration: Configuration, options: ConnectOptions): Promise<Connection> {
  const { io, flags, observe, secrets } = options;
  const { service } = configuration;
  const wanted = flags.address || io.env.ATTUNE_ADDRESS || service.address;
  if (!wanted) {
    throw new AttuneError(`no address for the service of ${configuration.desired.organization}`, {
      code: 'no-address',
      hint: 'write service.address, set ATTUNE_ADDRESS, or give --address; the word `embedded` needs no account',
    });
  }
  const rate = flags.rate ?? service.rate;
  const timeout = flags.timeout ?? service.timeout;
  const parallelism = flags.parallelism ?? service.parallelism ?? 10;
  const common = {
    parallelism,
    observe,
    clock: io.clock,
    ...(rate && { rate }),
    ...(timeout && { timeout }),
  };

  if (wanted === embedded) {
    const emulator = await startEmbedded(configuration);
    const client = createServiceClient({ ...common, address: new URL(emulator.url) });
    return {
      client,
      address: embedded,
      dialect: service.dialect ?? 'iac',
      parallelism,
      close: async () => {
        await client.close();
        await emulator.stop();
      },
    };
  }
  const address = parseAddress(wanted);
  const token = await findToken(address.host, { env: io.env, home: io.home });
  secrets.add(token);
  const client = createServiceClient({ ...common, address, token });
  return { client, address: printAddress(address), parallelism, close: () => client.close() };
}

async function startEmbedded({ service, folder, desired }: Configuration) {
  const { startEmulator } = await import('../emulator/index.ts');
  return startEmulator({
    organization: desired.organization,
    data: service.data ?? join(folder, '.attune', 'embedded.json'),
    ...(service.dialect && { dialect: service.dialect }),
    ...(service.seed && { seed: service.seed }),
  });
}
