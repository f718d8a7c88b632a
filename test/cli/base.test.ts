import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { attune, folderWith, serviceWith } from '../support/attune.ts';

// Revisions need git: test/integration/base.test.ts.

const root = (rest: string, organization = 'acme') => `attune: 1\norganization: ${organization}\n${rest}\n`;
const before = root('workspaces: {app: {auto-apply: true, description: old}}');
const after = root('workspaces: {app: {auto-apply: true, description: new}}');

async function world(files: Readonly<Record<string, string>>) {
  const service = await serviceWith({ seed: { organization: 'acme', workspaces: { app: {}, other: {} } } });
  const folder = await folderWith(files);
  const run = (cwd: string, ...argv: string[]) =>
    attune([...argv, '--address', service.url], {
      cwd: join(folder, cwd),
      env: { ATTUNE_TOKEN: 'test-token' },
    });
  return { folder, run };
}

function causes({ stdout }: { readonly stdout: string }): string[] {
  const { changes }: Plan = JSON.parse(stdout);
  return changes.flatMap(({ address, fields }) =>
    fields.map(({ path, cause }) => `${address} ${path}: ${cause}`),
  );
}

const usual = ['workspace.app auto-apply: drift', 'workspace.app description: change'];

test.each([
  ['relative to the working folder', 'head', ['--base', '../base']],
  ['with the path from the working folder', 'head', ['teams/a', '--base', '../base']],
  ['with the path from the folder of the root file', '', ['head/teams/a', '--base', './base/teams/a']],
  ['by a plain name outside of a repository', '', ['head', '--base', 'base']],
])('a folder can be the base, %s', async (_, cwd, argv) => {
  const { run } = await world({
    'base/attune.yaml': before,
    'head/attune.yaml': after,
    'base/teams/a/attune.yaml': before,
    'head/teams/a/attune.yaml': after,
  });
  expect(causes(await run(cwd, 'plan', '--format', 'json', ...argv))).toEqual(usual);
});

test('in a repository, a plain name is a revision and never a folder of the checkout', async () => {
  const { folder, run } = await world({ 'main/attune.yaml': before, 'attune.yaml': after });
  await mkdir(join(folder, '.git'));
  const plan = () => run('', 'plan', '--format', 'json', '--base', 'main');
  expect(new Set(causes(await plan()).map((line) => line.split(': ')[1]))).toEqual(new Set(['unknown']));
  expect(causes(await run('', 'plan', '--format', 'json', '--base', './main'))).toEqual(usual);
});

test('a base of another organization has none of the declarations', async () => {
  const { run } = await world({ 'base/attune.yaml': root('workspaces: {}', 'emea'), 'attune.yaml': after });
  expect(causes(await run('', 'plan', '--format', 'json', '--base', './base'))).toEqual(
    usual.map((line) => line.replace('drift', 'change')),
  );
});

test.each([
  [
    ['plan', '--only-changed'],
    'error[usage]: --only-changed requires --base\n  hint: name the revision or the folder to compare with, such as origin/main\n',
  ],
  [
    ['apply', '--plan', 'plan.json', '--base', 'main'],
    'error[usage]: --base cannot be used with --plan: a saved plan keeps its base\n  hint: give it to `attune plan --out`\nNo changes were made.\n',
  ],
  [
    ['apply', '--plan', 'plan.json', '--only-changed'],
    'error[usage]: --only-changed cannot be used with --plan: a saved plan keeps its base\n  hint: give it to `attune plan --out`\nNo changes were made.\n',
  ],
  [
    ['apply', '--due', '--plan', 'plan.json'],
    'error[usage]: --due cannot be used with --plan\n  hint: run it alone: it plans what is due now\nNo changes were made.\n',
  ],
  [
    ['apply', '--due', '--base', './base', '--only-changed'],
    'error[usage]: --due cannot be used with --only-changed\n  hint: run it alone: it plans what is due now\nNo changes were made.\n',
  ],
  [
    ['plan', '--due', '--out', 'plan.json'],
    'error[usage]: --out cannot be used with --due\n  hint: run `attune apply --due`: it plans what is due then\n',
  ],
])('%j is a usage error', async (argv, text) => {
  const { run } = await world({ 'attune.yaml': after });
  const { code, stderr } = await run('', ...argv);
  expect([code, stderr]).toEqual([1, text]);
});

test('drift with --only-changed reports what changed only', async () => {
  const { run, folder } = await world({ 'base/attune.yaml': before, 'attune.yaml': after });
  const drift = () => run('', 'drift', '--format', 'json', '--base', './base', '--only-changed');
  const found = await drift();
  expect([found.code, causes(found)]).toEqual([2, usual.slice(1)]);
  await writeFile(join(folder, 'attune.yaml'), before);
  expect((await drift()).code).toBe(0);
  const sentence = async (command: string) =>
    (await run('', command, '--base', './base', '--only-changed')).stdout.match(/^No .*$/m)?.[0];
  const compared = 'The live state matches the changed part of the configuration';
  expect(await sentence('plan')).toBe(`No changes. ${compared}.`);
  expect(await sentence('drift')).toMatch(`No drift. ${compared}: `);
});

test('a base that cannot be read is one warning for all root files', async () => {
  const { run } = await world({
    'a/attune.yaml': before,
    'b/attune.yaml': root('workspaces: {other: {description: new}}'),
  });
  const { code, stderr } = await run('', 'plan', 'a', 'b', '--base', './gone');
  expect([code, stderr.match(/warning\[base-unreadable\]/g)]).toEqual([0, ['warning[base-unreadable]']]);
});

test('a plan of what changed is applied if a list names a workspace whose rename both sides declare', async () => {
  const { run } = await world({
    'base/attune.yaml': root('workspaces: {new: {renamed-from: other}, app: {}}'),
    'attune.yaml': root('workspaces: {new: {renamed-from: other}, app: {remote-state-consumers: [new]}}'),
  });
  await run('', 'plan', '--base', './base', '--only-changed', '--out', 'plan.json');
  const { code, stdout } = await run('', 'apply', '--plan', 'plan.json', '--yes');
  expect([code, stdout]).toEqual([0, expect.stringContaining('Applied: 0 created, 1 updated, 0 deleted.')]);
});

test.each([
  ['of the root file', 'attune.yaml'],
  ['of a new root file', 'teams/b/attune.yaml'],
])('plan --base sends nothing to a changed address %s, unless the address is given', async (_, changed) => {
  const service = await serviceWith({ seed: { organization: 'acme' } });
  const text = (address: string) => root(`service: {address: "${address}"}\nworkspaces: {}`);
  const usual = {
    'base/attune.yaml': text('https://iac.example.com'),
    'attune.yaml': text('https://iac.example.com'),
  };
  const cwd = await folderWith({ ...usual, [changed]: text(service.url) });
  const plan = (given = {}) =>
    attune(['plan', changed, ...(changed === 'attune.yaml' ? [] : ['attune.yaml']), '--base', './base'], {
      cwd,
      env: { ATTUNE_TOKEN: 'test-token', ...given },
    });
  const { code, stderr } = await plan();
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(
      /error\[address-changed\]: (acme: )?service\.address is \S+, and https:\/\/iac\.example\.com in the base \.\/base: no request was made\n {2}hint: set ATTUNE_ADDRESS or --address to the service that may get the token, or plan without --base\n/,
    ),
  ]);
  expect(service.requests).toEqual([]);
  if (changed === 'attune.yaml') expect((await plan({ ATTUNE_ADDRESS: service.url })).code).toBe(0);
});
