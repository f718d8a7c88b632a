import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { terraformIn, terraformVersion } from '../../../tools/terraform-provider/terraform.ts';
import { everyAttribute, offerings, serviceOf } from '../../cdktf/every-attribute.ts';
import { folderWith, type Ran, type World, worldWith } from '../../support/attune.ts';

const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'guides', 'from-terraform.md');

describe.skipIf(terraformVersion === undefined)(
  'docs/guides/from-terraform.md, step by step (skipped without terraform)',
  () => {
    test.each(['removed blocks', 'state rm'])(
      'the steps of docs/guides/from-terraform.md from import to %s and back write nothing to the service',
      async (forgetting) => {
        const [importing = '', stateRm = '', goingBack = ''] = blocks(await readFile(page, 'utf8'), 'sh');
        const [removed = ''] = blocks(await readFile(page, 'utf8'), 'hcl');
        const world = await worldWith(everyAttribute(offerings[0]), serviceOf(offerings[0]));
        expect((await world.attune('apply', '--yes', '--quiet')).code).toBe(0);

        // An organization that Terraform manages: its files, and a state with everything in it.
        const infra = join(world.folder, 'terraform');
        await mkdir(infra);
        expect((await world.attune('export', 'terraform', '--out', 'terraform')).code).toBe(0);
        const run = await terraformIn(infra, { url: world.service.url, token: 'test-token' });
        const managed = await run('terraform init && terraform apply -auto-approve');
        expect(managed.output).toContain(
          'Apply complete! Resources: 25 imported, 0 added, 0 changed, 0 destroyed.',
        );
        const addresses = (await run('terraform state list')).output.trim().split('\n');
        expect(addresses).toHaveLength(25);

        for (const command of attuneCommands(importing)) {
          const { code, stdout, stderr } = await play(world, command);
          expect([command, code, stdout + stderr]).toEqual([command, 0, expect.anything()]);
        }
        expect((await world.attune('plan', 'acme')).stdout).toContain(
          '0 to create, 0 to update, 0 to delete',
        );

        if (forgetting === 'state rm') {
          const forgotten = await run(stateRm);
          expect([forgotten.code, forgotten.output]).toEqual([
            0,
            expect.stringContaining('25 resource instance(s)'),
          ]);
        } else {
          const texts = addresses.map((address) => removed.replace('tfe_workspace.network', address));
          await rm(join(infra, 'acme.tf.json'));
          await writeFile(join(infra, 'removed.tf'), texts.join('\n'));
          const planned = await run('terraform plan');
          expect(planned.output.match(/^ # .* will no longer be managed by Terraform/gm)).toHaveLength(25);
          expect(planned.output).toContain('Plan: 0 to add, 0 to change, 0 to destroy.');
          const applied = await run('terraform apply -auto-approve');
          expect(applied.output).toContain('Apply complete! Resources: 0 added, 0 changed, 0 destroyed.');
        }
        expect(await run('terraform state list')).toEqual({ code: 0, output: '' });

        const [exporting = '', ...others] = goingBack.trim().split('\n');
        expect((await play(world, exporting)).code).toBe(0);
        const back = await terraformIn(world.folder, { url: world.service.url, token: 'test-token' });
        const { code, output } = await back(others.join('\n'));
        expect([code, /^Plan: .*$/m.exec(output)?.[0]]).toEqual([
          0,
          'Plan: 28 to import, 0 to add, 0 to change, 0 to destroy.',
        ]);
        expect(world.writes()).toEqual([]);
      },
    );
  },
);

describe.skipIf(terraformVersion === undefined)(
  'the state rm pipeline of docs/guides/from-terraform.md (skipped without terraform)',
  () => {
    test('the state rm pipeline of docs/guides/from-terraform.md removes resources in modules and instances of for_each, and nothing else', async () => {
      const [, stateRm = ''] = blocks(await readFile(page, 'utf8'), 'sh');
      const folder = await folderWith({ 'terraform.tfstate': stateOf(managedInstances, otherInstances) });
      const run = await terraformIn(folder, { url: 'http://127.0.0.1:1', token: 'test-token' });
      expect((await run('terraform state list')).output.trim().split('\n')).toHaveLength(12);
      const removed = await run(stateRm);
      expect([removed.code, removed.output]).toEqual([
        0,
        expect.stringContaining('Successfully removed 8 resource instance(s).'),
      ]);
      expect((await run('terraform state list')).output.trim().split('\n')).toEqual([
        'data.tfe_workspace.network',
        'tfe_variable.region["tfe_workspace.x"]',
        'module.apps["a.b"].data.tfe_workspace.network',
        'module.apps["a.b"].tfe_project.this',
      ]);
    });
  },
);

interface Instance {
  readonly module?: string;
  readonly mode?: 'managed' | 'data';
  readonly type: string;
  readonly name: string;
  readonly index_key?: string | number;
}

const managedInstances: readonly Instance[] = [
  { type: 'tfe_workspace', name: 'plain' },
  { type: 'tfe_workspace', name: 'each', index_key: 'with space' },
  { type: 'tfe_workspace', name: 'quoted', index_key: `it's "quoted" \\ here` },
  { type: 'tfe_workspace_settings', name: 'counted', index_key: 0 },
  { module: 'module.apps["a.b"]', type: 'tfe_workspace', name: 'this' },
  { module: 'module.apps["x \\"]. y"]', type: 'tfe_workspace', name: 'this', index_key: 'k' },
  { module: 'module.outer.module.inner[1]', type: 'tfe_team_project_access', name: 'sre' },
  { module: 'module.outer', type: 'tfe_data_retention_policy', name: 'short' },
];

const otherInstances: readonly Instance[] = [
  { mode: 'data', type: 'tfe_workspace', name: 'network' },
  { type: 'tfe_variable', name: 'region', index_key: 'tfe_workspace.x' },
  { module: 'module.apps["a.b"]', mode: 'data', type: 'tfe_workspace', name: 'network' },
  { module: 'module.apps["a.b"]', type: 'tfe_project', name: 'this' },
];

/** A state of Terraform with these instances. */
function stateOf(...lists: (readonly Instance[])[]): string {
  const provider = 'provider["registry.terraform.io/hashicorp/tfe"]';
  const resources = lists.flat().map(({ mode = 'managed', index_key, ...resource }) => ({
    mode,
    ...resource,
    provider,
    instances: [{ ...(index_key !== undefined && { index_key }), schema_version: 0, attributes: {} }],
  }));
  const lineage = '00000000-0000-4000-8000-000000000000';
  return JSON.stringify({
    version: 4,
    terraform_version: '1.7.0',
    serial: 1,
    lineage,
    outputs: {},
    resources,
  });
}

/** The blocks of a page in a language, without what they are indented by. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\``, 'gm'))].map(
    ([, indent = '', block = '']) => block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

function attuneCommands(block: string): string[] {
  return block.split('\n').filter((line) => line.startsWith('attune '));
}

/** A command of the page, at the service of the test. */
function play(world: World, command: string): Promise<Ran> {
  const [, ...argv] = command.replace('https://iac.example.com', world.service.url).split(' ');
  return world.attune(...argv);
}
