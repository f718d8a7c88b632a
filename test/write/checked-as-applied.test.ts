import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Seed } from '../../src/emulator/index.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import { worldWith } from '../support/attune.ts';

/** Runs a command, and returns what it prints, the root file after it, and the plan of that. */
async function ran(
  text: string,
  seed: Seed,
  { command, dialect = 'iac' }: { readonly command: readonly string[]; readonly dialect?: Dialect },
) {
  const world = await worldWith(text, { seed, dialect });
  const { code, stdout, stderr } = await world.attune(...command);
  const file = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  const plan = await world.attune('plan', '--detailed-exitcode');
  return { code, stdout, stderr, file, plan };
}

const all = { command: ['accept', '--all'] } as const;
const update = { command: ['import', '--update'] } as const;

test('accept refuses a value outside the scope, and accepts the others', async () => {
  const text = `attune: 1
organization: acme
scope: {projects: [shop]}
projects: {shop: prj-shop, lab: prj-lab}
workspaces:
  moved: {project: shop}
  other: {project: shop, description: old}
`;
  const { code, stderr, file } = await ran(
    text,
    {
      projects: { Shop: 'prj-shop', Lab: 'prj-lab' },
      workspaces: { moved: { project: 'Lab' }, other: { project: 'Shop', description: 'new' } },
    },
    all,
  );
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining(
      'error[not-acceptable]: workspace.moved is not accepted: workspace.moved is live outside the scope: project "lab" is not in scope.projects',
    ),
  ]);
  expect(file).toBe(text.replace('old', 'new'));
});

const stray = {
  projects: { Shop: 'prj-shop' },
  workspaces: {
    reader: { project: 'Shop', tags: ['reads'] },
    stray: { project: 'Shop', tags: ['reads'] },
    network: { project: 'Shop', 'remote-state-consumers': ['reader'] },
  },
} as const;
const pruning = `attune: 1
organization: acme
scope: {projects: [prj-shop]}
prune: {workspaces: safe}
workspaces:
  reader: {project: prj-shop, tags: [reads]}
  network: {project: prj-shop, remote-state-consumers: [{tag: reads}]}
`;

test('a pruned workspace that accept declares gets no access to state through a selector', async () => {
  const { code, stderr, stdout, file, plan } = await ran(pruning, stray, all);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('+ workspace.stray');
  expect(file).toContain('remote-state-consumers: [reader]');
  expect(plan.code, plan.stdout).toBe(0);
});

test('import --update reports that a selector matches a workspace that was to be deleted', async () => {
  const { code, stderr, file, plan } = await ran(pruning, stray, update);
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(
      'warning[still-differs]: the next plan changes workspace.network: remote-state-consumers\n  hint: run `attune accept workspace.network` to keep the live values',
    ),
  ]);
  expect(file).toContain('stray:');
  expect([plan.code, plan.stdout]).toEqual([2, expect.stringContaining('remote-state-consumers: +stray')]);
});

test('accept keeps a list of consumers if the list of a layer selects other workspaces', async () => {
  // The first form of the key/value tags does not have the live ones, so the second form of each value is tried.
  const { code, stderr, file, plan } = await ran(
    `attune: 1
organization: acme
defaults:
  workspace:
    tag-bindings: {team: web}
    remote-state-consumers: {add: [{tag: prod}], remove: [{project: prj-shop}]}
workspaces:
  app:
    tag-bindings: {add: {team: shop}}
    remote-state-consumers: []
`,
    {
      projects: { Shop: 'prj-shop' },
      workspaces: {
        app: { 'remote-state-consumers': ['stray'] },
        stray: { tags: ['prod'], project: 'Shop' },
      },
    },
    { ...all, dialect: 'terraform' },
  );
  expect([code, plan.code], stderr + plan.stdout).toEqual([0, 0]);
  expect(file).toContain('remote-state-consumers: {exactly: [stray]}');
});

test('accept declares an exact list of triggers over the list of a layer', async () => {
  const { code, stderr, file, plan } = await ran(
    `attune: 1
organization: acme
defaults: {workspace: {trigger-patterns: [base/**]}}
workspaces:
  app: {trigger-patterns: [app/**]}
`,
    { workspaces: { app: { 'trigger-patterns': ['other/**'] } } },
    all,
  );
  expect([code, plan.code], stderr + plan.stdout).toEqual([0, 0]);
  expect(file).toContain('trigger-patterns: {exactly: [other/**]}');
});

const guarded = `attune: 1
organization: acme
projects: {shop: prj-shop}
teams: {sre: team-sre}
guards: {keep-admin: [sre]}
team-access: {shop: {sre: admin}}
`;

const ruled = `attune: 1
organization: acme
policies: [{id: no-readers, on: grant, require: "grant.access != 'read'", message: Nobody only reads.}]
`;

test.each([
  ['accept writes no file if a guard would refuse every plan of it', guarded, all],
  ['import --update writes no file if a policy would refuse every plan of it', ruled, update],
])('%s', async (_what, text, command) => {
  const { code, stderr, file } = await ran(
    text,
    { projects: { Shop: 'prj-shop' }, teams: { sre: 'team-sre' }, 'team-access': { Shop: { sre: 'read' } } },
    command,
  );
  expect([code, stderr]).toEqual([
    1,
    expect.stringContaining('error[not-plannable]: cannot change the files: every plan of them would fail: '),
  ]);
  expect(stderr).toContain('no files were written');
  expect(file).toBe(text);
});

test('accept writes no file if every plan of it would fail because access has ended', async () => {
  const text = `attune: 1
organization: acme
projects: {shop: prj-shop}
teams: {sre: team-sre, dev: team-dev}
guards: {keep-admin: [sre, dev]}
team-access: {shop: {sre: {access: admin, until: 2020-01-31}, dev: admin}}
`;
  const { code, stderr, file } = await ran(
    text,
    {
      projects: { Shop: 'prj-shop' },
      teams: { sre: 'team-sre', dev: 'team-dev' },
      'team-access': { Shop: { sre: 'admin', dev: 'read' } },
    },
    all,
  );
  expect([code, stderr]).toEqual([1, expect.stringContaining('error[not-plannable]')]);
  expect(file).toBe(text);
});

test('accept reports an error of the files that it did not cause as a warning', async () => {
  const { code, stderr, file } = await ran(
    `attune: 1
organization: acme
scope: {projects: [shop]}
projects: {shop: prj-shop, lab: prj-lab}
workspaces:
  foreign: {project: lab}
  other: {project: shop, description: old}
`,
    {
      projects: { Shop: 'prj-shop', Lab: 'prj-lab' },
      workspaces: { foreign: { project: 'Lab' }, other: { project: 'Shop', description: 'new' } },
    },
    { command: ['accept', 'workspace.other'] },
  );
  expect([code, stderr]).toEqual([0, expect.stringContaining('warning[outside-scope]: workspace.foreign')]);
  expect(file).toContain('description: new');
});

test('import --update calls a consumer by its name if a project was renamed from that name', async () => {
  const { code, stderr, file, plan } = await ran(
    `attune: 1
organization: acme
service: {dialect: terraform}
projects:
  storefront: {name: Storefront, manage: true, renamed-from: payments}
`,
    {
      projects: { Storefront: 'prj-1' },
      workspaces: {
        payments: { project: 'Storefront' },
        network: { project: 'Storefront', 'remote-state-consumers': ['payments'] },
      },
    },
    { ...update, dialect: 'terraform' },
  );
  expect(code, stderr).toBe(0);
  expect(file).toContain('remote-state-consumers: [payments]');
  expect(plan.code, plan.stdout + plan.stderr).toBe(0);
});
