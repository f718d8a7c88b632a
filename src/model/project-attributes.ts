import { durationPattern } from './attributes.ts';

/** One writable attribute of a project. */
interface ProjectAttributeSpec {
  readonly description: string;
  /** Whether `null` clears it. */
  readonly nullable: boolean;
  readonly pattern?: RegExp;
  readonly maxLength?: number;
  /** The argument of Terraform's `tfe_project`. */
  readonly argument: string;
}

/** The attributes of a managed project, in the order in which they are compared, sent and shown. */
export const projectAttributes = {
  name: {
    description: 'The name on the service; unique in the organization, upper and lower case are the same.',
    nullable: false,
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-]$/,
    argument: 'name',
  },
  description: {
    description: 'What the project is for.',
    nullable: true,
    maxLength: 256,
    argument: 'description',
  },
  'auto-destroy-activity-duration': {
    description:
      'How long after the last activity the infrastructure of its workspaces is destroyed; workspaces inherit it.',
    nullable: true,
    pattern: durationPattern,
    argument: 'auto_destroy_activity_duration',
  },
} as const satisfies Record<ProjectPath, ProjectAttributeSpec>;

/** The name of a project attribute, in the files and on the wire. */
export type ProjectPath = 'name' | 'description' | 'auto-destroy-activity-duration';
export const projectPaths = Object.keys(projectAttributes) as readonly ProjectPath[];

export function isProjectPath(path: string): path is ProjectPath {
  return Object.hasOwn(projectAttributes, path);
}
