import type { EmulatorOptions } from '../../src/emulator/index.ts';
import type { Dialect } from '../../src/model/dialect.ts';

/** The services there are: the hosted one has no data retention, the self-hosted one no assessments. */
export const offerings = [
  { dialect: 'iac', edition: undefined },
  { dialect: 'terraform', edition: 'hosted' },
  { dialect: 'terraform', edition: 'self-hosted' },
] as const satisfies readonly { dialect: Dialect; edition: EmulatorOptions['edition'] }[];
export type Offering = (typeof offerings)[number];

/** The live state before {@link everyAttribute} is applied: objects with ids, and a workspace with other values. */
export function serviceOf({ dialect, edition }: Offering): EmulatorOptions {
  return {
    dialect,
    ...(edition && { edition }),
    seed: {
      organization: 'acme',
      settings: { 'default-execution-mode': 'remote', 'global-remote-state': false },
      projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
      teams: {
        sre: 'team-sre',
        developers: 'team-developers',
        auditors: 'team-auditors',
        ops: 'team-ops',
        qa: 'team-qa',
      },
      'ssh-keys': { deploy: 'sshkey-deploy' },
      'agent-pools': { onprem: 'apool-onprem' },
      'vcs-connections': { github: 'ot-github' },
      workspaces: {
        // Nothing of it is managed but a tag, and nothing of it is a default of the service or of the provider.
        untidy: {
          'allow-destroy-plan': false,
          'auto-apply': true,
          'auto-apply-run-trigger': true,
          'auto-destroy-at': '2099-01-02T03:04:05.678Z',
          description: 'manual',
          'execution-mode': 'local',
          'file-triggers-enabled': false,
          'queue-all-runs': true,
          'source-name': 'a click',
          'source-url': 'https://example.com/click',
          'speculative-enabled': false,
          'iac-version': '1.5.7',
          'trigger-prefixes': ['modules'],
          'working-directory': 'deep/inside',
          'vcs-repo': {
            identifier: 'acme/untidy',
            'oauth-token-id': 'ot-github',
            branch: 'old',
            'ingress-submodules': true,
          },
          'remote-state-consumers': ['elsewhere'],
          'ssh-key': 'sshkey-deploy',
          tags: ['zz'],
        },
        elsewhere: {},
        // An app's installation takes the place of a token; in the iac dialect a repository cannot start with one.
        inherits: { 'vcs-repo': { identifier: 'acme/inherits', 'oauth-token-id': 'ot-github' } },
        shared: { 'remote-state-consumers': ['elsewhere'], tags: ['by-hand'] },
      },
    },
  };
}

/** Every attribute, relation and permission that there is, with texts that mean something to Terraform. */
export function everyAttribute({ dialect, edition }: Offering): string {
  const retention = edition !== 'hosted';
  const assessments = edition !== 'self-hosted';
  return `attune: 1
organization: acme
service: {dialect: ${dialect}}
projects: {platform: prj-platform, payments: prj-payments}
teams: {sre: team-sre, developers: team-developers, auditors: team-auditors, ops: team-ops, qa: team-qa}
ssh-keys: {deploy: sshkey-deploy}
agent-pools: {onprem: apool-onprem}
vcs-connections: {github: ot-github}
workspaces:
  network:
    project: platform
    allow-destroy-plan: false
${assessments ? '    assessments-enabled: true\n' : ''}    auto-apply: true
    auto-apply-run-trigger: true
    auto-destroy-at: "2099-12-31T23:59:59+00:00"
    description: "\${var.x} %{if y} $\${z} %%{w} $$\${v} \\"quoted\\" back\\\\slash\\nline 🎉 \${"
    execution-mode: remote
    file-triggers-enabled: true
    global-remote-state: false
    queue-all-runs: true
    source-name: attune
    source-url: https://example.com/\${org}
    speculative-enabled: false
    iac-version: "~> 1.9.0"
    trigger-patterns: ["modules/**/*", "%{x}/*"]
    working-directory: live/network
    vcs-repo: {identifier: acme/network, oauth-token-id: github, branch: main, ingress-submodules: true}
    setting-overwrites: {execution-mode: true, agent-pool: true}
    tags: [prod, "team:sre"]
    remote-state-consumers: [billing, elsewhere]
    ssh-key: deploy
    lock: {reason: change freeze}
${retention ? '    data-retention: {delete-older-than-days: 30}\n' : ''}    protect: true
  billing:
    project: payments
    auto-apply: false
    auto-destroy-activity-duration: 14d
    auto-destroy-at: null
    description: null
    execution-mode: agent
    agent-pool-id: onprem
    file-triggers-enabled: false
    trigger-patterns: []
    trigger-prefixes: []
    working-directory: null
    vcs-repo: {identifier: acme/billing, oauth-token-id: github, branch: null, tags-regex: "v\\\\d+"}
    remote-state-consumers: [network]
    ssh-key: null
    tags: []
    lock: null
${retention ? '    data-retention: {dont-delete: true}\n' : ''}  inherits:
    setting-overwrites: {execution-mode: false, agent-pool: false}
    vcs-repo: {identifier: acme/inherits, vcs-app-installation-id: ghain-1}
    trigger-prefixes: [modules]
${retention ? '    data-retention: null\n' : ''}  global:
    global-remote-state: true
    operations: false
    vcs-repo: null
  untidy:
    tags: {add: [managed], remove: [old]}
    vcs-repo: {branch: main}
  shared:
    remote-state-consumers: {add: [network]}
  elsewhere: {}
  1st: {execution-mode: local}
  _1st: {remote-state-consumers: [{name: "*1st"}]}
  -dash: {}
team-access:
  platform:
    sre: admin
    developers: write
    ops: maintain
    qa: read
    auditors:
      access: custom
      project-access: {settings: update, teams: read}
      workspace-access: {runs: plan, policy-mocks: read, state-versions: read-outputs, variables: read, create: true, locking: true, delete: true, move: true, run-tasks: true}
  payments:
    auditors: {access: custom}
`;
}
