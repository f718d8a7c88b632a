import type { AliasKind } from './alias-kind.ts';
import {
  type Dialect,
  pathsOf,
  placesByDialect,
  placesOf,
  type SpelledRow,
  type WirePlace,
  wireNameOf,
} from './dialect.ts';

/**
 * One writable workspace attribute (interface, sections 2.1 and 2.2). Everything that depends on an attribute is derived
 * from its row: comparison, import, export, wire names and the emulator at run time; both schemas, the construct props,
 * the SDK types and the reference tables by `npm run generate`.
 */
export interface AttributeSpec extends SpelledRow {
  readonly type: 'string' | 'boolean' | 'strings';
  /** What the attribute does, for editors, the reference and the types. Write names of attributes in backticks. */
  readonly description: string;
  /** The value that the service stores when a create omits the attribute. `null`: none, or not documented. */
  readonly default: string | boolean | null | readonly string[];
  /** The default in words, if it is not a fixed value. */
  readonly defaultDescription?: string;
  /** Whether `null` clears it. If not, `null` is an error. */
  readonly nullable: boolean;
  /** How two values are compared: as text, as a set of texts, or as a moment in time. @default 'text' */
  readonly compare?: 'set' | 'instant';
  readonly values?: readonly string[];
  readonly pattern?: RegExp;
  /** What to write if the pattern does not match. */
  readonly errorMessage?: string;
  /** The service refuses an empty text. */
  readonly notEmpty?: true;
  /** What editors offer for a text or for an entry of a list that has no `values`. */
  readonly example?: string;
  /** What editors insert instead of an example. */
  readonly snippet?: { readonly label: string; readonly body: string };
  /** What to write instead. */
  readonly deprecated?: string;
  /** Sent on create only; never a reason to update. */
  readonly createOnly?: true;
  /** Only the hosted offering has it. If a document omits it, its value is unknown. */
  readonly hostedOnly?: true;
  /** Starts, applies or destroys runs, or shares state. An import writes it even if it has the default value. */
  readonly alwaysImported?: true;
  /** A file may give an alias or a name; the service accepts only the id. */
  readonly reference?: AliasKind;
  /** Attributes of one group depend on each other: the service may change the others when one of them is written. */
  readonly coupling?: Coupling;
  readonly terraform: TerraformArgument;
}

/** The groups of attributes that depend on each other. */
export type Coupling = 'execution' | 'triggers' | 'scheduled-destroy' | 'vcs-credentials';

/**
 * The argument of Terraform's `tfe` provider that holds the attribute.
 *
 * Attune leaves an omitted attribute alone. The provider leaves it alone (`kept`), clears it (`cleared`), or sets its own
 * default (that value).
 */
export interface TerraformArgument {
  readonly resource: 'tfe_workspace' | 'tfe_workspace_settings';
  readonly whenOmitted: 'kept' | 'cleared' | boolean;
  /** @default the wire name in snake case, inside the block of the mapping that holds it */
  readonly argument?: string;
}

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

const workspace = (whenOmitted: TerraformArgument['whenOmitted']) =>
  ({ resource: 'tfe_workspace', whenOmitted }) as const;
const settings = (whenOmitted: TerraformArgument['whenOmitted'], argument?: string) =>
  ({ resource: 'tfe_workspace_settings', whenOmitted, ...(argument !== undefined && { argument }) }) as const;

/** The format of `auto-destroy-activity-duration`: one to four digits, not zero, and a unit. */
export const durationHint = 'write one to four digits, not all zero, and d (days) or h (hours): 14d';
export const durationPattern = /^(?!0+[dh])\d{1,4}[dh]$/;
/** A timestamp with a time zone. */
const timestampPattern = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})$/;
/** The format of a workspace name. */
export const workspaceNamePattern = /^[A-Za-z0-9_-]+$/;
/** The format of a selection by name, with `*` for any run of characters. */
export const selectedNamePattern = /^[A-Za-z0-9_*-]+$/;
/** The format of a selection by tag. Only names have patterns. */
export const selectedTagPattern = /^[^*?]+$/;
/** The ways a run is executed. */
export const executionModes = ['remote', 'local', 'agent'] as const;

/** The writable attributes of a workspace, one row each. */
export const attributeTable = {
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
    snippet: { label: 'version', body: `"\${1:~> 1.9.0}"` },
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
} as const satisfies Record<string, AttributeSpec>;

/** The table with every value it holds, for types that are made from it. */
export type AttributeTable = typeof attributeTable;

/** A writable attribute but for `name`, dotted inside `vcs-repo` and `setting-overwrites`. */
export type AttributePath = keyof typeof attributeTable;

export const workspaceAttributes: Readonly<Record<AttributePath, AttributeSpec>> = { ...attributeTable };
export const attributePaths = Object.keys(attributeTable) as readonly AttributePath[];

/** The attributes that services of a dialect have. */
export function attributePathsOf(dialect: Dialect): readonly AttributePath[] {
  return pathsOf(workspaceAttributes, dialect);
}

/** The switches that share the state with more than the consumers; both at once are refused. */
export const sharingSwitches = [
  'global-remote-state',
  'project-remote-state',
] as const satisfies readonly AttributePath[];
export type SharingSwitch = (typeof sharingSwitches)[number];

/** Who may read the state while a switch is on. */
export const sharedWith: Readonly<Record<SharingSwitch, string>> = {
  'global-remote-state': 'all workspaces',
  'project-remote-state': 'all workspaces of its project',
};

/** The switch that shares the state. While it is on, the service lists other workspaces than the stored consumers. */
export function sharingSwitchOf(attributes: Readonly<Record<string, unknown>>): SharingSwitch | undefined {
  return sharingSwitches.find((path) => attributes[path] === true);
}

/** When a workspace is destroyed: at a time, or after a duration without a run, which it can inherit from its project. */
export const destroyTime = 'auto-destroy-at';
export const destroyDuration = 'auto-destroy-activity-duration';
export const inheritedDestroyDuration = 'inherited-auto-destroy-activity-duration';

/** The attributes that show whether the execution mode and the agent pool are the workspace's own. */
export const modeFlag = 'setting-overwrites.execution-mode';
export const poolFlag = 'setting-overwrites.agent-pool';

/** Whether the agent pool is inherited. Without its own flag, it is inherited together with the execution mode. */
export function inheritsPool(flagOf: (path: AttributePath) => unknown): boolean {
  const flag = flagOf(poolFlag);
  return flag === false || (flag !== true && flagOf(modeFlag) === false);
}

/** Attributes whose default differs from the interface on some platforms. */
export const variesByPlatform: ReadonlySet<string> = new Set<AttributePath>([
  'global-remote-state',
  'file-triggers-enabled',
]);

/** Attributes that are mappings. Attune manages only the keys that a file declares. */
export const nestedAttributes = ['vcs-repo', 'setting-overwrites'] as const;
export type NestedAttribute = (typeof nestedAttributes)[number];

/** The mappings themselves, for the schemas and types. */
export const nestedAttributeSpecs: Readonly<Record<NestedAttribute, NestedAttributeSpec>> = {
  'vcs-repo': {
    title: 'vcs-repo',
    description:
      'The repository; only the named keys are managed. null: none. A new one needs `identifier` and `oauth-token-id`, or `vcs-app-installation-id` in the `terraform` dialect.',
    nullable: true,
  },
  'setting-overwrites': {
    title: 'setting-overwrites mapping',
    description:
      'For settings that a workspace can inherit: true, the workspace has its own value; false, the default of its project applies, else that of the organization. Only the named keys are managed.',
    nullable: false,
  },
};

export interface NestedAttributeSpec {
  readonly title: string;
  readonly description: string;
  readonly nullable: boolean;
}

/** The settings of a workspace that have separate calls. */
export const workspaceRelations = [
  'project',
  'tags',
  'tag-bindings',
  'remote-state-consumers',
  'ssh-key',
  'lock',
  'data-retention',
] as const;
export type WorkspaceRelation = (typeof workspaceRelations)[number];

export function isRelation(path: string): path is WorkspaceRelation {
  return workspaceRelations.some((relation) => relation === path);
}

/** Settings that are lists. Layers are merged entry by entry. */
export const listPaths: ReadonlySet<string> = new Set([
  'tags',
  'remote-state-consumers',
  ...attributePaths.filter((path) => workspaceAttributes[path].type === 'strings'),
]);

/** The attributes that are coupled with one of these paths, themselves included. */
export function coupledPaths(paths: readonly string[]): AttributePath[] {
  const groups = new Set(
    paths.flatMap((path) => (isAttributePath(path) ? (workspaceAttributes[path].coupling ?? []) : [])),
  );
  return attributePaths.filter((path) => {
    const { coupling } = workspaceAttributes[path];
    return coupling !== undefined && groups.has(coupling);
  });
}

export function isAttributePath(path: string): path is AttributePath {
  return Object.hasOwn(workspaceAttributes, path);
}

/** Whether a path is a key, or is nested under it as `vcs-repo.branch` is under `vcs-repo`. */
export function isUnder(path: string, key: string): boolean {
  return path === key || path.startsWith(`${key}.`);
}

/**
 * Whether a value is lost on a service whose workspaces do not have its attribute. Not every service has these; without
 * `project-remote-state`, its default applies.
 */
export function isLost(path: string, value: unknown): boolean {
  if (isUnder(path, 'setting-overwrites')) return true;
  const { only, default: usual } = isAttributePath(path) ? workspaceAttributes[path] : {};
  return only !== undefined && value !== usual;
}

/** Whether a path is a key of a repository. */
export function isRepositoryPath(path: string): boolean {
  return path.startsWith('vcs-repo.');
}

/** The attribute's name on the wire, without the mapping that holds it. */
export function wireName(path: AttributePath, dialect: Dialect): string {
  return wireNameOf(path, workspaceAttributes[path], dialect);
}

export const wirePlaces = placesByDialect(workspaceAttributes);

/** The attributes of a dialect under the names of the interface. */
export function neutralPlaces(dialect: Dialect): readonly WirePlace<AttributePath>[] {
  return placesOf(workspaceAttributes, dialect, 'iac');
}
