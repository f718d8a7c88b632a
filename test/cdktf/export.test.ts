import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/index.ts';
import { exportProblems, lostSettings, type Written } from '../../tools/terraform-provider/check-export.ts';
import { type World, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';
import { everyAttribute, offerings, serviceOf } from './every-attribute.ts';

function small(workspaces: string): string {
  return `attune: 1\norganization: acme\nworkspaces:\n${workspaces}`;
}

async function worldOf(yaml: string, seed: object = {}): Promise<World> {
  return worldWith(yaml, { seed: { organization: 'acme', ...seed } });
}

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

const seed = { workspaces: { app: { description: 'by hand' }, old: {} } };

test('export writes the file of the organization, and prints the next step', async () => {
  const world = await worldOf(
    small('  app: {auto-apply: true}\n  new: {renamed-from: old}\n  more: {}\n'),
    seed,
  );
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

test('export terraform does not overwrite a file without --force', async () => {
  const world = await worldOf(small('  app: {}\n'), seed);
  await mkdir(join(world.folder, 'infra'));
  const file = join(world.folder, 'infra', 'acme.tf.json');
  await writeFile(file, 'mine');
  const refused = await world.attune('export', 'terraform', '--out', 'infra');
  expect([refused.code, refused.stdout, refused.stderr]).toEqual([
    1,
    '',
    'error[file-exists]: infra/acme.tf.json exists already\n  hint: add --force to overwrite it, or choose another folder with --out\n',
  ]);
  expect([await readFile(file, 'utf8'), world.requests()]).toEqual(['mine', []]);
  expect((await world.attune('export', 'terraform', '--out', 'infra', '--force')).code).toBe(0);
  expect(await readFile(file, 'utf8')).toContain('tfe_workspace');
});

test.each([
  ['file', 'error[file-not-written]: --out file/acme.tf.json cannot be written: the folder '],
  ['a/b', 'error[file-not-written]: --out a/b cannot be written: the folder '],
  ['link', 'error[file-not-written]: --out link/acme.tf.json cannot be written: the folder '],
])('export terraform refuses --out %s before any request', async (out, message) => {
  const world = await worldOf(small('  app: {}\n'), seed);
  await writeFile(join(world.folder, 'file'), '');
  await symlink('/', join(world.folder, 'link'));
  const { code, stdout, stderr } = await world.attune('export', 'terraform', '--out', out);
  expect([code, stdout, stderr.slice(0, message.length)]).toEqual([1, '', message]);
  expect(world.requests()).toEqual([]);
});

test('export terraform leaves no file if a read fails', async () => {
  const world = await worldWith(small('  app: {}\n'), {
    seed: { organization: 'acme' },
    faults: [{ kind: 'status', path: '*/workspaces*', status: 403 }],
  });
  const { code, stdout, stderr } = await world.attune('export', 'terraform', '--out', 'infra');
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('error[service-error]')]);
  await expect(stat(join(world.folder, 'infra'))).rejects.toThrow('ENOENT');
});

test('export reports problems of the live state at their lines, relative to the working folder', async () => {
  const world = await worldWith(
    { 'teams/attune.yaml': small('  app: {remote-state-consumers: [nobody]}\n') },
    { seed: { organization: 'acme', ...seed } },
  );
  const { code, stdout, stderr } = await world.attune('export', 'terraform', 'teams');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('teams/attune.yaml:4:34: error[unknown-name]');
});

test('export terraform refuses more than one root file', async () => {
  const other = small('  app: {}\n').replace('acme', 'other');
  const world = await worldWith(
    { 'a/attune.yaml': small('  app: {}\n'), 'b/attune.yaml': other },
    { seed: { organization: 'acme' } },
  );
  const { code, stdout, stderr } = await world.attune('export', 'terraform', 'a', 'b');
  expect([code, stdout, stderr]).toEqual([
    1,
    '',
    'error[usage]: export terraform takes one root file, and there are 2\n  hint: name one root file\n',
  ]);
});

test('export terraform refuses a pattern of --only that matches nothing', async () => {
  const world = await worldOf(small('  app: {}\n'), seed);
  const { code, stderr } = await world.attune('export', 'terraform', '--only', 'app');
  expect([code, stderr]).toEqual([1, expect.stringContaining('error[nothing-matched]')]);
});

test('export terraform --format json prints unsupported settings as one document, and writes a report', async () => {
  const world = await worldOf(small('  app: {lock: true}\n'), seed);
  const argv = ['export', 'terraform', '--out', '.', '--format', 'json', '--report', 'told.md'];
  const { code, stdout } = await world.attune(...argv);
  expect([code, JSON.parse(stdout)]).toMatchObject([
    0,
    {
      format: 'attune.diagnostics/1',
      diagnostics: [{ code: 'not-in-terraform', address: 'workspace.app' }],
    },
  ]);
  expect(await readFile(join(world.folder, 'told.md'), 'utf8')).toContain(
    'the provider does not support locks',
  );
});

test('the export of an organization without workspaces is a file without resources', async () => {
  const world = await worldOf('attune: 1\norganization: acme\n');
  const { stdout } = await world.attune('export', 'terraform');
  expect(Object.keys(JSON.parse(stdout))).toEqual(['//', 'terraform', 'provider']);
});
