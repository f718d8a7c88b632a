import { expect, expectTypeOf, test } from 'vitest';
import type { AttributePath, AttributeTable } from '../../src/model/attributes.ts';
import {
  accessLevels,
  type PermissionPath,
  permissionPaths,
  permissions,
} from '../../src/model/permissions.ts';
import type { TeamProjectAttributes } from '../../src/sdk/team-projects.ts';
import type { WorkspaceSettings } from '../../src/sdk/workspace-settings.ts';

type Nested = 'vcs-repo' | 'setting-overwrites';
/** Every writable attribute of the typed document, dotted as in the table. */
type Typed = Required<
  Omit<WorkspaceSettings, Nested> & {
    [Key in keyof NonNullable<WorkspaceSettings['vcs-repo']> as `vcs-repo.${Key}`]: NonNullable<
      WorkspaceSettings['vcs-repo']
    >[Key];
  } & {
    [Key in keyof NonNullable<
      WorkspaceSettings['setting-overwrites']
    > as `setting-overwrites.${Key}`]: boolean;
  }
>;
/** The type of an attribute according to the table. */
type ValueOf<Path extends AttributePath> =
  | (AttributeTable[Path] extends { readonly values: readonly (infer Value)[] }
      ? Value
      : { string: string; boolean: boolean; strings: readonly string[] }[AttributeTable[Path]['type']])
  | (AttributeTable[Path]['nullable'] extends true ? null : never);

test('a typed workspace has the attributes of the table with their types', () => {
  expectTypeOf<keyof Typed>().toEqualTypeOf<AttributePath>();
  expectTypeOf<{ readonly [Path in AttributePath]: Typed[Path] }>().toEqualTypeOf<{
    readonly [Path in AttributePath]: ValueOf<Path>;
  }>();
});

test('a typed grant has every permission, with its values from the least to the most', () => {
  const levels: readonly TeamProjectAttributes['access'][] = accessLevels;
  expect(levels).toEqual(['read', 'write', 'maintain', 'admin', 'custom']);
  const off = [false, true] as const;
  const typed: {
    readonly [Path in PermissionPath]: Path extends `${infer Group extends 'project-access' | 'workspace-access'}.${infer Name}`
      ? readonly Required<Required<TeamProjectAttributes>[Group]>[Name &
          keyof Required<TeamProjectAttributes>[Group]][]
      : never;
  } = {
    'project-access.settings': ['read', 'update', 'delete'],
    'project-access.teams': ['none', 'read', 'manage'],
    'project-access.variable-sets': ['none', 'read', 'write'],
    'workspace-access.runs': ['read', 'plan', 'apply'],
    'workspace-access.policy-mocks': ['none', 'read'],
    'workspace-access.state-versions': ['none', 'read-outputs', 'read', 'write'],
    'workspace-access.variables': ['none', 'read', 'write'],
    'workspace-access.create': off,
    'workspace-access.locking': off,
    'workspace-access.delete': off,
    'workspace-access.move': off,
    'workspace-access.run-tasks': off,
    'workspace-access.policy-overrides': off,
  };
  expect(typed).toEqual(Object.fromEntries(permissionPaths.map((path) => [path, permissions[path].values])));
});
