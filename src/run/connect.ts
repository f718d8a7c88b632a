import { createHash } from 'node:crypto';
import { type LiveSource, serviceSource } from '../live/read-live.ts';
import { type Snapshot, snapshotSource } from '../live/snapshot.ts';
import type { Configuration } from '../model/configuration.ts';
import { AttuneError } from '../model/diagnostic.ts';
import { realPathOutside } from '../model/files.ts';
import { embedded, embeddedData, parseAddress, printAddress, proxyFor } from '../service/address.ts';
import { clientOver, createServiceClient, type ServiceClient } from '../service/client.ts';
import { locateToken } from '../service/token.ts';
import type { RunContext } from './context.ts';
import type { PlanResolvedOptions } from './make-plan.ts';

export interface Connection {
  readonly client: ServiceClient;
  readonly address: string;
  /** The same for the same service, token and data in each run; it reveals none of them. */
  readonly identity: string;
  readonly parallelism: number;
}

export interface Connections extends AsyncDisposable {
  at(index: number): Connection;
}

/**
 * Connects to the services of configurations, in their order: the address comes from `--address`, `ATTUNE_ADDRESS` or the
 * file, the token from the environment or Terraform's credentials file. `embedded` starts the embedded service.
 * Configurations with the same token at the same address share one client, and with it the rate that the service allows
 * that token; the lowest rate and parallelism of their files apply. Organizations that are embedded in one data file share
 * one client, too.
 */
export async function openConnections(
  configurations: readonly Configuration[],
  context: RunContext,
): Promise<Connections> {
  const targets = await Promise.allSettled(configurations.map((one) => resolveTarget(one, context)));
  const found = fulfilledIn(targets);
  const opened = new Map<string, ReturnType<typeof open>>();
  const connections = await Promise.allSettled(
    targets.map(async (target) => {
      if (target.status === 'rejected') throw target.reason;
      const { key } = target.value;
      const sharing = found.filter((other) => other.key === key);
      const connection = opened.get(key) ?? open(sharing, context);
      opened.set(key, connection);
      const identity = createHash('sha256').update(key).digest('base64');
      return { ...(await connection), identity };
    }),
  );
  return {
    at: (index) => valueOrThrow(connections[index]),
    [Symbol.asyncDispose]: async () => {
      const open = fulfilledIn(await Promise.allSettled(opened.values()));
      const closed = await Promise.allSettled(open.map(({ client }) => client.close()));
      context.progress.end();
      for (const outcome of closed) valueOrThrow(outcome);
    },
  };
}

/** The organizations that are read or written at a time: each of them already sends its requests in parallel. */
export const organizationsAtATime = 32;

export function valueOrThrow<Result>(outcome: PromiseSettledResult<Result> | undefined): Result {
  if (outcome?.status === 'fulfilled') return outcome.value;
  throw outcome?.reason;
}

function fulfilledIn<Result>(outcomes: readonly PromiseSettledResult<Result>[]): Result[] {
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
}

interface Target {
  readonly configuration: Configuration;
  readonly key: string;
  readonly url?: URL;
  readonly token?: string;
  readonly tokenSource?: string;
}

export function findAddress({ service }: Configuration, { io, options }: Pick<RunContext, 'io' | 'options'>) {
  const places = [
    { source: '--address', address: options.address },
    { source: 'ATTUNE_ADDRESS', address: io.env.ATTUNE_ADDRESS },
    { source: 'service.address', address: service.address },
  ] as const;
  const place = places.find(({ address }) => address);
  return place?.address === undefined ? undefined : { ...place, address: place.address };
}

/** A change under review must not decide which service gets the token. */
function refuseChanged(address: string, { base }: Configuration): void {
  const known = base?.addresses ?? [];
  if (known.length === 0 || known.includes(address)) return;
  throw new AttuneError(
    `service.address is ${address}, and ${known[0]} in the base ${base?.ref}: no request was made`,
    {
      code: 'address-changed',
      hint: 'set ATTUNE_ADDRESS or --address to the service that may get the token, or plan without --base',
    },
  );
}

async function resolveTarget(configuration: Configuration, context: RunContext): Promise<Target> {
  const { io, secrets } = context;
  const { desired } = configuration;
  const found = findAddress(configuration, context);
  if (found?.source === 'service.address') refuseChanged(found.address, configuration);
  const wanted = found?.address;
  if (!wanted) {
    throw new AttuneError(`cannot connect to the service of ${desired.organization}: no address is set`, {
      code: 'no-address',
      hint: `set service.address, ATTUNE_ADDRESS or --address; use \`embedded\` for a trial without an account`,
    });
  }
  if (wanted === embedded) return { configuration, key: `${embedded} ${embeddedData(configuration)}` };
  const url = parseAddress(wanted);
  const { token, source } = await locateToken(url.host, desired.organization, io);
  secrets.add(token);
  for (const secret of proxyFor(url, io.env)?.secrets ?? []) secrets.add(secret);
  return { configuration, key: `${url.href} ${token}`, url, token, tokenSource: source };
}

async function open(sharing: readonly Target[], context: RunContext): Promise<Omit<Connection, 'identity'>> {
  const settings = clientSettings(sharing, context);
  const { parallelism } = settings;
  const { url, token, tokenSource } = sharing[0] ?? {};
  if (url) {
    const { env } = context.io;
    const client = createServiceClient({ ...settings, address: url, token, tokenSource, env });
    return { client, address: printAddress(url), parallelism };
  }
  const configurations = sharing.map(({ configuration }) => configuration);
  return { client: await openEmbeddedOf(configurations, settings), address: embedded, parallelism };
}

function clientSettings(sharing: readonly Target[], { io, options, progress }: RunContext) {
  const settings = sharing.map(({ configuration }) => configuration.service);
  const sorted = (key: 'rate' | 'timeout' | 'parallelism') =>
    settings.flatMap((service) => service[key] ?? []).sort((a, b) => a - b);
  return {
    rate: options.rate ?? sorted('rate')[0],
    timeout: options.timeout ?? sorted('timeout').at(-1),
    parallelism: options.parallelism ?? sorted('parallelism')[0] ?? 10,
    observe: progress.observe,
    clock: io.clock,
    without: [...new Set(settings.flatMap((service) => service.without ?? []))],
  };
}

/** Links in answers start with it. */
const embeddedAddress = new URL(`http://${embedded}`);

async function openEmbeddedOf(
  configurations: readonly Configuration[],
  settings: ReturnType<typeof clientSettings>,
): Promise<ServiceClient> {
  const { openEmbedded } = await import('../emulator/service.ts');
  // A seed without an organization belongs to the organization whose file names the seed.
  const bySeed = [...configurations].sort((a, b) => Number(!a.service.seed) - Number(!b.service.seed));
  const [first] = bySeed as [Configuration, ...Configuration[]];
  const { seed } = first.service;
  const [dialect = 'iac'] = bySeed.flatMap(({ service }) => service.dialect ?? []);
  const data = embeddedData(first);
  if (first.service.data === undefined) await checkDefaultData(data, first.folder);
  const organization = bySeed.map(({ desired }) => desired.organization);
  const service = await openEmbedded(embeddedAddress.origin, { organization, dialect, data, seed });
  return clientOver(service, undefined, { ...settings, address: embeddedAddress, dialect });
}

/** A path that the files name is checked when they are read. */
async function checkDefaultData(data: string, folder: string): Promise<void> {
  const elsewhere = await realPathOutside(data, folder);
  if (elsewhere === undefined) return;
  throw new AttuneError(`cannot open the embedded service: a link leads from ${data} to ${elsewhere}`, {
    code: 'path-outside',
    hint: 'remove the link, or set service.data to a path inside the folder of the root file',
  });
}

export interface PlanSource extends Pick<PlanResolvedOptions, 'source' | 'address'> {
  readonly connection?: Connection;
}

export interface ConnectedSource extends PlanSource {
  readonly connection: Connection;
  /** When the live state was read, in milliseconds on the clock of the run. */
  readonly readAt: number;
}

export type SourceOf<Source extends PlanSource> = (index: number) => Source;

export function connectedSources(
  connections: Pick<Connections, 'at'>,
  { io }: RunContext,
  liveOver: (connection: Connection) => LiveSource = sharedSources(),
): SourceOf<ConnectedSource> {
  const readAt = io.clock.now();
  return (index) => {
    const connection = connections.at(index);
    return { source: liveOver(connection), address: connection.address, connection, readAt };
  };
}

/** Root files that share a client share the names that are looked up over it. */
function sharedSources(): (connection: Connection) => LiveSource {
  const sources = new Map<ServiceClient, LiveSource>();
  return ({ client }) => {
    const source = sources.get(client) ?? serviceSource(client);
    sources.set(client, source);
    return source;
  };
}

export function recordedSources(snapshot: Snapshot): SourceOf<PlanSource> {
  const recorded = { source: snapshotSource(snapshot), address: snapshot.address };
  return () => recorded;
}
