import fc from 'fast-check';
import type { Dialect } from '../../src/model/dialect.ts';
import { permissions } from '../../src/model/permissions.ts';
import { pathsOf } from '../../src/model/rows.ts';
import { bindingRule, bindings, type GeneratedProjects, projectsOf } from './generated-projects.ts';

/** The live and the declared state: an apply with every kind of change that can be undone, and that cannot. */
export interface Generated {
  readonly seed: Record<string, unknown>;
  readonly configuration: Record<string, unknown>;
}

type Values = Record<string, unknown>;

const names = ['w0', 'w1', 'w2', 'w3', 'w4', 'w5'] as const;
const tags = ['a', 'b', 'c', 'd'];
const maybe = <Item>(arbitrary: fc.Arbitrary<Item>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const flag = fc.boolean();

/** Values that go together, as one service or the other takes them. */
const executions = fc.constantFrom<Values>(
  { 'execution-mode': 'remote' },
  { 'execution-mode': 'local' },
  { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
  { 'execution-mode': 'agent', 'agent-pool-id': 'apool-2' },
  { 'setting-overwrites': { 'execution-mode': false, 'agent-pool': false } },
  { operations: false },
  {},
);
const repository = (rest: Values) => ({
  'vcs-repo': { identifier: 'acme/x', 'oauth-token-id': 'ot-1', ...rest },
});
const triggers = fc.constantFrom<Values>(
  { 'trigger-patterns': ['/**/*'], 'file-triggers-enabled': true, 'trigger-prefixes': [] },
  { 'trigger-prefixes': ['/a', '/b'], 'file-triggers-enabled': true, 'trigger-patterns': [] },
  repository({ branch: 'main' }),
  repository({ 'oauth-token-id': 'ot-2', 'ingress-submodules': true }),
  {
    ...repository({ 'tags-regex': 'v.*' }),
    'file-triggers-enabled': false,
    'trigger-patterns': [],
    'trigger-prefixes': [],
  },
  {},
);
const ends = fc.constantFrom<Values>(
  { 'auto-destroy-at': '2031-05-06T07:08:09Z' },
  { 'auto-destroy-activity-duration': '14d' },
  {},
);
const retention = fc.constantFrom<Values>({ 'delete-older-than-days': 30 }, { 'dont-delete': true });

/** A switch beside the other one, which the service refuses to be on, too. */
const sharing = (dialect: Dialect) =>
  fc.constantFrom<Values>(
    {},
    { 'global-remote-state': true, ...(dialect === 'terraform' && { 'project-remote-state': false }) },
    { 'global-remote-state': false },
    ...(dialect === 'terraform'
      ? [
          { 'project-remote-state': true, 'global-remote-state': false },
          { 'project-remote-state': false, 'global-remote-state': false },
        ]
      : []),
  );

const settings = (dialect: Dialect) =>
  fc
    .tuple(
      fc.record({
        description: maybe(fc.constantFrom('one', 'two: "quoted"')),
        'auto-apply': maybe(flag),
        'queue-all-runs': maybe(flag),
        'iac-version': maybe(fc.constantFrom('1.5.0', '~> 1.6.0')),
        'working-directory': maybe(fc.constantFrom('infra', 'other')),
        'ssh-key': maybe(fc.constantFrom('sshkey-1', 'sshkey-2')),
        'data-retention': maybe(retention),
      }),
      executions,
      triggers,
      ends,
      sharing(dialect),
    )
    .map(([values, ...groups]): Values => Object.assign({}, values, ...groups));

const liveWorkspace = (dialect: Dialect) =>
  fc
    .tuple(
      settings(dialect),
      fc.record({
        project: maybe(fc.constantFrom('prj-1', 'prj-2', ...(dialect === 'terraform' ? ['prj-3'] : []))),
        tags: fc.subarray(tags),
        ...(dialect === 'terraform' && { 'tag-bindings': maybe(bindings) }),
        locked: fc.constantFrom(true, false, { reason: 'frozen' }),
        'remote-state-consumers': fc.subarray([...names]),
      }),
    )
    .map(([values, rest]): Values => ({ ...values, ...rest }));

/** Sometimes a value without other meaning is cleared. */
const cleared = fc.subarray([
  'description',
  'working-directory',
  'ssh-key',
  'data-retention',
  'vcs-repo',
  'auto-destroy-at',
]);

const declaredWorkspace = (dialect: Dialect) =>
  fc
    .tuple(
      settings(dialect),
      cleared,
      fc.record({
        project: maybe(fc.constantFrom('one', 'two', ...(dialect === 'terraform' ? ['three', 'four'] : []))),
        ...(dialect === 'terraform' && { 'tag-bindings': maybe(bindingRule) }),
        tags: maybe(
          fc.oneof(
            fc.record({ exactly: fc.subarray(tags) }),
            fc.record({ add: fc.subarray(['a', 'c']), remove: fc.subarray(['b', 'd']) }),
          ),
        ),
        lock: maybe(fc.constantFrom(true, false, { reason: 'change freeze' })),
        'remote-state-consumers': maybe(
          fc.oneof(
            fc.subarray([...names]),
            fc.record({ add: fc.subarray(['w0', 'w2', 'w4']), remove: fc.subarray(['w1', 'w3', 'w5']) }),
          ),
        ),
      }),
    )
    .map(([values, clears, rest]): Values => {
      const workspace: Values = { ...values, ...rest };
      for (const path of clears) if (workspace[path] === undefined) workspace[path] = null;
      if (workspace['remote-state-consumers'] === undefined) return workspace;
      workspace['global-remote-state'] = false;
      if (dialect === 'terraform') workspace['project-remote-state'] = false;
      return workspace;
    });

const grantOf = (dialect: Dialect) => {
  const paths = pathsOf(permissions, dialect);
  return fc.oneof(
    fc.constantFrom('read', 'write', 'maintain', 'admin'),
    fc.tuple(...paths.map((path) => fc.constantFrom(...permissions[path].values))).map((values): Values => {
      const groups: Record<string, Values> = { 'project-access': {}, 'workspace-access': {} };
      for (const [index, path] of paths.entries()) {
        const [group = '', key = ''] = path.split('.');
        groups[group] = { ...groups[group], [key]: values[index] };
      }
      return { access: 'custom', ...groups };
    }),
  );
};
const grants = <Item>(item: fc.Arbitrary<Item>, projects: readonly string[]) =>
  fc.record(
    Object.fromEntries(
      projects.map((project, index) => [
        project,
        fc.record({ 'team-1': maybe(item), ...(index === 0 && { 'team-2': maybe(item) }) }),
      ]),
    ),
  );

/** The execution mode of workspaces that inherit it. */
const defaults = fc.constantFrom<Values>(
  {},
  { 'default-execution-mode': 'local' },
  { 'default-execution-mode': 'agent', 'default-agent-pool': 'apool-2' },
);

/** What becomes of a name: left alone, declared, buried, or given up for another. */
const fates = fc.constantFrom('alone', 'declared', 'declared', 'declared', 'safe', 'force', 'renamed');

export function organizations(dialect: Dialect): fc.Arbitrary<Generated> {
  const extra = dialect === 'terraform';
  return fc
    .tuple(
      fc.tuple(...names.map(() => maybe(liveWorkspace(dialect)))),
      fc.tuple(...names.map(() => fc.tuple(fates, declaredWorkspace(dialect)))),
      grants(grantOf(dialect), ['prj-1', 'prj-2', ...(extra ? ['prj-3'] : [])]),
      grants(fc.oneof(grantOf(dialect), fc.constant('none')), [
        'one',
        'two',
        ...(extra ? ['three', 'four'] : []),
      ]),
      defaults,
      projectsOf(dialect),
    )
    .map(([live, declared, liveGrants, declaredGrants, organization, projects]) => {
      const isLive = (name: string) => live[names.indexOf(name as 'w0')] !== undefined;
      const workspaces: Record<string, Values> = {};
      for (const [index, [fate, values]] of declared.entries()) {
        const name = names[index] ?? '';
        if (fate === 'alone') continue;
        if (fate === 'safe' || fate === 'force') workspaces[name] = { state: 'absent', delete: fate };
        else if (fate === 'renamed' && isLive(name))
          workspaces[`new-${name}`] = { 'renamed-from': name, ...values };
        else workspaces[name] = values;
      }
      // Names that no longer exist, and that of the workspace itself, are not consumers.
      const exists = (name: string) =>
        workspaces[name]?.state !== 'absent' &&
        (name in workspaces || (isLive(name) && !(`new-${name}` in workspaces)));
      for (const [name, values] of Object.entries(workspaces)) {
        const list = values['remote-state-consumers'];
        if (list === undefined) continue;
        const keep = (items: unknown) => (items as string[]).filter((item) => item !== name && exists(item));
        values['remote-state-consumers'] = Array.isArray(list)
          ? keep(list)
          : { add: keep((list as Values).add), remove: (list as Values).remove };
      }
      const seeded: Record<string, Values> = Object.fromEntries(
        names.flatMap((name, index) => {
          const values = live[index];
          if (values === undefined) return [];
          const consumers = (values['remote-state-consumers'] as string[]).filter(
            (item) => item !== name && isLive(item),
          );
          return [[name, { ...values, 'remote-state-consumers': consumers }]];
        }),
      );
      if (isDeleted(projects)) emptyDeleted(workspaces, seeded, declaredGrants);
      return plain({
        seed: {
          settings: organization,
          projects: projects.live,
          teams: { one: 'team-1', two: 'team-2' },
          'ssh-keys': { one: 'sshkey-1', two: 'sshkey-2' },
          'agent-pools': { one: 'apool-1', two: 'apool-2' },
          'vcs-connections': { one: 'ot-1', two: 'ot-2' },
          workspaces: seeded,
          'team-access': liveGrants,
        },
        configuration: {
          attune: 1,
          organization: 'acme',
          service: { dialect },
          projects: projects.declared,
          teams: { first: 'team-1', second: 'team-2' },
          'ssh-keys': { one: 'sshkey-1', two: 'sshkey-2' },
          'agent-pools': { one: 'apool-1', two: 'apool-2' },
          'vcs-connections': { one: 'ot-1', two: 'ot-2' },
          workspaces,
          'team-access': declaredGrants,
          limits: { deletes: 1000, 'delete-percent': 100 },
        },
      });
    });
}

function isDeleted({ declared: { three } }: GeneratedProjects): boolean {
  return (three as Values | undefined)?.state === 'absent';
}

/** A project that is deleted must lose its workspaces in the same plan, and nothing may refer to it. */
function emptyDeleted(
  workspaces: Readonly<Record<string, Values>>,
  seeded: Readonly<Record<string, Values>>,
  access: Values,
): void {
  for (const values of Object.values(workspaces)) if (values.project === 'three') values.project = 'one';
  for (const [name, values] of Object.entries(seeded)) {
    if (values.project !== 'prj-3') continue;
    const declared = workspaces[name] ?? workspaces[`new-${name}`];
    if (declared === undefined) values.project = 'prj-1';
    else if (declared.state !== 'absent') declared.project ??= 'one';
  }
  delete access.three;
}

/** As a file has it: what is undefined is not there. */
function plain(generated: Generated): Generated {
  return JSON.parse(JSON.stringify(generated));
}
