import type { Configuration } from '../desired/configuration.ts';
import type { Change } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Resource } from '../model/state.ts';
import type { Shortfall } from './exported-workspace.ts';

/** A setting that is not carried over, or not in the same way, at the line that declares it. */
export function shortfallDiagnostic(
  { address, name, declared, location: own }: Resource,
  { path, reason, written }: Shortfall,
): Diagnostic {
  const location = declared?.locations?.[path] ?? own;
  return {
    ...(written === 'never'
      ? {
          severity: 'warning',
          code: 'not-in-terraform',
          message: `${path} of "${name}" is not carried over: ${reason}`,
        }
      : {
          severity: 'note',
          code: 'less-in-terraform',
          message: `${path} of "${name}" means less there: ${reason}`,
        }),
    address,
    ...(location && { location }),
  };
}

/** What the file says beside its resources, and live resources that shall not exist: Terraform has no word for them. */
export function configurationShortfalls(
  { desired, prune, limits }: Configuration,
  changes: readonly Change[],
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const add = (message: string, resource?: Resource) =>
    found.push({
      severity: 'warning',
      code: 'not-in-terraform',
      message,
      ...(resource && { address: resource.address }),
      ...(resource?.location && { location: resource.location }),
    });
  if (prune.workspaces !== 'keep' || prune.teamAccess) {
    add('prune is not carried over: Terraform deletes only what was in its state');
  }
  if (limits.deletes !== undefined) add('limits are not carried over: Terraform deletes without counting');
  for (const { action, address } of changes) {
    const resource = desired.resources.get(address);
    if (action !== 'delete' || resource === undefined) continue;
    const what =
      resource.kind === 'workspace' ? `the tombstone of "${resource.name}"` : `none for ${resource.name}`;
    add(
      `${what} is not carried over: Terraform deletes only what was in its state; apply it first`,
      resource,
    );
  }
  return found;
}
