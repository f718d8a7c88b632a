import type { OrganizationSeed, WorkspaceSeed } from '../../../src/emulator/index.ts';

/** A desired and a live organization, far enough apart for some 70 calls of every kind. */
const projects = { Platform: 'prj-platform', Payments: 'prj-payments', Closed: 'prj-closed' };
const teams = {
  sre: 'team-sre',
  developers: 'team-developers',
  auditors: 'team-auditors',
  guests: 'team-guests',
};

const numbers = [1, 2, 3, 4];
const each = <Item>(prefix: string, item: (number: number) => Item): Record<string, Item> =>
  Object.fromEntries(numbers.map((number) => [`${prefix}-${number}`, item(number)]));

const changed: WorkspaceSeed = {
  project: 'Platform',
  'auto-apply': true,
  description: 'as it was',
  tags: ['staging', 'kept'],
  'remote-state-consumers': ['hub'],
  'ssh-key': 'old',
};

export const liveSide: OrganizationSeed = {
  projects,
  teams,
  'ssh-keys': { deploy: 'sshkey-deploy', old: 'sshkey-old' },
  'vcs-connections': { github: 'ot-1' },
  workspaces: {
    hub: { tags: ['hub'] },
    foreign: { tags: ['theirs'], description: 'nobody declares it', 'remote-state-consumers': ['hub'] },
    ...each('changed', (number) => ({
      ...changed,
      locked: number % 2 === 0,
      ...(number > 2 && { 'data-retention': { 'delete-older-than-days': 30 } }),
    })),
    'billing-old': { project: 'Platform' },
    shared: { 'global-remote-state': true },
    'gone-1': { tags: ['managed'] },
    'gone-2': { 'resource-count': 3 },
    'pruned-1': { tags: ['managed'], project: 'Payments' },
    'pruned-2': { tags: ['managed'] },
  },
  'team-access': {
    Platform: {
      sre: 'read',
      developers: { access: 'custom', 'workspace-access': { runs: 'plan' } },
      guests: 'read',
    },
    Payments: { auditors: 'admin', sre: 'write' },
    Closed: { guests: 'read' },
  },
};

const desired = {
  attune: 1,
  organization: 'acme',
  projects: { platform: projects.Platform, payments: projects.Payments },
  teams,
  'ssh-keys': { deploy: 'sshkey-deploy' },
  workspaces: {
    hub: { 'remote-state-consumers': ['new-1', 'changed-1'], tags: { add: ['core'], remove: ['hub'] } },
    ...each('new', (number) => ({
      project: 'payments',
      'iac-version': '~> 1.9.0',
      tags: ['fresh', `only-${number}`],
      // In a ring: each needs the id of the next, and all are new.
      'remote-state-consumers': [`new-${(number % numbers.length) + 1}`, 'hub'],
      'ssh-key': 'deploy',
      'data-retention': { 'delete-older-than-days': 14 },
      lock: { reason: 'not ready' },
    })),
    ...each('changed', (number) => ({
      project: 'payments',
      'auto-apply': false,
      'vcs-repo': { identifier: `acme/app-${number}`, 'oauth-token-id': 'ot-1' },
      tags: ['prod', 'kept'],
      'remote-state-consumers': number < 3 ? ['new-1', 'new-2'] : { add: ['new-3'], remove: ['hub'] },
      'ssh-key': number < 3 ? 'deploy' : null,
      'data-retention': number < 3 ? { 'dont-delete': true } : null,
      lock: number % 2 === 1,
    })),
    billing: { 'renamed-from': 'billing-old', 'working-directory': 'infra' },
    shared: { 'global-remote-state': false, 'remote-state-consumers': ['hub'] },
    'gone-1': { state: 'absent' },
    'gone-2': { state: 'absent', delete: 'force' },
  },
  'team-access': {
    platform: {
      sre: 'admin',
      developers: { access: 'custom', 'workspace-access': { runs: 'apply', locking: true } },
      auditors: 'read',
    },
    payments: { sre: 'none', auditors: 'maintain', developers: 'write', guests: { access: 'custom' } },
  },
  scope: { tags: ['managed'], enforce: false },
  prune: { workspaces: 'safe', 'team-access': true },
  limits: { deletes: 50, 'delete-percent': 100 },
};

/** JSON is YAML. */
export const desiredSide = JSON.stringify(desired, undefined, 1);
