import type { AttributePath, WorkspaceRelation } from '../model/attributes.ts';
import { wireName } from '../model/attributes.ts';
import { type PermissionPath, permissionWireName } from '../model/permissions.ts';

/** The resources of Terraform's `tfe` provider that a configuration becomes. */
export const resourceTypes = [
  'tfe_workspace',
  'tfe_workspace_settings',
  'tfe_data_retention_policy',
  'tfe_team_project_access',
] as const;
/** One of the resources that a configuration becomes. */
export type ResourceType = (typeof resourceTypes)[number];

/**
 * Where the provider keeps a setting.
 *
 * The provider and Attune differ in what a setting that is not written means. Attune leaves it alone; the provider
 * leaves it alone (`kept`), clears it (`cleared`), or sets a default of its own (that value). What would not be kept
 * goes into `lifecycle.ignore_changes`, which is Terraform's word for unmanaged.
 */
export interface Place {
  readonly resource: ResourceType;
  /** The name of the argument; of one inside `vcs_repo` with the dot. */
  readonly argument: string;
  readonly leftOut: 'kept' | 'cleared' | boolean;
}

type Home = readonly [resource: 'tfe_workspace' | 'tfe_workspace_settings', leftOut: Place['leftOut']];

const homes: Readonly<Record<AttributePath, Home>> = {
  // Both are cleared together: the workspace goes back to what its project or organization says.
  'agent-pool-id': ['tfe_workspace_settings', 'cleared'],
  'execution-mode': ['tfe_workspace_settings', 'cleared'],
  'setting-overwrites.execution-mode': ['tfe_workspace_settings', 'kept'],
  'setting-overwrites.agent-pool': ['tfe_workspace_settings', 'kept'],
  'global-remote-state': ['tfe_workspace_settings', 'kept'],
  'allow-destroy-plan': ['tfe_workspace', true],
  'assessments-enabled': ['tfe_workspace', 'kept'],
  'auto-apply': ['tfe_workspace', 'kept'],
  'auto-apply-run-trigger': ['tfe_workspace', false],
  'auto-destroy-at': ['tfe_workspace', 'cleared'],
  'auto-destroy-activity-duration': ['tfe_workspace', 'cleared'],
  description: ['tfe_workspace', 'kept'],
  'file-triggers-enabled': ['tfe_workspace', true],
  operations: ['tfe_workspace', 'kept'],
  'queue-all-runs': ['tfe_workspace', true],
  'source-name': ['tfe_workspace', 'cleared'],
  'source-url': ['tfe_workspace', 'cleared'],
  'speculative-enabled': ['tfe_workspace', true],
  'iac-version': ['tfe_workspace', 'kept'],
  'trigger-patterns': ['tfe_workspace', 'cleared'],
  'trigger-prefixes': ['tfe_workspace', 'cleared'],
  'working-directory': ['tfe_workspace', 'cleared'],
  'vcs-repo.branch': ['tfe_workspace', 'cleared'],
  'vcs-repo.identifier': ['tfe_workspace', 'cleared'],
  'vcs-repo.ingress-submodules': ['tfe_workspace', false],
  'vcs-repo.oauth-token-id': ['tfe_workspace', 'cleared'],
  'vcs-repo.vcs-app-installation-id': ['tfe_workspace', 'cleared'],
  'vcs-repo.tags-regex': ['tfe_workspace', 'cleared'],
};

/** What the provider calls by another name than its wire name. The flags show there and follow the mode. */
const overwrites = {
  'setting-overwrites.execution-mode': 'overwrites.execution_mode',
  'setting-overwrites.agent-pool': 'overwrites.agent_pool',
} as const satisfies Partial<Record<AttributePath, string>>;

/** Every attribute of the table, and where the provider keeps it. */
export const attributePlaces = Object.fromEntries(
  Object.entries(homes).map(([path, [resource, leftOut]]) => [
    path,
    { resource, argument: argumentOf(path as AttributePath), leftOut },
  ]),
) as Readonly<Record<AttributePath, Place>>;

function argumentOf(path: AttributePath): string {
  if (path in overwrites) return overwrites[path as keyof typeof overwrites];
  const name = snakeCase(wireName(path, 'terraform'));
  return path.startsWith('vcs-repo.') ? `vcs_repo.${name}` : name;
}

/** What a workspace has beside its attributes; `undefined` where the provider has nothing for it. */
export const relationPlaces: Readonly<Record<WorkspaceRelation, Place | undefined>> = {
  project: { resource: 'tfe_workspace', argument: 'project_id', leftOut: 'kept' },
  tags: { resource: 'tfe_workspace', argument: 'tag_names', leftOut: 'kept' },
  'remote-state-consumers': {
    resource: 'tfe_workspace_settings',
    argument: 'remote_state_consumer_ids',
    leftOut: 'cleared',
  },
  'ssh-key': { resource: 'tfe_workspace', argument: 'ssh_key_id', leftOut: 'cleared' },
  lock: undefined,
  'data-retention': { resource: 'tfe_data_retention_policy', argument: 'delete_older_than', leftOut: 'kept' },
};

/** Arguments of `tfe_workspace` with a default that stand for nothing a file can declare. */
export const unknownArguments = ['structured_run_output_enabled', 'force_delete'] as const;

/** Where a permission stands in `tfe_team_project_access`: the block, and the argument in it. */
export function permissionPlace(path: PermissionPath): readonly [block: string, argument: string] {
  return [snakeCase(path.slice(0, path.indexOf('.'))), snakeCase(permissionWireName(path, 'terraform'))];
}

function snakeCase(name: string): string {
  return name.replaceAll('-', '_');
}
