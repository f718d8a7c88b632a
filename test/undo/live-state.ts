import { readLive } from '../../src/live/read-live.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import { grantAddress, type Resource, resourcesOf } from '../../src/model/state.ts';
import { isRecord, type Value, type Values } from '../../src/model/value.ts';
import { createServiceClient } from '../../src/service/client.ts';
import { attune, type Ran } from '../support/attune.ts';
import { jumpingClock } from '../support/fake-clock.ts';

/** Undeclared values. */
const noValues = new Set(['resource-count', 'data-retention-policy']);

/** The live state by address, without ids: projects have their names. */
export type LiveState = Readonly<Record<string, Readonly<Record<string, Value>>>>;

/** Runs commands of a folder on a service, with waits that take no time. */
export const commandsOn =
  ({ url }: { readonly url: string }, cwd: string) =>
  (...argv: readonly string[]): Promise<Ran> =>
    attune([...argv, '--quiet', '--address', url], {
      cwd,
      env: { ATTUNE_TOKEN: 'test-token' },
      clock: jumpingClock(),
    });

export interface LiveStateOptions {
  readonly url: string;
  readonly dialect?: Dialect;
}

export async function liveState({ url, dialect = 'iac' }: LiveStateOptions): Promise<LiveState> {
  const client = createServiceClient({ address: new URL(url), token: 'test-token' });
  try {
    const all = {
      organization: 'acme',
      dialect,
      names: [],
      whole: true,
      managedProjects: 'all' as const,
      bindings: dialect === 'terraform',
    };
    const first = await readLive(client, {
      ...all,
      projects: [],
      consumersOf: new Set(),
      retentionOf: new Set(),
    });
    const found = [...first.state.resources.values()];
    const projects = new Map(
      resourcesOf(found, 'project').map(({ id = '', attributes }) => [id, String(attributes.name)]),
    );
    const names = new Set(resourcesOf(found, 'workspace').map(({ name }) => name));
    const live = await readLive(client, {
      ...all,
      projects: [...projects.keys()],
      consumersOf: names,
      retentionOf: names,
    });
    const named = new Map([...live.names, ...projects]);
    const entries = [...live.state.resources.values()].map(
      (resource) => [addressOf(resource, named), reported(resource, named)] as const,
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  } finally {
    await client.close();
  }
}

function addressOf(resource: Resource, names: ReadonlyMap<string, string>): string {
  const { kind, address, name, attributes } = resource;
  if (kind === 'project') return `project.${names.get(name)}`;
  if (kind === 'workspace') return address;
  return grantAddress(names.get(attributes.project) ?? '', attributes.team);
}

function reported({ kind, attributes }: Resource, names: ReadonlyMap<string, string>): Record<string, Value> {
  const reported: Record<string, Value> = {};
  const values: Values = attributes;
  for (const [path, value] of Object.entries(values)) {
    if (noValues.has(path) || value === null || value === '' || (Array.isArray(value) && value.length === 0))
      continue;
    // The service computes it from the duration each time.
    if (path === 'auto-destroy-at' && attributes['auto-destroy-activity-duration']) continue;
    if (path === 'project') reported[path] = names.get(String(value)) ?? value;
    // Services write one instant in several ways.
    else if (path === 'auto-destroy-at') reported[path] = Date.parse(String(value));
    else if (path === 'remote-state-consumers')
      reported[path] = (value as string[]).map((id) => names.get(id) ?? id).sort();
    else if (Array.isArray(value)) reported[path] = [...value].sort();
    else if (path === 'lock' && isRecord(value)) {
      // Its holder is the user who locked it last.
      const { by: _by, ...lock } = value;
      reported[path] = lock as Value;
    } else reported[path] = value;
  }
  return kind !== 'team-access'
    ? reported
    : { access: attributes.access ?? null, ...(attributes.access === 'custom' ? reported : {}) };
}
