import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { type World, worldWith } from '../support/attune.ts';

const seed = {
  organization: 'acme',
  projects: { 'Payments Platform': 'prj-payments', Lab: 'prj-lab' },
  teams: { sre: 'team-sre' },
  workspaces: {
    'billing-prod': { project: 'Payments Platform', tags: ['prod', 'eu'] },
    'billing-dev': { project: 'Payments Platform' },
    lab: { project: 'Lab', tags: ['prod'] },
  },
  'team-access': { 'Payments Platform': { sre: 'admin' } },
};

async function imported(argv: readonly string[]): Promise<{ world: World; root: string }> {
  const world = await worldWith({}, { seed });
  const { code, stderr, stdout } = await world.attune(
    'import',
    '--organization',
    'acme',
    '--out',
    'live',
    ...argv,
  );
  expect(code, stderr).toBe(0);
  const root = await readFile(join(world.folder, 'live', 'attune.yaml'), 'utf8');
  expect(stdout.includes('\nFrom now on, drift ')).toBe(root.includes('\nscope: '));
  const plan = await world.attune('plan', 'live', '--detailed-exitcode');
  expect([plan.code, plan.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  return { world, root };
}

test.each<[string[], string | undefined]>([
  [[], '{names: ["*"]}'],
  [['--project', 'Payments Platform'], '{projects: [payments-platform]}'],
  [['--project', 'prj-payments', '--project', 'Lab'], '{projects: [payments-platform, lab]}'],
  [['--tag', 'prod', '--tag', 'eu'], '{tags: [prod, eu]}'],
  [['--name', 'billing-*'], '{names: [billing-*]}'],
  [['--project', 'Lab', '--tag', 'prod'], '{projects: [lab], tags: [prod]}'],
  [['--only', 'workspace.lab'], undefined],
  [['--no-scope'], undefined],
  [['--no-scope', '--project', 'Lab'], undefined],
])('import %j writes the matching scope %s, and its plan is empty', async (argv, scope) => {
  const { root } = await imported(argv);
  expect(/^scope: (.*)$/m.exec(root)?.[1]).toBe(scope);
});

test('after an import, drift reports a workspace that was created manually', async () => {
  const { world } = await imported(['--project', 'Lab']);
  const clean = await world.attune('drift', 'live');
  expect([clean.code, clean.stdout]).toEqual([0, expect.stringContaining('0 undeclared')]);
  for (const [name, id] of [
    ['stray', 'prj-lab'],
    ['elsewhere', 'prj-payments'],
  ]) {
    await sendTo(world.service, 'POST', '/organizations/acme/workspaces', workspaceBody({ name }, id));
  }
  const { code, stdout } = await world.attune('drift', 'live');
  expect([code, stdout]).toEqual([2, expect.stringContaining('  undeclared  workspace.stray\n')]);
  expect(stdout).not.toContain('elsewhere');
});

test('import --update leaves a root file without a scope as it is', async () => {
  const { world, root } = await imported(['--no-scope', '--project', 'Lab']);
  const { code, stdout } = await world.attune('import', '--update', '--out', 'live');
  expect([code, stdout.includes('Scope:')]).toEqual([0, false]);
  expect(root).not.toContain('scope:');
  expect(await readFile(join(world.folder, 'live', 'attune.yaml'), 'utf8')).not.toContain('scope:');
});

test('the first line of each imported file names the schema of the package that the repository has', async () => {
  const world = await worldWith({ 'package.json': '{"devDependencies": {"attune": "1"}}' }, { seed });
  await world.attune('import', '--organization', 'acme', '--out', 'teams/x');
  const firstLine = async (name: string) =>
    (await readFile(join(world.folder, 'teams/x', name), 'utf8')).split('\n')[0];
  const schema = 'node_modules/attune/schemas/attune.schema.json';
  expect(await firstLine('attune.yaml')).toBe(`# yaml-language-server: $schema=../../${schema}`);
  expect(await firstLine('workspaces/lab.yaml')).toBe(
    `# yaml-language-server: $schema=../../../${schema}#/$defs/included-file`,
  );

  await writeFile(join(world.folder, 'package.json'), '{}');
  await world.attune('import', '--organization', 'acme', '--out', 'own');
  const published =
    /^# yaml-language-server: \$schema=https:\/\/raw\.githubusercontent\.com\/\S+\/v[\d.]+\/schemas\/attune\.schema\.json/;
  const read = (name: string) => readFile(join(world.folder, 'own', name), 'utf8');
  expect(await read('attune.yaml')).toMatch(published);
  expect(await read('workspaces/lab.yaml')).toMatch(published);
});
