import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { attune, folderWith, worldWith } from '../support/attune.ts';

const seed = {
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { sre: 'team-sre', dev: 'team-dev' },
  'ssh-keys': { Deploy: 'sshkey-deploy' },
  workspaces: {
    dns: { project: 'Platform', 'auto-apply': true, tags: ['managed'] },
    network: { project: 'Platform', tags: ['managed', 'prod'], 'ssh-key': 'Deploy' },
    billing: { project: 'Payments' },
  },
  'team-access': { Platform: { sre: 'admin', dev: 'read' }, Payments: { sre: 'write' } },
};

test('import --update adds new entries beside similar ones in the style of the file, and existing entries keep their names', async () => {
  const world = await worldWith(
    {
      'attune.yaml':
        'attune: 1\norganization: acme\ninclude: [teams/*.yaml]\nteams: {reliability: team-sre}\ndefaults:\n  workspace: {auto-apply: true, tags: [managed]}\n',
      'teams/core.yaml':
        'projects:\n  core: prj-platform # ours\n\nworkspaces:\n  dns: {project: core}\n\n# by id\nteam-access:\n  prj-platform: {reliability: admin}\n',
    },
    { seed },
  );
  const { code, stdout, stderr } = await world.attune('import', '--update');
  expect([code, stderr]).toEqual([0, 'Next: attune plan\n']);
  expect(stdout).toBe(
    `acme  ${world.service.url}\n\n  attune.yaml          extended\n  teams/core.yaml      extended     1 workspace, 1 grant\n  teams/payments.yaml  created      1 workspace, 1 grant\n\nImported: 2 workspaces and 2 grants in 3 files.\n`,
  );
  const text = (name: string) => readFile(join(world.folder, name), 'utf8');
  expect(await text('attune.yaml')).toBe(
    'attune: 1\norganization: acme\ninclude: [teams/*.yaml]\nteams: {reliability: team-sre, dev: team-dev}\ndefaults:\n  workspace: {auto-apply: true, tags: [managed]}\nssh-keys:\n  deploy: sshkey-deploy\n',
  );
  expect(await text('teams/core.yaml')).toBe(
    'projects:\n  core: prj-platform # ours\n  payments: prj-payments\n\nworkspaces:\n  dns: {project: core}\n\n  network:\n    project: core\n    allow-destroy-plan: true\n    auto-apply: false\n    auto-apply-run-trigger: false\n    auto-destroy-at: null\n    auto-destroy-activity-duration: null\n    file-triggers-enabled: true\n    global-remote-state: false\n    queue-all-runs: false\n    speculative-enabled: true\n    iac-version: "1.13.0"\n    setting-overwrites: {execution-mode: false}\n    tags: {exactly: [managed, prod]}\n    ssh-key: deploy\n\n# by id\nteam-access:\n  prj-platform: {reliability: admin, dev: read}\n',
  );
  expect(await text('teams/payments.yaml')).toContain(
    'workspaces:\n  billing:\n    project: payments\n    allow-destroy-plan: true\n    auto-apply: false\n    auto-apply-run-trigger: false\n    auto-destroy-at: null\n    auto-destroy-activity-duration: null\n    file-triggers-enabled: true\n    global-remote-state: false\n    queue-all-runs: false\n    speculative-enabled: true\n    iac-version: "1.13.0"\n    setting-overwrites: {execution-mode: false}\n    tags: {exactly: []}\n\nteam-access:\n  payments:\n    reliability: write\n',
  );
  const planned = await world.attune('plan', '--detailed-exitcode');
  expect([planned.code, planned.stdout], planned.stderr).toEqual([0, expect.stringContaining(' 0 calls.')]);
});

test('import --update uses an alias that the files declare by name, also if nothing else uses it', async () => {
  const world = await worldWith(
    `attune: 1
organization: acme
projects: {core: {name: Platform}}
teams: {reliability: {name: sre}, gone: {name: Gone}}
ssh-keys: {key: {name: Deploy}}
`,
    { seed: { ...seed, 'team-access': { Platform: { sre: 'admin' } } } },
  );
  const { code, stderr } = await world.attune('import', '--update', '--project', 'core');
  expect([code, stderr]).toEqual([0, 'Next: attune plan\n']);
  const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  const { projects, teams, 'ssh-keys': keys, workspaces, 'team-access': access } = parse(text);
  expect({ projects, teams, keys }).toEqual({
    projects: { core: { name: 'Platform' } },
    teams: { reliability: { name: 'sre' }, gone: { name: 'Gone' } },
    keys: { key: { name: 'Deploy' } },
  });
  expect(workspaces.network).toMatchObject({ project: 'core', 'ssh-key': 'key' });
  expect(access).toEqual({ core: { reliability: 'admin' } });
});

test('import --update names a new file by the alias of its project, also one with dollar signs', async () => {
  const world = await worldWith(
    'attune: 1\norganization: acme\ninclude: [teams/*.yaml]\nprojects: {$$core: prj-platform}\n',
    { seed },
  );
  const { stdout } = await world.attune('import', '--update', '--project', '$$core');
  expect(stdout).toContain('teams/$$core.yaml');
});

test('import --update reports each file that the import leaves out, and does not change it', async () => {
  const workspaces = { billing: { locked: { by: 'run-1', reason: '' } } };
  const world = await worldWith({}, { seed: { ...seed, workspaces } });
  const first = await world.attune('import', '--organization', 'acme', '--update');
  expect([first.code, first.stdout]).toEqual([0, expect.stringContaining('created')]);
  const second = await world.attune('import', '--update');
  expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('All files are up to date.')]);
});

test('import of the embedded service writes a root file that finds its data, in the folder of the data only', async () => {
  const cwd = await folderWith({
    'attune.yaml': 'attune: 1\norganization: acme\nservice: {address: embedded, seed: seeds/acme.yaml}\n',
    'seeds/acme.yaml': JSON.stringify(seed),
  });
  const elsewhere = await attune(['import', '--out', 'live'], { cwd });
  expect([elsewhere.code, elsewhere.stderr]).toEqual([
    1,
    'error[path-outside]: cannot import the embedded service to live/attune.yaml: ../.attune/embedded.json is outside the folder of this root file\n  hint: choose a root file beside the one of this service, such as --out imported.yaml\n',
  ]);
  const above = await attune(['import', '..', '--out', 'live'], { cwd: join(cwd, 'seeds') });
  expect(above.stderr).toContain('beside the one of this service, such as --out ../imported.yaml\n');
  const imported = await attune(['import', '--out', 'live.yaml'], { cwd });
  expect(imported.code, imported.stderr).toBe(0);
  expect(await readFile(join(cwd, 'live.yaml'), 'utf8')).toContain(
    'service:\n  address: embedded\n  dialect: iac\n  seed: seeds/acme.yaml\n',
  );
  const planned = await attune(['plan', 'live.yaml', '--detailed-exitcode'], { cwd });
  expect([planned.code, planned.stdout], planned.stderr).toEqual([0, expect.stringContaining(' 0 calls.')]);
});

test('import --update uses the new name of a consumer that the files rename', async () => {
  const workspaces = { billing: { 'remote-state-consumers': ['network'] }, network: {} };
  const world = await worldWith(
    { 'attune.yaml': 'attune: 1\norganization: acme\nworkspaces:\n  net: {renamed-from: network}\n' },
    { seed: { workspaces } },
  );
  expect((await world.attune('import', '--update')).code).toBe(0);
  expect(await readFile(join(world.folder, 'attune.yaml'), 'utf8')).toContain(
    'remote-state-consumers: [net]\n',
  );
  const { code, stdout, stderr } = await world.attune('plan');
  expect([code, stdout], stderr).toEqual([
    0,
    expect.stringContaining('1 to update, 0 to delete, 1 unchanged.'),
  ]);
});

test('import --update keeps the last value of a block before the new entries', async () => {
  const world = await worldWith(
    {
      'attune.yaml':
        'attune: 1\norganization: acme\nworkspaces:\n  network: {}\n\n  dns:\n    description: |+\n      words\n\n',
    },
    { seed },
  );
  expect((await world.attune('import', '--update')).code).toBe(0);
  const after = parse(await readFile(join(world.folder, 'attune.yaml'), 'utf8'));
  expect(after.workspaces).toMatchObject({ network: {}, dns: { description: 'words\n\n' }, billing: {} });
});

test('import --update adds a workspace that cannot declare a key of the defaults without inheriting it', async () => {
  const world = await worldWith(
    {
      'attune.yaml': 'attune: 1\norganization: acme\ndefaults: {workspace: {lock: false}}\nworkspaces: {}\n',
    },
    { seed: { workspaces: { dns: { locked: { by: 'run-1' } }, network: {} } } },
  );
  const { code, stderr } = await world.attune('import', '--update');
  expect(code, stderr).toBe(0);
  const { workspaces } = parse(await readFile(join(world.folder, 'attune.yaml'), 'utf8'));
  expect([workspaces.dns.unmanaged, workspaces.network.unmanaged]).toEqual([['lock'], undefined]);
  expect((await world.attune('plan')).stdout).toContain('0 calls.');
});

test('import --update keeps what is declared for a time, and does not declare access that has ended again', async () => {
  const declared = `attune: 1
organization: acme
projects: {payments: prj-payments}
teams: {sre: team-sre}
team-access:
  payments:
    sre: {access: write, until: 2026-12-31, reason: Q4 migration} # contract
exceptions:
  - {address: workspace.billing, field: auto-apply, value: true, until: 2027-01-15, reason: INC-7}
freeze:
  - {from: 2026-12-20, to: 2027-01-04, reason: year end}
`;
  const workspaces = { billing: { project: 'Payments', tags: ['canary'] } };
  const access = { Payments: { sre: 'write' } };
  const date = () => new Date('2027-01-02T00:00:00Z');
  const world = await worldWith(declared, { seed: { ...seed, workspaces, 'team-access': access } }, { date });
  const { code, stderr } = await world.attune('import', '--update');
  expect(code, stderr).toBe(0);
  const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  expect(text.startsWith(declared)).toBe(true);
  expect(parse(text).workspaces.billing).toMatchObject({ project: 'payments' });
  const { stdout } = await world.attune('drift');
  expect(stdout).toContain('team-access.payments/sre');
  expect(stdout).not.toContain('workspace.billing');
});

test('import --update declares the live values of a workspace that a template selects', async () => {
  const yaml = `attune: 1
organization: acme
templates:
  canary: {when: {tag: canary}, iac-version: "1.10.2", description: canary}
workspaces:
  old: {tags: [canary]}
`;
  const live = (version: string, description: string | null) => ({
    'iac-version': version,
    ...(description !== null && { description }),
    tags: ['canary'],
  });
  const workspaces = {
    old: live('1.10.2', 'canary'),
    same: live('1.10.2', 'canary'),
    other: live('1.9.0', null),
  };
  const world = await worldWith(yaml, { seed: { workspaces } });
  const { code, stderr } = await world.attune('import', '--update');
  expect([code, stderr]).toEqual([0, 'Next: attune plan\n']);
  const { templates, workspaces: declared } = parse(
    await readFile(join(world.folder, 'attune.yaml'), 'utf8'),
  );
  expect([templates, declared.old]).toEqual([parse(yaml).templates, { tags: ['canary'] }]);
  expect(declared.other).toMatchObject({ 'iac-version': '1.9.0', tags: ['canary'] });
  const planned = await world.attune('plan', '--detailed-exitcode');
  expect([planned.code, planned.stdout], planned.stderr).toEqual([0, expect.stringContaining(' 0 calls.')]);
});
