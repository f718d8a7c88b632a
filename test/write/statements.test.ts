import { describe, expect, test } from 'vitest';
import type { Live } from '../../src/live/read-live.ts';
import { attributePaths, workspaceAttributes } from '../../src/model/attributes.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import { workspaceAddress } from '../../src/model/state.ts';
import type { Value } from '../../src/model/value.ts';
import { compose } from '../../src/write/compose.ts';
import { rowsIn } from '../support/rows.ts';

type Attributes = Readonly<Record<string, Value>>;

/** What the documents of a service come to, under neutral names. */
function liveOf(workspaces: Readonly<Record<string, Attributes>>, dialect: Dialect): Live {
  const resources = Object.entries(workspaces).map(([name, attributes], index) => ({
    kind: 'workspace' as const,
    address: workspaceAddress(name),
    name,
    id: `ws-${index}`,
    attributes: { tags: [], 'ssh-key': null, lock: { locked: false }, ...attributes },
  }));
  return {
    state: {
      organization: 'acme',
      resources: new Map(resources.map((resource) => [resource.address, resource])),
    },
    dialect,
    whole: true,
    scopeWhole: true,
    names: new Map(resources.map(({ id, name }) => [id, name])),
    projects: [],
    missing: [],
    diagnostics: [],
  };
}

async function imported(
  workspaces: Readonly<Record<string, Attributes>>,
  { dialect = 'iac', full = false }: { readonly dialect?: Dialect; readonly full?: boolean } = {},
): Promise<{ text: string; reported: string[] }> {
  const { files, diagnostics } = await compose({
    reading: { live: liveOf(workspaces, dialect), names: new Map(), unlisted: [], dead: new Set() },
    selection: {},
    service: { dialect },
    full,
    root: 'attune.yaml',
    single: true,
    isScoped: false,
    schema: './attune.schema.json',
    standing: [],
  });
  const [, text = ''] = (files[0]?.text ?? '').split(/^service:\n {2}dialect: \w+\n\n?/m);
  return { text, reported: diagnostics.map(({ message }) => message) };
}

const own = { 'setting-overwrites.execution-mode': true, 'setting-overwrites.agent-pool': true };
const ownPool = { 'setting-overwrites.agent-pool': true };
const inherited = { 'setting-overwrites.execution-mode': false, 'setting-overwrites.agent-pool': false };

describe('a workspace comes out', () => {
  test.each(rowsIn<[string, Attributes, string, string[]]>`
- [empty where all is as by default, {auto-apply: false, description: '', trigger-prefixes: []}, '{}', []]
- [with the flag instead of the mode that it inherits, {execution-mode: agent, agent-pool-id: apool-1, setting-overwrites.execution-mode: false, setting-overwrites.agent-pool: false}, "\n    setting-overwrites: {execution-mode: false}", []]
- [with the mode that is its own, {execution-mode: local, setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: true}, "\n    execution-mode: local", []]
- [with its own mode and the pool of the organization, {execution-mode: agent, agent-pool-id: apool-1, setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: false},
   "\n    execution-mode: agent\n    setting-overwrites: {agent-pool: false}", []]
- [with its own pool and the mode that it inherits, {execution-mode: agent, agent-pool-id: apool-1, setting-overwrites.execution-mode: false, setting-overwrites.agent-pool: true},
   "\n    agent-pool-id: agent-pool-1\n    setting-overwrites: {execution-mode: false, agent-pool: true}", []]
- [without the flag of its own pool if it inherits a mode without pools, {execution-mode: remote, agent-pool-id: null, setting-overwrites.execution-mode: false, setting-overwrites.agent-pool: true},
   "\n    setting-overwrites: {execution-mode: false}", []]
- [without an own pool that a service returns beside an inherited mode without pools, {execution-mode: remote, agent-pool-id: apool-1, setting-overwrites.execution-mode: false, setting-overwrites.agent-pool: true},
   "\n    setting-overwrites: {execution-mode: false}", []]
- [without an agent mode whose pool is not told, {execution-mode: agent, setting-overwrites.execution-mode: true, setting-overwrites.agent-pool: true}, '{}',
   ['workspace.a: execution-mode is left out: it is agent, but the service returns no valid pool']]
- [without the schedule of its project, {auto-destroy-activity-duration: null, auto-destroy-at: null, inherited-auto-destroy-activity-duration: 14d}, '{}', []]
- [without a time that the service works out from the duration, {auto-destroy-activity-duration: 14d, auto-destroy-at: 2027-01-01T00:00:00Z}, "\n    auto-destroy-activity-duration: 14d", []]
- [without a duration of a form that the language does not know, {auto-destroy-activity-duration: 2w}, '{}', ['workspace.a: auto-destroy-activity-duration is left out: its form is unknown']]
- [without the client that made it, {source-name: a tool, source-url: https://example.com}, '{}', []]
- [with one of two ways to its repository, {vcs-repo.identifier: acme/a, vcs-repo.oauth-token-id: ot-1, vcs-repo.vcs-app-installation-id: app-1}, "\n    vcs-repo: {identifier: acme/a, oauth-token-id: vcs-connection-1}",
   ['workspace.a: vcs-repo.vcs-app-installation-id is left out: the repository also has an oauth-token-id']]
- [without a connection that is none, {vcs-repo.identifier: acme/a, vcs-repo.oauth-token-id: strange}, "\n    vcs-repo: {identifier: acme/a}", ['workspace.a: vcs-repo.oauth-token-id is left out: its value is not an id of a VCS connection']]
- [with a lock that somebody holds, {lock: {locked: true, reason: change freeze, by: user-jo}}, "\n    lock: {reason: change freeze}", []]
- [without a lock that a run holds, {lock: {locked: true, by: run-1}}, '{}', ['workspace.a: lock is left out: a run holds it until it ends']]
- [with a policy of its own, {data-retention: {dont-delete: true}}, "\n    data-retention: {dont-delete: true}", []]
- [without a policy that the language does not have, {data-retention: {delete-older-than-days: 0}}, '{}', ['workspace.a: data-retention is left out: the configuration language does not support this policy']]
- [without a project whose id is none, {project: weird}, '{}', ['workspace.a: project is left out: weird is not a valid id']]
- [with the id of a consumer whose name no file may hold, {remote-state-consumers: [ws-1]}, "\n    remote-state-consumers: [ws-1]", ['workspace.b c: the workspace is left out: its name has characters other than A-Z a-z 0-9 - _']]
`)('import writes a workspace %s', async (_what, attributes, body, reported) => {
    const others = reported.some((message) => message.includes('b c')) ? { 'b c': {} } : {};
    const result = await imported({ a: attributes, ...others });
    expect(result.text.replace(/^[\s\S]*workspaces:\n {2}a:/, '').trim()).toBe(body.trim());
    expect(result.reported).toEqual(reported);
  });

  test.each(rowsIn<[string, Attributes, string, string[]]>`
- [neither patterns nor prefixes, {trigger-patterns: [a/**], trigger-prefixes: [b], queue-all-runs: true}, 'queue-all-runs: true',
   ['workspace.a: trigger-prefixes is left out: this dialect does not accept it together with trigger-patterns']]
- [Git tags rather than patterns, {vcs-repo.identifier: acme/a, vcs-repo.tags-regex: ^v, trigger-patterns: [a/**], file-triggers-enabled: true}, 'vcs-repo: {identifier: acme/a, tags-regex: ^v}',
   ['workspace.a: trigger-patterns is left out: this dialect does not accept it together with vcs-repo.tags-regex']]
- [patterns rather than the flag that forbids them, {trigger-patterns: [a/**], file-triggers-enabled: false}, 'trigger-patterns: [a/**]',
   ['workspace.a: file-triggers-enabled is left out: this dialect does not accept it together with trigger-patterns']]
`)(
    'import writes a workspace of the terraform dialect with %s',
    async (_what, attributes, body, reported) => {
      const result = await imported({ a: attributes }, { dialect: 'terraform' });
      expect([result.text, result.reported]).toEqual([
        expect.stringContaining(`  a:\n    ${body}\n`),
        reported,
      ]);
    },
  );
});

describe('what all workspaces share', () => {
  const six = (attributes: (index: number) => Attributes) =>
    Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`w${index}`, attributes(index)]));

  test('import writes a value that all workspaces share to the defaults', async () => {
    const { text } = await imported(
      six((index) => ({ 'iac-version': '1.9.0', tags: ['managed'], 'working-directory': `dir${index}` })),
    );
    expect(text).toMatch(
      /^defaults:\n {2}workspace:\n {4}iac-version: "1\.9\.0"\n {4}tags: \{exactly: \[managed\]\}\n\nworkspaces:\n {2}w0:\n {4}working-directory: dir0\n\n {2}w1:/,
    );
  });

  test.each<[string, (index: number) => Attributes]>([
    [
      'a value that one of them does not share',
      (index) => ({ 'iac-version': index > 0 ? '1.9.0' : '1.8.0' }),
    ],
    ['a value that one of them cannot declare', (index) => (index > 0 ? { 'iac-version': '1.9.0' } : {})],
    ['tags of which one has more', (index) => ({ tags: index > 0 ? ['managed'] : ['managed', 'prod'] })],
  ])('import writes %s to each workspace', async (_what, attributes) => {
    const { text } = await imported(six(attributes));
    expect(text).not.toContain('defaults:');
    expect(text.match(/"1\.9\.0"|\[managed\]/g)).toHaveLength(5);
  });

  test('import writes the values of a single workspace to the workspace', async () => {
    const { text } = await imported({ a: { 'iac-version': '1.9.0' } });
    expect(text).toBe('workspaces:\n  a:\n    iac-version: "1.9.0"\n');
  });

  test.each<[string, Attributes]>([
    ['applies by itself', { 'auto-apply': true }],
    ['shares its state with all', { 'global-remote-state': true }],
    ['is destroyed after a time', { 'auto-destroy-activity-duration': '14d' }],
    ['queues runs at once', { 'queue-all-runs': true }],
    ['takes a key', { 'ssh-key': 'sshkey-d1' }],
    ['takes a repository', { 'vcs-repo.identifier': 'acme/a', 'vcs-repo.oauth-token-id': 'ot-1' }],
    ['throws states away', { 'data-retention': { 'delete-older-than-days': 3 } }],
  ])(
    'import does not write a shared value to the defaults if a new workspace %s with it',
    async (_what, attributes) => {
      const loose = await imported(six(() => attributes));
      const lines = loose.text.slice(loose.text.indexOf('  w0:\n')).split('\n').slice(1, 2);
      const inProject = await imported(six(() => ({ ...attributes, project: 'prj-a' })));
      expect(inProject.text).toContain(`templates:\n  project-a:\n    project: project-a\n${lines[0]}\n`);
      expect(inProject.text.split('templates:')[0]).not.toContain(lines[0]);
    },
  );

  test('import --full writes shared defaults to the defaults', async () => {
    const { text } = await imported(
      six(() => ({ 'working-directory': '' })),
      { full: true },
    );
    expect(text).toContain('defaults:\n  workspace:\n    working-directory: null\n');
  });

  test('import writes a template for a project whose workspaces share a value that others do not have', async () => {
    const { text } = await imported(
      six((index) => ({
        project: index > 2 ? 'prj-a' : 'prj-b',
        'auto-apply': index > 2,
        'queue-all-runs': index === 0,
      })),
    );
    expect(text).toContain(
      'templates:\n  project-a:\n    project: project-a\n    auto-apply: true\n\nworkspaces:',
    );
    expect(text).toContain('  w3:\n    extends: project-a\n');
    expect(text).toContain('  w0:\n    project: project-b\n    queue-all-runs: true\n');
  });

  test('import --full also writes default values', async () => {
    const { text } = await imported(
      {
        a: {
          'auto-apply': false,
          'auto-destroy-at': null,
          description: null,
          'execution-mode': 'remote',
          ...own,
        },
      },
      { full: true },
    );
    expect(text).toContain('auto-apply: false\n    auto-destroy-at: null\n');
    expect(text).toContain('setting-overwrites: {execution-mode: true, agent-pool: true}');
    expect(text).toContain('lock: false\n');
  });
});

describe('the attributes that decide about runs and sharing', () => {
  const standard = { dialect: 'terraform' } as const;
  const safe = {
    'allow-destroy-plan': true,
    'auto-apply': false,
    'auto-apply-run-trigger': false,
    'auto-destroy-at': null,
    'auto-destroy-activity-duration': null,
    'execution-mode': 'remote',
    'file-triggers-enabled': true,
    'global-remote-state': false,
    'project-remote-state': false,
    'queue-all-runs': false,
    'speculative-enabled': true,
    ...own,
  };
  const documented = [
    'allow-destroy-plan: true',
    'auto-apply: false',
    'auto-apply-run-trigger: false',
    'auto-destroy-at: null',
    'auto-destroy-activity-duration: null',
    'file-triggers-enabled: true',
    'global-remote-state: false',
    'project-remote-state: false',
    'queue-all-runs: false',
    'speculative-enabled: true',
  ];
  const lines = (...keys: readonly string[]) => keys.map((key) => `    ${key}\n`).join('');

  test('the attribute table marks the attributes of runs and sharing as alwaysImported', () => {
    const marked = attributePaths.filter((path) => workspaceAttributes[path].alwaysImported);
    expect([...marked].sort()).toEqual(
      Object.keys(safe)
        .filter((path) => !path.includes('.'))
        .sort(),
    );
  });

  test('import writes the documented defaults of runs and sharing once, under defaults.workspace', async () => {
    const { text } = await imported({ a: safe, b: { ...safe, 'auto-apply': true } }, standard);
    expect(text).toBe(
      `defaults:\n  workspace:\n${lines(...documented.slice(0, 5), 'execution-mode: remote', ...documented.slice(5))}\nworkspaces:\n  a: {}\n\n  b:\n    auto-apply: true\n`,
    );
  });

  test('import writes the documented defaults of runs and sharing even if every workspace has another value', async () => {
    const { text } = await imported({ a: { 'auto-apply': true } }, standard);
    expect(text).toBe(
      'defaults:\n  workspace:\n    auto-apply: false\n\nworkspaces:\n  a:\n    auto-apply: true\n',
    );
  });

  test('import declares file triggers at each workspace if no live one has them without patterns or prefixes', async () => {
    const triggered = { ...safe, 'trigger-patterns': ['a/**'] };
    const pushed = { ...safe, 'file-triggers-enabled': false, 'trigger-patterns': [] };
    const { text } = await imported({ a: triggered, b: triggered, c: pushed, d: triggered }, standard);
    expect(text.split('workspaces:')[0]).not.toContain('file-triggers-enabled');
    expect(text.match(/file-triggers-enabled: true/g)).toHaveLength(3);
    expect(text).toContain('  c:\n    file-triggers-enabled: false\n');
    const accepted = await imported(
      { a: triggered, b: { ...pushed, 'file-triggers-enabled': true } },
      standard,
    );
    expect(accepted.text.split('workspaces:')[0]).toContain('    file-triggers-enabled: true\n');
  });

  test('import of the terraform dialect leaves out an own pool beside an inherited execution mode', async () => {
    const pool = { ...safe, ...inherited, 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' };
    const remote = { 'execution-mode': 'remote', 'agent-pool-id': null };
    const { text, reported } = await imported(
      { a: pool, b: pool, c: { ...pool, ...ownPool }, d: { ...pool, ...ownPool, ...remote } },
      { dialect: 'terraform', full: true },
    );
    expect(text).toContain('    setting-overwrites: {execution-mode: false}\n');
    expect(text).not.toMatch(/agent-pool: true|agent-pool-id/);
    expect(reported).toEqual([
      'workspace.c: agent-pool-id is left out: this dialect does not accept it together with an inherited execution-mode',
    ]);
  });

  test('import declares an inherited execution mode by its flag, in the defaults if all workspaces inherit it', async () => {
    const inheriting = { ...safe, ...inherited, 'execution-mode': 'local' };
    const all = await imported({ a: inheriting, b: inheriting }, standard);
    expect(all.text).toContain('    setting-overwrites: {execution-mode: false}\n\nworkspaces:\n  a: {}\n');
    const { text } = await imported({ a: safe, b: inheriting }, standard);
    expect(text).toContain('  a:\n    execution-mode: remote\n');
    expect(text).toContain('  b:\n    setting-overwrites: {execution-mode: false}\n');
  });

  test('import does not declare an attribute that the service does not return', async () => {
    const { 'auto-destroy-activity-duration': _duration, 'queue-all-runs': _queue, ...older } = safe;
    const { text } = await imported({ a: older, b: older }, standard);
    expect(text).not.toMatch(/duration|queue-all-runs/);
    expect(text).toContain('    auto-destroy-at: null\n');
  });
});

describe('a key that cannot be declared for one workspace', () => {
  const fixed = { 'auto-destroy-at': null, 'auto-destroy-activity-duration': null };
  const unknown = { 'auto-destroy-at': null, 'auto-destroy-activity-duration': '2w' };

  test('a key that cannot be declared for one workspace is kept in the defaults, and that workspace does not inherit it', async () => {
    const { text } = await imported({ a: fixed, b: fixed, c: unknown, d: fixed }, { dialect: 'terraform' });
    expect(text).toBe(`defaults:
  workspace:
    auto-destroy-at: null
    auto-destroy-activity-duration: null

workspaces:
  a: {}

  b: {}

  c:
    unmanaged: [auto-destroy-at, auto-destroy-activity-duration]

  d: {}
`);
  });
});
