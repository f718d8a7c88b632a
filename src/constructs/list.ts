/**
 * A list of a workspace is exactly these and what layers add; `[]` is none. A list of the defaults or a template is added
 * to each workspace. `exactly` is these alone, whatever layers declare. `add` and `remove` change what layers declare, or
 * the live list where no layer declares it.
 */
export type List<Entry = string> =
  | readonly Entry[]
  | { readonly exactly: readonly Entry[] }
  | { readonly add?: readonly Entry[]; readonly remove?: readonly Entry[] };

/** Key/value tags by key; `null` is a key without a value. */
export type TagMap = Readonly<Record<string, string | null>>;

/**
 * Key/value tags of a workspace or project, in the forms of a list: exactly these and what layers add, `exactly` these
 * whatever layers declare, or changes of what layers declare or of the live ones.
 */
export type TagBindingProps =
  | TagMap
  | { readonly exactly: TagMap }
  | { readonly add?: TagMap; readonly remove?: readonly string[] };
