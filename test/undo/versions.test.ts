import { describe, expect, test } from 'vitest';
import { restorable, settingsToCreate, type Versions } from '../../src/undo/versions.ts';

const repository = { identifier: 'acme/app', 'oauth-token-id': 'ot-1' };
const attached = { 'vcs-repo.identifier': 'acme/app', 'vcs-repo.oauth-token-id': 'ot-1' };

const rows: readonly (Versions & {
  readonly what: string;
  readonly restored: object;
  readonly changed?: string[];
})[] = [
  {
    what: 'a value that is unchanged since the run is restored',
    before: { description: 'old' },
    left: { description: 'new' },
    live: { description: 'new' },
    restored: { description: 'old' },
  },
  {
    what: 'a value as it was before is left',
    before: { description: 'old' },
    left: { description: 'new' },
    live: { description: 'old' },
    restored: {},
  },
  {
    what: 'a value that another user changed since is kept',
    before: { description: 'old' },
    left: { description: 'new' },
    live: { description: 'third' },
    restored: {},
    changed: ['description'],
  },
  {
    what: 'a value whose call was never sent is not restored',
    before: { 'ssh-key': 'sshkey-1' },
    left: {},
    live: { 'ssh-key': 'sshkey-2' },
    restored: {},
  },
  {
    what: 'a repository whose detaching was never sent is not attached',
    before: { 'vcs-repo': repository },
    left: {},
    live: { 'vcs-repo': null },
    restored: {},
  },
  {
    what: 'a repository that was detached is attached with its keys',
    before: { 'vcs-repo': repository },
    left: { 'vcs-repo': null },
    live: { 'vcs-repo': null },
    restored: attached,
  },
  {
    what: 'a repository that was attached is detached whole',
    before: { 'vcs-repo.identifier': null, 'vcs-repo.oauth-token-id': null },
    left: attached,
    live: attached,
    restored: { 'vcs-repo': null },
  },
  {
    what: 'a repository that was attached and changed since stays',
    before: { 'vcs-repo.identifier': null, 'vcs-repo.oauth-token-id': null },
    left: attached,
    live: { ...attached, 'vcs-repo.identifier': 'acme/other' },
    restored: {},
    changed: ['vcs-repo.identifier'],
  },
  {
    what: 'an inherited mode is restored as inherited, whatever it is',
    before: {
      'execution-mode': 'remote',
      'setting-overwrites.execution-mode': false,
      'setting-overwrites.agent-pool': false,
    },
    left: {
      'execution-mode': 'local',
      'setting-overwrites.execution-mode': true,
      'setting-overwrites.agent-pool': true,
    },
    live: {
      'execution-mode': 'local',
      'setting-overwrites.execution-mode': true,
      'setting-overwrites.agent-pool': true,
    },
    restored: { 'setting-overwrites.execution-mode': false, 'setting-overwrites.agent-pool': false },
  },
  {
    what: 'a mode is restored with its pool',
    before: { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
    left: { 'execution-mode': 'remote', 'agent-pool-id': null },
    live: { 'execution-mode': 'remote', 'agent-pool-id': null },
    restored: { 'execution-mode': 'agent', 'agent-pool-id': 'apool-1' },
  },
  {
    what: 'a time to destroy that the service computes is not a value',
    before: { 'auto-destroy-activity-duration': '7d' },
    left: { 'auto-destroy-activity-duration': '14d', 'auto-destroy-at': '2031-01-01T00:00:00Z' },
    live: { 'auto-destroy-activity-duration': '14d', 'auto-destroy-at': '2031-02-02T00:00:00Z' },
    restored: { 'auto-destroy-activity-duration': '7d' },
  },
  {
    what: 'a scheduled destroy that the run set beside a duration is cancelled',
    before: { 'auto-destroy-at': null, 'auto-destroy-activity-duration': '14d' },
    left: { 'auto-destroy-at': '2031-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
    live: { 'auto-destroy-at': '2031-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
    restored: { 'auto-destroy-at': null, 'auto-destroy-activity-duration': '14d' },
  },
  {
    what: 'a scheduled destroy that the run moved beside a duration gets its former time',
    before: { 'auto-destroy-at': '2030-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
    left: { 'auto-destroy-at': '2031-01-01T00:00:00Z' },
    live: { 'auto-destroy-at': '2031-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
    restored: { 'auto-destroy-at': '2030-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
  },
  {
    what: 'a scheduled destroy that replaced a duration is cancelled',
    before: { 'auto-destroy-at': null, 'auto-destroy-activity-duration': '14d' },
    left: { 'auto-destroy-at': '2031-01-01T00:00:00Z', 'auto-destroy-activity-duration': null },
    live: { 'auto-destroy-at': '2031-01-01T00:00:00Z', 'auto-destroy-activity-duration': null },
    restored: { 'auto-destroy-at': null, 'auto-destroy-activity-duration': '14d' },
  },
  {
    what: 'a scheduled destroy that another user moved since the run is left',
    before: { 'auto-destroy-at': null, 'auto-destroy-activity-duration': '14d' },
    left: { 'auto-destroy-at': '2031-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
    live: { 'auto-destroy-at': '2032-01-01T00:00:00Z', 'auto-destroy-activity-duration': '14d' },
    restored: {},
    changed: ['auto-destroy-at'],
  },
  {
    what: 'triggers that the service emptied beside those that were set are restored',
    before: { 'trigger-prefixes': ['/a'], 'trigger-patterns': [] },
    left: { 'trigger-patterns': ['/**/*'] },
    live: { 'trigger-prefixes': [], 'trigger-patterns': ['/**/*'] },
    restored: { 'trigger-prefixes': ['/a'], 'trigger-patterns': [] },
  },
];

describe('settings of a workspace that undo creates again', () => {
  test('undo sends an inherited execution mode as inherited if it creates a workspace again', () => {
    expect(
      settingsToCreate({
        'execution-mode': 'agent',
        'agent-pool-id': 'apool-1',
        'setting-overwrites.execution-mode': false,
        'setting-overwrites.agent-pool': false,
      }),
    ).toEqual({ 'setting-overwrites.execution-mode': false, 'setting-overwrites.agent-pool': false });
  });

  test('undo sends an own execution mode with its pool and its flags if it creates a workspace again', () => {
    const own = {
      'execution-mode': 'agent',
      'agent-pool-id': 'apool-1',
      'setting-overwrites.execution-mode': true,
      'setting-overwrites.agent-pool': true,
    };
    expect(settingsToCreate(own)).toEqual(own);
  });
});

describe('reverted settings', () => {
  test.each(rows)('undo of a setting: $what', ({ restored, changed = [], ...versions }) => {
    const back = restorable('workspace', versions);
    expect(back.restored).toEqual(restored);
    expect(back.moved.map(({ path }) => path)).toEqual(changed);
    expect(back.unknown).toEqual([]);
  });

  test('undo of a former value that the service had not returned is its default, or unknown', () => {
    const back = restorable('workspace', {
      before: { 'auto-apply': null, 'iac-version': null },
      left: { 'auto-apply': true, 'iac-version': '1.9.0' },
      live: { 'auto-apply': true, 'iac-version': '1.9.0' },
    });
    expect(back).toEqual({ restored: { 'auto-apply': false }, moved: [], unknown: ['iac-version'] });
  });
});
