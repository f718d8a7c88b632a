/*
 * A mistake is an error in the files that only the live state shows: no plan can be made. Other errors are found in a plan
 * (check-plan.ts), which is printed with them.
 */

import type { Difference } from '../diff/diff.ts';
import { causeAmong, type Kept } from '../hold/keep-live.ts';
import type { Live } from '../live/read-live.ts';
import { DiagnosticsError } from '../model/attune-error.ts';
import type { Configuration } from '../model/configuration.ts';
import { type Diagnostic, hasErrors } from '../model/diagnostic.ts';
import { missingFeatures } from './missing-features.ts';

/** Codes of errors that leave the plan complete: it is printed with them, and not applied. */
const shownWithPlan: ReadonlySet<string> = new Set(['differs-in-case']);

interface Compared {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Difference;
  readonly chosen: (address: string) => boolean;
  /** The comparison of everything, and what is kept of it. Absent if nothing is kept. */
  readonly beside?: { readonly found: Difference; readonly kept: Kept };
}

/** @throws {DiagnosticsError} if a comparison has mistakes. */
export function refuseMistakes({ configuration, live, difference, chosen, beside }: Compared): void {
  const { changes } = difference;
  const missing = missingFeatures(configuration, live, { chosen, changes });
  const diagnostics = beside ? difference.diagnostics.map(namingHold(beside)) : difference.diagnostics;
  if (![...diagnostics, ...missing].some(isMistake)) return;
  throw new DiagnosticsError([...configuration.diagnostics, ...live.diagnostics, ...diagnostics, ...missing]);
}

function isMistake(one: Diagnostic): boolean {
  return hasErrors([one]) && !shownWithPlan.has(one.code);
}

/** Adds to a mistake that only exists because something is kept why that is so. */
function namingHold({ found, kept }: NonNullable<Compared['beside']>): (one: Diagnostic) => Diagnostic {
  const isFound = ({ code, address }: Diagnostic) =>
    found.diagnostics.some((one) => one.code === code && one.address === address);
  return (one) => {
    if (kept.keeps.length === 0 || !isMistake(one) || isFound(one) || one.code === 'needs-left-out')
      return one;
    const cause = causeAmong(kept.held, new Set([one.address ?? '']));
    if (cause) {
      const { address, hold } = cause;
      return {
        ...one,
        message: `${one.message}, because ${address} is held until ${hold.until} (${hold.reason})`,
      };
    }
    const why = '--only-changed leaves out what the base declares as well';
    return { ...one, message: `${one.message}, because ${why}`, hint: 'plan without --only-changed' };
  };
}
