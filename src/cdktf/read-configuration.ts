import type { Configuration } from '../desired/configuration.ts';
import { serviceSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { liveQueryOf, type QueryOptions } from '../plan/live-query-of.ts';
import { lookUpNames } from '../plan/look-up-names.ts';
import type { ServiceReader } from '../service/client.ts';

/** A configuration with the names in it looked up, and what is live of it. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly live: Live;
}

/**
 * Reads of the service what an export of a configuration needs, and nothing more: names that stand for ids, and the
 * live state of what is declared.
 *
 * @throws {@link DiagnosticsError} where a name is unknown or ambiguous.
 * @throws {@link ServiceError} or {@link NetworkError} where a read fails.
 * @example
 * ```ts
 * new WorkspaceConfiguration(stack, 'workspaces', await readConfiguration(declared, client));
 * ```
 */
export async function readConfiguration(
  declared: Configuration,
  reader: ServiceReader,
  options: Pick<QueryOptions, 'chosen'> = {},
): Promise<ReadConfiguration> {
  const source = serviceSource(reader);
  // Terraform knows of what is declared only.
  const looksAt = { ...options, looksAtUndeclared: false };
  const { organization } = declared.desired;
  const configuration = await lookUpNames(declared, (kind) => source.names(organization, kind), looksAt);
  return { configuration, live: await source.read(liveQueryOf(configuration, looksAt)) };
}
