import { permissionPaths } from '../model/permissions.ts';
import type { GrantResource } from '../model/state.ts';
import { permissionPlace } from './places.ts';
import type { TerraformResource } from './terraform-resource.ts';

/** A grant as `tfe_team_project_access`; under `custom` with every permission that the service has, as Attune keeps it. */
export function accessResource(
  desired: GrantResource,
  live: GrantResource | undefined,
  name: string,
): TerraformResource {
  const { access, project, team } = desired.attributes;
  const blocks: Record<string, Record<string, string | boolean>> = {};
  if (access === 'custom') {
    for (const path of permissionPaths) {
      if (desired.attributes[path] === undefined) continue;
      const [block, argument] = permissionPlace(path);
      blocks[block] = { ...blocks[block], [argument]: desired.attributes[path] as string | boolean };
    }
  }
  return {
    type: 'tfe_team_project_access',
    name,
    arguments: {
      access: String(access),
      project_id: String(project),
      team_id: String(team),
      ...Object.fromEntries(Object.entries(blocks).map(([block, values]) => [block, [values]])),
    },
    ignoreChanges: [],
    ...(live?.id !== undefined && { importId: live.id }),
  };
}
