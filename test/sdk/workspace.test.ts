import { expect, test } from 'vitest';
import { type AttributePath, attributePaths, workspaceAttributes } from '../../src/model/attributes.ts';
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
type NullableKeys = { [Key in keyof Typed]: null extends Typed[Key] ? Key : never }[keyof Typed];

/** A value of each type, for the compiler; the table then checks whether it is the right one. */
const values: { readonly [Key in keyof Typed]: Exclude<Typed[Key], null> } = {
  'agent-pool-id': '',
  'allow-destroy-plan': true,
  'assessments-enabled': true,
  'auto-apply': true,
  'auto-apply-run-trigger': true,
  'auto-destroy-at': '',
  'auto-destroy-activity-duration': '',
  description: '',
  'execution-mode': 'agent' as const,
  'file-triggers-enabled': true,
  'global-remote-state': true,
  operations: true,
  'queue-all-runs': true,
  'source-name': '',
  'source-url': '',
  'speculative-enabled': true,
  'iac-version': '',
  'trigger-patterns': [],
  'trigger-prefixes': [],
  'working-directory': '',
  'vcs-repo.branch': '',
  'vcs-repo.identifier': '',
  'vcs-repo.ingress-submodules': true,
  'vcs-repo.oauth-token-id': '',
  'vcs-repo.vcs-app-installation-id': '',
  'vcs-repo.tags-regex': '',
  'setting-overwrites.execution-mode': true,
  'setting-overwrites.agent-pool': true,
} satisfies Record<AttributePath, unknown>;

const nullable: Readonly<Record<NullableKeys, true>> = {
  'agent-pool-id': true,
  'auto-destroy-at': true,
  'auto-destroy-activity-duration': true,
  description: true,
  'working-directory': true,
  'vcs-repo.branch': true,
  'vcs-repo.tags-regex': true,
};

test('a typed workspace has the attributes of the table with their types', () => {
  expect(Object.keys(values).sort()).toEqual([...attributePaths].sort());
  const types = attributePaths.map((path) => [
    path,
    Array.isArray(values[path]) ? 'strings' : typeof values[path],
  ]);
  expect(types).toEqual(attributePaths.map((path) => [path, workspaceAttributes[path].type]));
});

test('only attributes of a typed workspace that can be cleared accept null', () => {
  expect(Object.keys(nullable).sort()).toEqual(
    attributePaths.filter((path) => workspaceAttributes[path].nullable).sort(),
  );
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
