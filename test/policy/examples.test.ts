import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Emulator, startEmulator } from '../../src/emulator/index.ts';
import { dialects } from '../../src/model/dialect.ts';
import { attune, folderWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

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

/** The texts of words in capital letters. */
const words: Readonly<Record<string, string>> = {
  ALIASES: 'projects: {payments: prj-payments, platform: prj-platform}',
  DEV: 'project: platform, tags: [dev], iac-version: 1.10.2',
  PROD: 'project: platform, tags: [prod], iac-version: 1.10.2, protect: true',
  GUARD: 'guards: {protect: [{tag: prod}]}',
  GOLD: 'guards: {protect: [{tagged: {tier: gold}}]}',
  PLATFORM: 'id: prj-platform, name: platform, manage: true',
  MANY: Array.from({ length: 101 }, (_, index) => `w${index}-dev: {DEV}`).join(', '),
};

interface Example {
  readonly policy: string;
  /** The address in the violation. */
  readonly at: string;
  /** What the policy refuses, and a change of it that meets the policy. */
  readonly violates: string;
  readonly meets: string;
}

/** Several rows of a policy have a name after a colon. Policies on managed projects need the terraform dialect. */
const examples = rowsIn<Example>`
- {policy: names, at: workspace.Billing, violates: 'ALIASES, workspaces: {Billing: {DEV}}', meets: 'ALIASES, workspaces: {shop-dev: {DEV}}'}
- {policy: environment-tag, at: workspace.shop-dev, violates: 'ALIASES, workspaces: {shop-dev: {iac-version: 1.10.2, tags: [dev, prod]}}', meets: 'ALIASES, workspaces: {shop-dev: {DEV}}'}
- {policy: prod-no-auto-apply, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, auto-apply: true}}', meets: 'ALIASES, workspaces: {network-prod: {PROD, auto-apply: false}}'}
- {policy: no-global-state, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, global-remote-state: true}}', meets: 'ALIASES, workspaces: {network-prod: {PROD}}'}
- {policy: prod-state-in-project, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {PROD, remote-state-consumers: [dns-prod, billing-prod]}}', meets: 'ALIASES, workspaces: {network-prod: {PROD, remote-state-consumers: [dns-prod]}}'}
- {policy: prod-protected, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {tags: [prod]}}', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod]}}, GUARD'}
- {policy: prod-retention, at: workspace.dns-prod, violates: 'ALIASES, workspaces: {dns-prod: {PROD}}', meets: 'ALIASES, workspaces: {dns-prod: {PROD, data-retention: {delete-older-than-days: 30}}}'}
- {policy: least-version, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {tags: [prod], iac-version: "~> 1.8.5"}}', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod], iac-version: "~> 1.9.0"}}'}
- {policy: no-admin-for-contractors, at: team-access.payments/contractors, violates: 'ALIASES, team-access: {payments: {sre: admin, contractors: maintain}}', meets: 'ALIASES, team-access: {payments: {sre: admin, contractors: read}}'}
- {policy: keep-protection, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {tags: [staging]}}, GUARD', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod, network]}}, GUARD'}
- {policy: 'keep-protection: a project', at: project.platform, violates: 'projects: {platform: {PLATFORM, tag-bindings: {tier: silver}}}, workspaces: {dns-prod: {}}, GOLD', meets: 'projects: {platform: {PLATFORM, tag-bindings: {tier: gold, owner: web}}}, workspaces: {dns-prod: {}}, GOLD'}
- {policy: keep-prod, at: workspace.network-prod, violates: 'ALIASES, workspaces: {network-prod: {state: absent}}', meets: 'ALIASES, workspaces: {network-prod: {tags: [prod], description: Network}}'}
- {policy: 'keep-prod: a rename', at: workspace.network-dev, violates: 'ALIASES, workspaces: {network-dev: {renamed-from: network-prod, tags: [dev]}}', meets: 'ALIASES, workspaces: {core-prod: {renamed-from: network-prod, tags: [prod]}}'}
- {policy: prod-declared, at: the plan, violates: 'ALIASES, workspaces: {network-prod: {PROD}}, scope: {projects: [platform]}', meets: 'ALIASES, workspaces: {network-prod: {PROD}, dns-prod: {PROD}}, scope: {projects: [platform]}'}
- {policy: no-unlocks, at: workspace.locked-dev, violates: 'ALIASES, workspaces: {locked-dev: {lock: false}}', meets: 'ALIASES, workspaces: {old-dev: {lock: true}}'}
- {policy: no-forced-deletes, at: workspace.old-dev, violates: 'ALIASES, workspaces: {old-dev: {state: absent, delete: force}}', meets: 'ALIASES, workspaces: {old-dev: {state: absent}}'}
- {policy: small-plans, at: the plan, violates: 'ALIASES, workspaces: {MANY}', meets: 'ALIASES, workspaces: {shop-dev: {DEV}}'}
- {policy: project-owner, at: project.shop, violates: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {env: prod}}}', meets: 'projects: {shop: {name: Shop, manage: true, tag-bindings: {owner: web}}}'}
`;

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
    expect([...new Set(examples.map(({ policy }) => policyOf(policy)))]).toEqual(ids);
  });

  test.each(examples)(
    'the policy $policy refuses a violation and accepts a valid change',
    async ({ policy, at, violates, meets }) => {
      const id = policyOf(policy);
      const dialect =
        violates.includes('manage: true') || violates.includes('PLATFORM') ? 'terraform' : 'iac';
      const root = (text: string) => {
        const whole = text
          .replace('MANY', words.MANY ?? '')
          .replaceAll(/\b[A-Z]{3,}\b/g, (word) => words[word] ?? word);
        return `{attune: 1, organization: acme, ${whole}}`;
      };
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
        expect.stringContaining(`${at} violates policy ${id}: `),
      ]);
      expect(await violationsOf('good.yaml')).toEqual([]);
    },
  );
});

interface Printed {
  readonly diagnostics: readonly { readonly policy?: string; readonly message: string }[];
  readonly policies?: readonly { readonly id: string; readonly checked: number; readonly failed?: boolean }[];
}
