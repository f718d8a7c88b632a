import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { dialects } from '../../src/model/dialect.ts';
import { attune, folderWith } from '../support/attune.ts';

const file = join(import.meta.dirname, '../../examples/policies/policies.yaml');
const ids: readonly string[] = parse(await readFile(file, 'utf8')).policies.map(
  ({ id }: { readonly id: string }) => id,
);

const seed = `
organization: acme
projects: {payments: {id: prj-payments}, platform: {id: prj-platform, tag-bindings: {tier: gold}}}
teams: {sre: {id: team-sre}, contractors: {id: team-contractors}}
workspaces:
  network-prod:
    {id: ws-network, project: prj-platform, tags: [prod], iac-version: 1.10.2, data-retention: {delete-older-than-days: 30}}
  dns-prod: {id: ws-dns, project: prj-platform, tags: [prod], iac-version: 1.10.2}
  billing-prod: {id: ws-billing, project: prj-payments, tags: [prod], iac-version: 1.10.2}
  locked-dev: {id: ws-locked, project: prj-platform, tags: [dev], iac-version: 1.10.2, locked: true}
  old-dev: {id: ws-old, project: prj-platform, tags: [dev], iac-version: 1.10.2}
team-access:
  payments: {sre: admin, contractors: write}
`;

const aliases = 'projects: {payments: prj-payments, platform: prj-platform}\n';
const dev = 'project: platform, tags: [dev], iac-version: 1.10.2';
const prod = 'project: platform, tags: [prod], iac-version: 1.10.2, protect: true';
const retention = 'data-retention: {delete-older-than-days: 30}';

interface Example {
  /** What the policy refuses, and a change of it that meets the policy. */
  readonly violates: string;
  readonly meets: string;
  /** The address in the violation. */
  readonly address: string;
  readonly dialect?: 'terraform';
}

const workspace = (name: string, settings: string) => `workspaces:\n  ${name}: {${settings}}\n`;
const network = (settings: string) => workspace('network-prod', settings);

const platform = (tags: string) =>
  `projects: {platform: {id: prj-platform, name: platform, manage: true, tag-bindings: ${tags}}}\nworkspaces: {dns-prod: {}}\n`;

/** By policy; more than one of a policy have a name after a colon. */
const examples: Readonly<Record<string, Example>> = {
  names: {
    violates: workspace('Billing', dev),
    meets: workspace('shop-dev', dev),
    address: 'workspace.Billing',
  },
  'environment-tag': {
    violates: workspace('shop-dev', 'iac-version: 1.10.2, tags: [dev, prod]'),
    meets: workspace('shop-dev', dev),
    address: 'workspace.shop-dev',
  },
  'prod-no-auto-apply': {
    violates: network(`${prod}, auto-apply: true`),
    meets: network(`${prod}, auto-apply: false`),
    address: 'workspace.network-prod',
  },
  'no-global-state': {
    violates: network(`${prod}, global-remote-state: true`),
    meets: network(prod),
    address: 'workspace.network-prod',
  },
  'prod-state-in-project': {
    violates: network(`${prod}, remote-state-consumers: [dns-prod, billing-prod]`),
    meets: network(`${prod}, remote-state-consumers: [dns-prod]`),
    address: 'workspace.network-prod',
  },
  'prod-protected': {
    violates: network('tags: [prod]'),
    meets: `${network('tags: [prod]')}guards: {protect: [{tag: prod}]}\n`,
    address: 'workspace.network-prod',
  },
  'prod-retention': {
    violates: workspace('dns-prod', prod),
    meets: workspace('dns-prod', `${prod}, ${retention}`),
    address: 'workspace.dns-prod',
  },
  'least-version': {
    violates: network(`tags: [prod], iac-version: "~> 1.8.5"`),
    meets: network(`tags: [prod], iac-version: "~> 1.9.0"`),
    address: 'workspace.network-prod',
  },
  'no-admin-for-contractors': {
    violates: 'team-access: {payments: {sre: admin, contractors: maintain}}\n',
    meets: 'team-access: {payments: {sre: admin, contractors: read}}\n',
    address: 'team-access.payments/contractors',
  },
  'keep-protection': {
    violates: `${network('tags: [staging]')}guards: {protect: [{tag: prod}]}\n`,
    meets: `${network('tags: [prod, network]')}guards: {protect: [{tag: prod}]}\n`,
    address: 'workspace.network-prod',
  },
  'keep-protection: a project': {
    violates: `${platform('{tier: silver}')}guards: {protect: [{tagged: {tier: gold}}]}\n`,
    meets: `${platform('{tier: gold, owner: web}')}guards: {protect: [{tagged: {tier: gold}}]}\n`,
    address: 'project.platform',
    dialect: 'terraform',
  },
  'keep-prod': {
    violates: network('state: absent'),
    meets: network('tags: [prod], description: Network'),
    address: 'workspace.network-prod',
  },
  'keep-prod: a rename': {
    violates: workspace('network-dev', 'renamed-from: network-prod, tags: [dev]'),
    meets: workspace('core-prod', 'renamed-from: network-prod, tags: [prod]'),
    address: 'workspace.network-dev',
  },
  'prod-declared': {
    violates: `${network(prod)}scope: {projects: [platform]}\n`,
    meets: `${network(prod)}  dns-prod: {${prod}}\nscope: {projects: [platform]}\n`,
    address: 'the plan',
  },
  'no-unlocks': {
    violates: workspace('locked-dev', 'lock: false'),
    meets: workspace('old-dev', 'lock: true'),
    address: 'workspace.locked-dev',
  },
  'no-forced-deletes': {
    violates: workspace('old-dev', 'state: absent, delete: force'),
    meets: workspace('old-dev', 'state: absent'),
    address: 'workspace.old-dev',
  },
  'small-plans': {
    violates: `workspaces:\n${Array.from({ length: 101 }, (_, index) => `  w${index}-dev: {${dev}}\n`).join('')}`,
    meets: workspace('shop-dev', dev),
    address: 'the plan',
  },
  'project-owner': {
    violates: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {env: prod}}}\n',
    meets: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {owner: web}}}\n',
    address: 'project.shop',
    dialect: 'terraform',
  },
};

const policyOf = (name: string) => name.replace(/:.*/, '');

describe('examples/policies', () => {
  const services = { iac: '', terraform: '' };
  const running: Emulator[] = [];

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'attune-examples-'));
    await writeFile(join(folder, 'seed.yaml'), seed);
    for (const dialect of dialects) {
      const service = await startEmulator({ seed: join(folder, 'seed.yaml'), dialect });
      running.push(service);
      services[dialect] = service.url;
    }
    await rm(folder, { recursive: true });
  });

  afterAll(() => Promise.all(running.map((service) => service.stop())));

  test('examples/policies has an example for each policy', () => {
    expect([...new Set(Object.keys(examples).map(policyOf))]).toEqual(ids);
  });

  test.each(Object.entries(examples))(
    'the policy %s refuses a violation and accepts a valid change',
    async (name, one) => {
      const id = policyOf(name);
      const { violates, meets, address, dialect = 'iac' } = one;
      const head = violates.startsWith('projects') ? '' : aliases;
      const root = (text: string) => `attune: 1\norganization: acme\n${head}${text}`;
      const folder = await folderWith({
        'seed.yaml': seed,
        'bad.yaml': root(violates),
        'good.yaml': root(meets),
      });
      const violationsOf = async (name: string) => {
        const command = ['plan', name, '--policy', file, '--format', 'json', '--address', services[dialect]];
        const { stdout } = await attune(command, { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' } });
        const { diagnostics, policies } = JSON.parse(stdout) as Printed;
        const result = policies?.find((policy) => policy.id === id);
        expect(result, stdout).toBeDefined();
        expect(result?.failed, stdout).toBeUndefined();
        expect(result?.checked, stdout).toBeGreaterThan(0);
        return diagnostics.filter(({ policy }) => policy === id).map(({ message }) => message);
      };
      expect(await violationsOf('bad.yaml')).toEqual([
        expect.stringContaining(`${address} violates policy ${id}: `),
      ]);
      expect(await violationsOf('good.yaml')).toEqual([]);
    },
  );
});

interface Printed {
  readonly diagnostics: readonly { readonly policy?: string; readonly message: string }[];
  readonly policies?: readonly { readonly id: string; readonly checked: number; readonly failed?: boolean }[];
}
