import { credentialsIn } from '../service/address.ts';
import { maskToken } from '../service/mask-token.ts';

/** The secrets in addresses. An address with a password is refused, and every error before that can quote it. */
export function secretsIn(addresses: readonly (string | undefined)[]): Set<string> {
  return new Set(addresses.flatMap((address) => credentialsIn(address ?? '')));
}

/** A text without the secrets of a run. */
export function masked(text: string, secrets: ReadonlySet<string>): string {
  let shown = text;
  for (const secret of secrets) shown = maskToken(shown, secret);
  return shown;
}
