import type { PermissionPath } from '../../model/attribute-values.ts';
import {
  accepting,
  choice,
  type Dictionary,
  either,
  flag,
  mapping,
  type Part,
  reference,
  titled,
  word,
} from '../../model/json-schema.ts';
import {
  accessLevels,
  type PermissionGroup,
  type PermissionSpec,
  permissionPaths,
  permissions,
} from '../../model/permissions.ts';
import { endingKeys } from './hold-schema.ts';

export const level = word(
  'The level of access: read, write, maintain, admin, custom (single permissions), none to revoke, or the name of a role.',
  ...accessLevels,
  'none',
);

function permission(path: PermissionPath): Part<string | boolean> {
  const { description, values, customDefault }: PermissionSpec = permissions[path];
  if (typeof customDefault === 'boolean') return flag(description, customDefault);
  return { description, type: 'string', enum: [...values], default: customDefault };
}

function permissionsOf(group: PermissionGroup, description: string): Part<Dictionary<string | boolean>> {
  const paths = permissionPaths.filter((path) => path.startsWith(`${group}.`));
  return mapping(
    { title: `${group} mapping`, description },
    Object.fromEntries(paths.map((path) => [path.slice(group.length + 1), permission(path)])),
  );
}

const groupKeys = {
  'project-access': permissionsOf(
    'project-access',
    'Permissions on the project itself; access custom only. One that is not named has its default.',
  ),
  'workspace-access': permissionsOf(
    'workspace-access',
    "Permissions on the project's workspaces; access custom only. One that is not named has its default.",
  ),
};

export const role = titled(
  'role',
  'What a team with this role may do.',
  {
    access: choice(
      'The level of access: read, write, maintain, admin, or custom (single permissions).',
      accessLevels,
    ),
    'project-access': reference('grant/properties/project-access', groupKeys['project-access']),
    'workspace-access': reference('grant/properties/workspace-access', groupKeys['workspace-access']),
  },
  { required: ['access'] },
);

export const grant = either(
  {
    title: 'grant',
    description:
      'The level, the name of a role, or none to revoke; {access: custom, ...} sets single permissions.',
    examples: ['read', 'write', 'maintain', 'admin', 'none'],
  },
  word(''),
  mapping(
    { required: ['access'] },
    {
      access: reference('level', level),
      ...groupKeys,
      ...endingKeys,
      until: accepting<string>({
        ...endingKeys.until,
        description: `${endingKeys.until.description} Then the access is revoked.`,
      }),
    },
  ),
);
