import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serviceWith, type World, worldWith } from '../support/attune.ts';
import { mutatingService } from '../support/mutating-service.ts';

const organization = {
  settings: { 'default-project': 'Platform' },
  projects: { Platform: {}, Payments: {} },
  teams: { sre: {}, 'Data Science': {} },
  'ssh-keys': { deploy: {} },
  'agent-pools': { 'On-prem': {} },
  'vcs-connections': { GitHub: {} },
  workspaces: {
    network: {
      project: 'Platform',
      'ssh-key': 'deploy',
      'execution-mode': 'agent',
      'agent-pool-id': 'On-prem',
      'vcs-repo': { identifier: 'acme/network', 'oauth-token-id': 'GitHub' },
      'remote-state-consumers': ['billing'],
    },
    billing: { project: 'Payments' },
  },
  'team-access': { Platform: { sre: 'admin', 'Data Science': 'read' }, Payments: { sre: 'write' } },
};
const seed = { organization: 'acme', ...organization };

async function textIn({ folder }: Pick<World, 'folder'>, out: string): Promise<string> {
  const names = (await readdir(join(folder, out), { recursive: true })).filter((name) =>
    name.endsWith('.yaml'),
  );
  const texts = names.sort().map((name) => readFile(join(folder, out, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

const ids = /\b(prj|team|sshkey|apool|ot|ws)-[A-Za-z0-9]{8,}/g;

test('import --names writes the name of an agent pool that only a project has', async () => {
  const pool = { 'default-execution-mode': 'agent', 'default-agent-pool': 'On-prem' };
  const world = await worldWith(
    {},
    { seed: { ...seed, projects: { Platform: {}, Payments: pool }, workspaces: {} }, dialect: 'terraform' },
  );
  const { code } = await world.attune('import', '--organization', 'acme', '--names');
  expect(code).toBe(0);
  expect(await textIn(world, '')).toContain('on-prem: {name: On-prem}');
});

describe.each(['iac', 'terraform'] as const)('import --names in the %s dialect', (dialect) => {
  test('writes names instead of all ids, and the next plan has no changes', async () => {
    const world = await worldWith({}, { seed, dialect });
    const { code, stderr } = await world.attune(
      'import',
      '--organization',
      'acme',
      '--names',
      '--out',
      'out',
    );
    expect([code, stderr]).toEqual([0, 'Next: attune plan out\n']);
    expect(world.writes()).toEqual([]);
    const text = await textIn(world, 'out');
    expect(text.match(ids)).toBeNull();
    expect(text).toContain('name: On-prem');
    const planned = await world.attune('plan', 'out', '--detailed-exitcode');
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  });

  test('keeps the id of an object whose name is not unique, with a note', async () => {
    const pools = { 'On-prem': {}, Twin: { id: 'apool-other1' } };
    const service = await mutatingService(
      (await serviceWith({ seed: { ...seed, 'agent-pools': pools }, dialect })).url,
    );
    service.mutate = (text) => text.replaceAll('"Twin"', '"On-prem"');
    const world = await worldWith({}, { seed }, { address: service.url });
    const { code, stderr } = await world.attune(
      'import',
      '--organization',
      'acme',
      '--names',
      '--out',
      'out',
    );
    expect([code, stderr.replaceAll(ids, '<id>')]).toEqual([
      0,
      `note[id-kept]: the agent pool on-prem is written by its id <id>: other objects are called "On-prem", too
  hint: give it a name that no other has, and import again
Next: attune plan out
`,
    ]);
    expect((await world.attune('plan', 'out', '--detailed-exitcode')).code).toBe(0);
  });
});

test('the files of import --names plan empty in another organization after one apply, and the imported one is only read', async () => {
  const { projects: _projects, workspaces: _workspaces, 'team-access': _access, ...objects } = organization;
  const other = { ...objects, projects: { Platform: {} } };
  const world = await worldWith(
    {},
    { seed: { organizations: { acme: organization, other } }, dialect: 'terraform' },
  );
  await world.attune('import', '--organization', 'acme', '--names');
  const file = join(world.folder, 'attune.yaml');
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace('organization: acme\n', 'organization: other\n'),
  );
  expect(world.writes()).toEqual([]);
  const applied = await world.attune('apply', '--yes');
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  expect(world.writes().filter((request) => request.includes('/organizations/acme/'))).toEqual([]);
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
  await writeFile(
    file,
    (await readFile(file, 'utf8')).replace('organization: other\n', 'organization: acme\n'),
  );
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

test('import --names --update adds names, and keeps each byte of the existing files', async () => {
  const yaml =
    'attune: 1\norganization: acme\n# mine\nprojects: {pay: {name: Payments}}\nworkspaces: {billing: {}}\n';
  const world = await worldWith(yaml, { seed });
  const { code } = await world.attune('import', '--update', '--names');
  expect(code).toBe(0);
  const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
  expect(text.match(ids)).toBeNull();
  expect(text).toContain('# mine\n');
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

test('a name of spaces is none: the id stays', async () => {
  const blank = {
    ...seed,
    'ssh-keys': { ' ': { id: 'sshkey-blank1' } },
    workspaces: { a: { 'ssh-key': ' ' } },
  };
  const world = await worldWith({}, { seed: blank, dialect: 'terraform' });
  const imported = await world.attune('import', '--organization', 'acme', '--names', '--out', 'all.yaml');
  expect(imported.stderr).toContain('is written by its id sshkey-blank1: it has no name\n');
});
