/**
 * A list of a workspace is exactly these and what layers add; `[]` is none. A list of the defaults or a template is added
 * to each workspace. `exactly` is these alone, whatever layers declare. `add` and `remove` change what layers declare, or
 * the live list where no layer declares it.
 */
export type List<Entry = string> =
  | readonly Entry[]
  | { readonly exactly: readonly Entry[] }
  | { readonly add?: readonly Entry[]; readonly remove?: readonly Entry[] };
