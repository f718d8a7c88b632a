import { durationPattern, executionModes } from './attributes.ts';

/** One writable attribute of a project. */
interface ProjectAttributeSpec {
  readonly description: string;
  /** Whether `null` clears it. */
  readonly nullable: boolean;
  readonly pattern?: RegExp;
  readonly maxLength?: number;
  readonly values?: readonly string[];
  /** The argument of Terraform's provider. */
  readonly argument: string;
  /** The resource of the provider that has the argument. */
  readonly resource: 'tfe_project' | 'tfe_project_settings';
}

/** The attributes of a managed project, in the order in which they are compared, sent and shown. */
export const projectAttributes = {
  name: {
    description: 'The name on the service; unique in the organization, upper and lower case are the same.',
    nullable: false,
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-]$/,
    argument: 'name',
    resource: 'tfe_project',
  },
  description: {
    description: 'What the project is for.',
    nullable: true,
    maxLength: 256,
    argument: 'description',
    resource: 'tfe_project',
  },
  'auto-destroy-activity-duration': {
    description:
      'How long after the last activity the infrastructure of its workspaces is destroyed; workspaces inherit it.',
    nullable: true,
    pattern: durationPattern,
    argument: 'auto_destroy_activity_duration',
    resource: 'tfe_project',
  },
  'default-execution-mode': {
    description:
      "The execution mode of its workspaces without their own: `remote`, `local` or `agent`; null for the organization's.",
    nullable: true,
    values: executionModes,
    argument: 'default_execution_mode',
    resource: 'tfe_project_settings',
  },
  'default-agent-pool': {
    description:
      'The agent pool of these workspaces. Required with `default-execution-mode: agent`, not allowed otherwise.',
    nullable: true,
    argument: 'default_agent_pool_id',
    resource: 'tfe_project_settings',
  },
} as const satisfies Record<ProjectPath, ProjectAttributeSpec>;

/** The name of a project attribute in the files. */
export type ProjectPath =
  | 'name'
  | 'description'
  | 'auto-destroy-activity-duration'
  | 'default-execution-mode'
  | 'default-agent-pool';
export const projectPaths = Object.keys(projectAttributes) as readonly ProjectPath[];

/** The attributes that a project inherits from its organization, which the service takes together. */
export const projectExecutionPaths = [
  'default-execution-mode',
  'default-agent-pool',
] as const satisfies readonly ProjectPath[];

export function isProjectPath(path: string): path is ProjectPath {
  return Object.hasOwn(projectAttributes, path);
}
