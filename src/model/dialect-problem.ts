import type { Dialect } from './dialect.ts';
import { onlyDialect, type PermissionPath } from './permissions.ts';

/** Why a service of this dialect does not take the permission; undefined where it does or its dialect is not known. */
export function dialectProblem(path: PermissionPath, dialect: Dialect | undefined) {
  const only = onlyDialect(path);
  if (!only || !dialect || only === dialect) return undefined;
  return {
    code: 'not-in-dialect',
    message: `${path} does not exist in the \`${dialect}\` dialect: only \`${only}\` services have it`,
    hint: `remove ${path}`,
  };
}
