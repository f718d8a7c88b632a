import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import type { PermissionPath } from '../model/attribute-values.ts';
import { isRepositoryPath, type WorkspaceRelation } from '../model/attributes.ts';
import { permissions } from '../model/permissions.ts';
import { type AttributeSpec, wireNameOf } from '../model/rows.ts';

/** The resource types of Terraform's `tfe` provider that an export contains. */
export const resourceTypes = [
  'tfe_project',
  'tfe_project_settings',
  'tfe_workspace',
  'tfe_workspace_settings',
  'tfe_data_retention_policy',
  'tfe_team_project_access',
] as const;
/** One of the resource types of a Terraform export. */
export type ResourceType = (typeof resourceTypes)[number];

/**
 * The argument of the provider for a setting. What the provider does not leave alone where it is left out is listed in
 * `lifecycle.ignore_changes`, which makes it unmanaged in Terraform.
 */
export interface Place {
  readonly resource: ResourceType;
  /** The name of the argument; inside `vcs_repo` with a dot. */
  readonly argument: string;
  readonly leftOut: 'kept' | 'cleared' | boolean;
}

export const attributePlaces = placesOfRows(workspaceAttributes);
export const projectArguments = placesOfRows(projectAttributes);

function placesOfRows<Path extends string>(
  rows: Readonly<Record<Path, AttributeSpec>>,
): Readonly<Record<Path, Place>> {
  const places = Object.entries<AttributeSpec>(rows).map(([path, row]) => {
    const { resource, whenOmitted, argument } = row.terraform;
    const name = snakeCase(wireNameOf(rows, path as Path, 'terraform'));
    const usual = isRepositoryPath(path) ? `vcs_repo.${name}` : name;
    return [path, { resource, argument: argument ?? usual, leftOut: whenOmitted }];
  });
  return Object.fromEntries(places);
}

export const relationPlaces: Readonly<Record<WorkspaceRelation, Place | undefined>> = {
  project: { resource: 'tfe_workspace', argument: 'project_id', leftOut: 'kept' },
  tags: { resource: 'tfe_workspace', argument: 'tag_names', leftOut: 'kept' },
  'tag-bindings': { resource: 'tfe_workspace', argument: 'tags', leftOut: 'kept' },
  'remote-state-consumers': {
    resource: 'tfe_workspace_settings',
    argument: 'remote_state_consumer_ids',
    leftOut: 'cleared',
  },
  'ssh-key': { resource: 'tfe_workspace', argument: 'ssh_key_id', leftOut: 'cleared' },
  lock: undefined,
  'data-retention': { resource: 'tfe_data_retention_policy', argument: 'delete_older_than', leftOut: 'kept' },
};

/** Arguments of `tfe_workspace` with a default and without a counterpart in Attune. */
export const unknownArguments = ['structured_run_output_enabled', 'force_delete'] as const;

export function permissionPlace(path: PermissionPath): readonly [block: string, argument: string] {
  return [snakeCase(path.slice(0, path.indexOf('.'))), snakeCase(wireNameOf(permissions, path, 'terraform'))];
}

function snakeCase(name: string): string {
  return name.replaceAll('-', '_');
}
