import { type AttributePath, attributePaths, workspaceAttributes } from '../model/attributes.ts';
import type { Value } from '../model/value.ts';
import { type ExportedWorkspace, heldValue, isWrittenOnce, type Shortfall } from './exported-workspace.ts';
import { attributePlaces, unknownArguments } from './places.ts';
import type { ArgumentValue, TerraformResource } from './terraform-resource.ts';

/** A workspace as `tfe_workspace`: its attributes, project, tags and SSH key. */
export function workspaceResource(
  workspace: ExportedWorkspace,
  shortfalls: readonly Shortfall[],
  organization: string,
): TerraformResource {
  const { desired, target, live, name } = workspace;
  const values: Record<string, ArgumentValue> = { name: desired.name, organization };
  const ignoreChanges: string[] = [...unknownArguments];
  for (const path of attributePaths) {
    const { resource, argument, leftOut } = attributePlaces[path];
    if (resource !== 'tfe_workspace' || path.startsWith('vcs-repo.')) continue;
    const declared = heldValue(workspace, path, shortfalls);
    const value =
      declared === undefined ? defaultOnCreate(path, workspace) : written(path, declared, workspace);
    if (value !== undefined) values[argument] = value;
    const isManaged = declared !== undefined && !workspaceAttributes[path].createOnly;
    if (!isManaged && leftOut !== 'kept') ignoreChanges.push(argument);
  }
  addRepository(workspace, shortfalls, { values, ignoreChanges });

  if (desired.attributes.project !== undefined) values.project_id = String(desired.attributes.project);
  const key = desired.attributes['ssh-key'];
  if (key === undefined) ignoreChanges.push('ssh_key_id');
  else if (key !== null) values.ssh_key_id = String(key);
  if (heldValue(workspace, 'tags', shortfalls) !== undefined) {
    values.tag_names = [target.attributes.tags ?? []].flat().map(String);
    if (isWrittenOnce('tags', shortfalls)) ignoreChanges.push('tag_names');
  }
  return {
    type: 'tfe_workspace',
    name,
    arguments: values,
    ignoreChanges,
    ...(desired.declared?.protect && { preventDestroy: true }),
    ...(live?.id !== undefined && { importId: live.id }),
  };
}

/** Left out, a new workspace has the service's default with Attune, and must not have another one with Terraform. */
function defaultOnCreate(path: AttributePath, { live }: ExportedWorkspace): boolean | undefined {
  const { leftOut } = attributePlaces[path];
  const byDefault = workspaceAttributes[path].default;
  const differs = typeof leftOut === 'boolean' && typeof byDefault === 'boolean' && leftOut !== byDefault;
  return !live && differs ? byDefault : undefined;
}

/** A declared value; `undefined` where leaving the argument out says the same. */
function written(path: AttributePath, value: Value, { live }: ExportedWorkspace): ArgumentValue | undefined {
  const isKept = attributePlaces[path].leftOut === 'kept';
  if (value === null) return isKept ? '' : undefined;
  if (Array.isArray(value)) return value.length > 0 || isKept ? value.map(String) : undefined;
  if (path === 'auto-destroy-at') return providerTime(String(value), live?.attributes[path]);
  return value as ArgumentValue;
}

/** The provider compares times as texts: the live spelling of the same moment is no change, and fractions are cut off. */
function providerTime(declared: string, live: Value | undefined): string {
  const isSame = typeof live === 'string' && new Date(live).getTime() === new Date(declared).getTime();
  return (isSame ? live : declared)
    .toUpperCase()
    .replace(/\.\d+(?=Z|[+-])/, '')
    .replace(/[+-]00:?00$/, 'Z');
}

interface Target {
  readonly values: Record<string, ArgumentValue>;
  readonly ignoreChanges: string[];
}

/** The block needs its required arguments, so what only the service knows stands there too, and is ignored. */
function addRepository(
  workspace: ExportedWorkspace,
  shortfalls: readonly Shortfall[],
  { values, ignoreChanges }: Target,
): void {
  const { desired, target } = workspace;
  if (desired.attributes['vcs-repo'] === null) return;
  const paths = attributePaths.filter((path) => path.startsWith('vcs-repo.'));
  const isDeclared = (path: string) => heldValue(workspace, path, shortfalls) !== undefined;
  if (!paths.some(isDeclared)) {
    ignoreChanges.push('vcs_repo');
    return;
  }
  const block: Record<string, ArgumentValue> = {};
  for (const path of paths) {
    // One connection takes the place of the other.
    const rival = connections[path];
    if (rival && !isDeclared(path) && isDeclared(rival)) continue;
    const argument = attributePlaces[path].argument.replace('vcs_repo.', '');
    const value = isDeclared(path) ? desired.attributes[path] : target.attributes[path];
    if (value !== undefined && value !== null && value !== '') block[argument] = value as ArgumentValue;
    if (!isDeclared(path)) ignoreChanges.push(`vcs_repo[0].${argument}`);
  }
  values.vcs_repo = [block];
}

const connections: Partial<Record<AttributePath, AttributePath>> = {
  'vcs-repo.oauth-token-id': 'vcs-repo.vcs-app-installation-id',
  'vcs-repo.vcs-app-installation-id': 'vcs-repo.oauth-token-id',
};
