/** The kinds of thing that a configuration refers to by alias, name or id, with what messages call them. */
export const aliasKindTable = {
  projects: { noun: 'project', article: 'a', plural: 'projects', prefix: 'prj-' },
  teams: { noun: 'team', article: 'a', plural: 'teams', prefix: 'team-' },
  'ssh-keys': { noun: 'SSH key', article: 'an', plural: 'SSH keys', prefix: 'sshkey-' },
  'agent-pools': { noun: 'agent pool', article: 'an', plural: 'agent pools', prefix: 'apool-' },
  'vcs-connections': { noun: 'VCS connection', article: 'a', plural: 'VCS connections', prefix: 'ot-' },
} as const;

/** One of the kinds of thing that a configuration refers to by alias, name or id. */
export type AliasKind = keyof typeof aliasKindTable;

export const aliasKinds = Object.keys(aliasKindTable) as readonly AliasKind[];

export function byAliasKind<Item>(of: (kind: AliasKind) => Item): Readonly<Record<AliasKind, Item>> {
  return Object.fromEntries(aliasKinds.map((kind) => [kind, of(kind)])) as Record<AliasKind, Item>;
}

export function isIdOf(kind: AliasKind, text: string): boolean {
  const { prefix } = aliasKindTable[kind];
  return text.startsWith(prefix) && /^[A-Za-z0-9_-]+$/.test(text.slice(prefix.length));
}

/**
 * The kind of thing that a text is the id of beyond doubt. Ids go on with letters and digits after their prefix; without
 * a digit or a capital among them (`team-payments`) it may as well be a name.
 */
export function kindOfId(text: string): AliasKind | undefined {
  return aliasKinds.find((kind) => {
    const { prefix } = aliasKindTable[kind];
    return text.startsWith(prefix) && /^(?=[a-z]*[A-Z0-9])[A-Za-z0-9]+$/.test(text.slice(prefix.length));
  });
}
