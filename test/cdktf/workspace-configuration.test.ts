import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as cdktf from 'cdktf';
import * as cdktn from 'cdktn';
import { Construct } from 'constructs';
import { describe, expect, test, vi } from 'vitest';
import { type ReadConfiguration, readConfiguration, WorkspaceConfiguration } from '../../src/cdktf/index.ts';
import { createServiceClient, loadConfig } from '../../src/index.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { folderWith, type World, worldWith } from '../support/attune.ts';
import { everyAttribute, offerings, serviceOf } from './every-attribute.ts';

const libraries = [
  ['cdktf', cdktf],
  ['cdktn', cdktn as unknown as typeof cdktf],
] as const;

const small = 'attune: 1\norganization: acme\nworkspaces:\n  app: {lock: true, auto-apply: true}\n';

async function configurationOf(folder: string): Promise<Configuration> {
  const { configurations } = await loadConfig(folder);
  const [configuration] = configurations;
  if (configuration === undefined) throw new Error('the files have errors');
  return configuration;
}

async function smallConfiguration(): Promise<Configuration> {
  return configurationOf(await folderWith({ 'attune.yaml': small }));
}

async function readFrom({ folder, service }: World): Promise<ReadConfiguration> {
  const client = createServiceClient({ address: new URL(service.url), token: 'test-token' });
  try {
    return await readConfiguration(await configurationOf(folder), client);
  } finally {
    await client.close();
  }
}

describe.each(libraries)('a stack of %s', (name, { App, Testing, TerraformProvider, TerraformStack }) => {
  test(`a stack of ${name} has the resources that \`attune export terraform\` writes`, async () => {
    const world = await worldWith(everyAttribute(offerings[0]), serviceOf(offerings[0]));
    expect((await world.attune('apply', '--yes', '--quiet')).code).toBe(0);
    const { stdout } = await world.attune('export', 'terraform', '--quiet');
    const written = JSON.parse(stdout);

    const stack = new TerraformStack(Testing.app(), 'acme');
    new WorkspaceConfiguration(stack, 'workspaces', await readFrom(world));
    const made = stack.toTerraform();
    expect(written.import.length).toBeGreaterThan(20);
    expect(made.import).toEqual(written.import);
    expect(withoutComments(made.resource)).toEqual(written.resource);
    expect(made.provider).toEqual(written.provider);
    expect(made.terraform.required_providers).toEqual(written.terraform.required_providers);
    expect(made.terraform.required_version).toBe(written.terraform.required_version);
    expect(made['//']['not-carried-over']).toEqual(written['//']['not-carried-over']);
  });

  test(`a stack of ${name} with imports is synthesized without Terraform`, async () => {
    vi.stubEnv('PATH', '');
    const world = await worldWith(small, { seed: { organization: 'acme', workspaces: { app: {} } } });
    const outdir = await folderWith({});
    const app = new App({ outdir });
    const stack = new TerraformStack(app, 'acme');
    new WorkspaceConfiguration(stack, 'workspaces', await readFrom(world));
    app.synth();
    const text = await readFile(join(outdir, 'stacks', 'acme', 'cdk.tf.json'), 'utf8');
    expect(JSON.parse(text).import).toEqual([{ to: 'tfe_workspace.app', id: expect.stringMatching(/^ws-/) }]);
    vi.unstubAllEnvs();
  });

  test(`a configuration in a stack of ${name} imports nothing without a live state, and reports unsupported settings`, async () => {
    const stack = new TerraformStack(Testing.app(), 'acme');
    const { unsupported } = new WorkspaceConfiguration(stack, 'workspaces', {
      configuration: await smallConfiguration(),
    });
    expect(JSON.parse(Testing.synth(stack)).import).toEqual([]);
    expect(unsupported.map(({ message }) => message)).toEqual([
      'lock of "app" is not exported: the provider does not support locks',
    ]);
  });

  test(`a configuration in a stack of ${name} keeps its own tfe provider`, async () => {
    const stack = new TerraformStack(Testing.app(), 'acme');
    class TfeProvider extends TerraformProvider {
      protected override synthesizeAttributes() {
        return { hostname: 'iac.example.com' };
      }
    }
    new TfeProvider(stack, 'tfe', { terraformResourceType: 'tfe', terraformProviderSource: 'hashicorp/tfe' });
    new WorkspaceConfiguration(stack, 'workspaces', { configuration: await smallConfiguration() });
    expect(JSON.parse(Testing.synth(stack)).provider).toEqual({ tfe: [{ hostname: 'iac.example.com' }] });
  });

  test(`a stack of ${name} accepts one configuration only, because two could use the same resource names`, async () => {
    const stack = new TerraformStack(Testing.app(), 'acme');
    const configuration = await smallConfiguration();
    new WorkspaceConfiguration(stack, 'first', { configuration });
    expect(() => new WorkspaceConfiguration(stack, 'second', { configuration })).toThrow(
      'acme/second: the stack has a configuration already, acme/first',
    );
  });
});

test('a configuration outside of a stack is an error that contains its path', async () => {
  const configuration = await smallConfiguration();
  const root = new Construct(undefined as never, '');
  expect(() => new WorkspaceConfiguration(root, 'workspaces', { configuration })).toThrow(
    'workspaces: a WorkspaceConfiguration must be in a TerraformStack',
  );
});

/** The library writes where each resource was made. */
function withoutComments(resources: Readonly<Record<string, Readonly<Record<string, object>>>>): object {
  return Object.fromEntries(
    Object.entries(resources).map(([type, named]) => [
      type,
      Object.fromEntries(
        Object.entries(named).map(([name, { ...body }]) => [name, { ...body, '//': undefined }]),
      ),
    ]),
  );
}
