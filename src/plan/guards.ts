import type { Diagnostic } from '../model/diagnostic.ts';
import type { GuardInput } from './guard-input.ts';
import { checkAdmins } from './keep-admin.ts';
import { checkSelf } from './keep-self.ts';

/**
 * Checks `guards.keep-admin` and `guards.keep-self` on the state after a plan. Grants of projects without declared access
 * are read for it, and organization-wide permissions only where the grants are not enough.
 */
export async function checkGuards(input: GuardInput): Promise<Diagnostic[]> {
  const { keepAdmin = [] } = input.configuration.guards;
  const checks = [...keepAdmin.map((guard) => checkAdmins(guard, input)), checkSelf(input)];
  return (await Promise.all(checks)).flat();
}
