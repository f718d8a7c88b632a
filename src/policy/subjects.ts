import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import { projectPaths } from '../model/attributes.ts';
import { permissions } from '../model/permissions.ts';
import { type AttributeSpec, camelCase } from '../model/rows.ts';
import type { PolicySubject } from '../model/rules.ts';

/** A field of the data that policies are evaluated on: its CEL type, and what it holds. */
export interface FieldSpec {
  readonly type: string;
  readonly description: string;
  /** When the field is missing; without it, the field is always there. */
  readonly missing?: string;
}

type Fields = Readonly<Record<string, FieldSpec>>;

/** The CEL type of the values of a row. */
function rowType({ type, nullable }: AttributeSpec): string {
  return nullable ? 'dyn' : { boolean: 'bool', string: 'string', strings: 'list<string>' }[type];
}

const place: Fields = {
  file: { type: 'string', description: 'The file, relative to the folder of the root file.' },
  line: { type: 'int', description: 'The line, from 1.' },
  column: { type: 'int', description: 'The column, from 1.' },
  construct: { type: 'string', description: 'The path of the construct.', missing: 'not in a program' },
};

const field: Fields = {
  path: { type: 'string', description: 'The name of the key, as `auto-apply` or `vcs-repo.branch`.' },
  before: { type: 'dyn', description: 'The live value; `null` if there is none.' },
  after: { type: 'dyn', description: 'The value after the plan; `null` if it is cleared.' },
  add: { type: 'list<string>', description: 'Entries that are added.', missing: 'not a list' },
  remove: { type: 'list<string>', description: 'Entries that are removed.', missing: 'not a list' },
};

const call: Fields = {
  operation: { type: 'string', description: 'What the call does, as `updateWorkspace`.' },
  method: { type: 'string', description: '`POST`, `PATCH` or `DELETE`.' },
  path: { type: 'string', description: 'The path, relative to `/api/v2`.' },
  body: { type: 'dyn', description: 'The JSON body.', missing: 'no body' },
  mode: { type: 'string', description: '`safe` or `force`.', missing: 'not `deleteWorkspace`' },
};

const hold: Fields = {
  by: { type: 'string', description: '`exception` or `freeze`.' },
  reason: { type: 'string', description: 'Why it is held.' },
  until: { type: 'string', description: 'When it ends.' },
  fields: {
    type: 'list<string>',
    description: 'The fields that are not sent.',
    missing: 'the whole change is held',
  },
};

const change: Fields = {
  address: { type: 'string', description: 'The address, as `workspace.network-prod`.' },
  kind: { type: 'string', description: '`project`, `workspace` or `team-access`.' },
  name: {
    type: 'string',
    description:
      'The name of the workspace, the alias of the project, or `<project>/<team>`, which are aliases.',
  },
  id: { type: 'string', description: 'The id on the service.', missing: 'a create' },
  projectId: {
    type: 'string',
    description: 'The id of the project after the change; of a deleted resource, before it.',
    missing: 'unknown, or created by the plan',
  },
  projectName: {
    type: 'string',
    description: 'The name of this project after the plan.',
    missing: 'unknown',
  },
  teamId: { type: 'string', description: 'The id of the team.', missing: 'not team access' },
  teamName: { type: 'string', description: 'The name of the team.', missing: 'not team access, or unknown' },
  action: { type: 'string', description: '`create`, `update` or `delete`.' },
  mode: {
    type: 'string',
    description: 'How a workspace is deleted: `safe` or `force`.',
    missing: 'not the delete of a workspace',
  },
  location: { type: 'Place', description: 'The line that declares it.', missing: 'undeclared (pruned)' },
  resources: {
    type: 'int',
    description: 'The number of managed resources of a workspace that is deleted.',
    missing: 'not a delete, or not returned by the service',
  },
  fields: { type: 'list<Field>', description: 'The managed keys that differ; empty for a delete.' },
  origins: {
    type: 'map<string, Place>',
    description: 'The line that declares each field, by its path.',
    missing: 'no field has one',
  },
  grants: {
    type: 'list<Field>',
    description: 'The permissions that an access level implies and that the change grants or revokes.',
    missing: 'not a fixed level',
  },
  calls: { type: 'list<Call>', description: 'The requests that make the change, in their order.' },
  held: {
    type: 'list<Hold>',
    description: 'Why the change, or some of its fields, is not sent now; what is held has no calls.',
  },
  protectionLost: {
    type: 'string',
    description:
      'The entry of `guards.protect` that no longer protects the workspace, or one of the project; or `freeze: REASON` of such a window.',
    missing: 'protection is not lost',
  },
  dependsOn: { type: 'list<string>', description: 'Addresses whose calls come first.' },
};

const resource: Fields = {
  address: { type: 'string', description: 'The address, as in a plan.' },
  action: { type: 'string', description: '`create`, `update`, or `none` if the plan does not change it.' },
};

const id: FieldSpec = {
  type: 'string',
  description: 'The id on the service.',
  missing: 'created by the plan',
};

const bindings = (missing: string): FieldSpec => ({
  type: 'map<string, dyn>',
  description: 'Its own key/value tags; `null` for a key without a value.',
  missing,
});

const projectId: FieldSpec = {
  type: 'string',
  description: 'The id of the project.',
  missing: 'unknown, or created by the plan',
};

const projectName: FieldSpec = {
  type: 'string',
  description: 'The name of the project after the plan.',
  missing: 'unknown',
};

const workspace: Fields = {
  ...resource,
  id,
  name: { type: 'string', description: 'The name.' },
  project: {
    type: 'string',
    description: 'The alias of the project, else its id.',
    missing: 'created without a project',
  },
  projectId,
  projectName,
  tags: { type: 'list<string>', description: 'The tags.' },
  attributes: {
    type: 'Attributes',
    description: 'The settings of the workspace table, by name, as `attributes["auto-apply"]`.',
  },
  tagBindings: bindings('a service without key/value tags'),
  effectiveTagBindings: {
    type: 'map<string, dyn>',
    description: 'The key/value tags in effect: its own, and those of its project.',
    missing: 'unknown, or a service without key/value tags',
  },
  consumers: {
    type: 'list<string>',
    description: 'The names of the listed workspaces that may read its state.',
    missing:
      'unknown, or the state is shared with all workspaces or with those of its project (`global-remote-state`, `project-remote-state`)',
  },
  readers: {
    type: 'list<string>',
    description:
      'The names of all workspaces that may read its state, through the list or through its project.',
    missing: 'unknown, or the state is shared with all workspaces',
  },
  consumerProjects: {
    type: 'list<string>',
    description: 'The projects of these workspaces, by alias or id, each once.',
    missing: 'like `readers`, or a project is unknown',
  },
  consumerProjectIds: {
    type: 'list<string>',
    description: 'The ids of these projects.',
    missing: 'like `consumerProjects`, or a project is created by the plan',
  },
  sshKey: {
    type: 'dyn',
    description: 'The alias of the SSH key, else its id; `null` for none.',
    missing: 'unknown',
  },
  locked: { type: 'bool', description: 'Whether it is locked.', missing: 'unknown' },
  dataRetention: {
    type: 'dyn',
    description: 'Its own policy, as `{"delete-older-than-days": 30}`; `null` for none.',
    missing: 'unknown, or a service without data retention',
  },
  protect: { type: 'bool', description: 'Whether `protect: true` or `guards.protect` protects it.' },
};

const grant: Fields = {
  ...resource,
  id,
  project: { type: 'string', description: 'The alias of the project, else its id.' },
  projectId,
  projectName,
  team: { type: 'string', description: 'The alias of the team, else its id.' },
  teamId: { type: 'string', description: 'The id of the team.' },
  teamName: {
    type: 'string',
    description: 'The name of the team.',
    missing: 'the service does not list the team to this token',
  },
  effectiveTagBindings: {
    type: 'map<string, dyn>',
    description: 'The key/value tags of the project.',
    missing: 'unknown, or a service without key/value tags',
  },
  access: { type: 'string', description: '`read`, `write`, `maintain`, `admin` or `custom`.' },
  permissions: {
    type: 'Permissions',
    description: 'The effective permissions, by path, as `permissions["workspace-access.runs"]`.',
  },
};

const project: Fields = {
  ...resource,
  id,
  alias: { type: 'string', description: 'The alias in the files.' },
  name: { type: 'string', description: 'The name on the service.' },
  projectId: { ...projectId, description: 'The same as `id`, as other resources have it.' },
  projectName: { ...projectName, description: 'The same as `name`, as other resources have it.' },
  effectiveTagBindings: {
    type: 'map<string, dyn>',
    description: 'The key/value tags in effect: its own.',
    missing: 'unknown, or a service without key/value tags',
  },
  ...Object.fromEntries(
    projectPaths
      .filter((path) => path !== 'name')
      .map((path) => [
        camelCase(path),
        {
          type: rowType(projectAttributes[path]),
          description: projectAttributes[path].description,
          missing: 'unknown',
        },
      ]),
  ),
  tagBindings: bindings('unknown'),
  protect: { type: 'bool', description: 'Whether it has `protect: true`.' },
};

const summary: Fields = {
  create: { type: 'int', description: 'The number of creates.' },
  update: { type: 'int', description: 'The number of updates.' },
  delete: { type: 'int', description: 'The number of deletes.' },
  unchanged: { type: 'int', description: 'The number of declared resources without a difference.' },
  held: {
    type: 'int',
    description:
      'The number of changes of which all or a part is held; those that are held as a whole count nowhere else.',
  },
  calls: { type: 'int', description: 'The number of requests.' },
};

const plan: Fields = {
  organization: { type: 'string', description: 'The name of the organization.' },
  address: { type: 'string', description: 'The address of the service, or the word `embedded`.' },
  dialect: { type: 'string', description: '`iac` or `terraform`.' },
  summary: { type: 'Summary', description: 'The counts.' },
  changes: { type: 'list<Change>', description: 'All changes.' },
  now: {
    type: 'google.protobuf.Timestamp',
    description: 'The time for which the plan is made, as `plan.now.getDayOfWeek("Europe/Berlin")`.',
    missing: 'a saved plan without a time',
  },
  unmanaged: {
    type: 'list<string>',
    description:
      'Undeclared live workspaces in scope, if the whole scope was read, and undeclared grants of projects with declared access.',
  },
};

const attributes: Fields = Object.fromEntries(
  Object.entries(workspaceAttributes).map(([path, row]) => [
    path,
    { type: rowType(row), description: row.description, missing: 'not returned by the service' },
  ]),
);

const permissionFields: Fields = Object.fromEntries(
  Object.entries(permissions).map(([path, { values }]) => [
    path,
    {
      type: typeof values[0] === 'boolean' ? 'bool' : 'string',
      description: 'A permission of the permission table.',
      missing: 'unknown',
    },
  ]),
);

/** The types of the data, each after those that it uses. */
export const policyTypes = {
  Place: place,
  Field: field,
  Call: call,
  Hold: hold,
  Change: change,
  Attributes: attributes,
  Permissions: permissionFields,
  Workspace: workspace,
  Grant: grant,
  Project: project,
  Summary: summary,
  Plan: plan,
} as const satisfies Record<string, Fields>;
/** A type of the data that policies are evaluated on. */
export type PolicyType = keyof typeof policyTypes;

/** The type of the variable that an expression has; the variable has the name of the subject. */
export const subjectTypes = {
  change: 'Change',
  workspace: 'Workspace',
  grant: 'Grant',
  project: 'Project',
  plan: 'Plan',
} as const satisfies Record<PolicySubject, PolicyType>;
