import { expect, test } from 'vitest';
import { type NamedId, NoLookUpError } from '../../src/live/read-names.ts';
import type { AliasKind } from '../../src/model/alias-kind.ts';
import { DiagnosticsError } from '../../src/model/diagnostic.ts';
import type { Plan } from '../../src/model/plan.ts';
import type { Resource } from '../../src/model/state.ts';
import { liveQueryOf, readsBindings, snapshotQueryOf } from '../../src/resolve/live-query-of.ts';
import { type FoundNames, withFoundNames } from '../../src/resolve/look-up-names.ts';
import { mapReferences, neededLookUps } from '../../src/resolve/needed-names.ts';
import {
  coversAll,
  type PlanSelection,
  type QueryOptions,
  selectChanged,
  selectMatching,
} from '../../src/resolve/plan-request.ts';
import { configured } from '../desired/load-files.ts';
import { rowsIn } from '../support/rows.ts';

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

interface Asked extends Pick<QueryOptions, 'purpose' | 'also' | 'looksAtUndeclared'> {
  readonly chosen?: readonly string[];
  readonly looksAtAccessOf?: string;
}

test.each(rowsIn<[string, string, Asked, string[]]>`
- [what it evaluates, "GUARDED\nworkspaces: {app: {project: Own}}", {}, [Own, Scoped]]
- ['all that an apply guards, which is aliases, too', "GUARDED\nworkspaces: {app: {project: Own}}", {purpose: apply}, [Aliased, Own, Scoped, Sre]]
- [what it protects if that is asked for, "GUARDED\nworkspaces: {app: {project: Own}}", {also: [protect]}, [Own, Scoped, Secret]]
- [nothing of addresses that it does not evaluate, "GUARDED\nworkspaces: {app: {project: Own}}", {chosen: []}, []]
- [the scope for a drift report, "GUARDED\nworkspaces: {app: {project: Own}}", {chosen: [], purpose: drift}, [Scoped]]
- [no scope for a drift report of declarations, "GUARDED\nworkspaces: {app: {project: Own}}", {chosen: [], purpose: drift, looksAtUndeclared: false}, []]
- [no aliases without a guard, "projects: {alias: Aliased}\nworkspaces: {app: {project: Own}}", {purpose: apply}, [Own]]
- [what it protects if it renames, "GUARDED\nworkspaces: {app: {renamed-from: old}, web: {}}", {}, [Scoped, Secret]]
- ['what it protects if it deletes, and the projects whose grants the limits count', "GUARDED\nworkspaces: {app: {state: absent}, web: {}}\nteam-access: {Listed: {}}", {}, [Listed, Scoped, Secret]]
- [what it protects if it prunes, "GUARDED\nprune: {workspaces: safe}\nworkspaces: {app: {}}", {}, [Scoped, Secret]]
- [the scope if it would prune without evaluating what is undeclared, "GUARDED\nprune: {workspaces: safe}\nworkspaces: {app: {}}", {looksAtUndeclared: false}, [Scoped]]
- [no grants if it evaluates none, "GUARDED\nworkspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read}}", {chosen: [workspace.none]}, []]
- [all grants if it compares them, "GUARDED\nworkspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read}}", {chosen: [workspace.none], also: [team-access]}, [Listed, Scoped, Sre, Team]]
- [all grants if it prunes them, "GUARDED\nprune: {team-access: true}\nworkspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read}}", {chosen: [workspace.none]}, [Listed, Scoped, Secret, Sre, Team]]
- [a project without grants if it prunes them, "GUARDED\nprune: {team-access: true}\nteam-access: {Listed: {}}", {}, [Listed, Scoped, Secret, Sre]]
- [grants that it evaluates, "GUARDED\nworkspaces: {app: {}}\nteam-access: {Listed: {Team: read}}", {}, [Listed, Scoped, Sre, Team]]
- [no projects of templates for one grant, "templates: {base: {when: {project: Selected}}}\nworkspaces: {app: {}}\nteam-access: {Listed: {Team: read}}", {chosen: [team-access.Listed/Team]}, [Listed, Team]]
- [the project of one workspace, "projects: {managed: {name: Managed, manage: true}}\nworkspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read, Other: read}}", {chosen: [workspace.app]}, [Own]]
- [project and team of one grant, "projects: {managed: {name: Managed, manage: true}}\nworkspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read, Other: read}}", {chosen: [team-access.Listed/Team]}, [Listed, Team]]
- [all grants if it reports undeclared access, "workspaces: {app: {project: Own}}\nteam-access: {Listed: {Team: read, Other: read}, Second: {Third: read}}", {chosen: [], looksAtAccessOf: Listed}, [Listed, Other, Second, Team, Third]]
- ['the teams of guards.keep-admin for compared access, also if no team has any', "GUARDED\nteam-access: {Listed: {}}", {chosen: [], also: [team-access]}, [Sre]]
- [the projects of a freeze window, "FREEZE\nworkspaces: {app: {}}", {}, [Frozen]]
- [no projects of a freeze window if it changes no workspace, "FREEZE\nworkspaces: {app: {}}", {chosen: []}, []]
- [the projects of a freeze window if it may delete a workspace, "FREEZE\nworkspaces: {app: {}}\nscope: {names: ['*']}\nprune: {workspaces: safe}", {chosen: []}, [Frozen]]
`)('a run looks up the names of %s', async (_, yaml, { chosen, looksAtAccessOf, ...options }, expected) => {
  const freeze = 'freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {project: Frozen}}]';
  const configuration = await configured(yaml.replace('GUARDED', guarded).replace('FREEZE', freeze));
  const lookUps = neededLookUps(configuration, {
    ...options,
    ...(chosen && { chosen: (address) => chosen.includes(address) }),
    ...(looksAtAccessOf && { looksAtAccessOf: (project) => project === looksAtAccessOf }),
  });
  expect(lookUps.map(({ name }) => name).sort()).toEqual(expected);
});

test('a query needs the ids of its names', async () => {
  const one = await configured('workspaces: {app: {project: Own, ssh-key: deploy}}\n');
  const message = 'unresolved names: projects: "Own", ssh-keys: "deploy"';
  const hint = 'call lookUpNames for the configuration first';
  expect(() => liveQueryOf(one)).toThrow(expect.objectContaining({ code: 'names-open', message, hint }));
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
  const projects = 'projects: {base: {id: prj-1, name: Base, manage: true}}\n';
  expect(snapshotQueryOf(await configured(projects)).managedProjects).toBe('all');
  const managing = await configured(`service: {dialect: terraform}\n${projects}scope: {projects: [base]}\n`);
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

test.each([
  'workspaces: {app: {remote-state-consumers: [{tagged: {env: prod}}]}}',
  'freeze: [{from: 2026-11-01, to: 2026-11-30, reason: launch, select: {tagged: {env: prod}}}, {from: 2026-11-01, to: 2026-11-30, reason: launch, select: {tag: prod}}]',
])('key/value tags of all projects are read for selectors: %s', async (selecting) => {
  const configuration = await configured(`scope: {projects: [prj-1]}\n${selecting}\n`);
  expect(readsBindings(configuration)).toBe(true);
  expect(snapshotQueryOf(configuration)).toMatchObject({ bindings: true, managedProjects: 'all' });
});

test('names of exactly one id each are known after a look-up', async () => {
  const configuration = await configured(
    'projects: {base: prj-3, other: Other}\nguards: {keep-admin: [Sre]}\nteam-access: {base: {Sre: read}, prj-3: {}}\n',
  );
  const projects = rowsIn<[string, string]>`
[[Other, prj-1], [a/b, prj-2], [base, prj-3], [Twice, prj-4], [Twice, prj-5], [prj-1, prj-6], [Clear, prj-7]]`;
  const found: FoundNames = new Map<AliasKind, readonly NamedId[] | NoLookUpError>([
    ['projects', projects.map(([name, id]) => ({ name, id }))],
    ['teams', [{ name: 'Sre', id: 'team-1' }]],
    ['ssh-keys', new NoLookUpError('ssh-keys', 'there are none')],
  ]);
  const known = new Map([['agent-pools', new Map([['apool-1', 'Pool']])]] as const);
  const resolved = withFoundNames({ ...configuration, known }, found, configuration.lookUps);
  const shown = [...(resolved.known ?? [])].map(([kind, names]) => [kind, Object.fromEntries(names)]);
  expect(shown).toEqual([
    ['agent-pools', { 'apool-1': 'Pool' }],
    ['projects', { 'prj-1': 'Other', 'prj-7': 'Clear' }],
    ['teams', { 'team-1': 'Sre' }],
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
  const base = '{name: Base, manage: true, renamed-from: Former}';
  const configuration = await configured(`service: {dialect: terraform}\nprojects: {base: ${base}}\n`);
  const resolve = (...projects: readonly (readonly [string, string])[]) => {
    const found: FoundNames = new Map([['projects', projects.map(([name, id]) => ({ name, id }))]]);
    return withFoundNames(configuration, found, configuration.lookUps).aliases.projects.get('base');
  };
  expect(resolve(['base', 'prj-1'])).toBe('prj-1');
  expect(resolve(['Former', 'prj-2'])).toBe('prj-2');
  expect(resolve()).toBe('{project.base}');
  const problem = { code: 'renamed-from', address: 'project.base' };
  expect(() => resolve(['Base', 'prj-1'], ['former', 'prj-2'])).toThrow(
    expect.objectContaining({ diagnostics: [expect.objectContaining(problem)] }),
  );
});

test('only references and selectors are mapped, and the id of a project', () => {
  const upper = (id: string) => id.toUpperCase();
  const withAttributes = (attributes: object) =>
    ({ kind: 'workspace', address: 'workspace.app', name: 'app', id: 'ws-app', attributes }) as Resource;
  for (const [before, after = before] of rowsIn<[object, object?]>`
- [{project: prj-1, description: prj-1, auto-apply: true, ssh-key: null}, {project: PRJ-1, description: prj-1, auto-apply: true, ssh-key: null}]
- [{remote-state-consumers: {exactly: [web, {project: prj-2}], except: [{project: prj-3}]}}, {remote-state-consumers: {exactly: [web, {project: PRJ-2}], except: [{project: PRJ-3}]}}]
- [{remote-state-consumers: {exactly: [web]}}]
- [{remote-state-consumers: {add: [{project: prj-2}], remove: [web]}}, {remote-state-consumers: {add: [{project: PRJ-2}], remove: [web]}}]
`)
    expect(mapReferences(withAttributes(before), upper)).toStrictEqual(withAttributes(after));
  const project: Resource = { kind: 'project', address: 'project.p', name: 'p', id: 'prj-1', attributes: {} };
  expect(mapReferences(project, upper).id).toBe('PRJ-1');
  const { id: _id, ...created } = project;
  expect(mapReferences(created, upper)).toStrictEqual(created);
});

const queryWithPolicy = async (on: string, require: string) => {
  const policy = `{id: few, on: ${on}, require: '${require}', message: Too many.}`;
  const workspaces = '{app: {}, gone: {state: absent}}';
  return liveQueryOf(
    await configured(`policies: [${policy}]\nscope: {names: [a*]}\nworkspaces: ${workspaces}\n`),
  );
};

test('a policy on workspaces reads the consumers of all that remain, and a policy on changes reads none', async () => {
  const consumersOf = async (on: string, require: string) => [
    ...(await queryWithPolicy(on, require)).consumersOf,
  ];
  expect(await consumersOf('workspace', 'workspace.consumers.size() < 9')).toEqual(['app']);
  expect(await consumersOf('change', 'change.fields.all(f, f.after["consumers"] != 9)')).toEqual([]);
  const ofPlan = 'plan.changes.all(c, c.fields.all(f, f.after["consumers"] != 9))';
  expect(await consumersOf('plan', ofPlan)).toEqual([]);
});

test.each(rowsIn<[string, string, boolean, boolean]>`
- [workspace, workspace.consumers.size() < 9, false, false]
- [workspace, workspace.readers.size() < 9, true, false]
- [workspace, workspace.consumerProjectIds.size() < 9, true, false]
- [plan, plan.changes.size() < 9, false, false]
- [plan, plan.unmanaged.size() < 9, false, true]
`)('a policy on %s with %s reads what it uses', async (on, require, whole, readsScope) => {
  const { scopes, ...query } = await queryWithPolicy(on, require);
  expect([query.whole, scopes !== undefined]).toEqual([whole, readsScope]);
});

test('a query reads no scope without pruning, and no grants of a project that is still to be created', async () => {
  const scoped = await configured('scope: {names: [a*]}\nworkspaces: {app: {}}\n');
  expect(liveQueryOf(scoped).scopes).toBeUndefined();
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

test('templates are compared with other spellings of their project for checked addresses only', async () => {
  const configuration = await configured(
    'templates: {strict: {when: {project: Base}, auto-apply: false}}\nworkspaces: {app: {project: prj-1}}\n',
  );
  const found: FoundNames = new Map([['projects', [{ name: 'Base', id: 'prj-1' }]]]);
  const resolve = (isChecked?: () => boolean) => withFoundNames(configuration, found, [], isChecked);
  expect(resolve().diagnostics).toEqual([]);
  expect(resolve(() => false).diagnostics).toEqual([]);
  expect(() => resolve(() => true)).toThrow(DiagnosticsError);
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
