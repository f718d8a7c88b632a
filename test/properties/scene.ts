import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyPlan } from '../../src/apply/apply-plan.ts';
import { loadConfig } from '../../src/desired/load-config.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../src/emulator/index.ts';
import { type Live, readLive, serviceSource } from '../../src/live/read-live.ts';
import type { ApplyResult } from '../../src/model/apply-result.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';
import type { Plan } from '../../src/model/plan.ts';
import { makePlan } from '../../src/run/make-plan.ts';
import { createServiceClient, type ServiceClient, type ServiceReader } from '../../src/service/client.ts';
import { jumpingClock } from '../support/fake-clock.ts';
import { names, projects } from './live-organization.ts';

/** A service with a client whose waits take no time. */
export interface Scene {
  readonly service: Emulator;
  readonly client: ServiceClient;
  /** @param reader replaces the client */
  plan(configuration: Configuration, reader?: ServiceReader): Promise<Plan>;
  apply(plan: Plan): Promise<ApplyResult>;
  close(): Promise<void>;
}

export async function openScene(options: EmulatorOptions): Promise<Scene> {
  const service = await startEmulator(options);
  const clock = jumpingClock();
  const client = createServiceClient({ address: new URL(service.url), token: 'test-token', clock });
  return {
    service,
    client,
    plan: (configuration, reader = client) =>
      makePlan(configuration, {
        source: serviceSource(reader),
        address: 'https://iac.example.com',
        only: [],
        maxDeletes: 1000,
      }),
    apply: (plan) => applyPlan(plan, { client, clock, readAt: clock.now(), parallelism: 4 }),
    close: async () => {
      await client.close();
      await service.stop();
    },
  };
}

/** All that a service of the properties holds. */
export async function everything(client: ServiceReader): Promise<Live> {
  const all = new Set(names.flatMap((name) => [name, `${name}-new`]));
  const lists = { names: [], whole: true, consumersOf: all, retentionOf: all };
  return readLive(client, { organization: 'acme', ...lists, projects: Object.values(projects) });
}

/** Loads a configuration that is given as plain data: JSON is YAML. */
export function configurationOf(data: Readonly<Record<string, unknown>>): Promise<LoadedConfiguration> {
  return configurationFrom(JSON.stringify({ attune: 1, organization: 'acme', ...data }, undefined, 1));
}

export interface LoadedConfiguration {
  readonly configuration?: Configuration;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads a root file. */
export async function configurationFrom(text: string): Promise<LoadedConfiguration> {
  const folder = mkdtempSync(join(tmpdir(), 'attune-property-'));
  try {
    writeFileSync(join(folder, 'attune.yaml'), text);
    const { configurations, diagnostics } = await loadConfig('attune.yaml', { cwd: folder });
    const [configuration] = configurations;
    return { ...(configuration && { configuration }), diagnostics };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
