import { isRecord, type Values } from '../model/value.ts';
import type { ExportedWorkspace } from './exported-workspace.ts';
import type { TerraformResource } from './terraform-resource.ts';

/** The workspace's own data retention, as `tfe_data_retention_policy`; `undefined` where it declares none. */
export function retentionResource(
  { desired, live, name, id }: ExportedWorkspace,
  organization: string,
): TerraformResource | undefined {
  const policy: Values | null | undefined = desired.attributes['data-retention'];
  if (!isRecord(policy)) return undefined;
  const days = policy['delete-older-than-days'];
  const hasOwn = isRecord(live?.attributes['data-retention']);
  return {
    type: 'tfe_data_retention_policy',
    name,
    arguments: {
      workspace_id: id,
      ...(typeof days === 'number' ? { delete_older_than: { days } } : { dont_delete: {} }),
    },
    ignoreChanges: [],
    // Found by the name that it has today, even where it is to be renamed.
    ...(live && hasOwn && { importId: `${organization}/${live.name}` }),
  };
}
