import { readLive } from '../../src/live/read-live.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import type { Resource } from '../../src/model/state.ts';
import { isRecord, type Value, type Values } from '../../src/model/value.ts';
import { createServiceClient } from '../../src/service/client.ts';

/** Undeclared values. */
const noValues = new Set(['resource-count', 'data-retention-policy']);

/** The live state, by address, without the ids of workspaces and grants. */
export type LiveState = Readonly<Record<string, Readonly<Record<string, Value>>>>;

export interface LiveStateOptions {
  readonly url: string;
  readonly dialect?: Dialect;
  readonly projects?: readonly string[];
}

export async function liveState({
  url,
  dialect = 'iac',
  projects = ['prj-1', 'prj-2'],
}: LiveStateOptions): Promise<LiveState> {
  const client = createServiceClient({ address: new URL(url), token: 'test-token' });
  try {
    const all = { organization: 'acme', dialect, names: [], whole: true, projects };
    const first = await readLive(client, { ...all, consumersOf: new Set(), retentionOf: new Set() });
    const names = new Set([...first.state.resources.values()].map(({ name }) => name));
    const live = await readLive(client, { ...all, consumersOf: names, retentionOf: names });
    const entries = [...live.state.resources.values()].map(
      (resource) => [resource.address, reported(resource, live.names)] as const,
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    await client.close();
  }
}

function reported({ kind, attributes }: Resource, names: ReadonlyMap<string, string>): Record<string, Value> {
  const reported: Record<string, Value> = {};
  const values: Values = attributes;
  for (const [path, value] of Object.entries(values)) {
    if (noValues.has(path) || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      continue;
    // The service computes it from the duration each time.
    if (path === 'auto-destroy-at' && attributes['auto-destroy-activity-duration']) continue;
    if (path === 'remote-state-consumers')
      reported[path] = (value as string[]).map((id) => names.get(id) ?? id).sort();
    else if (Array.isArray(value)) reported[path] = [...value].sort();
    else if (path === 'lock' && isRecord(value)) {
      // Its holder is the user who locked it last.
      const { by: _by, ...lock } = value;
      reported[path] = lock as Value;
    } else reported[path] = value;
  }
  return kind === 'workspace'
    ? reported
    : { access: attributes.access ?? null, ...(attributes.access === 'custom' ? reported : {}) };
}
