import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { attune, type World, worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const yaml = `attune: 1
organization: acme
projects: {platform: prj-platform, payments: prj-payments}
workspaces:
  network: {auto-apply: true, remote-state-consumers: [{tag: reader}], data-retention: {delete-older-than-days: 9}}
  moved: {renamed-from: former, project: payments}
  new: {tags: [managed]}
team-access: {platform: {team-sre: admin}}
scope: {tags: [managed]}
prune: {workspaces: safe, team-access: true}
limits: {delete-percent: 100}
`;
const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  workspaces: {
    network: { tags: ['managed'], 'remote-state-consumers': ['undeclared'] },
    former: { tags: ['managed'] },
    app: { tags: ['reader'] },
    undeclared: { tags: ['managed'] },
  },
  'team-access': {
    'prj-platform': { 'team-sre': 'read', 'team-dev': 'read' },
    'prj-payments': { 'team-dev': 'write' },
  },
} as const;

async function recorded(files = yaml): Promise<World> {
  const world = await worldWith(files, { seed });
  const { code, stderr } = await world.attune('snapshot', '--out', 'live.json');
  if (code !== 0) throw new Error(stderr);
  return world;
}

const plan = (world: World, ...flags: string[]) =>
  attune(['plan', '--snapshot', 'live.json', ...flags], { cwd: world.folder });

describe('a plan from a snapshot', () => {
  test('a plan from a snapshot is that of the service, byte for byte, without a token', async () => {
    const world = await recorded();
    const online = await world.attune('plan', '--quiet');
    expect(online.stdout).toContain('- team-access.platform/dev');
    expect(await plan(world, '--quiet')).toEqual(online);
    await world.attune('plan', '--out', 'online.json');
    await plan(world, '--out', 'offline.json');
    const read = async (name: string) => JSON.parse(await readFile(join(world.folder, name), 'utf8'));
    const [first, second] = [await read('online.json'), await read('offline.json')];
    expect(second.changes).toEqual(first.changes);
  });

  test('a plan from a snapshot can be of other files than the recorded ones, if it has what they need', async () => {
    const world = await recorded();
    await writeFile(
      join(world.folder, 'attune.yaml'),
      `${yaml.replace('platform: {team-sre: admin}', 'platform: {team-sre: admin}, payments: {team-dev: none}')}`,
    );
    expect((await plan(world)).stdout).toContain('- team-access.payments/team-dev');
  });

  test.each(rowsIn<[string, string, string, string]>`
- [a consumer list, 'workspaces:', "workspaces:\n  app: {remote-state-consumers: [network]}", the snapshot does not contain the consumers of app]
- [data retention, 'workspaces:', "workspaces:\n  app: {data-retention: null}", the snapshot does not contain the data retention of app]
- [team access, 'team-access: {', 'team-access: {prj-other: {team-sre: read}, ', the snapshot does not contain the team access of prj-other]
- [another organization, acme, other, 'the snapshot is of organization acme, but the files are for other']
- [another dialect, 'limits:', "service: {dialect: terraform}\nlimits:", 'the snapshot is in the iac dialect, but the files declare terraform']
`)('a snapshot is refused if it lacks a part that the configuration needs: %s', async (_, from, to, why) => {
    const world = await recorded();
    await writeFile(join(world.folder, 'attune.yaml'), yaml.replace(from, to));
    expect(await plan(world, '--out', 'plan.json')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[bad-snapshot]: ${why}\n  hint: record a new snapshot for this configuration with \`attune snapshot --out\`; no plan was made\n`,
    });
  });

  const foreign =
    'is not a snapshot of this version (attune.snapshot/1)\n  hint: give a file that `attune snapshot --out` wrote';

  test.each<[string, (text: string) => string, string]>([
    [
      'cut off',
      (text) => text.slice(0, -9),
      'is not a complete snapshot: it ends early or is not JSON\n  hint: record it again with `attune snapshot --out`',
    ],
    ['of a later version', (text) => text.replace('attune.snapshot/1', 'attune.snapshot/2'), foreign],
    ['a list', () => '[]', foreign],
    [
      'without its resources',
      (text) => JSON.stringify({ ...JSON.parse(text), resources: undefined }),
      foreign,
    ],
    [
      'not one whose ids can be parts of paths',
      (text) => text.replace(/"id":( ?)"ws-/, '"id":$1"../ws-'),
      foreign,
    ],
  ])('a plan is refused if the snapshot is %s', async (_, change, why) => {
    const world = await recorded();
    const file = join(world.folder, 'live.json');
    await writeFile(file, change(await readFile(file, 'utf8')));
    expect(await plan(world)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[bad-snapshot]: live.json ${why}\n`,
    });
  });
});

test('snapshot writes nothing if the service does not answer in full', async () => {
  const world = await worldWith(yaml, {
    seed,
    faults: [{ kind: 'status', status: 403, path: '/team-projects' }],
  });
  const { code } = await world.attune('snapshot', '--out', 'live.json');
  expect(code).toBe(1);
  await expect(readFile(join(world.folder, 'live.json'))).rejects.toThrow('ENOENT');
});

test('snapshot of several root files is refused', async () => {
  const world = await worldWith(
    { 'a/attune.yaml': yaml, 'b/attune.yaml': yaml.replace('acme', 'other') },
    { seed },
  );
  const { code, stderr } = await world.attune('snapshot', 'a', 'b', '--out', 'live.json');
  expect([code, world.requests()]).toEqual([1, []]);
  expect(stderr).toBe(
    'error[usage]: snapshot takes one root file, and there are 2\n  hint: name one root file\n',
  );
});

test('a snapshot follows its published schema', async () => {
  const schema = await readFile(new URL('../../schemas/snapshot.schema.json', import.meta.url), 'utf8');
  const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(JSON.parse(schema));
  for (const files of [yaml, yaml.replace('[{tag: reader}]', '[app]')]) {
    const world = await recorded(files);
    validate(JSON.parse(await readFile(join(world.folder, 'live.json'), 'utf8')));
    expect(validate.errors ?? []).toEqual([]);
  }
});

describe('a snapshot of a configuration with a scope', () => {
  const scoped = `attune: 1
organization: acme
projects: {platform: prj-platform, payments: prj-payments}
scope: {projects: [payments]}
workspaces:
  app: {project: payments, remote-state-consumers: [reader]}
  gone: {project: payments, state: absent}
team-access: {payments: {team-dev: write}}
`;
  const owned = {
    ...seed,
    workspaces: {
      app: { project: 'prj-payments', 'remote-state-consumers': ['reader'] },
      extra: { project: 'prj-payments' },
      reader: { project: 'prj-platform', tags: ['reader'] },
      network: { project: 'prj-platform' },
    },
  } as const;
  const record = async (...flags: string[]) => {
    const world = await worldWith(scoped, { seed: owned });
    const { code, stderr } = await world.attune('snapshot', '--out', 'live.json', ...flags);
    if (code !== 0) throw new Error(stderr);
    return world;
  };
  const snapshotIn = async (world: World) =>
    JSON.parse(await readFile(join(world.folder, 'live.json'), 'utf8'));
  const withFiles = async (world: World, files: string) => {
    await writeFile(join(world.folder, 'attune.yaml'), files);
    return plan(world, '--quiet');
  };

  test('a snapshot of a scope with --everything has every workspace and every project', async () => {
    const { workspaces, projects, resources } = await snapshotIn(await record('--everything'));
    expect(workspaces).toBeUndefined();
    expect(projects).toEqual(['prj-payments', 'prj-platform']);
    expect(resources).toHaveLength(7);
  });

  test('a snapshot of a scope gives the plan and the drift of the service', async () => {
    const world = await record();
    expect(await plan(world, '--quiet')).toEqual(await world.attune('plan', '--quiet'));
    const drift = ['drift', '--quiet'];
    const offline = await attune([...drift, '--snapshot', 'live.json'], { cwd: world.folder });
    expect(offline).toEqual(await world.attune(...drift));
    expect(offline.stdout).toContain('workspace.extra');
  });

  test.each(rowsIn<[string, [string, string][], string]>`
- ['a new workspace, which could be live outside the scope', [['  gone:', "  new: {project: payments}\n  network: {}\n  gone:"]], 'the snapshot contains only the workspaces of its scope, and does not show whether these exist: new, network']
- [a selector, [['[reader]', '[{tag: reader}]']], 'the snapshot contains only the workspaces of a scope, and the plan needs those of the whole organization']
- [a wider scope, [['scope: {projects: [payments]}', "scope: {projects: [payments, platform]}\nprune: {workspaces: safe}"]], the snapshot was recorded for another scope and does not contain every workspace of this one]
- [the count of all workspaces for the limits, [['scope: {projects: [payments]}', 'limits: {delete-percent: 20}'], [write, none]], 'the snapshot contains only the workspaces of a scope, and the plan needs those of the whole organization']
`)('a snapshot of a scope is refused for files that need %s', async (_, edits, why) => {
    const files = edits.reduce((text, [from, to]) => text.replace(from, to), scoped);
    expect(await withFiles(await record(), files)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[bad-snapshot]: ${why}\n  hint: record a new snapshot for this configuration, or one of the whole organization with \`attune snapshot --everything --out\`; no plan was made\n`,
    });
  });

  test('a snapshot of a scope is accepted for a name that a scope of names covers', async () => {
    const names = scoped.replace('{projects: [payments]}', '{names: ["app*"]}');
    const world = await worldWith(names, { seed: owned });
    await world.attune('snapshot', '--out', 'live.json');
    const renamed = names.replace(
      '  app: {project: payments, remote-state-consumers: [reader]}',
      '  app-new: {tags: [managed]}',
    );
    const { stderr, stdout } = await withFiles(world, renamed);
    expect(stderr).toBe('');
    expect(stdout).toContain('+ workspace.app-new');
  });

  test('a plan needs a snapshot with key/value tags if the files declare them', async () => {
    const world = await record('--everything');
    const { stderr } = await withFiles(world, scoped.replace('app: {', 'app: {tag-bindings: {env: prod}, '));
    expect(stderr).toContain(
      'error[bad-snapshot]: the snapshot does not contain the key/value tags (tag-bindings)',
    );
  });
});

describe('what projects hand down', () => {
  const files = (network: string, rest = '') => `attune: 1
organization: acme
${rest}projects: {platform: prj-platform, lab: prj-lab}
workspaces:
  network: {${network}}
`;
  const live = {
    organization: 'acme',
    settings: { 'default-execution-mode': 'remote' },
    projects: {
      Platform: 'prj-platform',
      Lab: { id: 'prj-lab', 'default-execution-mode': 'local', 'auto-destroy-activity-duration': '1d' },
    },
    workspaces: {
      network: { project: 'Platform', 'resource-count': 40, 'project-remote-state': true },
      other: { project: 'Platform' },
      bench: { project: 'Lab' },
    },
  } as const;

  test.each([
    ['that the files declare', 'service: {dialect: terraform}\n'],
    ['that the service shows', ''],
  ])('a plan from a snapshot shows what a move changes, in the dialect %s', async (_, rest) => {
    const world = await worldWith(files('project: platform', rest), { seed: live, dialect: 'terraform' });
    expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
    await writeFile(join(world.folder, 'attune.yaml'), files('project: lab', rest));
    const online = await world.attune('plan', '--quiet');
    expect(online.stdout).toContain('auto-destroy-activity-duration: (none) -> 1d');
    expect(online.stdout).toContain('bench');
    expect(await plan(world, '--quiet')).toEqual(online);
  });

  test('a plan from a snapshot without the settings of projects has a note', async () => {
    const world = await worldWith(files('project: platform'), { seed: live, dialect: 'terraform' });
    expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
    const file = join(world.folder, 'live.json');
    const { managedProjects: _projects, ...older } = JSON.parse(await readFile(file, 'utf8'));
    const resources = older.resources.filter(({ kind }: { kind: string }) => kind !== 'project');
    await writeFile(file, JSON.stringify({ ...older, resources }));
    await writeFile(join(world.folder, 'attune.yaml'), files('project: lab'));
    expect((await plan(world)).stderr).toContain(
      'note[effects-unread]: the snapshot does not contain the settings of lab, platform: what changes in the settings that workspaces inherit is unknown',
    );
  });
});
