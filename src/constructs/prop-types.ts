/**
 * A plain list of a workspace contains exactly these entries and those that layers add; `[]` is empty. A plain list of
 * the defaults or a template is added to each workspace. `exactly` contains these entries alone, whatever layers
 * declare.
 * `add` and `remove` change the list that layers declare, or the live list if no layer declares one.
 */
export type List<Entry = string> =
  | readonly Entry[]
  | { readonly exactly: readonly Entry[] }
  | { readonly add?: readonly Entry[]; readonly remove?: readonly Entry[] };

/** Key/value tags by key; `null` is a key without a value. */
export type TagMap = Readonly<Record<string, string | null>>;

/**
 * Key/value tags of a workspace or project, in the forms of a list: exactly these and those that layers add, `exactly`
 * these whatever layers declare, or changes of the tags that layers declare or of the live ones.
 */
export type TagBindingProps =
  | TagMap
  | { readonly exactly: TagMap }
  | { readonly add?: TagMap; readonly remove?: readonly string[] };

/**
 * A reference to a project, team, SSH key, agent pool or VCS connection: an alias, an id, or its name on the service,
 * which the plan resolves. `{name}` is always a name: it becomes an alias of the same text, and no other alias can have it.
 */
export type Reference = string | { readonly name: string };
