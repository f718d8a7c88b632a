import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  App,
  Organization,
  type OrganizationProps,
  Project,
  Tags,
  Workspace,
} from '../../src/constructs/index.ts';
import { loadConfig } from '../../src/desired/load-config.ts';
import type { Configuration } from '../../src/model/configuration.ts';
import { folderWith } from '../support/attune.ts';
import type { Program } from './programs.ts';

let folder: string;
beforeEach(async () => {
  folder = await folderWith({});
});
afterEach(() => vi.unstubAllEnvs());

async function synth(program: Program, props: OrganizationProps = {}): Promise<readonly Configuration[]> {
  const app = new App({ outdir: join(folder, 'out') });
  program(new Organization(app, 'acme', props));
  return app.synth();
}

const textOf = (organization: string) => readFile(join(folder, 'out', `${organization}.yaml`), 'utf8');

/** A configuration without the locations of its source. */
function meaning(configuration: Configuration | undefined): unknown {
  const { desired, aliases, scope, prune, limits, grantProjects, lookUps } = configuration ?? {};
  const resources = [...(desired?.resources.values() ?? [])].map(({ location, declared, ...resource }) => ({
    ...resource,
    declared: { ...declared, locations: undefined },
  }));
  const names = lookUps?.map(({ kind, name }) => ({ kind, name }));
  return {
    organization: desired?.organization,
    resources,
    aliases,
    scope,
    prune: { ...prune, locations: undefined },
    limits: { ...limits, locations: undefined },
    grantProjects,
    names,
  };
}

test('synth gives the same desired state as the same configuration in YAML', async () => {
  const [made] = await synth(
    (acme) => {
      const payments = new Project(acme, 'payments', { name: 'Payments Platform' });
      payments.grant('sre', 'admin');
      payments.grant('auditors', {
        projectAccess: { settings: 'update' },
        workspaceAccess: { runs: 'plan' },
      });
      Tags.of(acme).add('managed');
      const billing = new Workspace(payments, 'billing', {
        extends: 'service',
        name: 'billing',
        renamedFrom: 'bills',
        protect: true,
        vcsRepo: { identifier: 'acme/billing', oauthTokenId: 'github', branch: null },
        lock: { reason: 'change freeze' },
        dataRetention: { dontDelete: true },
      });
      new Workspace(acme, 'network', {
        tags: ['network'],
        sshKey: 'deploy',
        description: 'yes\nno: 1e3',
      }).allowStateReadBy(billing, { tag: 'needs-network' }, { project: payments });
      new Workspace(acme, 'legacy', { state: 'absent', delete: 'force' });
    },
    {
      teams: { sre: 'team-1', auditors: { name: 'Auditors' } },
      sshKeys: { deploy: 'sshkey-1' },
      vcsConnections: { github: 'ot-1' },
      defaults: { workspace: { executionMode: 'remote' } },
      templates: { service: { iacVersion: '1.10', fileTriggersEnabled: true } },
      scope: { tags: ['managed'], names: ['*'] },
      prune: { workspaces: 'safe', teamAccess: true },
      limits: { deletes: 5, deletePercent: 20 },
    },
  );
  const yaml = await folderWith({
    'attune.yaml': `
attune: 1
organization: acme
projects: {payments: {name: Payments Platform}}
teams: {sre: team-1, auditors: {name: Auditors}}
ssh-keys: {deploy: sshkey-1}
vcs-connections: {github: ot-1}
defaults: {workspace: {execution-mode: remote}}
templates: {service: {iac-version: "1.10", file-triggers-enabled: true}}
workspaces:
  billing:
    extends: service
    renamed-from: bills
    protect: true
    project: payments
    tags: {add: [managed]}
    vcs-repo: {identifier: acme/billing, oauth-token-id: github, branch: null}
    lock: {reason: change freeze}
    data-retention: {dont-delete: true}
  legacy: {state: absent, delete: force}
  network:
    tags: [network, managed]
    ssh-key: deploy
    description: "yes\\nno: 1e3"
    remote-state-consumers: [billing, {tag: needs-network}, {project: payments}]
team-access:
  payments:
    auditors: {access: custom, project-access: {settings: update}, workspace-access: {runs: plan}}
    sre: admin
scope: {tags: [managed], names: ["*"]}
prune: {workspaces: safe, team-access: true}
limits: {deletes: 5, delete-percent: 20}
`,
  });
  const { configurations, diagnostics } = await loadConfig(yaml);
  expect(diagnostics).toEqual([]);
  expect(meaning(made)).toEqual(meaning(configurations[0]));
});

test('synth writes one file for each organization, which is loaded as any root file is', async () => {
  const app = new App({ outdir: join(folder, 'out') });
  for (const name of ['acme', 'beta', 'über/acme'.replace('/', '%')])
    new Workspace(new Organization(app, name), 'network', { autoApply: true });
  const made = await app.synth();
  expect(made.map(({ desired }) => desired.organization)).toEqual(['acme', 'beta', 'über%acme']);
  const files = await readdir(join(folder, 'out'));
  expect(files.sort()).toEqual(['%C3%BCber%25acme.yaml', 'acme.yaml', 'beta.yaml']);
  const { configurations } = await loadConfig(files.map((file) => join(folder, 'out', file)));
  expect(configurations.map(({ desired }) => desired.organization).sort()).toEqual([
    'acme',
    'beta',
    'über%acme',
  ]);
  const locationOf = ({ desired }: Configuration) => desired.resources.get('workspace.network')?.location;
  expect(made.map((one) => locationOf(one)?.file)).toEqual(Array(3).fill('test/constructs/synth.test.ts'));
});

test('synth writes the same file whatever the order in which constructs are made', async () => {
  const texts = [];
  for (const names of [
    ['a', 'b', 'c'],
    ['c', 'a', 'b'],
  ]) {
    await synth((acme) => names.map((name) => new Workspace(acme, name, { autoApply: true })));
    texts.push(await textOf('acme'));
  }
  expect(texts[1]).toBe(texts[0]);
});

test('synth writes the file and reports the broken rule again if the program breaks a rule', async () => {
  const broken = synth((acme) =>
    new Workspace(acme, 'network').node.addValidation({ validate: () => ['a network needs an owner'] }),
  );
  await expect(broken).rejects.toThrow('a network needs an owner');
  const { diagnostics } = await loadConfig(join(folder, 'out/acme.yaml'));
  expect(diagnostics).toMatchObject([{ code: 'broken-rule', location: { construct: 'acme/network' } }]);
});

test('synth resolves the paths of the embedded service against the working folder', async () => {
  const [first] = await synth(() => {}, { service: { address: 'embedded', seed: 'seed.yaml' } });
  expect(first?.service).toEqual({
    address: 'embedded',
    data: join(process.cwd(), '.attune/embedded.json'),
    seed: join(process.cwd(), 'seed.yaml'),
  });
  const [second] = await synth(() => {}, { service: { address: 'embedded', data: '/data/live.json' } });
  expect(second?.service.data).toBe('/data/live.json');
});

test('synth fails if its file cannot be written', async () => {
  await mkdir(join(folder, 'out/acme.yaml'), { recursive: true });
  await expect(synth(() => {})).rejects.toThrow(/cannot write .*acme\.yaml: EISDIR/);
  expect(await readdir(join(folder, 'out'))).toEqual(['acme.yaml']);
});

test('synth fails for an app without an organization', async () => {
  await expect(new App({ outdir: folder }).synth()).rejects.toThrow('the program declares no organization');
});

test('synth writes to the folder of the command that runs it, and leaves broken rules to that command', async () => {
  vi.stubEnv('ATTUNE_OUTDIR', join(folder, 'elsewhere'));
  expect(await synth((acme) => new Workspace(acme, 'no good'))).toEqual([]);
  expect(await readdir(folder)).toEqual(['elsewhere']);
});

test('synth of a second app that declares the same organization fails', async () => {
  vi.stubEnv('ATTUNE_OUTDIR', join(folder, 'elsewhere'));
  await synth((acme) => new Workspace(acme, 'network'));
  await expect(synth((acme) => new Workspace(acme, 'billing'))).rejects.toThrow(
    'two apps declare the organization "acme"',
  );
});
