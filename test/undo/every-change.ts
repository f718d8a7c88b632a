import type { Dialect } from '../../src/model/dialect.ts';

/** Files with a change of every kind to the live state of the seed; projects are written in their dialect alone. */
export const filesOf = (dialect: Dialect) => `attune: 1
organization: acme
service: {dialect: ${dialect}}
projects:
  one: prj-1
${dialect === 'terraform' ? '  fresh: {name: Fresh, manage: true, description: new}\n  spare: {name: Spare, manage: true, state: absent}\n' : ''}teams: {sre: team-1, dev: team-2}
ssh-keys: {deploy: sshkey-1}
workspaces:
  fresh:
    global-remote-state: false
    project: ${dialect === 'terraform' ? 'fresh' : 'one'}
    description: "null"
    tags: [new, other]
    lock: true
    ssh-key: deploy
    remote-state-consumers: [app]
    data-retention: {delete-older-than-days: 30}
  app: {description: new words, tags: [kept, new], remote-state-consumers: [fresh], ssh-key: deploy, lock: true}
  renamed: {renamed-from: former, auto-apply: true}
  old: {state: absent}
team-access: {one: {sre: write, dev: none}}
limits: {delete-percent: 100}
`;

export const seedOf = (dialect: Dialect) => ({
  projects: { One: 'prj-1', Two: 'prj-2', ...(dialect === 'terraform' && { Spare: 'prj-3' }) },
  teams: { one: 'team-1', two: 'team-2' },
  'ssh-keys': { one: 'sshkey-1', two: 'sshkey-2' },
  'team-access': { 'prj-1': { 'team-1': 'read', 'team-2': 'maintain' } },
  workspaces: {
    app: { description: 'old words', tags: ['kept', 'gone'], 'remote-state-consumers': ['other'] },
    former: {},
    old: {
      description: 'to be deleted',
      tags: ['kept', 'more'],
      'remote-state-consumers': ['app'],
      'ssh-key': 'sshkey-2',
      'data-retention': { 'dont-delete': true as const },
      locked: { reason: 'frozen' },
    },
    other: {},
  },
});
