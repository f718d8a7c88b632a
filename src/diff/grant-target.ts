import type { Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import {
  dialectProblem,
  onlyDialect,
  type PermissionPath,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import type { GrantResource, GrantValues } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import { located } from './match-workspaces.ts';

/**
 * A grant as it shall be: the declared one without the permissions that this service does not have. A permission that
 * the other dialect has is an error where a file names it. One that an older server does not return is left alone.
 */
export function grantTarget(
  desired: GrantResource,
  live: GrantResource | undefined,
  dialect: Dialect,
  diagnostics: Diagnostic[],
): GrantResource {
  if (desired.attributes.access !== 'custom') return desired;
  const attributes: GrantValues & Record<string, Value> = { ...desired.attributes };
  for (const path of permissionPaths) {
    const only = onlyDialect(path);
    if (!only || live?.attributes[path] !== undefined) continue;
    const isNamed =
      desired.declared?.locations?.[path] !== undefined ||
      desired.attributes[path] !== permissions[path].customDefault;
    const isMissing = only !== dialect || live?.attributes.access === 'custom';
    // A default that nobody named is not worth a value that the server may not know.
    if (isMissing || !isNamed) delete attributes[path];
    if (isMissing && isNamed) diagnostics.push(notOffered(desired, path, dialect));
  }
  return { ...desired, attributes };
}

function notOffered(desired: GrantResource, path: PermissionPath, dialect: Dialect): Diagnostic {
  const base = { address: desired.address, ...located(desired, path) };
  const problem = dialectProblem(path, dialect);
  if (problem) return { ...base, severity: 'error', ...problem };
  return {
    ...base,
    severity: 'note',
    code: 'not-offered',
    message: `${path} of "${desired.name}" is left alone: this service does not return it`,
  };
}
