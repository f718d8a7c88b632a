import type { AttributePath, ProjectPath } from './attribute-values.ts';
import type { AttributeSpec } from './rows.ts';

const textSpec = { type: 'string', default: null, nullable: true } as const;
const required = { type: 'string', default: null, nullable: false, notEmpty: true } as const;
const flagSpec = (byDefault: boolean) => ({ type: 'boolean', default: byDefault, nullable: false }) as const;
const listSpec = {
  type: 'strings',
  default: [],
  nullable: false,
  compare: 'set',
  coupling: 'triggers',
} as const;

const argumentOf =
  <Resource extends AttributeSpec['terraform']['resource']>(resource: Resource) =>
  (whenOmitted: AttributeSpec['terraform']['whenOmitted'], argument?: string) =>
    ({ resource, whenOmitted, argument }) as const;
const workspace = argumentOf('tfe_workspace');
const settings = argumentOf('tfe_workspace_settings');
const project = argumentOf('tfe_project');

const durationHint = 'write one to four digits, not all zero, and d (days) or h (hours): 14d';
const durationPattern = /^(?!0+[dh])\d{1,4}[dh]$/;
const timestampPattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
export const executionModes = ['remote', 'local', 'agent'] as const;

export const workspaceAttributes: Readonly<Record<AttributePath, AttributeSpec>> = {
  'agent-pool-id': {
    ...textSpec,
    notEmpty: true,
    description:
      'The agent pool that executes the runs. Required with `execution-mode: agent`, not allowed with the other modes.',
    reference: 'agent-pools',
    coupling: 'execution',
    example: 'onprem',
    terraform: settings('cleared'),
  },
  'allow-destroy-plan': {
    ...flagSpec(true),
    description: 'Whether destroy plans can be queued.',
    alwaysImported: true,
    terraform: workspace(true),
  },
  'assessments-enabled': {
    ...flagSpec(false),
    description: 'Whether health assessments run. Only on the hosted offering.',
    hostedOnly: true,
    terraform: workspace('kept'),
  },
  'auto-apply': {
    ...flagSpec(false),
    description: 'Apply after a successful plan, for runs started by VCS, UI or CLI.',
    alwaysImported: true,
    terraform: workspace('kept'),
  },
  'auto-apply-run-trigger': {
    ...flagSpec(false),
    description: 'Apply after a successful plan, for runs started by run triggers.',
    alwaysImported: true,
    terraform: workspace(false),
  },
  'auto-destroy-at': {
    ...textSpec,
    description:
      'When the next destroy run starts, as a timestamp with a time zone (2026-01-31T18:00:00Z); null for never. Not together with `auto-destroy-activity-duration`.',
    compare: 'instant',
    pattern: timestampPattern,
    errorMessage: 'write date, time and time zone: 2026-01-31T18:00:00Z',
    coupling: 'scheduled-destroy',
    alwaysImported: true,
    example: '2026-01-31T18:00:00Z',
    terraform: workspace('cleared'),
  },
  'auto-destroy-activity-duration': {
    ...textSpec,
    description:
      'Schedules a destroy run after this time of inactivity: one to four digits and `d` (days) or `h` (hours); null: the duration of its project applies, if it has one.',
    pattern: durationPattern,
    errorMessage: durationHint,
    coupling: 'scheduled-destroy',
    alwaysImported: true,
    example: '14d',
    terraform: workspace('cleared'),
  },
  description: {
    ...textSpec,
    description: 'Free text.',
    example: 'Shared VPCs',
    terraform: workspace('kept'),
  },
  'execution-mode': {
    type: 'string',
    default: null,
    nullable: false,
    description: 'Where runs are executed: `remote`, `local` (state storage only) or `agent`.',
    defaultDescription: "the default of its project, else the organization's",
    values: executionModes,
    coupling: 'execution',
    alwaysImported: true,
    terraform: settings('cleared'),
  },
  'file-triggers-enabled': {
    ...flagSpec(true),
    description:
      'true: only changed files that match `trigger-prefixes` (together with `working-directory`) or `trigger-patterns` start a run. false: every push starts a run.',
    coupling: 'triggers',
    alwaysImported: true,
    terraform: workspace(true),
  },
  'global-remote-state': {
    ...flagSpec(false),
    description:
      "Lets every workspace of the organization read this workspace's state. false: only its `remote-state-consumers` can read it, unless `project-remote-state` is true.",
    alwaysImported: true,
    terraform: settings('kept'),
  },
  operations: {
    ...flagSpec(true),
    description: 'false: state storage only.',
    deprecated: 'Use `execution-mode`.',
    coupling: 'execution',
    terraform: workspace('kept'),
  },
  'project-remote-state': {
    ...flagSpec(false),
    description:
      "Lets every workspace of its project read this workspace's state. Not together with `global-remote-state`. Only with the `terraform` dialect.",
    only: 'terraform',
    alwaysImported: true,
    terraform: settings('kept'),
  },
  'queue-all-runs': {
    ...flagSpec(false),
    description:
      'Whether runs are queued immediately after creation. false: VCS runs wait until one run has been queued manually.',
    alwaysImported: true,
    terraform: workspace(true),
  },
  'source-name': {
    ...textSpec,
    description: 'The name of the client that creates the workspace. Sent on create only.',
    nullable: false,
    createOnly: true,
    example: 'attune',
    terraform: workspace('cleared'),
  },
  'source-url': {
    ...textSpec,
    description: 'The URL of the client that creates the workspace. Sent on create only.',
    nullable: false,
    createOnly: true,
    example: 'https://git.example.com/acme/infrastructure',
    terraform: workspace('cleared'),
  },
  'speculative-enabled': {
    ...flagSpec(true),
    description: 'Whether automatic speculative plans (on pull requests) are allowed.',
    alwaysImported: true,
    terraform: workspace(true),
  },
  'iac-version': {
    ...required,
    description: 'An exact version or a constraint, in quotes: `"1.9.2"`, `"~> 1.9.0"`.',
    defaultDescription: 'the newest release on the day of creation',
    example: '~> 1.9.0',
    wire: { terraform: 'terraform-version' },
    terraform: workspace('kept'),
  },
  'trigger-patterns': {
    ...listSpec,
    description: "Globs of files that start a run, relative to the repository's root.",
    example: 'modules/**/*.tf',
    terraform: workspace('cleared'),
  },
  'trigger-prefixes': {
    ...listSpec,
    description:
      "Folders whose changes start a run, in addition to the working directory, relative to the repository's root.",
    example: 'modules/network',
    terraform: workspace('cleared'),
  },
  'working-directory': {
    ...textSpec,
    description: "The folder in which runs are executed; null for the repository's root.",
    example: 'environments/prod',
    terraform: workspace('cleared'),
  },
  'vcs-repo.branch': {
    ...textSpec,
    description: "The branch; null for the repository's default branch.",
    example: 'main',
    terraform: workspace('cleared'),
  },
  'vcs-repo.identifier': {
    ...required,
    description: '`<organization>/<repository>`, or `<organization>/<project>/_git/<repository>`.',
    example: 'acme/network',
    terraform: workspace('cleared'),
  },
  'vcs-repo.ingress-submodules': {
    ...flagSpec(false),
    description: 'Fetch submodules on clone.',
    terraform: workspace(false),
  },
  'vcs-repo.oauth-token-id': {
    ...required,
    description: 'The VCS connection. Not together with `vcs-app-installation-id`.',
    reference: 'vcs-connections',
    coupling: 'vcs-credentials',
    example: 'github',
    terraform: workspace('cleared'),
  },
  'vcs-repo.vcs-app-installation-id': {
    ...required,
    description: "The id of the installation of the VCS provider's app. Not together with `oauth-token-id`.",
    coupling: 'vcs-credentials',
    wire: { terraform: 'github-app-installation-id' },
    example: 'ghain-4Fq',
    terraform: workspace('cleared'),
  },
  'vcs-repo.tags-regex': {
    ...textSpec,
    description: 'A Git tag that matches this regular expression starts a run; null for none.',
    coupling: 'triggers',
    example: String.raw`v\d+\.\d+\.\d+`,
    terraform: workspace('cleared'),
  },
  'setting-overwrites.execution-mode': {
    ...flagSpec(true),
    description:
      "true: the workspace's own `execution-mode` applies and is required. false: the default of its project applies, else the organization's.",
    coupling: 'execution',
    terraform: settings('kept', 'overwrites.execution_mode'),
  },
  'setting-overwrites.agent-pool': {
    ...flagSpec(true),
    description:
      "true: the workspace's own `agent-pool-id` applies. false: the default of its project applies, else the organization's.",
    coupling: 'execution',
    terraform: settings('kept', 'overwrites.agent_pool'),
  },
};

export const projectAttributes: Readonly<Record<ProjectPath, AttributeSpec>> = {
  name: {
    ...textSpec,
    nullable: false,
    description: 'The name on the service; unique in the organization, upper and lower case are the same.',
    pattern: /^[A-Za-z0-9_-][A-Za-z0-9 _-]{1,38}[A-Za-z0-9_-]$/,
    errorMessage: 'use 3 to 40 letters, digits, spaces, "-" and "_", without a space at either end',
    example: 'Payments Platform',
    terraform: project('kept'),
  },
  description: {
    ...textSpec,
    description: 'What the project is for; null for no description.',
    maxLength: 256,
    errorMessage: 'shorten it to 256 characters',
    example: 'Shared VPCs',
    terraform: project('kept'),
  },
  'auto-destroy-activity-duration': {
    ...textSpec,
    description:
      'How long after the last activity the infrastructure of its workspaces is destroyed: one to four digits and `d` (days) or `h` (hours); null for never. Workspaces inherit it.',
    pattern: durationPattern,
    errorMessage: durationHint,
    alwaysImported: true,
    example: '14d',
    terraform: project('cleared'),
  },
  'default-execution-mode': {
    ...textSpec,
    description: "The execution mode of its workspaces without their own; null for the organization's.",
    values: executionModes,
    coupling: 'execution',
    alwaysImported: true,
    terraform: argumentOf('tfe_project_settings')('cleared'),
  },
  'default-agent-pool': {
    ...textSpec,
    description:
      'The agent pool of these workspaces. Required with `default-execution-mode: agent`, not allowed otherwise.',
    notEmpty: true,
    reference: 'agent-pools',
    coupling: 'execution',
    wire: { terraform: 'default-agent-pool-id' },
    example: 'onprem',
    terraform: argumentOf('tfe_project_settings')('cleared'),
  },
};
