import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { AttuneError } from '../model/attune-error.ts';
import type { ServiceError } from '../service/service-error.ts';

/**
 * The service does not list what it has of a kind: an older one without that endpoint, an offering without that
 * feature, or a token that may not see it. What is called by its id works all the same.
 */
export class NoLookUpError extends AttuneError {
  override readonly name = 'NoLookUpError';
  override readonly code = 'no-look-up';
  readonly kind: AliasKind;

  constructor(kind: AliasKind, cause: ServiceError) {
    const { plural, prefix } = aliasKindTable[kind];
    super(`no ${plural} can be looked up by name: ${cause.message}`, {
      cause,
      hint: `write ids under ${kind}, as in "alias: ${prefix}...", and use the aliases`,
    });
    this.kind = kind;
  }
}
