import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import { projectPaths } from '../model/attributes.ts';
import { permissions } from '../model/permissions.ts';
import { type AttributeSpec, camelCase } from '../model/rows.ts';
import type { PolicySubject } from '../model/rules.ts';

/** A field of the data that policies are evaluated on: its CEL type, and what it holds. */
interface FieldSpec {
  readonly type: string;
  readonly description: string;
  /** When the field is missing; without it, the field is always there. */
  readonly missing?: string | undefined;
}

type Fields = Readonly<Record<string, FieldSpec>>;

function field(type: string, description: string, missing?: string): FieldSpec {
  return { type, description, missing };
}

function rowField({ type, nullable, description }: AttributeSpec, missing: string): FieldSpec {
  const types = { boolean: 'bool', string: 'string', strings: 'list<string>' };
  return field(nullable ? 'dyn' : types[type], description, missing);
}

const place: Fields = {
  file: field('string', 'The file, relative to the folder of the root file.'),
  line: field('int', 'The line, from 1.'),
  column: field('int', 'The column, from 1.'),
  construct: field('string', 'The path of the construct.', 'not in a program'),
};

const fieldFields: Fields = {
  path: field('string', 'The name of the key, as `auto-apply` or `vcs-repo.branch`.'),
  before: field('dyn', 'The live value; `null` if there is none.'),
  after: field('dyn', 'The value after the plan; `null` if it is cleared.'),
  add: field('list<string>', 'Entries that are added.', 'not a list'),
  remove: field('list<string>', 'Entries that are removed.', 'not a list'),
};

const call: Fields = {
  operation: field('string', 'What the call does, as `updateWorkspace`.'),
  method: field('string', '`POST`, `PATCH`, `PUT` or `DELETE`.'),
  path: field('string', 'The path, relative to `/api/v2`.'),
  body: field('dyn', 'The JSON body.', 'no body'),
  mode: field('string', '`safe` or `force`.', 'not `deleteWorkspace`'),
};

const hold: Fields = {
  by: field('string', '`exception` or `freeze`.'),
  reason: field('string', 'Why it is held.'),
  until: field('string', 'When it ends; `further notice` without an end.'),
  fields: field('list<string>', 'The fields that are not sent.', 'the whole change is held'),
};

const change: Fields = {
  address: field('string', 'The address, as `workspace.network-prod`.'),
  kind: field('string', '`project`, `workspace` or `team-access`.'),
  name: field(
    'string',
    'The name of the workspace, the alias of the project, or `<project>/<team>`, which are aliases.',
  ),
  id: field('string', 'The id on the service.', 'a create'),
  projectId: field(
    'string',
    'The id of the project after the change; of a deleted resource, before it.',
    'unknown, or created by the plan',
  ),
  projectName: field('string', 'The name of this project after the plan.', 'unknown'),
  teamId: field('string', 'The id of the team.', 'not team access'),
  teamName: field('string', 'The name of the team.', 'not team access, or unknown'),
  action: field('string', '`create`, `update` or `delete`.'),
  mode: field('string', 'How a workspace is deleted: `safe` or `force`.', 'not the delete of a workspace'),
  location: field('Place', 'The line that declares it.', 'undeclared (pruned)'),
  resources: field(
    'int',
    'The number of managed resources of a workspace that is deleted.',
    'not a delete, or not returned by the service',
  ),
  fields: field('list<Field>', 'The managed keys that differ; empty for a delete.'),
  origins: field('map<string, Place>', 'The line that declares each field, by its path.', 'no field has one'),
  grants: field(
    'list<Field>',
    'The permissions that an access level implies and that the change grants or revokes.',
    'not a fixed level',
  ),
  until: field('string', 'When the access ends that the change grants.', 'no team access with an end'),
  calls: field('list<Call>', 'The requests that make the change, in their order.'),
  held: field(
    'list<Hold>',
    'Why the change, or some of its fields, is not sent now; what is held has no calls.',
  ),
  protectionLost: field(
    'string',
    'The entry of `guards.protect` that no longer protects the workspace, or one of the project; or `freeze: REASON` of such a window.',
    'protection is not lost',
  ),
  dependsOn: field('list<string>', 'Addresses whose calls come first.'),
};

const resource: Fields = {
  address: field('string', 'The address, as in a plan.'),
  action: field('string', '`create`, `update`, or `none` if the plan does not change it.'),
};

const id: FieldSpec = field('string', 'The id on the service.', 'created by the plan');

const bindings = (description: string, missing: string) => field('map<string, dyn>', description, missing);
const ownBindings = 'Its own key/value tags; `null` for a key without a value.';

const projectId: FieldSpec = field('string', 'The id of the project.', 'unknown, or created by the plan');

const projectName: FieldSpec = field('string', 'The name of the project after the plan.', 'unknown');

const workspace: Fields = {
  ...resource,
  id,
  name: field('string', 'The name.'),
  project: field('string', 'The alias of the project, else its id.', 'created without a project'),
  projectId,
  projectName,
  tags: field('list<string>', 'The tags.'),
  attributes: field(
    'Attributes',
    'The settings of the workspace table, by name, as `attributes["auto-apply"]`.',
  ),
  tagBindings: bindings(ownBindings, 'a service without key/value tags'),
  effectiveTagBindings: bindings(
    'The key/value tags in effect: its own, and those of its project.',
    'unknown, or a service without key/value tags',
  ),
  consumers: field(
    'list<string>',
    'The names of the listed workspaces that may read its state.',
    'unknown, or the state is shared with all workspaces or with those of its project (`global-remote-state`, `project-remote-state`)',
  ),
  readers: field(
    'list<string>',
    'The names of all workspaces that may read its state, through the list or through its project.',
    'unknown, or the state is shared with all workspaces',
  ),
  consumerProjects: field(
    'list<string>',
    'The projects of these workspaces, by alias or id, each once.',
    'like `readers`, or a project is unknown',
  ),
  consumerProjectIds: field(
    'list<string>',
    'The ids of these projects.',
    'like `consumerProjects`, or a project is created by the plan',
  ),
  sshKey: field('dyn', 'The alias of the SSH key, else its id; `null` for none.', 'unknown'),
  locked: field('bool', 'Whether it is locked.', 'unknown'),
  dataRetention: field(
    'dyn',
    'Its own policy, as `{"delete-older-than-days": 30}`; `null` for none.',
    'unknown, or a service without data retention',
  ),
  protect: field('bool', 'Whether `protect: true` or `guards.protect` protects it.'),
};

const grant: Fields = {
  ...resource,
  id,
  project: field('string', 'The alias of the project, else its id.'),
  projectId,
  projectName,
  team: field('string', 'The alias of the team, else its id.'),
  teamId: field('string', 'The id of the team.'),
  teamName: field('string', 'The name of the team.', 'the service does not list the team to this token'),
  effectiveTagBindings: bindings(
    'The key/value tags of the project.',
    'unknown, or a service without key/value tags',
  ),
  access: field('string', '`read`, `write`, `maintain`, `admin` or `custom`.'),
  permissions: field(
    'Permissions',
    'The effective permissions, by path, as `permissions["workspace-access.runs"]`. Only `custom` has `project-access.variable-sets` and `workspace-access.policy-overrides`: what a fixed level implies of them is not documented.',
  ),
  until: field('dyn', 'When it ends, as the file writes it; `null` without an end.'),
  reason: field('dyn', 'Why it exists; `null` without a reason.'),
};

const project: Fields = {
  ...resource,
  id,
  alias: field('string', 'The alias in the files.'),
  name: field('string', 'The name on the service.'),
  projectId: { ...projectId, description: 'The same as `id`, as other resources have it.' },
  projectName: { ...projectName, description: 'The same as `name`, as other resources have it.' },
  effectiveTagBindings: bindings(
    'The key/value tags in effect: its own.',
    'unknown, or a service without key/value tags',
  ),
  ...Object.fromEntries(
    projectPaths
      .filter((path) => path !== 'name')
      .map((path) => [camelCase(path), rowField(projectAttributes[path], 'unknown')]),
  ),
  tagBindings: bindings(ownBindings, 'unknown'),
  protect: field('bool', 'Whether it has `protect: true`.'),
};

const summary: Fields = {
  create: field('int', 'The number of creates.'),
  update: field('int', 'The number of updates.'),
  delete: field('int', 'The number of deletes.'),
  unchanged: field('int', 'The number of declared resources without a difference.'),
  held: field(
    'int',
    'The number of changes of which all or a part is held; those that are held as a whole count nowhere else.',
  ),
  calls: field('int', 'The number of requests.'),
};

const plan: Fields = {
  organization: field('string', 'The name of the organization.'),
  address: field('string', 'The address of the service, or the word `embedded`.'),
  dialect: field('string', '`iac` or `terraform`.'),
  summary: field('Summary', 'The counts.'),
  changes: field('list<Change>', 'All changes.'),
  now: field(
    'google.protobuf.Timestamp',
    'The time for which the plan is made, as `plan.now.getDayOfWeek("Europe/Berlin")`.',
    'a saved plan without a time',
  ),
  unmanaged: field(
    'list<string>',
    'Undeclared live workspaces in scope, if the whole scope was read, and undeclared grants of projects with declared access.',
  ),
};

const attributes: Fields = Object.fromEntries(
  Object.entries(workspaceAttributes).map(([path, row]) => [
    path,
    rowField(row, 'not returned by the service'),
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
  Field: fieldFields,
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
export type PolicyType = keyof typeof policyTypes;

/** The type of the variable that an expression has; the variable has the name of the subject. */
export const subjectTypes = {
  change: 'Change',
  workspace: 'Workspace',
  grant: 'Grant',
  project: 'Project',
  plan: 'Plan',
} as const satisfies Record<PolicySubject, PolicyType>;
