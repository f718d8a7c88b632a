import { attributePaths, modeFlag, sharingSwitches } from '../model/attributes.ts';
import { isRecord, type Values } from '../model/value.ts';
import { attributePlaces } from './places.ts';
import {
  type ArgumentValue,
  type TerraformReference,
  type TerraformResource,
  toTemplate,
} from './terraform-resource.ts';
import { type ExportedWorkspace, heldValue, isWrittenOnce } from './unsupported-settings.ts';
import { tagArguments } from './workspace-resource.ts';

const consumersPath = 'remote-state-consumers';

/**
 * The execution mode and the state sharing of a workspace, as `tfe_workspace_settings`; `undefined` if neither is
 * declared. It refers to workspaces and no workspace refers to it, so two workspaces can read each other's state.
 */
export function settingsResource(
  workspace: ExportedWorkspace,
  consumerId: (key: string) => string | TerraformReference,
): TerraformResource | undefined {
  const { target, live, name, id } = workspace;
  const declared = (path: string) => heldValue(workspace, path);
  const paths = attributePaths.filter((path) => attributePlaces[path].resource === 'tfe_workspace_settings');
  if (![...paths, consumersPath].some((path) => declared(path) !== undefined)) return undefined;

  const values: Record<string, ArgumentValue> = { workspace_id: id };
  const ignoreChanges: string[] = [];
  addExecution(workspace, { values, ignoreChanges });
  const isUnmanaged = declared(consumersPath) === undefined || isWrittenOnce(consumersPath, workspace);
  // An ignored list would keep the live consumers, which the provider refuses beside a switch.
  if (isUnmanaged && !sharingSwitches.some((path) => declared(path) === true))
    ignoreChanges.push('remote_state_consumer_ids');
  if (declared(consumersPath) !== undefined) {
    const keys = [target.attributes[consumersPath] ?? []].flat().map(String);
    values.remote_state_consumer_ids = keys.map(consumerId).sort(byText);
  }
  // With any change the provider also sends these, and switches off what it does not know.
  for (const path of [...sharingSwitches, 'auto-apply', 'assessments-enabled'] as const) {
    const value = declared(path);
    const { argument } = attributePlaces[path];
    if (typeof value === 'boolean') values[argument] = value;
    else ignoreChanges.push(argument);
  }
  // The provider sends their former values after those of `tfe_workspace`.
  const description = declared('description');
  if (typeof description === 'string') values.description = description;
  if (!isWrittenOnce('tag-bindings', workspace))
    Object.assign(values, tagArguments(workspace.desired, target).values);
  return {
    type: 'tfe_workspace_settings',
    name,
    arguments: values,
    ignoreChanges,
    ...(live?.id !== undefined && { importId: live.id }),
  };
}

/** Without a mode the provider clears the workspace's own, which is what an overwrite flag of `false` requests. */
function addExecution(
  workspace: ExportedWorkspace,
  { values, ignoreChanges }: { values: Record<string, ArgumentValue>; ignoreChanges: string[] },
): void {
  const { desired, target, live, fields } = workspace;
  if (desired.attributes[modeFlag] === false) return;
  const operations = fields.find(({ path }) => path === 'operations')?.after;
  // The settings, which are applied last, replace the mode that `operations` of `tfe_workspace` sets.
  const implied = operations === undefined ? undefined : operations ? 'remote' : 'local';
  const mode = heldValue(workspace, 'execution-mode') ?? implied;
  const pool = heldValue(workspace, 'agent-pool-id');
  const hasPool = typeof pool === 'string';
  // The provider requires each of the two with the other.
  if (mode !== undefined || hasPool) values.execution_mode = String(mode ?? 'agent');
  if (hasPool) values.agent_pool_id = pool;
  else if (mode === 'agent') values.agent_pool_id = String(target.attributes['agent-pool-id']);
  // With any change the provider makes an ignored mode the workspace's own, so one that it inherits is omitted.
  const isIgnored = mode === undefined && live !== undefined && live.attributes[modeFlag] !== false;
  if (isIgnored) ignoreChanges.push('execution_mode');
  if (pool === undefined && (isIgnored || mode === 'agent')) ignoreChanges.push('agent_pool_id');
}

/** Ids are random; the order by name makes the same files give the same bytes in every organization. */
function byText(a: string | TerraformReference, b: string | TerraformReference): number {
  const [first, second] = [String(toTemplate(a)), String(toTemplate(b))];
  return first < second ? -1 : first > second ? 1 : 0;
}

/** The workspace's own data retention, as `tfe_data_retention_policy`; `undefined` if none is declared. */
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
    // The import id contains the current name, even before a rename.
    ...(live && hasOwn && { importId: `${organization}/${live.name}` }),
  };
}
