import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/index.ts';
import { exportProblems, lostSettings, type Written } from '../../tools/terraform-provider/check-export.ts';
import { type World, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';
import { everyAttribute, offerings, serviceOf } from './every-attribute.ts';

/** What an export writes to stdout, and the codes and texts of what it could not carry over. */
async function exported(world: World): Promise<{ written: Written; reported: string[] }> {
  const { code, stdout, stderr } = await world.attune('export', 'terraform', '--quiet');
  expect(code, stderr).toBe(0);
  const reported = [...stderr.matchAll(/(?:warning|note)\[((?:not|less)-in-terraform)\]: (.*)/g)];
  return { written: JSON.parse(stdout), reported: reported.map(([, code, text]) => `${code}: ${text}`) };
}

test.each(offerings)(
  'an export has only documented arguments of the provider, with values that they accept: %o',
  async (offering) => {
    const world = await worldWith(everyAttribute(offering), serviceOf(offering));
    const { written } = await exported(world);
    expect(exportProblems(written)).toEqual([]);
    expect(JSON.stringify(written.resource).match(/"\$\{[\w.-]+\.id\}"/g)?.length).toBeGreaterThan(10);
  },
);

test.each(offerings)('an export contains or reports every declared setting: %o', async (offering) => {
  const world = await worldWith(everyAttribute(offering), serviceOf(offering));
  const { written, reported } = await exported(world);
  const { configurations } = await loadConfig(world.folder);
  const [configuration] = configurations;
  const lost = configuration && lostSettings(configuration, written, reported);
  expect(lost).toEqual([]);
});

test('two exports of the same files and service have the same bytes', async () => {
  const world = await worldWith(everyAttribute(offerings[0]), serviceOf(offerings[0]));
  const [first, second] = [
    await world.attune('export', 'terraform'),
    await world.attune('export', 'terraform'),
  ];
  expect(second).toEqual(first);
  expect(world.writes()).toEqual([]);
});

test('export writes the file of the organization, and prints the next step', async () => {
  const seed = { organization: 'acme', workspaces: { app: { description: 'manual' }, old: {} } };
  const workspaces = '{app: {auto-apply: true}, new: {renamed-from: old}, more: {}}';
  const world = await worldWith(`attune: 1\norganization: acme\nworkspaces: ${workspaces}\n`, { seed });
  const { code, stdout, stderr } = await world.attune('export', 'terraform', '--out', 'infra');
  expect([code, stdout]).toEqual([0, '']);
  expect(stderr).toContain(`acme: 3 resources written to infra/acme.tf.json, 2 with an import block.
Next, with TFE_HOSTNAME and TFE_TOKEN set: cd infra && terraform init && terraform plan
`);
  const file = join(world.folder, 'infra', 'acme.tf.json');
  await expectMode(file, 0o644);
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('test-token');
  const { import: imports, resource } = JSON.parse(text) as Written;
  expect(imports?.map(({ to }) => to)).toEqual(['tfe_workspace.app', 'tfe_workspace.new']);
  // A new workspace gets the service's default, where the provider has another one.
  expect(resource?.tfe_workspace?.more).toMatchObject({ queue_all_runs: false, organization: 'acme' });
  expect(resource?.tfe_workspace?.app).not.toHaveProperty('queue_all_runs');
});
