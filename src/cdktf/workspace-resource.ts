import { sameAttribute } from '../diff/normalize.ts';
import {
  type AttributePath,
  attributePaths,
  isRepositoryPath,
  sharingSwitchOf,
  workspaceAttributes,
} from '../model/attributes.ts';
import type { ProjectResource, WorkspaceResource } from '../model/state.ts';
import { asBindingRule, asBindings } from '../model/tag-bindings.ts';
import { listTexts, type Value } from '../model/value.ts';
import { attributePlaces, unknownArguments } from './places.ts';
import type { ArgumentValue, TerraformReference, TerraformResource } from './terraform-resource.ts';
import {
  declaredTriggers,
  type ExportedWorkspace,
  heldValue,
  isWrittenOnce,
} from './unsupported-settings.ts';

/** A workspace as `tfe_workspace`: its attributes, project, tags and SSH key. */
export function workspaceResource(
  workspace: ExportedWorkspace,
  {
    organization,
    projectId,
  }: {
    readonly organization: string;
    readonly projectId: (id: string) => string | TerraformReference;
  },
): TerraformResource {
  const { desired, target, live, name } = workspace;
  const values: Record<string, ArgumentValue> = { name: desired.name, organization };
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
    ...(desired.declared?.protect && { preventDestroy: true }),
    ...(live?.id !== undefined && { importId: live.id }),
  };
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
function written(
  path: AttributePath,
  declared: Value,
  workspace: ExportedWorkspace,
): ArgumentValue | undefined {
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

interface Target {
  readonly values: Record<string, ArgumentValue>;
  readonly ignoreChanges: string[];
}

/** The block requires the keys that identify the repository, so they are written from the live state if undeclared. */
function addRepository(workspace: ExportedWorkspace, { values, ignoreChanges }: Target): void {
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
