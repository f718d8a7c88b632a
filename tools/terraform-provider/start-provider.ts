import { join } from 'node:path';
import {
  loadPackageDefinition,
  Server,
  ServerCredentials,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { type ResourceType, resourceTypes } from '../../src/cdktf/places.ts';
import { applyResource } from './apply-resource.ts';
import {
  type DocumentedArguments,
  type DocumentedResource,
  documentedResources,
  providerArguments,
} from './documented-arguments.ts';
import { planResource, replacedBy } from './plan-resource.ts';
import { type ExchangedObject, fromWire, toWire } from './provider-values.ts';
import { importResource, type ProviderService, readResource } from './read-resource.ts';
import { validateResource } from './validate-resource.ts';

/** A provider that Terraform uses instead of the one that it would download. */
export interface RunningProvider {
  /** For the environment of Terraform. */
  readonly reattach: string;
  stop(): void;
}

interface WireValue {
  readonly msgpack: Uint8Array;
}

/** What the requests have, taken together. */
interface Message {
  readonly type_name: ResourceType;
  readonly id: string;
  readonly raw_state: { readonly json: Buffer };
  readonly config: WireValue;
  readonly current_state: WireValue;
  readonly prior_state: WireValue;
  readonly proposed_new_state: WireValue;
  readonly planned_state: WireValue;
}
type Handler = (request: Message) => Promise<object> | object;

/**
 * Replaces Terraform's `tfe` provider: its documented arguments, and what it reads from a service and sends to it. It
 * destroys nothing.
 */
export async function startProvider(service: ProviderService): Promise<RunningProvider> {
  const server = new Server();
  const { tfplugin5 } = loadPackageDefinition(
    loadSync(join(import.meta.dirname, 'provider.proto'), {
      keepCase: true,
      longs: Number,
      enums: String,
      bytes: Buffer,
    }),
  ) as unknown as { tfplugin5: { Provider: { service: never } } };
  server.addService(tfplugin5.Provider.service, implementation(handlers(service)));
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  const address = { Network: 'tcp', String: `127.0.0.1:${port}` };
  const reattach = { Protocol: 'grpc', ProtocolVersion: 5, Pid: process.pid, Test: true, Addr: address };
  return {
    reattach: JSON.stringify({ 'registry.terraform.io/hashicorp/tfe': reattach }),
    stop: () => server.forceShutdown(),
  };
}

function handlers(service: ProviderService): Readonly<Record<string, Handler>> {
  return {
    GetSchema: () => ({
      provider: { version: 0, block: { attributes: attributesOf(providerArguments) } },
      resource_schemas: Object.fromEntries(
        resourceTypes.map((type) => [type, schemaOf(documentedResources[type])]),
      ),
    }),
    PrepareProviderConfig: ({ config }) => ({ prepared_config: config }),
    ValidateResourceTypeConfig: ({ type_name: type, config }) => ({
      // The newer kit looks at what is planned.
      diagnostics: documentedResources[type].legacy ? problems(type, objectOf(config)) : [],
    }),
    UpgradeResourceState: ({ raw_state }) => ({ upgraded_state: { json: raw_state.json } }),
    Configure: () => ({}),
    ImportResourceState: async ({ type_name: type, id }) => ({
      imported_resources: [{ type_name: type, state: toWire(await importResource(type, id, service)) }],
    }),
    ReadResource: async ({ type_name: type, current_state }) => ({
      new_state: toWire(await readResource(type, objectOf(current_state), service)),
    }),
    PlanResourceChange: ({ type_name: type, prior_state, proposed_new_state, config }) => {
      const proposed = fromWire(proposed_new_state);
      const { legacy } = documentedResources[type];
      if (proposed === null) return { planned_state: proposed_new_state, legacy_type_system: legacy };
      const request = { type, prior: fromWire(prior_state), proposed, config: objectOf(config) };
      const planned = planResource(request);
      return {
        planned_state: toWire(planned),
        legacy_type_system: legacy,
        requires_replace: replacedBy(request, planned).map((name) => ({ steps: [{ attribute_name: name }] })),
        diagnostics: legacy ? [] : problems(type, request.config),
      };
    },
    ApplyResourceChange: async ({ type_name: type, prior_state, planned_state, config }) => {
      const planned = fromWire(planned_state);
      if (planned === null) throw new Error('this provider destroys nothing');
      const request = { type, prior: fromWire(prior_state), planned, config: objectOf(config) };
      return {
        new_state: toWire(await applyResource(request, service)),
        legacy_type_system: documentedResources[type].legacy,
      };
    },
    Stop: () => ({}),
  };
}

function objectOf(value: WireValue): ExchangedObject {
  return fromWire(value) ?? {};
}

function problems(type: ResourceType, config: ExchangedObject): object[] {
  return validateResource(type, config).map((summary) => ({ severity: 'ERROR', summary }));
}

function implementation(byName: Readonly<Record<string, Handler>>): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(byName).map(([name, handle]) => [
      name,
      async ({ request }: { request: Message }, reply: (error: Error | null, response?: object) => void) => {
        try {
          reply(null, await handle(request));
        } catch (error) {
          reply(error as Error);
        }
      },
    ]),
  ) as unknown as UntypedServiceImplementation;
}

function schemaOf({ arguments: documented, blocks = {}, version }: DocumentedResource): object {
  return {
    version,
    block: {
      version,
      attributes: attributesOf(documented),
      block_types: Object.entries(blocks).map(([name, { nesting, most, arguments: inner }]) => ({
        type_name: name,
        nesting,
        max_items: nesting === 'LIST' ? most : 0,
        block: { attributes: attributesOf(inner) },
      })),
    },
  };
}

function attributesOf(documented: DocumentedArguments): object[] {
  return Object.entries(documented).map(([name, { type, required, optional, computed, deprecated }]) => ({
    name,
    type: Buffer.from(JSON.stringify(type)),
    required: required ?? false,
    optional: optional ?? false,
    computed: computed ?? false,
    deprecated: deprecated ?? false,
  }));
}
