/** The kinds of thing that a configuration refers to by alias, name or id, with what messages call them. */
export const aliasKindTable = {
  projects: { noun: 'project', article: 'a', plural: 'projects', prefix: 'prj-' },
  teams: { noun: 'team', article: 'a', plural: 'teams', prefix: 'team-' },
  'ssh-keys': { noun: 'SSH key', article: 'an', plural: 'SSH keys', prefix: 'sshkey-' },
  'agent-pools': { noun: 'agent pool', article: 'an', plural: 'agent pools', prefix: 'apool-' },
  'vcs-connections': { noun: 'VCS connection', article: 'a', plural: 'VCS connections', prefix: 'ot-' },
} as const;

export type AliasKind = keyof typeof aliasKindTable;

export const aliasKinds = Object.keys(aliasKindTable) as readonly AliasKind[];
