import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { matchesAddress } from '../../src/model/selector.ts';
import { attune as attuneWith, worldWith } from '../support/attune.ts';

const yaml = 'attune: 1\norganization: acme\nworkspaces: {app-1: {}, app-2: {}, app-10: {}, web: {}}\n';
const unmatched = `error[nothing-matched]: --only workspace.wbe matches nothing
  hint: did you mean --only workspace.web?
`;

test.each([
  ['workspace.app-?', 'workspace.app-1', true],
  ['workspace.app-?', 'workspace.app-10', false],
  ['workspace.app-??', 'workspace.app-10', true],
  ['*?', '', false],
  ['*', '', true],
  ['*-?*', 'workspace.app-1', true],
  ['workspace.*-prod', 'workspace.a-prod-prod', true],
  ['workspace.*-prod', 'workspace.a-prod-x', false],
  ['a.b', 'axb', false],
] as const)('--only %s and the address "%s" match: %s', (pattern, address, matches) => {
  expect(matchesAddress(pattern, address)).toBe(matches);
});

test('--only accepts ? for one character', async () => {
  const { attune, writes } = await worldWith(yaml, { organization: 'acme' });
  const { code } = await attune('apply', '--yes', '--only', 'workspace.app-?');
  expect([code, writes().length]).toEqual([0, 2]);
});

test('plan and apply refuse a pattern of --only that matches nothing, also beside one that matches', async () => {
  const { attune, writes } = await worldWith(yaml, {
    seed: { organization: 'acme', workspaces: { first: {} } },
  });
  const only = ['--only', 'workspace.app-1', '--only', 'workspace.wbe'];
  expect(await attune('apply', '--yes', ...only)).toEqual({
    code: 1,
    stdout: '',
    stderr: `${unmatched}No changes were made.\n`,
  });
  expect(writes()).toEqual([]);
  expect(await attune('plan', ...only)).toEqual({ code: 1, stdout: '', stderr: unmatched });
});

test('undo refuses a pattern of --only that matches nothing', async () => {
  const { attune, writes } = await worldWith(yaml, {
    seed: { organization: 'acme', workspaces: { first: {} } },
  });
  expect((await attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
  expect(await attune('undo', 'run.jsonl', '--yes', '--only', 'workspace.wbe')).toEqual({
    code: 1,
    stdout: '',
    stderr: `${unmatched}No changes were made.\n`,
  });
  expect(writes()).toEqual([]);
});

test.each([
  ['import', ['--report', '--max-deletes']],
  ['snapshot', ['--report', '--max-deletes', '--only']],
  ['export terraform', ['--max-deletes']],
])('%s does not accept flags that it does not use', async (command, flags) => {
  const { attune } = await worldWith(yaml, { organization: 'acme' });
  const words = command.split(' ');
  const help = (await attune(...words, '--help')).stdout;
  for (const flag of flags) {
    expect(help).not.toContain(flag);
    const { code, stderr } = await attune(...words, flag, '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`error: unknown option '${flag}'`)]);
  }
});

const selected = `attune: 1
organization: acme
projects: {payments: prj-payments, shop: {name: Shop Project}}
teams: {sre: team-sre}
defaults: {workspace: {tags: [managed]}}
workspaces:
  app-1: {tags: [canary], description: new, project: payments}
  app-2: {tags: [canary], description: new, project: shop}
  web: {description: new, project: payments, tag-bindings: {env: prod}}
  none: {description: new}
team-access: {payments: {sre: read}, shop: {sre: read}}
`;
const selectedSeed = {
  organization: 'acme',
  projects: { payments: 'prj-payments', 'Shop Project': 'prj-shop' },
  teams: { sre: 'team-sre' },
  workspaces: {
    'app-1': { tags: ['canary', 'managed'], project: 'payments' },
    'app-2': { tags: ['canary', 'managed'], project: 'Shop Project' },
    web: { tags: ['managed'], project: 'payments', 'tag-bindings': { env: 'prod' } },
    none: { tags: ['managed'] },
  },
  'team-access': { payments: { sre: 'write' }, 'Shop Project': { sre: 'write' } },
};

test.each([
  ['tag:canary', 'workspace.app-1 workspace.app-2'],
  ['tag:CANARY,project:payments', 'workspace.app-1'],
  ['project:payments', 'team-access.payments/sre workspace.app-1 workspace.web'],
  ['project:Shop Project', 'team-access.shop/sre workspace.app-2'],
  ['project:prj-payments,except:web', 'workspace.app-1'],
  ['name:app-*', 'workspace.app-1 workspace.app-2'],
  ['name:app-?,project:payments', 'workspace.app-1'],
  ['tag:canary,except:?pp-1', 'workspace.app-2'],
  ['tagged:env=prod', 'workspace.web'],
  ['except:app-*', 'workspace.none workspace.web'],
])('--only %s selects %s', async (selector, addresses) => {
  const { attune } = await worldWith(selected, { seed: selectedSeed, dialect: 'terraform' });
  const { code, stdout, stderr } = await attune('plan', '--format', 'json', '--only', selector);
  expect([code, stderr]).toEqual([0, '']);
  const changes: readonly { readonly address: string }[] = JSON.parse(stdout).changes;
  expect(changes.map(({ address }) => address).sort()).toEqual(addresses.split(' '));
});

test('a saved plan of a selector is applied to what it selected', async () => {
  const { attune, writes } = await worldWith(selected, { seed: selectedSeed, dialect: 'terraform' });
  const saved = await attune('plan', '--out', 'plan.json', '--only', 'tag:canary', '--only', 'workspace.web');
  expect([saved.code, saved.stdout]).toEqual([0, expect.stringContaining('3 to update')]);
  const applied = await attune('apply', '--plan', 'plan.json', '--yes', '--journal', 'run.jsonl');
  expect([applied.code, writes().length], applied.stderr).toEqual([0, 3]);
  const undone = await attune('undo', 'run.jsonl', '--yes', '--only', 'tag:canary');
  expect([undone.code, writes().length], undone.stderr).toEqual([0, 2]);
});

test('selectors also limit render, drift, export and import', async () => {
  const { attune, folder, requests } = await worldWith(selected, {
    seed: selectedSeed,
    dialect: 'terraform',
  });
  const only = ['--only', 'tag:canary,project:payments'];
  const rendered = await attuneWith(['render', ...only], { cwd: folder });
  expect([rendered.code, rendered.stdout]).toEqual([0, expect.stringContaining('app-1')]);
  expect(rendered.stdout).not.toContain('app-2');
  const exported = await attune('export', 'terraform', '--out', 'tf', ...only);
  expect([exported.code, await readFile(join(folder, 'tf/acme.tf.json'), 'utf8')], exported.stderr).toEqual([
    0,
    expect.stringMatching(/"app-1"(?!.*"app-2")/s),
  ]);
  const drift = await attune('drift', '--format', 'json', ...only);
  expect(JSON.parse(drift.stdout).changes).toHaveLength(1);
  const imported = await attune('import', '--out', 'live.yaml', '--organization', 'acme', ...only);
  expect([imported.code, imported.stdout], imported.stderr).toEqual([
    0,
    expect.stringContaining('1 workspace'),
  ]);
  // Nothing is read of other workspaces, and no access.
  expect(requests().filter((request) => /team-projects|remote-state-consumers/.test(request))).toHaveLength(
    1,
  );
  const all = await attune(
    'import',
    '--out',
    'all.yaml',
    '--organization',
    'acme',
    '--only',
    'project:payments',
  );
  expect(all.stdout).toContain('2 workspaces and 1 grant');
});

test('a selector that matches nothing is an error of apply, with a hint at declared values', async () => {
  const { attune, writes } = await worldWith(selected, { seed: selectedSeed, dialect: 'terraform' });
  expect(await attune('apply', '--yes', '--only', 'tag:cnary')).toEqual({
    code: 1,
    stdout: '',
    stderr: `error[nothing-matched]: --only tag:cnary matches nothing
  hint: check the files: tags, projects and key/value tags are matched as they are declared
No changes were made.
`,
  });
  expect(writes()).toEqual([]);
});
