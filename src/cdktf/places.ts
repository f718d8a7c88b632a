import {
  type AttributePath,
  attributePaths,
  type WorkspaceRelation,
  wireName,
  workspaceAttributes,
} from '../model/attributes.ts';
import { type PermissionPath, permissionWireName } from '../model/permissions.ts';

/** The resources of Terraform's `tfe` provider that a configuration becomes. */
export const resourceTypes = [
  'tfe_project',
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

/** The argument of every attribute. */
export const attributePlaces = Object.fromEntries(
  attributePaths.map((path) => {
    const { resource, whenOmitted, argument } = workspaceAttributes[path].terraform;
    return [path, { resource, argument: argument ?? argumentOf(path), leftOut: whenOmitted }];
  }),
) as Readonly<Record<AttributePath, Place>>;

function argumentOf(path: AttributePath): string {
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
