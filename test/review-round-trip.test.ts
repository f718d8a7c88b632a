import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportFormats } from '../src/report/report.ts';
import { sendTo, workspaceBody } from './support/ask.ts';
import { type World, worldWith } from './support/attune.ts';
import { codesOnly } from './support/codes-only.ts';

const main = `attune: 1
organization: acme
projects: {platform: prj-platform}
teams: {sre: team-sre}
workspaces:
  network: {auto-apply: false, tags: [prod], remote-state-consumers: [app]}
  app: {}
team-access: {platform: {sre: read}}
limits: {delete-percent: 100}
`;
const branch = `attune: 1
organization: acme
projects: {platform: prj-platform}
teams: {sre: team-sre}
workspaces:
  network: {auto-apply: true, tags: [prod, shared], remote-state-consumers: [app, billing]}
  app: {}
  billing: {project: platform}
  legacy: {state: absent}
team-access: {platform: {sre: admin}}
limits: {delete-percent: 100}
`;
const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform' },
  teams: { sre: 'team-sre' },
  workspaces: {
    network: { id: 'ws-network', tags: ['prod'], 'remote-state-consumers': ['app'] },
    app: { id: 'ws-app' },
    legacy: {},
  },
  'team-access': { 'prj-platform': { 'team-sre': 'read' } },
} as const;

const changeManually = ({ service }: World, workspace: string, attributes: Record<string, unknown>) =>
  sendTo(service, 'PATCH', `/workspaces/${workspace}`, workspaceBody(attributes));

const read = (world: World, file: string) => readFile(join(world.folder, file), 'utf8');

test('a pull request leads to an empty plan: plan, comment, a live change in between, plan again, apply', async () => {
  const world = await worldWith(main, { seed });
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);

  // The pull request is planned; nothing is written for it.
  await writeFile(join(world.folder, 'attune.yaml'), branch);
  const planned = await world.attune('plan', '--out', 'plan.json', '--report', 'plan.md', '--quiet');
  expect([planned.code, planned.stderr]).toEqual([0, '']);
  expect(world.writes()).toEqual([]);
  const comment = await read(world, 'plan.md');
  expect(comment.split('\n')[0]).toBe('<!-- attune:plan:acme -->');
  for (const reported of [
    'workspace.billing',
    'workspace.legacy',
    'workspace.network',
    'team-access.platform/sre',
  ]) {
    expect(comment).toContain(reported);
  }

  // Another user makes one change of the plan, and one that is not part of it.
  await changeManually(world, 'ws-network', { 'auto-apply': true });
  await changeManually(world, 'ws-app', { description: 'By hand' });
  const refused = await world.attune('apply', '--plan', 'plan.json', '--yes', '--report', 'apply.md');
  expect([refused.code, refused.stdout]).toEqual([1, '']);
  expect(refused.stderr).toContain('attune.yaml:6:3: error[plan-differs]');
  expect(world.writes()).toEqual([]);
  expect(await read(world, 'apply.md')).toContain('the live state changed after the plan was saved');

  // After another plan, the comment no longer shows the change that is already made.
  const again = await world.attune('plan', '--out', 'plan.json', '--report', 'plan.md');
  expect(again.code).toBe(0);
  expect(await read(world, 'plan.md')).not.toContain('auto-apply');

  const shown = await world.attune('show', 'plan.json');
  expect(shown).toEqual({ code: 0, stdout: again.stdout, stderr: '' });

  const applied = await world.attune('apply', '--plan', 'plan.json', '--yes', '--report', 'apply.md');
  expect(applied.code).toBe(0);
  expect(applied.stdout).toContain('Applied: 1 created, 2 updated, 1 deleted. 5 calls.');
  expect(world.writes()).toHaveLength(5);
  expect(await read(world, 'apply.md')).toContain('<!-- attune:apply:acme -->');

  const after = await world.attune('plan', '--detailed-exitcode');
  expect([after.code, after.stdout]).toEqual([0, expect.stringContaining('No changes')]);
  expect((await world.attune('drift')).code).toBe(0);

  // Applied a second time, it has nothing to do.
  const twice = await world.attune('apply', '--plan', 'plan.json', '--yes');
  expect([twice.code, codesOnly(twice.stderr)]).toEqual([0, 'note[already-applied]\n']);
  expect(world.writes()).toEqual([]);
});

test('applying a saved plan requires a confirmation; without a terminal and without --yes nothing is written', async () => {
  const world = await worldWith(branch, { seed });
  await world.attune('plan', '--out', 'plan.json');
  const { code, stderr } = await world.attune('apply', '--plan', 'plan.json');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stderr).toContain('error[not-confirmed]');
});

test('a plan that exceeds its limits is not saved', async () => {
  const world = await worldWith(branch.replace('delete-percent: 100', 'deletes: 0'), { seed });
  const { code } = await world.attune('plan', '--out', 'plan.json');
  expect(code).toBe(1);
  await expect(read(world, 'plan.json')).rejects.toThrow('ENOENT');
});

test('two plans of the same live state and files have the same bytes', async () => {
  const world = await worldWith(branch, { seed });
  await world.attune('plan', '--out', 'first.json');
  await world.attune('plan', '--out', 'second.json');
  expect(await read(world, 'second.json')).toBe(await read(world, 'first.json'));
});

describe('show', () => {
  test.each(reportFormats)('show prints a saved plan as %s exactly as plan printed it', async (format) => {
    const world = await worldWith(branch, { seed });
    const planned = await world.attune('plan', '--out', 'plan.json', '--format', format, '--quiet');
    const shown = await world.attune('show', 'plan.json', '--format', format);
    expect([shown.code, shown.stderr]).toEqual([0, '']);
    // A page shows when it was made.
    const timeless = (text: string) => text.replace(/<time .*?<\/time>/, '');
    expect(timeless(shown.stdout)).toBe(timeless(planned.stdout));
    expect(shown.stdout).toContain('network');
    expect(world.requests()).toEqual([]);
  });

  test('show writes reports, and needs only the plan file', async () => {
    const world = await worldWith(branch, { seed });
    await world.attune('plan', '--out', 'plan.json', '--report', 'plan.md');
    await mkdir(join(world.folder, 'elsewhere'));
    const { code } = await world.attune('show', 'plan.json', '--report', 'elsewhere/plan.md');
    expect(code).toBe(0);
    expect(await read(world, 'elsewhere/plan.md')).toBe(await read(world, 'plan.md'));
  });

  test('show prints warnings with the locations at the time of the plan, even if the file has changed', async () => {
    const world = await worldWith(branch.replace('auto-apply: true', 'operations: true'), { seed });
    await world.attune('plan', '--out', 'plan.json', '--quiet');
    await writeFile(join(world.folder, 'attune.yaml'), '#\n'.repeat(20));
    const { stderr } = await world.attune('show', 'plan.json');
    expect(stderr).toMatch(/^attune\.yaml:6:\d+: warning\[deprecated-operations\]: .*\n {2}hint: .*\n$/);
  });
});

describe('several root files', () => {
  const other = `attune: 1
organization: other
workspaces: {elsewhere: {auto-apply: true, description: Ours}}
`;
  const both = {
    organizations: {
      acme: {
        projects: seed.projects,
        teams: seed.teams,
        workspaces: seed.workspaces,
        'team-access': seed['team-access'],
      },
      other: { workspaces: { elsewhere: { id: 'ws-elsewhere' } } },
    },
  };
  const files = { 'acme/attune.yaml': branch, 'other/attune.yaml': other };

  async function planned(): Promise<World> {
    const world = await worldWith(files, { seed: both });
    const { code, stderr } = await world.attune(
      'plan',
      'acme',
      'other',
      '--out',
      'plan.json',
      '--report',
      'plan.md',
    );
    if (code !== 0) throw new Error(stderr);
    return world;
  }

  test('several root files are planned into one file and one comment, and applied from it', async () => {
    const world = await planned();
    expect(JSON.parse(await read(world, 'plan.json'))).toMatchObject({
      format: 'attune.plans/1',
      plans: [{ organization: 'acme' }, { organization: 'other' }],
    });
    expect((await read(world, 'plan.md')).split('\n')[0]).toBe('<!-- attune:plan:acme,other -->');
    const { code, stdout } = await world.attune('apply', 'acme', 'other', '--plan', 'plan.json', '--yes');
    expect(code).toBe(0);
    expect(stdout).toContain('Applied: 1 created, 2 updated, 1 deleted.');
    expect(stdout).toContain('Applied: 0 created, 1 updated, 0 deleted.');
    expect((await world.attune('plan', 'acme', 'other', '--detailed-exitcode')).code).toBe(0);
  });

  test('apply of several root files reports every change since the plan with its file, and writes to no organization', async () => {
    const world = await planned();
    // A line of this file must not be shown instead of a line of another one.
    await writeFile(join(world.folder, 'attune.yaml'), '# not this line\n'.repeat(10));
    await changeManually(world, 'ws-network', { 'auto-apply': true });
    await changeManually(world, 'ws-elsewhere', { 'auto-apply': true });
    const { code, stderr } = await world.attune('apply', 'acme', 'other', '--plan', 'plan.json', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain('acme/attune.yaml:6:3: error[plan-differs]');
    expect(stderr).toContain('  6 |   network: {auto-apply: true');
    expect(stderr).toContain('other/attune.yaml:3:14: error[plan-differs]');
    expect(world.writes()).toEqual([]);
  });

  test('a plan for more organizations than the files declare is refused', async () => {
    const world = await planned();
    const { code, stderr } = await world.attune('apply', 'acme', '--plan', 'plan.json', '--yes');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error[other-plan]: the plan is for organization other, but the files are for acme',
    );
    expect(world.writes()).toEqual([]);
  });

  test('one edited plan among several refuses all plans', async () => {
    const world = await planned();
    const file = join(world.folder, 'plan.json');
    await writeFile(file, (await readFile(file, 'utf8')).replace('"elsewhere"', '"somewhere"'));
    const { code, stderr } = await world.attune('apply', 'acme', 'other', '--plan', 'plan.json', '--yes');
    expect([code, world.requests()]).toEqual([1, []]);
    expect(stderr).toContain('error[bad-plan-file]');
  });
});
