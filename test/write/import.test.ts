import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EmulatorOptions, WorkspaceSeed } from '../../src/emulator/index.ts';
import { workspaceAttributes } from '../../src/model/attribute-table.ts';
import { attributePaths } from '../../src/model/attributes.ts';
import { dialects } from '../../src/model/dialect.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';
import { mutatingService } from '../support/mutating-service.ts';

const repository = join(import.meta.dirname, '..', '..');

/** Runs an import into `live`, and expects that the next plan has no changes. */
async function importWorld(service: EmulatorOptions, ...argv: readonly string[]) {
  const world = await worldWith({}, service);
  const ran = await world.attune('import', '--organization', 'acme', '--out', 'live', ...argv);
  const plan = await world.attune('plan', 'live', '--detailed-exitcode');
  expect([plan.code, plan.stdout], ran.stderr).toEqual([0, expect.stringContaining('No changes.')]);
  return { ...ran, world, text: await textIn(world, 'live') };
}

async function textIn({ folder }: Pick<World, 'folder'>, out = '.'): Promise<string> {
  const names = (await readdir(join(folder, out), { recursive: true })).filter((name) =>
    name.endsWith('.yaml'),
  );
  const texts = names.sort().map((name) => readFile(join(folder, out, name), 'utf8'));
  return (await Promise.all(texts)).join('\n');
}

test('the attribute table marks the attributes of runs and sharing as alwaysImported', () => {
  const marked = attributePaths.filter((path) => workspaceAttributes[path].alwaysImported);
  expect([...marked].sort()).toEqual([
    ...['allow-destroy-plan', 'auto-apply', 'auto-apply-run-trigger', 'auto-destroy-activity-duration'],
    ...['auto-destroy-at', 'execution-mode', 'file-triggers-enabled', 'global-remote-state'],
    ...['project-remote-state', 'queue-all-runs', 'speculative-enabled'],
  ]);
});

test('docs/guides/import.md shows the import of the quick start', async () => {
  const page = await readFile(join(repository, 'docs', 'guides', 'import.md'), 'utf8');
  const [, name = '', shown] = /\*\*`(\S+)`\*\*\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];
  const seed = join(repository, 'examples', 'quickstart', 'seed.yaml');
  const world = await worldWith({ 'package.json': '{"devDependencies": {"attune": "1"}}' }, { seed });
  const { code, stderr } = await world.attune('import', '--organization', 'acme');
  expect(code, stderr).toBe(0);
  expect(await readFile(join(world.folder, name), 'utf8')).toBe(shown);
});

const organization = {
  settings: { 'default-project': 'Platform' },
  projects: { Platform: {}, Payments: { 'default-execution-mode': 'agent', 'default-agent-pool': 'Pool' } },
  teams: { sre: {}, 'Data Science': {} },
  'ssh-keys': { deploy: {} },
  'agent-pools': { 'On-prem': {}, Pool: {} },
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
} as const;
const ids = /\b(prj|team|sshkey|apool|ot|ws)-[A-Za-z0-9]{8,}/g;

test.each(dialects)(
  'import --names of the %s dialect writes names instead of all ids, and the next plan has no changes',
  async (dialect) => {
    const seed = { ...organization, organization: 'acme' };
    const { code, stderr, text, world } = await importWorld({ seed, dialect }, '--names');
    const written = [text.match(ids), world.writes()];
    expect([code, stderr, ...written]).toEqual([0, 'Next: attune plan live\n', null, []]);
    expect(text).toContain('name: On-prem');
    expect(text.includes('pool: {name: Pool}')).toBe(dialect === 'terraform');
  },
);

test('the files of import --names plan empty in another organization after one apply, and the imported one is only read', async () => {
  const { projects: _projects, workspaces: _workspaces, 'team-access': _access, ...objects } = organization;
  const other = { ...objects, projects: { Platform: {} } };
  const seed = { organizations: { acme: organization, other } };
  const world = await worldWith({}, { seed, dialect: 'terraform' });
  await world.attune('import', '--organization', 'acme', '--names');
  const file = join(world.folder, 'attune.yaml');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('organization: acme\n', 'organization: other\n'));
  expect(world.writes()).toEqual([]);
  const applied = await world.attune('apply', '--yes');
  expect(applied.code, applied.stdout + applied.stderr).toBe(0);
  expect(world.writes().filter((request) => request.includes('/organizations/acme/'))).toEqual([]);
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
  await writeFile(file, text);
  expect((await world.attune('plan', '--detailed-exitcode')).code).toBe(0);
});

const run = async (
  workspaces: Readonly<Record<string, WorkspaceSeed>>,
  mutate: (text: string, request: string) => string,
) => {
  const emulator = await serviceWith({ seed: { organization: 'acme', workspaces } });
  const service = await mutatingService(emulator.url);
  service.mutate = (text, index) => mutate(text, service.requests[index] ?? '');
  const cwd = await folderWith({});
  const env = { ATTUNE_TOKEN: 'test-token' };
  const flags = ['--organization', 'acme', '--address', service.url];
  const go = (...argv: string[]) => attune([...argv, ...flags], { cwd, env });
  return { go, text: () => readFile(join(cwd, 'attune.yaml'), 'utf8') };
};
const withOddName = () =>
  run({ network: {}, web: {} }, (text) => text.replaceAll('"name":"web"', '"name":"web app"'));
/** Some services return the entries of a consumer list as identifiers without attributes. */
const withBareConsumers = () =>
  run(bare, (text, request) => {
    if (!/^GET .*\/relationships\/remote-state-consumers/.test(request)) return text;
    const document = JSON.parse(text);
    const data = document.data.map(({ id, type }: { id: string; type: string }) => ({ id, type }));
    return JSON.stringify({ ...document, data });
  });
const bare = {
  network: { id: 'ws-network', 'remote-state-consumers': ['billing', 'web'] },
  ...{ billing: { id: 'ws-billing' }, web: { id: 'ws-web' } },
};

test('import counts a workspace that it leaves out and exits with 1', async () => {
  const { go } = await withOddName();
  const note =
    'note[left-out]: workspace.web app: the workspace is left out: its name has characters other than A-Z a-z 0-9 - _\n';
  const imported = await go('import');
  expect([imported.code, imported.stderr]).toEqual([1, `${note}Next: attune plan\n`]);
  expect(imported.stdout).toMatch(
    /\nImported: 1 workspace and 0 grants in 2 files\. Left out: 1 workspace\.\n/,
  );
  const updated = await go('import', '--update');
  expect([updated.code, updated.stderr]).toEqual([1, `${note}Next: attune plan\n`]);
  expect(updated.stdout).toMatch(/\n\nNo declarations were added\. Left out: 1 workspace\.\n$/);
  const json = await go('import', '--force', '--format', 'json');
  expect(JSON.parse(json.stdout).summary).toEqual({ files: 2, workspaces: 1, grants: 0, leftOut: 1 });
  const part = await go('import', '--force', '--name', 'network');
  expect([part.code, part.stdout]).toEqual([0, expect.not.stringContaining('Left out')]);
});

test('import names consumers that the service returns as bare identifiers, if any answer has their names', async () => {
  const { go, text } = await withBareConsumers();
  await go('import', '--out', 'attune.yaml');
  expect(await text()).toContain('remote-state-consumers: [billing, web]\n');
  const part = await go('import', '--name', 'network', '--out', 'attune.yaml', '--force');
  expect([part.code, part.stderr]).toEqual([0, 'Next: attune plan\n']);
  expect(await text()).toContain('remote-state-consumers: [ws-billing, ws-web]\n');
});

test('other commands show bare consumers by the names that the run has read', async () => {
  const { go } = await withBareConsumers();
  const shown = await go('workspace', 'show', 'network', 'web', '--format', 'json');
  expect(JSON.parse(shown.stdout).workspaces[0].consumers).toEqual([
    { id: 'ws-web', name: 'web' },
    { id: 'ws-billing' },
  ]);
  const access = await go('access', '--state-of', 'network', '--format', 'csv');
  expect(access.stdout).toContain('billing');
  expect(access.stdout).not.toContain('ws-billing');
});
