import { expect, test } from 'vitest';
import { type NamedId, NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Resource, WorkspaceResource } from '../../src/model/state.ts';
import {
  declaresOwnExecution,
  liveQueryOf,
  readsBindings,
  snapshotQueryOf,
} from '../../src/resolve/live-query-of.ts';
import { type FoundNames, withFoundNames } from '../../src/resolve/look-up-names.ts';
import { mapReferences, neededLookUps } from '../../src/resolve/needed-names.ts';
import {
  coversAll,
  looksAtGrants,
  type PlanSelection,
  type QueryOptions,
  selectChanged,
  selectMatching,
} from '../../src/resolve/plan-request.ts';
import { configured } from '../desired/load-files.ts';

/** The names that a run looks up, in their order. */
const names = (configuration: Configuration, options: QueryOptions = {}) =>
  neededLookUps(configuration, options)
    .map(({ name }) => name)
    .sort();

const guarded = `
guards: {keep-admin: [Sre], protect: [{project: Secret}]}
scope: {projects: [Scoped]}
projects: {alias: Aliased}
`;

test('a run without --only evaluates all addresses, and a part of them otherwise', async () => {
  const all = ['workspace.app', 'workspace.gone', 'team-access.x/y'];
  const { desired } = await configured('workspaces: {app: {}}\n');
  const shown = ({ chosen = () => true, looksAtUndeclared = true }: PlanSelection) => [
    all.filter(chosen),
    looksAtUndeclared,
  ];
  expect(shown(selectMatching())).toEqual([all, true]);
  expect(shown(selectMatching(['workspace.a*']))).toEqual([['workspace.app'], true]);
  const undeclared = (...only: readonly string[]) => selectMatching(only).looksAtUndeclared;
  expect(undeclared('team-access.x/*', 'project.p')).toBe(false);
  expect(undeclared('team-access.x/*', 'workspace.*')).toBe(true);
  expect(undeclared('workspace.project.x')).toBe(true);
  const given = (...addresses: string[]) => {
    const changes = addresses.map((address) => ({ address, kind: address.split('.')[0] }));
    return shown(selectChanged([{ changes } as unknown as Plan], desired));
  };
  expect(given('workspace.app')).toEqual([['workspace.app'], false]);
  expect(given('workspace.app', 'workspace.gone')).toEqual([['workspace.app', 'workspace.gone'], true]);
  expect(given('team-access.x/y')).toEqual([['team-access.x/y'], false]);
  expect(given('team-access.*')).toEqual([[], false]);
  expect(given()).toEqual([[], false]);
});

test('only an apply without --only covers all that the files declare', () => {
  expect(coversAll({ ...selectMatching([]), purpose: 'apply' })).toBe(true);
  expect(coversAll({ ...selectMatching(['*']), purpose: 'apply' })).toBe(false);
  for (const purpose of ['drift', 'undo', 'replan'] as const) expect(coversAll({ purpose })).toBe(false);
});

test('a run with --only for other kinds evaluates no grants', () => {
  expect([[], ['workspace.app', 'team-access.*'], ['team-access.project.x']].map(looksAtGrants)).toEqual([
    true,
    true,
    true,
  ]);
  expect([['workspace.app'], ['project.base', 'workspace.*']].map(looksAtGrants)).toEqual([false, false]);
});

test('a run looks up the names of what it evaluates, deletes, renames and guards', async () => {
  const workspace = await configured(`${guarded}workspaces: {app: {project: Own}}\n`);
  expect(names(workspace)).toEqual(['Own', 'Scoped']);
  expect(names(workspace, { purpose: 'apply' })).toEqual(['Aliased', 'Own', 'Scoped', 'Sre']);
  expect(names(workspace, { also: ['protect'] })).toEqual(['Own', 'Scoped', 'Secret']);
  const chosen = () => false;
  expect(names(workspace, { chosen })).toEqual([]);
  expect(names(workspace, { chosen, purpose: 'drift' })).toEqual(['Scoped']);
  expect(names(workspace, { chosen, purpose: 'drift', looksAtUndeclared: false })).toEqual([]);
  const unguarded = await configured('projects: {alias: Aliased}\nworkspaces: {app: {project: Own}}\n');
  expect(names(unguarded, { purpose: 'apply' })).toEqual(['Own']);
});

test('a run looks up the projects of guards.protect only if it may delete or rename', async () => {
  const renaming = await configured(`${guarded}workspaces: {app: {renamed-from: old}, web: {}}\n`);
  expect(names(renaming)).toEqual(['Scoped', 'Secret']);
  const deleting = await configured(
    `${guarded}workspaces: {app: {state: absent}, web: {}}\nteam-access: {Listed: {}}\n`,
  );
  expect(names(deleting)).toEqual(['Listed', 'Scoped', 'Secret']);
  const pruning = await configured(`${guarded}prune: {workspaces: safe}\nworkspaces: {app: {}}\n`);
  expect(names(pruning)).toEqual(['Scoped', 'Secret']);
  expect(names(pruning, { looksAtUndeclared: false })).toEqual(['Scoped']);
});

test('a run that prunes or compares grants looks up the names of all grants and of no other resource', async () => {
  const grants = 'workspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read}}\n';
  const chosen = (address: string) => address === 'workspace.none';
  expect(names(await configured(`${guarded}${grants}`), { chosen })).toEqual([]);
  expect(names(await configured(`${guarded}${grants}`), { chosen, also: ['team-access'] })).toEqual([
    'Listed',
    'Scoped',
    'Sre',
    'Team',
  ]);
  expect(names(await configured(`${guarded}prune: {team-access: true}\n${grants}`), { chosen })).toEqual([
    'Listed',
    'Scoped',
    'Secret',
    'Sre',
    'Team',
  ]);
  expect(
    names(await configured(`${guarded}prune: {team-access: true}\nteam-access: {Listed: {}}\n`)),
  ).toEqual(['Listed', 'Scoped', 'Secret', 'Sre']);
  expect(
    names(await configured(`${guarded}workspaces: {app: {}}\nteam-access: {Listed: {Team: read}}\n`)),
  ).toEqual(['Listed', 'Scoped', 'Sre', 'Team']);
});

test('a run of some addresses looks up no names of other resources', async () => {
  const configuration = await configured(`
projects: {managed: {name: Managed, manage: true}}
workspaces: {app: {project: Own}}
team-access: {Listed: {Team: read, Other: read}, Second: {Third: read}}
`);
  const only = (...addresses: readonly string[]) => ({
    chosen: (address: string) => addresses.includes(address),
  });
  expect(names(configuration, only('workspace.app'))).toEqual(['Own']);
  expect(names(configuration, only('team-access.Listed/Team'))).toEqual(['Listed', 'Team']);
  const reported = { ...only(), looksAtAccessOf: (project: string) => project === 'Listed' };
  expect(names(configuration, reported)).toEqual(['Listed', 'Other', 'Second', 'Team', 'Third']);
});

test('the teams of guards.keep-admin are looked up for compared access, also if no team has any', async () => {
  const configuration = await configured(`${guarded}team-access: {Listed: {}}\n`);
  const chosen = () => false;
  expect(names(configuration, { chosen, also: ['team-access'] })).toEqual(['Sre']);
});

test('the projects of a freeze window are looked up if the run may change or delete a workspace', async () => {
  const freeze =
    'freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {project: Frozen}}]\nworkspaces: {app: {}}\n';
  const chosen = () => false;
  expect(names(await configured(freeze))).toEqual(['Frozen']);
  expect(names(await configured(freeze), { chosen })).toEqual([]);
  expect(
    names(await configured(`${freeze}scope: {names: ['*']}\nprune: {workspaces: safe}\n`), { chosen }),
  ).toEqual(['Frozen']);
});

test('a query needs the ids of its names', async () => {
  const one = await configured('workspaces: {app: {project: Own}}\n');
  expect(() => liveQueryOf(one)).toThrow(
    expect.objectContaining({
      code: 'names-open',
      message: 'unresolved names: projects: "Own"',
      hint: 'call lookUpNames for the configuration first',
    }),
  );
  const many = 'workspaces: {a: {project: A}, b: {project: B}, c: {project: C}, d: {project: D}}\n';
  const open = await configured(many);
  expect(() => liveQueryOf(open)).toThrow(
    expect.objectContaining({ message: 'unresolved names: projects: "A", projects: "B", projects: "C"' }),
  );
});

test('a query reads grants of pruned projects in scope, and a snapshot those of all known projects in scope', async () => {
  const pruning = await configured(`
projects: {base: prj-1, outside: prj-3}
scope: {projects: [base]}
prune: {team-access: true}
team-access: {base: {}, prj-2: {}}
`);
  expect(liveQueryOf(pruning).projects).toEqual(['prj-1']);
  expect(snapshotQueryOf(pruning)).toMatchObject({ projects: ['prj-1'], whole: false });
  expect(snapshotQueryOf(pruning, { everything: true }).projects).toEqual(['prj-1', 'prj-2', 'prj-3']);
  const managing = await configured(
    'service: {dialect: terraform}\nprojects: {base: {id: prj-1, name: Base, manage: true}}\nscope: {projects: [base]}\n',
  );
  expect(snapshotQueryOf(managing).managedProjects).toEqual(['prj-1']);
  expect(snapshotQueryOf(managing, { everything: true }).managedProjects).toBe('all');
});

test('key/value tags are read for the chosen declarations, and never in the iac dialect', async () => {
  const yaml = 'workspaces: {app: {tag-bindings: {env: prod}}}\n';
  const configuration = await configured(yaml);
  expect(readsBindings(configuration)).toBe(true);
  expect(readsBindings(configuration, { chosen: () => false })).toBe(false);
  expect(liveQueryOf(configuration, { chosen: () => false }).bindings).toBe(false);
  expect(readsBindings({ ...configuration, service: { dialect: 'iac' } })).toBe(false);
});

test('names of exactly one id each are known after a look-up', async () => {
  const configuration = await configured(
    'projects: {base: prj-3, other: Other}\nguards: {keep-admin: [Sre]}\nteam-access: {base: {Sre: read}, prj-3: {}}\n',
  );
  const projects = [
    ['Other', 'prj-1'],
    ['a/b', 'prj-2'],
    ['base', 'prj-3'],
    ['Twice', 'prj-4'],
    ['Twice', 'prj-5'],
    ['prj-1', 'prj-6'],
    ['Clear', 'prj-7'],
  ] as const;
  const found: FoundNames = new Map<AliasKind, readonly NamedId[] | NoLookUpError>([
    ['projects', projects.map(([name, id]) => ({ name, id }))],
    ['teams', [{ name: 'Sre', id: 'team-1' }]],
    ['ssh-keys', new NoLookUpError('ssh-keys', 'there are none')],
  ]);
  const before = {
    ...configuration,
    known: new Map([['agent-pools', new Map([['apool-1', 'Pool']])]] as const),
  };
  const resolved = withFoundNames(before, found, configuration.lookUps);
  expect([...(resolved.known ?? [])]).toEqual([
    ['agent-pools', new Map([['apool-1', 'Pool']])],
    [
      'projects',
      new Map([
        ['prj-1', 'Other'],
        ['prj-7', 'Clear'],
      ]),
    ],
    ['teams', new Map([['team-1', 'Sre']])],
  ]);
  expect(resolved.aliases.projects.get('other')).toBe('prj-1');
  expect(resolved.guards.keepAdmin?.map(({ teams }) => [...teams])).toEqual([[['team-1', 'Sre']]]);
  expect([...resolved.grantProjects]).toEqual([['prj-3', 'base']]);
  expect(resolved.lookUps).toEqual([]);
  const without = await configured('projects: {other: Other}\nworkspaces: {app: {project: other}}\n');
  const plain = withFoundNames(without, found, without.lookUps);
  expect(plain.guards.keepAdmin).toBeUndefined();
});

test('a managed project whose former name is live, too, is an error', async () => {
  const configuration = await configured(
    'service: {dialect: terraform}\nprojects: {base: {name: Base, manage: true, renamed-from: Former}}\n',
  );
  const resolve = (...projects: readonly (readonly [string, string])[]) =>
    withFoundNames(
      configuration,
      new Map([['projects', projects.map(([name, id]) => ({ name, id }))]]),
      configuration.lookUps,
    ).aliases.projects.get('base');
  expect(resolve(['base', 'prj-1'])).toBe('prj-1');
  expect(resolve(['Former', 'prj-2'])).toBe('prj-2');
  expect(resolve()).toBe('{project.base}');
  expect(() => resolve(['Base', 'prj-1'], ['former', 'prj-2'])).toThrow(
    expect.objectContaining({
      diagnostics: [
        expect.objectContaining({
          code: 'renamed-from',
          message: 'the project "Base" cannot be renamed from "former": both are live',
          hint: 'if an apply created "Base" without renamed-from, revert it with `attune undo` and apply again; else remove renamed-from to manage both, or delete one of them with a tombstone (state: absent)',
          address: 'project.base',
        }),
      ],
    }),
  );
});

test('only references and selectors are mapped, and the id of a project', () => {
  const upper = (id: string) => id.toUpperCase();
  const workspace: Resource = {
    kind: 'workspace',
    address: 'workspace.app',
    name: 'app',
    id: 'ws-app',
    attributes: {
      project: 'prj-1',
      description: 'prj-1',
      'auto-apply': true,
      'ssh-key': null,
      'remote-state-consumers': {
        exactly: ['web', { project: 'prj-2' }],
        except: [{ project: 'prj-3' }],
      } as never,
    },
  };
  expect(mapReferences(workspace, upper)).toStrictEqual({
    ...workspace,
    attributes: {
      project: 'PRJ-1',
      description: 'prj-1',
      'auto-apply': true,
      'ssh-key': null,
      'remote-state-consumers': { exactly: ['web', { project: 'PRJ-2' }], except: [{ project: 'PRJ-3' }] },
    },
  });
  const plain: Resource = {
    ...workspace,
    attributes: { 'remote-state-consumers': { exactly: ['web'] } as never },
  };
  expect(mapReferences(plain, upper)).toStrictEqual(plain);
  const added = { add: [{ project: 'prj-2' }], remove: ['web'] };
  expect(
    mapReferences({ ...workspace, attributes: { 'remote-state-consumers': added as never } }, upper)
      .attributes,
  ).toEqual({ 'remote-state-consumers': { add: [{ project: 'PRJ-2' }], remove: ['web'] } });
  const project: Resource = { kind: 'project', address: 'project.p', name: 'p', id: 'prj-1', attributes: {} };
  expect(mapReferences(project, upper).id).toBe('PRJ-1');
  const { id: _id, ...created } = project;
  expect(mapReferences(created, upper)).toStrictEqual(created);
});

test('a policy on workspaces reads the consumers of all that remain, and a policy on changes reads none', async () => {
  const configuredWith = (on: string, require: string) =>
    configured(`
policies: [{id: few, on: ${on}, require: '${require}', message: Too many.}]
workspaces: {app: {}, gone: {state: absent}}
`);
  const workspaces = await configuredWith('workspace', 'workspace.consumers.size() < 9');
  expect([...liveQueryOf(workspaces).consumersOf]).toEqual(['app']);
  const changes = await configuredWith('change', 'change.fields.all(f, f.after["consumers"] != 9)');
  expect([...liveQueryOf(changes).consumersOf]).toEqual([]);
  const plans = await configuredWith(
    'plan',
    'plan.changes.all(c, c.fields.all(f, f.after["consumers"] != 9))',
  );
  expect([...liveQueryOf(plans).consumersOf]).toEqual([]);
});

test('a workspace declares its own execution with a mode, a pool or an overwrite flag', () => {
  const declares = (attributes: WorkspaceResource['attributes']) =>
    declaresOwnExecution({ kind: 'workspace', address: 'workspace.app', name: 'app', attributes });
  const flags = (mode: boolean, pool: boolean) => ({
    'setting-overwrites.execution-mode': mode,
    'setting-overwrites.agent-pool': pool,
  });
  expect(declares({ 'execution-mode': 'local' })).toBe(true);
  expect(declares({ 'agent-pool-id': 'apool-1' })).toBe(true);
  expect(declares(flags(true, false))).toBe(true);
  expect(declares(flags(false, true))).toBe(true);
  expect(declares(flags(false, false))).toBe(false);
  expect(declares({})).toBe(false);
});

test('a query reads no scope without pruning, and no grants of a project that is still to be created', async () => {
  const scoped = await configured('scope: {names: [a*]}\nworkspaces: {app: {}}\n');
  expect(liveQueryOf(scoped)).not.toHaveProperty('scope');
  const creating = await configured(
    'service: {dialect: terraform}\nprojects: {base: {name: Base, manage: true}}\nteam-access: {base: {team-a: read}}\n',
  );
  const resolved = withFoundNames(creating, new Map([['projects', []]]), creating.lookUps);
  expect(liveQueryOf(resolved).projects).toEqual([]);
});

test('a snapshot reads no grants of a project whose name is not resolved, and the name stays open', async () => {
  const configuration = await configured('projects: {alias: Aliased, base: prj-1}\nworkspaces: {app: {}}\n');
  expect(snapshotQueryOf(configuration).projects).toEqual(['prj-1']);
  const resolved = withFoundNames(configuration, new Map([['projects', []]]), []);
  expect(resolved.lookUps.map(({ name }) => name)).toEqual(['Aliased']);
});

test('two keys of one project are reported with the first', async () => {
  const configuration = await configured('team-access: {Other: {team-a: read}, prj-1: {team-b: read}}\n');
  const found: FoundNames = new Map([['projects', [{ name: 'Other', id: 'prj-1' }]]]);
  const { grantProjects } = withFoundNames(configuration, found, configuration.lookUps);
  expect([...grantProjects]).toEqual([['prj-1', 'Other']]);
});

test('only accept reads the consumers of the layers below a list', async () => {
  const configuration = await configured(`
defaults: {workspace: {remote-state-consumers: [lower]}}
workspaces: {app: {remote-state-consumers: {exactly: [own]}}, plain: {}, other: {remote-state-consumers: {add: [more]}}, none: {state: absent}}
`);
  const read = ['app', 'plain', 'lower', 'other', 'none', 'own', 'more'];
  expect(new Set(liveQueryOf(configuration).names)).toEqual(new Set(read));
  const chosen = (address: string) => address === 'workspace.app';
  expect(liveQueryOf(configuration, { chosen }).names).toEqual(['app', 'own']);
  expect(liveQueryOf(configuration, { chosen, purpose: 'drift' }).names).toEqual(['app', 'own']);
  expect(liveQueryOf(configuration, { chosen, purpose: 'accept' }).names).toEqual(['app', 'own', 'lower']);
});
