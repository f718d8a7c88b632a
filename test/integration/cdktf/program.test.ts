import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App as StackApp, TerraformStack, Testing } from 'cdktf';
import { expect, test } from 'vitest';
import { WorkspaceConfiguration } from '../../../src/cdktf/index.ts';
import { App, Organization, Workspace } from '../../../src/constructs/index.ts';
import { exportProblems, type Written } from '../../../tools/terraform-provider/check-export.ts';
import { terraformIn, terraformVersion } from '../../../tools/terraform-provider/terraform.ts';
import { attune, folderWith, serviceWith } from '../../support/attune.ts';
import { compile, installInto, shellEnv } from '../../support/program-folder.ts';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'constructs');

test('the 120 workspaces of examples/constructs are exported, and imported by terraform without a change', async () => {
  const cwd = await folderWith({});
  await cp(example, cwd, { recursive: true });
  await installInto(cwd);
  expect(compile(cwd)).toBe('');
  const service = await serviceWith({ seed: join(cwd, 'seed.yaml') });
  const run = (...argv: readonly string[]) =>
    attune([...argv, '--app', 'node dist/main.js', '--address', service.url], {
      cwd,
      env: { ...shellEnv, ATTUNE_TOKEN: 'test-token' },
    });
  expect((await run('apply', '--yes')).code).toBe(0);
  const exported = await run('export', 'terraform', '--out', 'infra');
  expect(exported.code, exported.stderr).toBe(0);
  expect(exported.stderr).toContain(
    'acme: 246 resources written to infra/acme.tf.json, 246 with an import block.',
  );
  const written = JSON.parse(await readFile(join(cwd, 'infra', 'acme.tf.json'), 'utf8')) as Written;
  expect(exportProblems(written)).toEqual([]);
  expect(Object.keys(written.resource?.tfe_workspace ?? {})).toHaveLength(120);

  if (terraformVersion === undefined) return;
  const terraform = await terraformIn(join(cwd, 'infra'), { url: service.url, token: 'test-token' });
  const { code, output } = await terraform('terraform init && terraform plan');
  expect([code, /^Plan: .*$/m.exec(output)?.[0]]).toEqual([
    0,
    'Plan: 246 to import, 0 to add, 0 to change, 0 to destroy.',
  ]);
});

test('a configuration of attune/constructs is placed into a stack unchanged', async () => {
  const app = new App({ outdir: await folderWith({}) });
  const acme = new Organization(app, 'acme');
  const network = new Workspace(acme, 'network', { description: `\${x}` });
  network.allowStateReadBy(new Workspace(acme, 'billing'));
  const [configuration] = await app.synth();
  if (configuration === undefined) throw new Error('there is one organization');
  const stack = new TerraformStack(new StackApp({ skipValidation: true }), 'acme');
  new WorkspaceConfiguration(stack, 'workspaces', { configuration });
  const { resource } = JSON.parse(Testing.synth(stack)) as Written;
  expect(resource?.tfe_workspace?.network).toMatchObject({ description: `$\${x}` });
  expect(resource?.tfe_workspace_settings?.network).toMatchObject({
    remote_state_consumer_ids: [`\${tfe_workspace.billing.id}`],
  });
});
