import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, serviceWith } from '../../support/attune.ts';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'cdktf');

test('examples/cdktf places a configuration into a stack, and reports the settings that Terraform does not support', async () => {
  const service = await serviceWith({ seed: join(example, 'seed.yaml') });
  const outdir = await folderWith({});
  const env = {
    ...process.env,
    ATTUNE_ADDRESS: service.url,
    ATTUNE_TOKEN: 'test-token',
    CDKTF_OUTDIR: outdir,
  };
  // Not awaited in one call: the service that it asks lives in this process.
  const program = spawn(process.execPath, [join(example, 'main.mjs')], {
    env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  let reported = '';
  program.stderr.on('data', (chunk) => {
    reported += chunk;
  });
  const [code] = await once(program, 'close');
  expect([code, reported]).toEqual([
    0,
    [
      'execution-mode of "network" is exported with restrictions: the workspace inherits the same value, which the provider makes its own only beside other changes',
      'lock of "dns" is not exported: the provider does not support locks',
      'tags of "dns" is exported with restrictions: the provider\'s tag_names is a complete list, which is written on create only',
      '',
    ].join('\n'),
  ]);

  const stack = JSON.parse(await readFile(join(outdir, 'stacks', 'acme', 'cdk.tf.json'), 'utf8'));
  expect(stack.import.map(({ to }: { to: string }) => to)).toEqual([
    'tfe_workspace.network',
    'tfe_workspace_settings.network',
    'tfe_team_project_access.platform_sre',
  ]);
  expect(Object.keys(stack.resource.tfe_workspace)).toEqual(['dns', 'network']);
  expect(stack.resource.tfe_workspace.network).toMatchObject({
    description: `VPCs and peering, $\${region}`,
    lifecycle: { prevent_destroy: true },
  });
  expect(stack.output.network).toEqual({ value: `\${tfe_workspace.network.id}` });
  expect(stack.resource.tfe_workspace_settings.dns.remote_state_consumer_ids).toEqual([
    `\${tfe_workspace.network.id}`,
  ]);
});
