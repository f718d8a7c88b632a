import type { Configuration } from '../desired/configuration.ts';
import { serviceSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { liveQueryOf, type QueryOptions } from '../plan/live-query-of.ts';
import { lookUpNames } from '../plan/look-up-names.ts';
import type { ServiceReader } from '../service/client.ts';

/** A configuration with resolved names, and the live state of its resources. */
export interface ReadConfiguration {
  readonly configuration: Configuration;
  readonly live: Live;
}

/**
 * Reads from the service only what an export needs: the ids of names, and the live state of the declared resources.
 *
 * @throws {@link DiagnosticsError} if a name is unknown or ambiguous.
 * @throws {@link ServiceError} or {@link NetworkError} if a read fails.
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
  // The export contains declared resources only.
  const looksAt = { ...options, looksAtUndeclared: false, looksAtAccessOf: () => false };
  const { organization } = declared.desired;
  const configuration = await lookUpNames(declared, (kind) => source.names(organization, kind), looksAt);
  return { configuration, live: await source.read(liveQueryOf(configuration, looksAt)) };
}
