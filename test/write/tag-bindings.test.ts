import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

async function accepted(body: string, seed: OrganizationSeed, ...argv: readonly string[]) {
  const world = await worldWith(head + body, {
    seed: { organization: 'acme', ...seed },
    dialect: 'terraform',
  });
  const ran = await world.attune('accept', ...(argv.length > 0 ? argv : ['--all']));
  const text = (await readFile(join(world.folder, 'attune.yaml'), 'utf8')).slice(head.length);
  const { stdout } = await world.attune('plan');
  return { ...ran, stdout: ran.stdout.replace(world.service.url, 'http://service'), text, plan: stdout };
}

type Bindings = Readonly<Record<string, string | null>>;

const additive = 'workspaces:\n  a:\n    tag-bindings: {add: {env: prod}, remove: [owner]} # ours\n';
const layered = 'defaults:\n  workspace:\n    tag-bindings: {env: prod}\n';

test.each<[string, string, Bindings, string]>([
  [
    'exact tags',
    'workspaces:\n  a:\n    tag-bindings:\n      env: prod # why\n      owner: jo\n',
    { env: 'dev', team: null },
    'workspaces:\n  a:\n    tag-bindings:\n      env: dev # why\n      team: null\n',
  ],
  [
    'tags that the workspace adds and removes',
    additive,
    { env: 'dev', other: 'x' },
    'workspaces:\n  a:\n    tag-bindings: {env: dev, other: x} # ours\n',
  ],
  [
    'the tags of a layer',
    `${layered}workspaces:\n  a: {}\n`,
    { env: 'dev', other: 'x' },
    `${layered}workspaces:\n  a:\n    tag-bindings: {exactly: {env: dev, other: x}}\n`,
  ],
  [
    'a key of a layer that the workspace adds, too',
    `${layered}workspaces:\n  a:\n    tag-bindings: {add: {env: test}}\n`,
    {},
    `${layered}workspaces:\n  a:\n    tag-bindings: {exactly: {}}\n`,
  ],
])('accept writes the exact key/value tags of a workspace: %s', async (_what, before, bindings, after) => {
  const { code, text, plan, stderr } = await accepted(before, {
    workspaces: { a: { 'tag-bindings': bindings } },
  });
  expect([code, text], stderr).toEqual([0, after]);
  expect(plan).toContain('0 to create, 0 to update, 0 to delete');
});

const project = (tags: string) =>
  `projects:\n  shop:\n    name: Shop\n    manage: true\n    description: Old # ours\n    tag-bindings: ${tags}\n`;

test.each<[string, string, Bindings, string]>([
  ['exact tags', '{env: prod}', { env: 'dev', team: null }, '{env: dev, team: null}'],
  ['exact tags in their other form', '{exactly: {env: prod}}', { env: 'dev' }, '{env: dev}'],
  ['added tags', '{add: {env: prod, owner: jo}}', { env: 'dev', other: 'x' }, '{env: dev, other: x}'],
])('accept writes the exact key/value tags of a project: %s', async (_what, before, bindings, after) => {
  const { code, stdout, text, plan, stderr } = await accepted(project(before), {
    projects: { Shop: { description: 'New', 'tag-bindings': bindings } },
  });
  expect([code, text], stderr).toEqual([0, project(after).replace('Old', 'New')]);
  expect(stdout).toContain('      description: Old -> New                       attune.yaml:7\n');
  expect(plan).toContain('0 to create, 0 to update, 0 to delete');
});

test('accept of one field prints the key/value tags that are added to and removed from the file', async () => {
  const seed = { projects: { Shop: { description: 'New', 'tag-bindings': { env: 'dev' } } } };
  const { code, stdout, stderr, text } = await accepted(
    project('{env: prod}'),
    seed,
    'project.shop',
    '--field',
    'tag-bindings',
  );
  expect([text, stderr]).toEqual([project('{env: dev}'), '']);
  expect([code, stdout]).toEqual([
    0,
    `acme  http://service

  ~ project.shop
      tag-bindings: +env=dev -env=prod              attune.yaml:8

Changed 1 file: 1 accepted value.
`,
  ]);
});

test('accept --all keeps a project that is not live if a workspace that is not accepted refers to it', async () => {
  const body =
    'projects:\n  shop: {name: Shop, manage: true}\nworkspaces:\n  web: {renamed-from: site, project: shop}\n  api: {description: old}\n';
  const { code, stderr, text } = await accepted(body, {
    workspaces: { site: {}, api: { description: 'new' } },
  });
  expect([code, text]).toEqual([1, body.replace('old', 'new')]);
  expect(stderr).toContain('error[not-acceptable]: project.shop is not accepted: "shop" is neither');
});
