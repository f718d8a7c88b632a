import type { Aliases } from '../desired/configuration.ts';
import type { AliasKind } from '../model/alias-kind.ts';

/** How people call an id: by the first alias that stands for it, else by the id itself. */
export function aliasOf(aliases: Aliases, kind: AliasKind, id: string): string {
  for (const [alias, aliased] of aliases[kind]) if (aliased === id) return alias;
  return id;
}
