import { type AliasKind, aliasKindTable } from '../model/alias-kind.ts';
import { AttuneError } from '../model/attune-error.ts';

/**
 * Nobody tells what there is of a kind: a service without that endpoint, an offering without that feature, a token that
 * may not see it, a snapshot that does not hold it. What is called by its id works all the same.
 *
 * @example
 * ```ts
 * const error = await readNames(client, 'nowhere', 'teams').catch((reason: unknown) => reason);
 * console.log(error instanceof NoLookUpError && error.kind); // teams
 * ```
 */
export class NoLookUpError extends AttuneError {
  override readonly name = 'NoLookUpError';
  override readonly code = 'no-look-up';
  readonly kind: AliasKind;

  constructor(kind: AliasKind, why: string, options: ErrorOptions & { hint?: string } = {}) {
    super(`no ${aliasKindTable[kind].plural} can be looked up by name: ${why}`, options);
    this.kind = kind;
  }
}
