import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { type World, type WorldOptions, worldWith } from '../support/attune.ts';

const root = (rest: string) => `attune: 1\norganization: acme\n${rest}\n`;

/** Two root files of one organization in one folder. */
function worldOf(a: string, b: string, service: EmulatorOptions, options?: WorldOptions): Promise<World> {
  return worldWith({ 'a.yaml': root(a), 'b.yaml': root(b) }, service, options);
}

const ids = (text: string) => text.replaceAll(/\b(ws|prj|tprj)-[A-Za-z0-9]{16}\b/g, '<id>');
const flags = ['--yes', '--quiet', '--parallelism', '1'];

describe('root files of one organization are applied as if they were one', () => {
  test.each([[['a.yaml', 'b.yaml']], [['b.yaml', 'a.yaml']]])(
    'a consumer list is rewritten before a workspace is deleted that another root file deletes (%j)',
    async (files) => {
      const world = await worldOf(
        'workspaces: {old: {state: absent}, app: {description: new}}',
        'workspaces: {net: {remote-state-consumers: [app]}}',
        { seed: { workspaces: { old: {}, app: {}, net: { 'remote-state-consumers': ['old', 'app'] } } } },
      );
      expect((await world.attune('apply', ...files, ...flags)).code).toBe(0);
      expect(ids(world.writes().join('\n'))).toBe(
        `PATCH /workspaces/<id>
PATCH /workspaces/<id>/relationships/remote-state-consumers
POST /workspaces/<id>/actions/safe-delete`,
      );
      expect((await world.attune('plan', ...files, '--detailed-exitcode')).code).toBe(0);
    },
  );

  test('a failed write of a consumer list keeps the workspace that another root file deletes', async () => {
    const world = await worldOf(
      'workspaces: {old: {state: absent}}',
      'workspaces: {net: {remote-state-consumers: []}}',
      {
        seed: { workspaces: { old: {}, net: { 'remote-state-consumers': ['old'] } } },
        faults: [{ kind: 'status', status: 422, method: 'PATCH', path: '*/remote-state-consumers' }],
      },
    );
    const { code, stdout } = await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stdout]).toEqual([1, expect.stringContaining('needs workspace.net, which failed')]);
    expect(world.writes()).toHaveLength(1);
  });

  test('a workspace is deleted although another root file changes the key/value tags of its project', async () => {
    const world = await worldOf(
      'projects: {web: {id: prj-web, manage: true, tag-bindings: {env: prod}}}',
      'workspaces: {keep: {tag-bindings: {a: "2"}}, old: {state: absent}}',
      {
        dialect: 'terraform',
        seed: {
          projects: { Web: { id: 'prj-web', 'tag-bindings': { env: 'dev' } } },
          workspaces: { keep: { project: 'prj-web' }, old: { project: 'prj-web' } },
        },
      },
    );
    const { code, stdout } = await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stdout.slice(stdout.lastIndexOf('All of'))]).toEqual([
      0,
      'All of acme: 0 created, 2 updated, 1 deleted. 3 calls.\n',
    ]);
  });

  test.each([[['a.yaml', 'b.yaml']], [['b.yaml', 'a.yaml']]])(
    'a workspace keeps the destroy schedule that it declares and inherits, if another root file changes it (%j)',
    async (files) => {
      const world = await worldOf(
        'projects: {web: {id: prj-web, manage: true, auto-destroy-activity-duration: 2d}}',
        'workspaces: {keep: {auto-destroy-activity-duration: 14d}}',
        {
          dialect: 'terraform',
          seed: {
            projects: { Web: { id: 'prj-web', 'auto-destroy-activity-duration': '14d' } },
            workspaces: { keep: { project: 'prj-web' } },
          },
        },
      );
      await world.attune('plan', ...files, '--out', 'plan.json');
      expect((await world.attune('apply', '--plan', 'plan.json', ...files, ...flags)).code).toBe(0);
      expect(ids(world.writes().join('\n'))).toBe('PATCH /workspaces/<id>\nPATCH /projects/prj-web');
      expect((await world.attune('plan', ...files, '--detailed-exitcode')).code).toBe(0);
    },
  );

  test.each(['30d', '14d'])(
    'a project keeps its destroy schedule while another root file holds that of a workspace in it: %s',
    async (duration) => {
      const world = await worldOf(
        'projects: {web: {id: prj-web, manage: true, auto-destroy-activity-duration: 2d}}',
        `freeze: [{from: 2026-01-01T00:00:00Z, to: 2026-03-01T00:00:00Z, reason: audit, select: {name: keep}}]
workspaces: {keep: {auto-destroy-activity-duration: ${duration}}}`,
        {
          dialect: 'terraform',
          seed: {
            projects: { Web: { id: 'prj-web', 'auto-destroy-activity-duration': '14d' } },
            workspaces: { keep: { project: 'prj-web' } },
          },
        },
        { date: () => new Date('2026-02-01T00:00:00Z') },
      );
      const held = await world.attune('apply', 'a.yaml', 'b.yaml', '--skip-frozen', ...flags);
      expect([held.code, world.writes()]).toEqual([0, []]);
      expect(held.stdout).toContain('needs workspace.keep: audit');
      const { code } = await world.attune(
        'apply',
        'a.yaml',
        'b.yaml',
        '--override-freeze',
        'INC-7',
        ...flags,
      );
      expect([code, world.writes().length]).toEqual([0, 2]);
    },
  );

  test('the workspaces of all root files move with one request', async () => {
    const moved = (name: string) => `workspaces: {${name}: {project: prj-two}}`;
    const world = await worldOf(moved('a'), moved('b'), {
      dialect: 'terraform',
      seed: {
        projects: { One: 'prj-one', Two: 'prj-two' },
        workspaces: { a: { project: 'prj-one' }, b: { project: 'prj-one' } },
      },
    });
    expect((await world.attune('apply', 'a.yaml', 'b.yaml', ...flags)).code).toBe(0);
    expect(world.writes()).toHaveLength(1);
  });

  test('a signal leaves out the rest of all root files, and each of their reports shows it', async () => {
    const controller = new AbortController();
    const world = await worldWith(
      { 'a.yaml': root('workspaces: {a: {tags: [x]}}'), 'b.yaml': root('workspaces: {b: {}}') },
      { seed: {}, log: ({ method }) => method === 'POST' && controller.abort() },
      { interrupts: { stop: controller.signal, exitCode: () => 130, release: () => {} } },
    );
    const { code, stdout } = await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    expect([code, ids(stdout.slice(stdout.indexOf('Skipped:')))]).toEqual([
      130,
      `Skipped:
  + workspace.b
      not attempted: the run was stopped

Applied: 0 created, 0 updated, 0 deleted, 0 failed, 1 skipped. 0 calls completed.

All of acme: 0 created, 0 updated, 0 deleted, 0 failed, 1 partial, 1 skipped. 1 call completed.
`,
    ]);
  });
});

describe('the journal of root files that are applied together', () => {
  const seed = { workspaces: { gone: { description: 'former' }, net: {} } };

  test('the journal has one run, and undo reverts it', async () => {
    const world = await worldOf(
      'workspaces: {gone: {state: absent}}',
      'workspaces: {net: {description: new}}',
      {
        seed,
      },
    );
    await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    const folder = join(world.folder, '.attune/journal');
    const names = await readdir(folder);
    expect(names).toHaveLength(1);
    const lines = (await readFile(join(folder, names[0] ?? ''), 'utf8')).trim().split('\n');
    expect(
      lines
        .map((line) => JSON.parse(line))
        .map(({ record, number, address = '' }) => `${record} ${number ?? address}`),
    ).toEqual([
      `run ${world.service.url}`,
      'change workspace.net',
      'call 1',
      'outcome 1',
      'kept workspace.gone',
      'change workspace.gone',
      'call 2',
      'outcome 2',
      'end ',
    ]);
    const { code, stdout } = await world.attune('undo', '--last', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stdout.slice(stdout.lastIndexOf('Applied:'))]).toEqual([
      0,
      'Applied: 1 created, 1 updated, 0 deleted. 2 calls.\n',
    ]);
    expect(await world.attune('undo', '--list', 'a.yaml')).toMatchObject({ code: 0 });
  });

  test('the command that undoes them names all of them, so that the guards of each are checked', async () => {
    const world = await worldOf(
      'workspaces: {net: {description: new}}',
      'guards: {protect: [made]}\nworkspaces: {made: {}}',
      { seed },
    );
    const { stderr } = await world.attune('apply', 'a.yaml', 'b.yaml', '--yes');
    expect(stderr).toBe('Undo with: attune undo --last a.yaml b.yaml\n');
    const undone = await world.attune('undo', '--last', 'a.yaml', 'b.yaml', ...flags);
    expect([undone.code, undone.stderr]).toEqual([1, expect.stringContaining('error[protected]')]);
    const { stdout } = await world.attune('undo', '--list', 'a.yaml', 'b.yaml');
    expect(stdout).toContain('.jsonl a.yaml b.yaml --address');
  });

  test('the command that reverts their undo names all of them, too', async () => {
    const world = await worldOf(
      'workspaces: {gone: {state: absent}}',
      'workspaces: {net: {description: new}}',
      { seed },
    );
    await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    const { stderr } = await world.attune('undo', '--last', 'a.yaml', 'b.yaml', '--yes');
    expect(stderr).toContain('Undo with: attune undo --last a.yaml b.yaml\n');
  });

  test('undo restores a consumer that one root file deleted to the list of another one', async () => {
    const world = await worldOf(
      'workspaces: {old: {state: absent}}',
      'workspaces: {net: {remote-state-consumers: [app]}}',
      { seed: { workspaces: { old: {}, app: {}, net: { 'remote-state-consumers': ['old', 'app'] } } } },
    );
    await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    const { code, stdout, stderr } = await world.attune('undo', '--last', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('its consumer')]);
    expect(stdout).toContain('remote-state-consumers: +old (1 -> 2)');
  });

  test('undo counts what it revokes of all root files for guards.keep-admin', async () => {
    const grants = (team: string) =>
      `guards: {keep-admin: [team-1, team-2]}\nteam-access: {prj-1: {${team}: admin}}`;
    const world = await worldOf(grants('team-1'), grants('team-2'), {
      seed: {
        projects: { One: 'prj-1' },
        teams: { one: 'team-1', two: 'team-2' },
        'team-access': { 'prj-1': { 'team-1': 'read', 'team-2': 'read' } },
      },
    });
    expect((await world.attune('apply', 'a.yaml', 'b.yaml', ...flags)).code).toBe(0);
    const { code, stderr } = await world.attune('undo', '--last', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stderr]).toEqual([1, expect.stringContaining('keep-admin')]);
    expect(world.writes()).toEqual([]);
  });

  test('a run in which an alias means two projects is undone', async () => {
    const world = await worldOf(
      'projects: {web: prj-1}\nworkspaces: {one: {project: web}}',
      'projects: {web: prj-2}\nworkspaces: {two: {project: web}}',
      {
        seed: {
          projects: { One: 'prj-1', Two: 'prj-2' },
          workspaces: { one: { project: 'prj-2' }, two: { project: 'prj-1' } },
        },
      },
    );
    await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    const { code, stdout } = await world.attune('undo', '--last', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stdout.slice(stdout.lastIndexOf('Applied:'))]).toEqual([
      0,
      'Applied: 0 created, 2 updated, 0 deleted. 2 calls.\n',
    ]);
  });
});

describe('a list of consumers in one root file, and a workspace that another one deletes', () => {
  const seed = {
    workspaces: { old: { tags: ['t'] }, app: { tags: ['t'] }, net: { 'remote-state-consumers': ['old'] } },
  };
  const tombstone = 'workspaces: {old: {state: absent}}';
  const prunes = 'scope: {names: [o*]}\nprune: {workspaces: safe}\nlimits: {delete-percent: 100}';
  const lists = (consumers: string) => `workspaces: {net: {remote-state-consumers: ${consumers}}}`;
  const consumersIn = (stdout: string) => /remote-state-consumers: .*/.exec(stdout)?.[0];

  test.each([
    ['a tombstone', tombstone],
    ['prune', prunes],
  ])('a selector leaves out a workspace that another root file deletes by %s', async (_, rest) => {
    const world = await worldOf(rest, lists('[{tag: t}]'), { seed });
    const { code, stdout } = await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    expect([code, consumersIn(stdout)]).toEqual([0, 'remote-state-consumers: +app -old (1 -> 1)']);
    expect((await world.attune('plan', 'a.yaml', 'b.yaml', '--detailed-exitcode')).code).toBe(0);
  });

  test('a saved plan leaves it out, too', async () => {
    const world = await worldOf(tombstone, lists('[{tag: t}]'), { seed });
    await world.attune('plan', 'a.yaml', 'b.yaml', '--out', 'plan.json');
    const { code, stderr } = await world.attune('apply', '--plan', 'plan.json', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stderr]).toEqual([0, '']);
  });

  test('a selector keeps a workspace whose deletion is left out by --only, or held', async () => {
    const world = await worldOf(
      `${tombstone}\nfreeze: [{from: 2026-01-01T00:00:00Z, to: 2026-03-01T00:00:00Z, reason: audit}]`,
      lists('[{tag: t}]'),
      { seed },
      { date: () => new Date('2026-02-01T00:00:00Z') },
    );
    for (const more of [['--only', 'workspace.net'], []]) {
      const { code, stdout } = await world.attune('plan', 'a.yaml', 'b.yaml', ...more);
      expect([code, consumersIn(stdout)]).toEqual([0, 'remote-state-consumers: +app (1 -> 2)']);
    }
  });

  test.each(['old', '{add: [old]}'])('naming it is an error: %s', async (names) => {
    const world = await worldOf(tombstone, lists(names.startsWith('{') ? names : `[${names}]`), { seed });
    const { code, stderr } = await world.attune('apply', 'a.yaml', 'b.yaml', ...flags);
    expect([code, stderr.split('\n')[0]]).toEqual([
      1,
      'b.yaml:3:20: error[reference-to-tombstone]: "old" is a consumer of "net", but this plan deletes it',
    ]);
    expect(world.writes()).toEqual([]);
  });
});
