import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';
const shop = {
  projects: { Shop: 'prj-shop', Lab: 'prj-lab' },
  teams: { sre: 'team-sre', dev: 'team-dev' },
} as const;

/** Files and a service, on 1 December 2026. */
async function acceptWorld(body: string, seed: Seed, dialect: Dialect = 'iac') {
  const date = () => new Date('2026-12-01T12:00:00Z');
  const world = await worldWith(head + body, { seed: { ...shop, ...seed }, dialect }, { date });
  const file = join(world.folder, 'attune.yaml');
  return {
    ...world,
    write: (text: string) => writeFile(file, head + text),
    text: async () => (await readFile(file, 'utf8')).slice(head.length),
    /** Runs a command, and returns what it prints, the root file after it, and the plan of that. */
    async run(...argv: readonly string[]) {
      const { code, stdout, stderr } = await world.attune(...argv);
      const text = (await readFile(file, 'utf8')).slice(head.length);
      const plan = await world.attune('plan', '--detailed-exitcode');
      return { code, stdout: stdout.replace(world.service.url, 'http://service'), stderr, text, plan };
    },
  };
}

const files = 'workspaces:\n  a:\n    description: old # why\n    tags: [x]\n  b: {}\n';
const live = { workspaces: { a: { description: 'new', tags: ['x', 'z'] }, b: {} } };

test('accept prints what it wrote where, and its plan is empty', async () => {
  const world = await acceptWorld(files, live);
  const { code, stdout, stderr, text, plan } = await world.run('accept', '--all');
  expect([code, stderr, plan.code]).toEqual([0, '', 0]);
  expect(text).toBe('workspaces:\n  a:\n    description: new # why\n    tags: [x, z]\n  b: {}\n');
  expect(stdout).toBe(`acme  http://service

  ~ workspace.a
      description: old -> new                       attune.yaml:5
      tags: +z                                      attune.yaml:6

Changed 1 file: 2 accepted values.
`);
});

test('accept --dry-run prints a unified diff and writes nothing', async () => {
  const world = await acceptWorld(files, live);
  const { code, text, stdout, stderr } = await world.run('accept', '--all', '--dry-run');
  expect([code, text, stderr]).toEqual([0, files, 'Would change 1 file: 2 accepted values.\n']);
  expect(stdout).toBe(`--- a/attune.yaml
+++ b/attune.yaml
@@ -2,6 +2,6 @@
 organization: acme
 workspaces:
   a:
-    description: old # why
-    tags: [x]
+    description: new # why
+    tags: [x, z]
   b: {}
`);
});

test('accept prints what it does not accept as errors, and writes the rest', async () => {
  const body = 'workspaces:\n  a: &base {auto-apply: false}\n  b: {<<: *base, description: old}\n';
  const workspaces = { a: { 'auto-apply': true }, b: { description: 'new' } };
  const world = await acceptWorld(body, { workspaces });
  const { code, text, stderr } = await world.run('accept', '--all');
  expect([code, text, stderr]).toEqual([
    1,
    body.replace('old', 'new'),
    'error[not-acceptable]: workspace.a is not accepted: other lines use its anchor &base in attune.yaml\n  hint: write the value out where *base is used, then run the command again\n',
  ]);
});

describe('selectors and undeclared workspaces', () => {
  const network = { project: 'Shop', 'remote-state-consumers': ['reader'] };
  const tagged = { project: 'Shop', tags: ['reads'] };
  const stray = { workspaces: { reader: tagged, stray: tagged, network } };
  const pruning = `scope: {projects: [prj-shop]}
prune: {workspaces: safe}
workspaces:
  reader: {project: prj-shop, tags: [reads]}
  network: {project: prj-shop, remote-state-consumers: [{tag: reads}]}
`;

  test('a pruned workspace that accept declares gets no access to state through a selector', async () => {
    const world = await acceptWorld(pruning, stray);
    const { code, stderr, stdout, text, plan } = await world.run('accept', '--all');
    expect([code, plan.code], stderr + plan.stdout).toEqual([0, 0]);
    expect(stdout).toContain('+ workspace.stray');
    expect(text).toContain('remote-state-consumers: [reader]');
  });

  test('accept reports an undeclared workspace that it cannot declare as not accepted', async () => {
    const body = 'scope: {names: ["*"]}\ntemplates: {old: {when: {name: "*"}, operations: false}}\n';
    const world = await acceptWorld(body, { workspaces: { a: {} } });
    const { code, stderr, text } = await world.run('accept', 'workspace.a');
    expect([code, stderr, text]).toEqual([1, expect.stringMatching(/^error\[not-acceptable\]/), body]);
  });

  test('accept declares a live workspace instead of its tombstone, also if it would be pruned', async () => {
    const world = await acceptWorld(
      `${pruning.replace('[{tag: reads}]', '[reader]')}  stray: {state: absent}\n`,
      stray,
    );
    const { code, stderr, text, plan } = await world.run('accept', 'workspace.stray');
    expect([code, plan.code], stderr + plan.stdout).toEqual([0, 0]);
    expect(text).toMatch(/stray:\n(?!.*absent)/);
  });
});

describe('holds', () => {
  const web = { web: { 'auto-apply': true, description: 'live' } };
  const ended = 'team-access: {prj-shop: {team-sre: {access: write, until: 2026-11-30}}}\n';

  test.each([
    ['leaves access that has ended as it is declared', {}, 0, 'Nothing to accept.'],
    [
      'reports live access that has ended as not accepted',
      { 'team-access': { Shop: { sre: 'write' } } },
      1,
      'error[not-acceptable]: team-access.prj-shop/team-sre is not accepted: the access ended on 2026-11-30',
    ],
  ] as const)('accept %s', async (_, seed, expected, printed) => {
    const { code, stdout, stderr, text } = await (await acceptWorld(ended, seed)).run('accept', '--all');
    expect([code, stdout + stderr, text]).toEqual([expected, expect.stringContaining(printed), ended]);
  });

  test('accept takes a known difference only if its field is named, and keeps the exceptions', async () => {
    const files = (autoApply: boolean, description: string) => `workspaces:
  web: {auto-apply: ${autoApply}, description: ${description}}
exceptions:
  - {address: workspace.web, field: auto-apply, value: true, until: 2026-12-15, reason: INC-7} # incident
`;
    const world = await acceptWorld(files(false, 'declared'), { workspaces: web });
    expect((await world.attune('accept', '--all')).code).toBe(0);
    expect(await world.text()).toBe(files(false, 'live'));
    expect((await world.attune('accept', 'workspace.web', '--field', 'auto-apply')).code).toBe(0);
    expect(await world.text()).toBe(files(true, 'live'));
  });

  test('accept --until writes an exception with the live value, and the next plan holds it', async () => {
    const body = 'workspaces: {web: {auto-apply: false}}\n';
    const argv = 'accept workspace.web --field auto-apply --until 2026-12-15 --reason INC-7'.split(' ');
    const world = await acceptWorld(body, { workspaces: web });
    const { code, stdout, stderr, text, plan } = await world.run(...argv);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`acme  http://service

  = workspace.web
      auto-apply: true until 2026-12-15 (INC-7)     attune.yaml:5

Changed 1 file: 1 exception.
`);
    expect(text).toContain('value: true');
    expect(plan.stdout).toContain('1 held');
    await world.write(body);
    const json = await world.attune(...argv, '--dry-run', '--format', 'json');
    const exception = {
      address: 'workspace.web',
      field: 'auto-apply',
      value: true,
      until: '2026-12-15',
      reason: 'INC-7',
    };
    const location = { file: 'attune.yaml', line: 5, column: 5 };
    expect(JSON.parse(json.stdout).exceptions).toEqual([{ ...exception, location }]);
    expect(await world.text()).toBe(body);
  });

  test('accept with a field that does not exist names the nearest', async () => {
    const { code, stderr } = await (await acceptWorld('', {})).run('accept', '--all', '--field', 'auto-aply');
    const message = 'error[unknown-name]: unknown field "auto-aply"\n  hint: did you mean auto-apply?\n';
    expect([code, stderr]).toEqual([1, message]);
  });
});
