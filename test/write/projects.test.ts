import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const seed: OrganizationSeed = {
  settings: { 'default-project': 'Legacy' },
  projects: {
    Legacy: { id: 'prj-legacy' },
    Storefront: {
      id: 'prj-shop',
      description: 'Everything the shop needs',
      'auto-destroy-activity-duration': '14d',
      'tag-bindings': { 'cost-center': '101' },
    },
    'Lab (old)': { id: 'prj-lab' },
    Empty: { id: 'prj-empty' },
  },
  teams: { sre: 'team-sre' },
  'team-access': { 'Lab (old)': { sre: 'admin' } },
  workspaces: {
    web: { project: 'Storefront', 'tag-bindings': { env: 'prod', owner: 'jo', critical: null } },
    api: { project: 'Storefront', 'tag-bindings': { env: 'prod', owner: 'jo' } },
    cart: { project: 'Storefront', 'tag-bindings': { env: 'prod', owner: 'jo' } },
    old: { project: 'Legacy', 'tag-bindings': { env: 'prod' } },
  },
};

async function imported(flags: readonly string[], service = '') {
  const root = `attune: 1\norganization: acme\n${service}`;
  const files = service === '' ? {} : { 'attune.yaml': root };
  const world = await worldWith(files, { dialect: 'terraform', seed });
  const ran = await world.attune('import', '--organization', 'acme', '--out', 'one.yaml', ...flags);
  const requests = world.requests();
  const text = await readFile(join(world.folder, 'one.yaml'), 'utf8').catch(() => '');
  const planned = await world.attune('plan', 'one.yaml', '--detailed-exitcode');
  expect([planned.code, planned.stdout], ran.stderr).toEqual([0, expect.stringContaining('No changes.')]);
  return { ...ran, requests, text: text.slice(text.indexOf('\nprojects:') + 1) };
}

test('import writes the key/value tags of workspaces and manages the projects that it uses', async () => {
  const { code, text, stderr } = await imported([]);
  expect([code, stderr]).toEqual([
    0,
    'note[left-out]: project.lab-old: the project is not managed: the service no longer accepts such a name\nNext: attune plan one.yaml\n',
  ]);
  expect(text).toBe(`projects:
  lab-old: prj-lab
  legacy: {id: prj-legacy, name: Legacy, manage: true, auto-destroy-activity-duration: null}
  storefront:
    id: prj-shop
    name: Storefront
    manage: true
    description: Everything the shop needs
    auto-destroy-activity-duration: 14d
    tag-bindings: {cost-center: "101"}

teams:
  sre: team-sre

defaults:
  workspace:
    allow-destroy-plan: true
    auto-apply: false
    auto-apply-run-trigger: false
    auto-destroy-at: null
    auto-destroy-activity-duration: null
    file-triggers-enabled: true
    global-remote-state: false
    project-remote-state: false
    queue-all-runs: false
    speculative-enabled: true
    iac-version: "1.13.0"
    setting-overwrites: {execution-mode: false}

workspaces:
  api:
    project: storefront
    tag-bindings: {env: prod, owner: jo}

  cart:
    project: storefront
    tag-bindings: {env: prod, owner: jo}

  old:
    project: legacy
    tag-bindings: {env: prod}

  web:
    project: storefront
    tag-bindings: {critical: null, env: prod, owner: jo}

team-access:
  lab-old:
    sre: admin
`);
});

test.each(rowsIn<[string, readonly string[], string]>`
- [import writes that a project has no schedule, [], "  legacy: {id: prj-legacy, name: Legacy, manage: true, auto-destroy-activity-duration: null}\n"]
- [import with --full writes everything about a project, [--full],
   "  legacy:\n    id: prj-legacy\n    name: Legacy\n    manage: true\n    description: null\n    auto-destroy-activity-duration: null\n    default-execution-mode: null\n    default-agent-pool: null\n    tag-bindings: {}\n"]
- [import with --only for a project manages this project alone, [--only, project.empty], "projects:\n  empty: {id: prj-empty, name: Empty, manage: true, auto-destroy-activity-duration: null}\n"]
`)('%s', async (_what, flags, projects) => {
  const { text, code } = await imported(flags);
  expect([code, text]).toEqual([0, expect.stringContaining(projects)]);
});

test.each<[string, readonly string[]]>([
  ['workspaces by name', ['--name', 'web']],
  ['addresses of workspaces', ['--only', 'workspace.web']],
])('an import of %s refers to their project and does not manage it', async (_what, flags) => {
  const { text } = await imported(flags);
  expect(text).toMatch(/^projects:\n {2}storefront: prj-shop\n/);
  expect(text).toContain('tag-bindings: {critical: null, env: prod, owner: jo}');
});

test('key/value tags and projects add no request to an import', async () => {
  const { requests } = await imported([]);
  const lists = requests.filter((request) => request.startsWith('GET /organizations/'));
  expect(lists.map(decodeURIComponent).sort()).toEqual([
    'GET /organizations/acme/projects?page[size]=100&include=effective_tag_bindings',
    'GET /organizations/acme/teams?page[size]=100',
    'GET /organizations/acme/workspaces?page[size]=100&include=effective_tag_bindings',
  ]);
});

test('import from a service without key/value tags writes none and reports it', async () => {
  const { code, text, stderr } = await imported([], 'service: {without: [tag-bindings]}\n');
  expect(code).toBe(0);
  expect(text).not.toContain('tag-bindings');
  expect(stderr).toContain('note[not-offered]: this service does not offer key/value tags: skipped\n');
});

test('import --update manages the projects that it adds and keeps a reference', async () => {
  const world = await worldWith({}, { dialect: 'terraform', seed });
  await world.attune('import', '--organization', 'acme', '--out', 'one.yaml', '--only', 'workspace.old');
  const updated = await world.attune('import', 'one.yaml', '--update');
  expect(updated.code, updated.stderr).toBe(0);
  const text = await readFile(join(world.folder, 'one.yaml'), 'utf8');
  expect(text).toContain('projects:\n  legacy: prj-legacy\n');
  expect(text).toContain('  lab-old: prj-lab\n');
  expect(text).toContain('  storefront:\n    id: prj-shop\n    name: Storefront\n    manage: true\n');
  const planned = await world.attune('plan', 'one.yaml', '--detailed-exitcode');
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
});

test('import --update with a scope manages only the project of the scope, and the next plan is empty', async () => {
  const root = 'attune: 1\norganization: acme\nscope: {projects: [prj-shop]}\nworkspaces: {}\n';
  const world = await worldWith(root, { dialect: 'terraform', seed });
  const updated = await world.attune('import', '--update');
  expect(updated.code, updated.stderr).toBe(0);
  const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  expect([...text.matchAll(/name: (\w+)[,\s]+manage: true/g)].map(([, name]) => name)).toEqual([
    'Storefront',
  ]);
  const planned = await world.attune('plan', '--detailed-exitcode');
  expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
});
