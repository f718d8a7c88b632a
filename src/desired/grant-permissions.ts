import type { SourceLocation } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import {
  dialectProblem,
  type PermissionPath,
  permissionGroups,
  permissionPaths,
  permissions,
} from '../model/permissions.ts';
import type { Value } from '../model/value.ts';
import type { RawGrant } from './files/raw-file.ts';
import { locateKey } from './files/source.ts';
import type { Loading } from './problems.ts';

type Holder = Exclude<RawGrant, string>;

/** All permissions, unnamed ones with the least: removing a line from the file then really takes it away. */
export function addPermissions(
  holders: readonly Holder[],
  target: {
    readonly address: string;
    readonly attributes: Record<string, Value>;
    readonly locations: Record<string, SourceLocation>;
    readonly loading: Loading;
    readonly dialect: Dialect | undefined;
  },
): void {
  for (const path of permissionPaths) {
    const [group, key] = splitPath(path);
    const named = holders.map((holder) => holder[group]).find((mapping) => mapping?.[key] !== undefined);
    target.attributes[path] = named?.[key] ?? permissions[path].customDefault;
    if (!named) continue;
    const location = locateKey(target.loading.origins, named, key);
    target.locations[path] = location;
    const problem = dialectProblem(path, target.dialect);
    if (problem) target.loading.problems.add({ ...problem, address: target.address, location });
  }
}

function splitPath(path: PermissionPath): [(typeof permissionGroups)[number], string] {
  const [group, key] = path.split('.');
  return [group as (typeof permissionGroups)[number], key ?? ''];
}

/** Reports single permissions beside a level that implies them. */
export function checkPermissions(
  holder: Holder,
  access: string | undefined,
  { address, loading }: { readonly address?: string; readonly loading: Loading },
): void {
  if (access === undefined || access === 'custom') return;
  for (const group of permissionGroups) {
    if (!Object.hasOwn(holder, group)) continue;
    loading.problems.add({
      code: 'permissions-without-custom',
      message: `"${group}" requires access: custom, but access is ${access}`,
      hint: 'write access: custom, or remove the permissions: the level implies them',
      address,
      location: locateKey(loading.origins, holder, group),
    });
  }
}
