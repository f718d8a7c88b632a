/** Files with a change of every kind to the live state of the seed. */
export const files = `attune: 1
organization: acme
projects: {one: prj-1}
teams: {sre: team-1, dev: team-2}
ssh-keys: {deploy: sshkey-1}
workspaces:
  fresh: {project: one, tags: [new], lock: true}
  app: {description: new words, tags: [kept, new], remote-state-consumers: [fresh], ssh-key: deploy}
  renamed: {renamed-from: former, auto-apply: true}
  old: {state: absent}
team-access: {one: {sre: write, dev: none}}
`;

export const seed = {
  projects: { One: 'prj-1', Two: 'prj-2' },
  teams: { one: 'team-1', two: 'team-2' },
  'ssh-keys': { one: 'sshkey-1' },
  'team-access': { 'prj-1': { 'team-1': 'read', 'team-2': 'maintain' } },
  workspaces: {
    app: { description: 'old words', tags: ['kept', 'gone'], 'remote-state-consumers': ['other'] },
    former: {},
    old: { description: 'to be deleted', tags: ['kept'], 'remote-state-consumers': ['app'] },
    other: {},
  },
};
