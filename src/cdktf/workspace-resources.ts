import { sameAttribute } from '../diff/fields.ts';
import { workspaceAttributes } from '../model/attribute-table.ts';
import type { AttributePath } from '../model/attribute-values.ts';
import {
  attributePaths,
  isAttributePath,
  isRepositoryPath,
  modeFlag,
  sharingSwitches,
  sharingSwitchOf,
} from '../model/attributes.ts';
import { asBindingRule, asBindings } from '../model/list-rule.ts';
import type { ProjectResource, WorkspaceResource } from '../model/state.ts';
import { compareTexts, isRecord, listTexts, type Value, type Values } from '../model/value.ts';
import { attributePlaces, unknownArguments } from './places.ts';
import {
  type ArgumentValue,
  type TerraformReference,
  type TerraformResource,
  toTemplate,
} from './terraform-document.ts';
import { declaredTriggers, type ExportedWorkspace } from './unsupported-settings.ts';

interface Written {
  readonly values: Record<string, ArgumentValue>;
  readonly ignoreChanges: string[];
}

interface ResourcesContext {
  readonly organization: string;
  readonly projectId: (id: string) => string | TerraformReference;
  readonly consumerId: (key: string) => string | TerraformReference;
}

export function workspaceResources(
  workspace: ExportedWorkspace,
  context: ResourcesContext,
): TerraformResource[] {
  return [
    workspaceResource(workspace, context),
    ...settingsResource(workspace, context),
    ...retentionResource(workspace, context),
  ];
}

function workspaceResource(workspace: ExportedWorkspace, context: ResourcesContext): TerraformResource {
  const { organization, projectId } = context;
  const { desired, target, live, name } = workspace;
  const values: Written['values'] = { name: desired.name, organization };
  const ignoreChanges: string[] = [...unknownArguments];
  for (const path of attributePaths) {
    const { resource, argument, leftOut } = attributePlaces[path];
    if (resource !== 'tfe_workspace' || isRepositoryPath(path)) continue;
    const declared = heldValue(workspace, path);
    const value =
      declared === undefined ? defaultOnCreate(path, workspace) : written(path, declared, workspace);
    if (value !== undefined) values[argument] = value;
    const isManaged = declared !== undefined && !workspaceAttributes[path].createOnly;
    if ((!isManaged && leftOut !== 'kept') || isWrittenOnce(path, workspace)) ignoreChanges.push(argument);
  }
  // The service returns no list in this case, so the provider would plan `(known after apply)` forever.
  if (sharingSwitchOf(target.attributes)) ignoreChanges.push('remote_state_consumer_ids');
  addRepository(workspace, { values, ignoreChanges });

  if (desired.attributes.project !== undefined)
    values.project_id = projectId(String(desired.attributes.project));
  const key = desired.attributes['ssh-key'];
  if (key === undefined) ignoreChanges.push('ssh_key_id');
  else if (key !== null) values.ssh_key_id = String(key);
  if (heldValue(workspace, 'tags') !== undefined) {
    values.tag_names = [target.attributes.tags ?? []].flat().map(String);
    if (isWrittenOnce('tags', workspace)) ignoreChanges.push('tag_names');
  }
  const tags = tagArguments(desired, target);
  Object.assign(values, tags.values);
  ignoreChanges.push(...tags.ignored);
  return {
    type: 'tfe_workspace',
    name,
    arguments: values,
    ignoreChanges,
    preventDestroy: desired.declared?.protect,
    importId: live?.id,
  };
}

/**
 * The declared value of a path, if the provider supports it; of a list that changes the live one, the result. An undeclared
 * attribute has the value that the plan gives it.
 */
function heldValue(workspace: ExportedWorkspace, path: string): Value | undefined {
  const { desired, target, fields, unsupported } = workspace;
  const isHeld = unsupported.every((setting) => setting.path !== path || setting.written !== 'never');
  if (!isHeld) return undefined;
  const value = desired.attributes[path];
  if (!isAttributePath(path)) return value;
  if (value === undefined) return fields.find((field) => field.path === path)?.after;
  return isRecord(value) ? target.attributes[path] : value;
}

function isWrittenOnce(path: string, { unsupported }: ExportedWorkspace): boolean {
  return unsupported.some((setting) => setting.path === path && setting.written === 'once');
}

/**
 * The own key/value tags as the provider's map, where a key without a value has an empty text. The map is complete, so
 * additions are written on create only, and later changes are ignored.
 */
export function tagArguments(
  desired: WorkspaceResource | ProjectResource,
  target: WorkspaceResource | ProjectResource,
): { readonly values: Record<string, ArgumentValue>; readonly ignored: readonly string[] } {
  const rule = asBindingRule(desired.attributes['tag-bindings']);
  if (rule === undefined) return { values: {}, ignored: [] };
  const bindings =
    'exactly' in rule
      ? rule.exactly
      : target === desired
        ? rule.add
        : (asBindings(target.attributes['tag-bindings']) ?? rule.add);
  const tags = Object.fromEntries(Object.entries(bindings).map(([key, value]) => [key, value ?? '']));
  return { values: { tags }, ignored: 'add' in rule ? ['tags'] : [] };
}

/** A new workspace gets the service's default for an omitted value; this is it if the provider's default differs. */
function defaultOnCreate(path: AttributePath, { live }: ExportedWorkspace): boolean | undefined {
  const { leftOut } = attributePlaces[path];
  const byDefault = workspaceAttributes[path].default;
  const differs = typeof leftOut === 'boolean' && typeof byDefault === 'boolean' && leftOut !== byDefault;
  return !live && differs ? byDefault : undefined;
}

/**
 * A declared value; `undefined` if omitting the argument has the same effect. The provider compares the order of lists
 * and the text of times, so a value that is equal to the live one is written exactly as the live one.
 */
function written(path: AttributePath, declared: Value, workspace: ExportedWorkspace) {
  const { live } = workspace;
  const current = live?.listed?.[path] ?? live?.attributes[path];
  const value = current !== undefined && sameAttribute(path, current, declared) ? current : declared;
  if (value === null) return undefined;
  // The provider sends no list of triggers that is omitted, and refuses an empty one beside another trigger.
  const isEmptied = listTexts(live?.attributes[path]).length > 0 && declaredTriggers(workspace).length === 0;
  if (Array.isArray(value)) return value.length > 0 || isEmptied ? value.map(String) : undefined;
  return path === 'auto-destroy-at' ? providerTime(String(value)) : (value as ArgumentValue);
}

/** The provider removes fractions of a second, and writes UTC as Z. */
function providerTime(time: string): string {
  return time
    .toUpperCase()
    .replace(/\.\d+(?=Z|[+-])/, '')
    .replace(/[+-]00:?00$/, 'Z');
}

/** The block requires the keys that identify the repository, so they are written from the live state if undeclared. */
function addRepository(workspace: ExportedWorkspace, { values, ignoreChanges }: Written): void {
  const { desired, target } = workspace;
  if (desired.attributes['vcs-repo'] === null) return;
  const paths = attributePaths.filter(isRepositoryPath);
  const isDeclared = (path: string) => heldValue(workspace, path) !== undefined;
  if (!paths.some(isDeclared)) {
    ignoreChanges.push('vcs_repo');
    return;
  }
  const block: Record<string, ArgumentValue> = {};
  for (const path of paths) {
    const rival = connections[path];
    // One connection replaces the other.
    if (rival && !isDeclared(path) && isDeclared(rival)) continue;
    const argument = attributePlaces[path].argument.replace('vcs_repo.', '');
    const isNeeded = rival !== undefined || path === 'vcs-repo.identifier';
    const source = isDeclared(path) ? desired : isNeeded ? target : undefined;
    const value = source?.attributes[path];
    if (value !== undefined && value !== null && value !== '') block[argument] = value as ArgumentValue;
    if (!isDeclared(path)) ignoreChanges.push(`vcs_repo[0].${argument}`);
  }
  values.vcs_repo = [block];
}

const connections: Partial<Record<AttributePath, AttributePath>> = {
  'vcs-repo.oauth-token-id': 'vcs-repo.vcs-app-installation-id',
  'vcs-repo.vcs-app-installation-id': 'vcs-repo.oauth-token-id',
};

const consumersPath = 'remote-state-consumers';

/**
 * The execution mode and the state sharing of a workspace, as `tfe_workspace_settings`, if one of them is
 * declared. It refers to workspaces and no workspace refers to it, so two workspaces can read each other's state.
 */
function settingsResource(workspace: ExportedWorkspace, context: ResourcesContext): TerraformResource[] {
  const { consumerId } = context;
  const { target, live, name, id } = workspace;
  const declared = (path: string) => heldValue(workspace, path);
  const paths = attributePaths.filter((path) => attributePlaces[path].resource === 'tfe_workspace_settings');
  if (![...paths, consumersPath].some((path) => declared(path) !== undefined)) return [];

  const values: Written['values'] = { workspace_id: id };
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
  return [{ type: 'tfe_workspace_settings', name, arguments: values, ignoreChanges, importId: live?.id }];
}

/** Without a mode the provider clears the workspace's own, which is what an overwrite flag of `false` requests. */
function addExecution(workspace: ExportedWorkspace, { values, ignoreChanges }: Written): void {
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
function byText(a: ArgumentValue, b: ArgumentValue): number {
  return compareTexts(String(toTemplate(a)), String(toTemplate(b)));
}

function retentionResource(
  { desired, live, name, id }: ExportedWorkspace,
  { organization }: ResourcesContext,
): TerraformResource[] {
  const policy: Values | null | undefined = desired.attributes['data-retention'];
  if (!isRecord(policy)) return [];
  const { 'delete-older-than-days': days } = policy;
  const kept = typeof days === 'number' ? { delete_older_than: { days } } : { dont_delete: {} };
  // The import id contains the current name, even before a rename.
  const importId = isRecord(live?.attributes['data-retention']) ? `${organization}/${live?.name}` : undefined;
  return [
    {
      type: 'tfe_data_retention_policy',
      name,
      arguments: { workspace_id: id, ...kept },
      ignoreChanges: [],
      importId,
    },
  ];
}
