import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const files = 'attune: 1\norganization: acme\nscope: {projects: [prj-web]}\nworkspaces: {}\n';
const seed = {
  projects: { Web: 'prj-web', Payments: 'prj-payments' },
  workspaces: { shop: { project: 'prj-web' }, ledger: { project: 'prj-payments' } },
};

test('import --update imports only what is in scope, and the next plan is empty', async () => {
  const world = await worldWith(files, { seed });
  expect((await world.attune('import', '--update')).code).toBe(0);
  const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  expect([text.includes('shop:'), text.includes('ledger:')]).toEqual([true, false]);
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

test('import --update writes above a scope by key/value tags and a guard of the own access', async () => {
  const rules = 'scope: {tagged: {env: prod}}\nguards: {keep-self: true}\n';
  const world = await worldWith(`attune: 1\norganization: acme\nworkspaces: {}\n${rules}`, {
    dialect: 'terraform',
    seed: { ...seed, workspaces: { shop: { project: 'prj-web', 'tag-bindings': { env: 'prod' } } } },
  });
  const { code, stderr } = await world.attune('import', '--update');
  expect([code, stderr]).toEqual([0, 'Next: attune plan\n']);
  const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  expect(text).toContain('shop:');
  expect(text).toContain(rules);
});
