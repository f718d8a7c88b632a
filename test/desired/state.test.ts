import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { permissionPaths, permissions } from '../../src/model/permissions.ts';
import type { Resource } from '../../src/model/state.ts';
import { configured, loadFiles, rootText } from './load-files.ts';

interface StateCase {
  readonly title: string;
  readonly yaml: string;
  /** Attributes by address. */
  readonly attributes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const aliases = `
projects: {platform: prj-7hWq, payments: prj-2}
teams: {sre: team-a1}
ssh-keys: {deploy: sshkey-9f}
agent-pools: {onprem: apool-1}
vcs-connections: {github: ot-1}
`;

/** A grant with single permissions, unnamed ones with the least. */
function custom(team: string, named: Readonly<Record<string, unknown>>) {
  const least = permissionPaths.map((path) => [path, permissions[path].customDefault]);
  return { project: 'prj-1', team, access: 'custom', ...Object.fromEntries(least), ...named };
}

const cases: readonly StateCase[] = [
  {
    title: 'a workspace without keys manages nothing',
    yaml: 'workspaces: {a: {}}',
    attributes: { 'workspace.a': {} },
  },
  {
    title: 'aliases and ids become ids, an alias wins over an id',
    yaml: `
projects: {platform: prj-7hWq, prj-9: prj-10}
ssh-keys: {deploy: sshkey-9f}
workspaces:
  a: {project: platform, ssh-key: deploy}
  b: {project: prj-9, ssh-key: null}
  c: {project: prj-11, ssh-key: sshkey-1}
`,
    attributes: {
      'workspace.a': { project: 'prj-7hWq', 'ssh-key': 'sshkey-9f' },
      'workspace.b': { project: 'prj-10', 'ssh-key': null },
      'workspace.c': { project: 'prj-11', 'ssh-key': 'sshkey-1' },
    },
  },
  {
    title: 'mappings become dotted paths, and null is a value',
    yaml: `${aliases}
workspaces:
  a:
    vcs-repo: {identifier: acme/a, oauth-token-id: github, branch: null}
    setting-overwrites: {agent-pool: true}
    agent-pool-id: onprem
  b: {vcs-repo: null, description: null}
  c: {vcs-repo: {}}
`,
    attributes: {
      'workspace.a': {
        'agent-pool-id': 'apool-1',
        'vcs-repo.branch': null,
        'vcs-repo.identifier': 'acme/a',
        'vcs-repo.oauth-token-id': 'ot-1',
        'setting-overwrites.agent-pool': true,
      },
      'workspace.b': { description: null, 'vcs-repo': null },
      'workspace.c': {},
    },
  },
  {
    title: 'locks and retention policies',
    yaml: `
workspaces:
  a: {lock: true, data-retention: {delete-older-than-days: 30}}
  b: {lock: {reason: change freeze}, data-retention: {dont-delete: true}}
  c: {lock: false, data-retention: null}
  d: {lock: null}
`,
    attributes: {
      'workspace.a': { lock: { locked: true }, 'data-retention': { 'delete-older-than-days': 30 } },
      'workspace.b': {
        lock: { locked: true, reason: 'change freeze' },
        'data-retention': { 'dont-delete': true },
      },
      'workspace.c': { lock: { locked: false }, 'data-retention': null },
      'workspace.d': { lock: { locked: false } },
    },
  },
  {
    title: 'consumers: a list, an additive form, selectors with the project as id',
    yaml: `${aliases}
workspaces:
  a: {remote-state-consumers: [b, ws-4Fq, {tag: needs-a}, {project: payments}, {name: "app-*"}, b]}
  b: {remote-state-consumers: {remove: [a, elsewhere]}}
  c: {remote-state-consumers: []}
`,
    attributes: {
      'workspace.a': {
        'remote-state-consumers': {
          exactly: ['b', 'ws-4Fq', { tag: 'needs-a' }, { project: 'prj-2' }, { name: 'app-*' }],
        },
      },
      'workspace.b': { 'remote-state-consumers': { add: [], remove: ['a', 'elsewhere'] } },
      'workspace.c': { 'remote-state-consumers': { exactly: [] } },
    },
  },
  {
    title: 'all projects of a selector become ids, and its other keys stay as they are',
    yaml: `${aliases}
workspaces:
  a: {remote-state-consumers: [{project: [payments, platform, prj-9], tag: [x, y], name: "*-prod", except: b}]}
`,
    attributes: {
      'workspace.a': {
        'remote-state-consumers': {
          exactly: [
            { project: ['prj-2', 'prj-7hWq', 'prj-9'], tag: ['x', 'y'], name: '*-prod', except: 'b' },
          ],
        },
      },
    },
  },
  {
    title: 'layers: defaults, then templates in order, then the workspace; scalars replace and lists add',
    yaml: `
defaults:
  workspace: {auto-apply: true, description: of all, trigger-prefixes: [a]}
templates:
  one: {description: of one, iac-version: "1.1.0"}
  two: {description: of two, trigger-prefixes: [b, c]}
workspaces:
  a: {}
  b: {extends: [one, two]}
  c: {extends: [two, one], description: its own, auto-apply: false}
`,
    attributes: {
      'workspace.a': {
        'auto-apply': true,
        description: 'of all',
        'trigger-prefixes': { add: ['a'], remove: [] },
      },
      'workspace.b': {
        'auto-apply': true,
        description: 'of two',
        'iac-version': '1.1.0',
        'trigger-prefixes': { add: ['a', 'b', 'c'], remove: [] },
      },
      'workspace.c': {
        'auto-apply': false,
        description: 'its own',
        'iac-version': '1.1.0',
        'trigger-prefixes': { add: ['a', 'b', 'c'], remove: [] },
      },
    },
  },
  {
    title: 'a template wins over those it extends, whichever is declared first',
    yaml: `
templates:
  top: {extends: [left, right], working-directory: top}
  left: {extends: base, description: left}
  right: {extends: base, auto-apply: true}
  base: {description: base, working-directory: base, speculative-enabled: false}
workspaces:
  a: {extends: top}
`,
    attributes: {
      'workspace.a': {
        'auto-apply': true,
        description: 'base',
        'speculative-enabled': false,
        'working-directory': 'top',
      },
    },
  },
  {
    title: 'vcs-repo and setting-overwrites merge by key, null clears the values of lower layers',
    yaml: `
defaults:
  workspace:
    vcs-repo: {oauth-token-id: ot-1, branch: main}
    setting-overwrites: {agent-pool: false}
templates:
  none: {vcs-repo: null}
workspaces:
  a: {vcs-repo: {identifier: acme/a, branch: dev}, setting-overwrites: {execution-mode: false}}
  b: {extends: none}
  c: {extends: none, vcs-repo: {identifier: acme/c}}
`,
    attributes: {
      'workspace.a': {
        'vcs-repo.branch': 'dev',
        'vcs-repo.identifier': 'acme/a',
        'vcs-repo.oauth-token-id': 'ot-1',
        'setting-overwrites.agent-pool': false,
        'setting-overwrites.execution-mode': false,
      },
      'workspace.b': { 'vcs-repo': null, 'setting-overwrites.agent-pool': false },
      'workspace.c': { 'vcs-repo.identifier': 'acme/c', 'setting-overwrites.agent-pool': false },
    },
  },
  {
    title: 'a list of a workspace is exact and takes what layers add; an empty or exact one ignores layers',
    yaml: `
defaults: {workspace: {tags: [managed]}}
templates:
  service: {tags: [service, eu]}
workspaces:
  a: {}
  b: {extends: service, tags: [prod, eu]}
  c: {extends: service, tags: {exactly: [prod]}}
  d: {extends: service, tags: {exactly: []}}
  e: {extends: service, tags: []}
`,
    attributes: {
      'workspace.a': { tags: { add: ['managed'], remove: [] } },
      'workspace.b': { tags: { exactly: ['managed', 'service', 'eu', 'prod'] } },
      'workspace.c': { tags: { exactly: ['prod'] } },
      'workspace.d': { tags: { exactly: [] } },
      'workspace.e': { tags: { exactly: [] } },
    },
  },
  {
    title: 'tags of layers join the additive form, but for those that the workspace removes',
    yaml: `
defaults: {workspace: {tags: [managed]}}
workspaces:
  a: {tags: {add: [prod], remove: [staging]}}
  b: {tags: {remove: [managed]}}
`,
    attributes: {
      'workspace.a': { tags: { add: ['managed', 'prod'], remove: ['staging'] } },
      'workspace.b': { tags: { add: [], remove: ['managed'] } },
    },
  },
  {
    title: 'templates change the lists of lower layers, and exact ones replace them',
    yaml: `
defaults: {workspace: {tags: [managed, shared], trigger-patterns: [a/**]}}
templates:
  fewer: {tags: {remove: [managed], add: [fewer]}}
  exact: {tags: {exactly: [exact]}, trigger-patterns: {exactly: [b/**]}}
  more: {extends: exact, tags: [more]}
workspaces:
  a: {extends: fewer}
  b: {extends: fewer, tags: [managed]}
  c: {extends: more}
  d: {extends: more, tags: [own]}
  e: {extends: [more, fewer], tags: {remove: [more]}, trigger-patterns: {add: [c/**]}}
  f: {extends: exact, tags: {remove: [Exact, managed]}}
`,
    attributes: {
      'workspace.a': {
        tags: { add: ['shared', 'fewer'], remove: ['managed'] },
        'trigger-patterns': { add: ['a/**'], remove: [] },
      },
      'workspace.b': {
        tags: { exactly: ['shared', 'fewer', 'managed'] },
        'trigger-patterns': { add: ['a/**'], remove: [] },
      },
      'workspace.c': { tags: { exactly: ['exact', 'more'] }, 'trigger-patterns': ['b/**'] },
      'workspace.d': { tags: { exactly: ['exact', 'more', 'own'] }, 'trigger-patterns': ['b/**'] },
      'workspace.e': { tags: { exactly: ['exact', 'fewer'] }, 'trigger-patterns': ['b/**', 'c/**'] },
      'workspace.f': { tags: { exactly: ['exact'], except: ['Exact'] }, 'trigger-patterns': ['b/**'] },
    },
  },
  {
    title:
      'consumers of a template are kept beside those that a workspace adds, without the workspace itself',
    yaml: `
templates:
  shared: {remote-state-consumers: [monitoring, b, {tag: x, name: "*"}]}
  fixed: {remote-state-consumers: {exactly: [{name: "*", tag: x}]}}
workspaces:
  a: {extends: shared, remote-state-consumers: {add: [c], remove: [b, {name: "*", tag: x}]}}
  monitoring: {extends: shared}
  b: {extends: fixed, remote-state-consumers: {remove: [c]}}
`,
    attributes: {
      'workspace.a': {
        'remote-state-consumers': { add: ['monitoring', 'c'], remove: ['b', { name: '*', tag: 'x' }] },
      },
      'workspace.monitoring': {
        'remote-state-consumers': { add: ['b', { tag: 'x', name: '*' }], remove: [] },
      },
      'workspace.b': {
        'remote-state-consumers': { exactly: [{ name: '*', tag: 'x' }], except: ['c'] },
      },
    },
  },
  {
    title: 'a role gives its level and permissions, which those of the grant override',
    yaml: `
projects: {p: prj-1}
teams: {a: team-1, b: team-2, c: team-3}
roles:
  auditor: {access: custom, workspace-access: {runs: plan, variables: read}}
  reader: {access: read}
team-access:
  p:
    a: auditor
    b: {access: auditor, workspace-access: {runs: apply}}
    c: reader
`,
    attributes: {
      'team-access.p/a': custom('team-1', {
        'workspace-access.runs': 'plan',
        'workspace-access.variables': 'read',
      }),
      'team-access.p/b': custom('team-2', {
        'workspace-access.runs': 'apply',
        'workspace-access.variables': 'read',
      }),
      'team-access.p/c': { project: 'prj-1', team: 'team-3', access: 'read' },
    },
  },
  {
    title: 'unmanaged keys are not inherited from lower layers, and higher layers can set them',
    yaml: `
defaults: {workspace: {iac-version: "1.0.0", tags: [managed], vcs-repo: {branch: main, identifier: acme/app}}}
templates:
  free: {unmanaged: [iac-version, tags]}
  tagged: {extends: free, tags: [own]}
workspaces:
  a: {extends: free}
  b: {extends: tagged, unmanaged: [vcs-repo.branch]}
  c: {unmanaged: [vcs-repo]}
  d: {extends: free, iac-version: "1.1.0"}
`,
    attributes: {
      'workspace.a': { 'vcs-repo.branch': 'main', 'vcs-repo.identifier': 'acme/app' },
      'workspace.b': { tags: { add: ['own'], remove: [] }, 'vcs-repo.identifier': 'acme/app' },
      'workspace.c': { 'iac-version': '1.0.0', tags: { add: ['managed'], remove: [] } },
      'workspace.d': {
        'iac-version': '1.1.0',
        'vcs-repo.branch': 'main',
        'vcs-repo.identifier': 'acme/app',
      },
    },
  },
  {
    title: 'consumers of a layer are left out where global-remote-state is true',
    yaml: `
defaults: {workspace: {remote-state-consumers: [b]}}
workspaces:
  a: {global-remote-state: true}
`,
    attributes: { 'workspace.a': { 'global-remote-state': true } },
  },
  {
    title: "with the organization's mode, a mode and pool of layers do not hold",
    yaml: `
defaults: {workspace: {execution-mode: agent, agent-pool-id: apool-1}}
workspaces:
  a: {setting-overwrites: {execution-mode: false, agent-pool: false}}
`,
    attributes: {
      'workspace.a': {
        'setting-overwrites.execution-mode': false,
        'setting-overwrites.agent-pool': false,
      },
    },
  },
  {
    title: 'a mode and pool of a workspace override the flags of a layer that inherit them',
    yaml: `
defaults: {workspace: {setting-overwrites: {execution-mode: false, agent-pool: false}}}
workspaces:
  a: {execution-mode: remote}
  b: {execution-mode: agent, agent-pool-id: apool-1}
  c: {agent-pool-id: apool-1}
  d: {execution-mode: remote, setting-overwrites: {execution-mode: true}}
  e: {execution-mode: agent}
`,
    attributes: {
      'workspace.a': { 'execution-mode': 'remote' },
      'workspace.b': { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
      'workspace.c': { 'agent-pool-id': 'apool-1' },
      'workspace.d': { 'execution-mode': 'remote', 'setting-overwrites.execution-mode': true },
      'workspace.e': { 'execution-mode': 'agent', 'setting-overwrites.agent-pool': false },
    },
  },
  {
    title: 'a pool of a workspace overrides agent-pool: false of a layer, and the other way round',
    yaml: `
templates:
  inherits: {setting-overwrites: {agent-pool: false}}
  pooled: {execution-mode: agent, agent-pool-id: apool-1}
workspaces:
  a: {extends: inherits, execution-mode: agent, agent-pool-id: apool-1}
  b: {extends: [inherits, pooled]}
  c: {extends: [pooled, inherits]}
`,
    attributes: {
      'workspace.a': { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
      'workspace.b': { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
      'workspace.c': { 'execution-mode': 'agent', 'setting-overwrites.agent-pool': false },
    },
  },
  {
    title: 'a pool without a mode is checked against the live mode later',
    yaml: 'workspaces: {a: {agent-pool-id: apool-1}}',
    attributes: { 'workspace.a': { 'agent-pool-id': 'apool-1' } },
  },
  {
    title: 'names are text, whatever YAML would make of them',
    yaml: `
workspaces:
  010: {}
  1e3: {}
  yes: {}
  null: {}
  __proto__: {auto-apply: true}
  constructor: {}
`,
    attributes: {
      'workspace.010': {},
      'workspace.1e3': {},
      'workspace.yes': {},
      'workspace.null': {},
      'workspace.__proto__': { 'auto-apply': true },
      'workspace.constructor': {},
    },
  },
  {
    title: 'a tombstone keeps nothing but itself, a mode of deletion aside',
    yaml: `
defaults: {workspace: {auto-apply: true}}
workspaces:
  a: {state: absent}
  b: {state: absent, delete: force, description: kept for the record, extends: []}
`,
    attributes: { 'workspace.a': {}, 'workspace.b': {} },
  },
  {
    title: 'a grant with a fixed level, one revoked, one with single permissions',
    yaml: `${aliases}
team-access:
  payments:
    sre: admin
    team-b: none
    team-c:
      access: custom
      project-access: {settings: update}
      workspace-access: {runs: plan, locking: true}
  prj-3: {sre: {access: read}, team-d: custom}
  platform: {}
`,
    attributes: {
      'team-access.payments/sre': { project: 'prj-2', team: 'team-a1', access: 'admin' },
      'team-access.payments/team-b': { project: 'prj-2', team: 'team-b' },
      'team-access.payments/team-c': {
        project: 'prj-2',
        team: 'team-c',
        access: 'custom',
        'project-access.settings': 'update',
        'project-access.teams': 'none',
        'project-access.variable-sets': 'none',
        'workspace-access.runs': 'plan',
        'workspace-access.policy-mocks': 'none',
        'workspace-access.state-versions': 'none',
        'workspace-access.variables': 'none',
        'workspace-access.create': false,
        'workspace-access.locking': true,
        'workspace-access.delete': false,
        'workspace-access.move': false,
        'workspace-access.run-tasks': false,
        'workspace-access.policy-overrides': false,
      },
      'team-access.prj-3/sre': { project: 'prj-3', team: 'team-a1', access: 'read' },
      'team-access.prj-3/team-d': {
        project: 'prj-3',
        team: 'team-d',
        access: 'custom',
        'project-access.settings': 'read',
        'project-access.teams': 'none',
        'project-access.variable-sets': 'none',
        'workspace-access.runs': 'read',
        'workspace-access.policy-mocks': 'none',
        'workspace-access.state-versions': 'none',
        'workspace-access.variables': 'none',
        'workspace-access.create': false,
        'workspace-access.locking': false,
        'workspace-access.delete': false,
        'workspace-access.move': false,
        'workspace-access.run-tasks': false,
        'workspace-access.policy-overrides': false,
      },
    },
  },
];

async function resources(yaml: string): Promise<ReadonlyMap<string, Resource>> {
  return (await configured(yaml)).desired.resources;
}

describe('the state that files declare', () => {
  test.each(cases)('the files declare this state: $title', async ({ yaml, attributes }) => {
    const found = [...(await resources(yaml))].map(([address, resource]) => [address, resource.attributes]);
    expect(Object.fromEntries(found)).toEqual(attributes);
  });

  test('a merge key of YAML yields to own keys, and the first merged mapping wins', async () => {
    const found = await resources(`
templates:
  base: &base {auto-apply: true, description: base}
  more: &more {description: more, speculative-enabled: false}
workspaces:
  a: *base
  b: {<<: *base, description: b}
  c:
    <<: [*more, *base]
    trigger-prefixes: &list [x]
  d: {trigger-prefixes: *list}
`);
    expect(found.get('workspace.a')?.attributes).toEqual({ 'auto-apply': true, description: 'base' });
    expect(found.get('workspace.b')?.attributes).toEqual({ 'auto-apply': true, description: 'b' });
    expect(found.get('workspace.c')?.attributes).toEqual({
      'auto-apply': true,
      description: 'more',
      'speculative-enabled': false,
      'trigger-prefixes': ['x'],
    });
    expect(found.get('workspace.d')?.attributes).toEqual({ 'trigger-prefixes': ['x'] });
    // What an alias or a merge brings in points at where it is written.
    expect(found.get('workspace.a')?.declared?.locations?.['auto-apply']).toEqual(at(4, 16));
    expect(found.get('workspace.b')?.declared?.locations).toEqual({
      'auto-apply': at(4, 16),
      description: at(8, 18),
    });
    expect(found.get('workspace.c')?.declared?.locations?.['speculative-enabled']).toEqual(at(5, 35));
  });

  test('the state has the declaration of each workspace in its file', async () => {
    const found = await resources(`
defaults: {workspace: {protect: true}}
workspaces:
  a: {renamed-from: old, auto-apply: true}
  b: {protect: false}
  c: {state: absent, protect: false}
  d: {state: absent, delete: force, protect: false}
`);
    expect(found.get('workspace.a')).toEqual({
      kind: 'workspace',
      address: 'workspace.a',
      name: 'a',
      attributes: { 'auto-apply': true },
      location: at(5, 3),
      declared: { renamedFrom: 'old', protect: true },
    });
    expect(found.get('workspace.a')?.declared?.locations).toEqual({
      'auto-apply': at(5, 26),
      protect: at(3, 24),
      'renamed-from': at(5, 7),
    });
    expect(found.get('workspace.b')?.declared).toEqual({ protect: false });
    expect(found.get('workspace.b')?.declared?.locations).toEqual({ protect: at(6, 7) });
    expect(found.get('workspace.c')?.declared).toEqual({ absent: 'safe' });
    expect(found.get('workspace.d')?.declared).toEqual({ absent: 'force' });
  });

  test('the state has the locations of declarations in several files', async () => {
    const { configurations } = await loadFiles({
      'attune.yaml': rootText(
        'include: [more/*.yaml]\nprojects: {p: prj-1}\ntemplates: {t: {auto-apply: true}}\n',
      ),
      'more/a.yaml': 'workspaces:\n  a:\n    extends: t\n    vcs-repo:\n      branch: main\n',
      'more/b.yaml': 'teams: {t: team-1}\nteam-access:\n  p: {t: none}\n',
    });
    const found = configurations[0]?.desired.resources;
    expect(found?.get('workspace.a')?.location).toEqual({ file: 'more/a.yaml', line: 2, column: 3 });
    expect(found?.get('workspace.a')?.declared?.locations).toEqual({
      'auto-apply': { file: 'attune.yaml', line: 5, column: 17 },
      'vcs-repo': { file: 'more/a.yaml', line: 4, column: 5 },
      'vcs-repo.branch': { file: 'more/a.yaml', line: 5, column: 7 },
    });
    expect(found?.get('team-access.p/t')).toEqual({
      kind: 'team-access',
      address: 'team-access.p/t',
      name: 'p/t',
      attributes: { project: 'prj-1', team: 'team-1' },
      location: { file: 'more/b.yaml', line: 3, column: 7 },
      declared: { absent: 'safe' },
    });
  });

  test('the settings of a file have their defaults where they are not given, and paths relative to the root file', async () => {
    const bare = await configured('');
    expect(bare).toMatchObject({
      service: {},
      prune: { workspaces: 'keep', teamAccess: false },
      limits: { deletes: 10, deletePercent: 30 },
    });
    expect(bare.scope).toBeUndefined();
    expect((await configured('limits: {deletes: 5}')).limits).toMatchObject({
      deletes: 5,
      deletePercent: 30,
    });
    expect((await configured('limits: {delete-percent: 5}')).limits).toMatchObject({
      deletes: 10,
      deletePercent: 5,
    });
    const full = await configured(`
service:
  address: https://iac.example.com/
  dialect: terraform
  rate: 0.5
  parallelism: 4
  timeout: 1.5
  data: .attune/data.json
  seed: ./seeds/../seed.yaml
projects: {p: prj-1}
team-access: {p: {}, prj-2: {}}
scope: {projects: [p, prj-2], tags: [managed], names: ["*-prod"]}
prune: {workspaces: force, team-access: true}
limits: {deletes: 5, delete-percent: 20}
guards: {protect: ["*-prod", {tag: [a, b], project: [p, prj-2], except: x}]}
`);
    expect(full).toMatchObject({
      service: {
        address: 'https://iac.example.com',
        dialect: 'terraform',
        rate: 0.5,
        parallelism: 4,
        timeout: 1.5,
        data: join(full.folder, '.attune', 'data.json'),
        seed: join(full.folder, 'seed.yaml'),
      },
      scope: {
        projects: ['prj-1', 'prj-2'],
        tags: ['managed'],
        names: ['*-prod'],
        adopt: [],
        enforce: true,
      },
      prune: { workspaces: 'force', teamAccess: true },
      limits: { deletes: 5, deletePercent: 20 },
      guards: {
        protect: [
          { selector: { name: '*-prod' }, written: '"*-prod"' },
          {
            selector: { tag: ['a', 'b'], project: ['prj-1', 'prj-2'], except: 'x' },
            written: '{tag: ["a", "b"], project: ["p", "prj-2"], except: "x"}',
          },
        ],
      },
    });
    expect([...full.grantProjects]).toEqual([
      ['prj-1', 'p'],
      ['prj-2', 'prj-2'],
    ]);
    expect(full.aliases.projects.get('p')).toBe('prj-1');
  });
});

function at(line: number, column: number) {
  return { file: 'attune.yaml', line, column };
}
