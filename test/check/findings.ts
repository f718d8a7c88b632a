import type { Check, Pass } from '../../src/check/check.ts';
import type { Diagnostic } from '../../src/model/diagnostic.ts';

/** What checks find in a plan of which only the parts are given that they use. */
export async function findings(
  checks: Check | readonly Check[] | undefined,
  pass: { readonly [Part in keyof Pass]?: unknown },
) {
  const found: Diagnostic[] = [];
  for (const check of [checks ?? []].flat())
    found.push(...((await check.find(pass as unknown as Pass)) as readonly Diagnostic[]));
  return found as readonly Diagnostic[];
}
