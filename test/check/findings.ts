import type { Check, Pass } from '../../src/check/check.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';

/** What a check finds in a plan of which only the parts are given that it uses. */
export async function findings(check: Check, pass: { readonly [Part in keyof Pass]?: unknown }) {
  return (await check.find(pass as unknown as Pass)) as readonly Diagnostic[];
}
