import type { Configuration } from '../desired/configuration.ts';
import { isSameOrganization } from '../desired/same-service.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import type { Resource } from '../model/state.ts';

/**
 * The plans of several root files, held against one another: what one of them prunes and another declares is an error of
 * the plan that prunes it, and what another declares is not undeclared.
 */
export function besideOthers<Planned extends { readonly configuration: Configuration; readonly plan: Plan }>(
  planned: readonly Planned[],
): Planned[] {
  return planned.map((one) => {
    const kept = planned
      .filter((other) => other !== one && isSameOrganization(one.configuration, other.configuration))
      .flatMap(({ configuration }) => [...configuration.desired.resources.values()])
      .filter(({ declared }) => !declared?.absent);
    if (kept.length === 0) return one;
    const { plan } = one;
    const byIdentity = new Map(
      kept.flatMap((resource) => identities(resource).map((key) => [key, resource])),
    );
    const pruned = plan.changes
      .filter(({ action, location }) => action === 'delete' && location === undefined)
      .filter((change) => byIdentity.has(identity(change)));
    return {
      ...one,
      plan: {
        ...plan,
        unmanaged: plan.unmanaged.filter((address) => !byIdentity.has(address)),
        diagnostics: [...plan.diagnostics, ...pruned.map(prunedElsewhere)],
      },
    };
  });
}

/** A workspace that is still to be renamed is live under its former name. */
function identities({ kind, address, attributes, declared }: Resource): string[] {
  if (kind !== 'workspace') return [`${attributes.project}/${attributes.team}`];
  return declared?.renamedFrom ? [address, `workspace.${declared.renamedFrom}`] : [address];
}

function identity({ kind, address, facts }: PlannedChange): string {
  return kind === 'workspace' ? address : `${facts?.project}/${facts?.team}`;
}

function prunedElsewhere({ address }: PlannedChange): Diagnostic {
  return {
    severity: 'error',
    code: 'pruned-elsewhere',
    message: `${address} would be pruned, and another root file of this run declares it`,
    address,
    hint: 'narrow the scope, or let one root file declare all that is pruned together',
  };
}
