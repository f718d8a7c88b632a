import type { Difference } from '../diff/diff.ts';
import { consumerKey } from '../diff/expand-consumers.ts';
import type { Live } from '../live/read-live.ts';
import { projectExecutionPaths, projectPaths } from '../model/attributes.ts';
import { changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { permissionPaths } from '../model/permissions.ts';
import {
  type GrantResource,
  grantAddress,
  type ProjectResource,
  type Resource,
  type ResourceKind,
  type ResourceOf,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { compareTexts } from '../model/value.ts';
import { permissionPlace, projectArguments, resourceTypes } from './places.ts';
import {
  type ArgumentValue,
  idReference,
  resourceNames,
  type TerraformReference,
  type TerraformResource,
} from './terraform-document.ts';
import { type ExportedWorkspace, unsupportedOf, unsupportedSettings } from './unsupported-settings.ts';
import { tagArguments, workspaceResources } from './workspace-resources.ts';

interface ExportedResources {
  readonly resources: readonly TerraformResource[];
  readonly unsupported: readonly Diagnostic[];
}

interface ExportContext {
  readonly organization: string;
  readonly difference: Difference;
  readonly live: Live;
  readonly projectId: (id: string) => string | TerraformReference;
}

export function exportResources(
  declared: readonly Resource[],
  input: Omit<ExportContext, 'projectId'>,
): ExportedResources {
  const projects = resourcesOf(declared, 'project');
  const names = resourceNames(projects.map(({ name }) => name));
  const references = new Map(projects.map(({ id, name }) => [id, idReference('tfe_project', names(name))]));
  const context: ExportContext = { ...input, projectId: (id) => references.get(id) ?? id };
  const orderOf = ({ type }: TerraformResource) => resourceTypes.indexOf(type);
  const byKind: { readonly [Kind in ResourceKind]: ExportedResources } = {
    project: exportProjects(projects, context),
    workspace: exportWorkspaces(resourcesOf(declared, 'workspace'), context),
    'team-access': exportGrants(resourcesOf(declared, 'team-access'), context),
  };
  const exported = Object.values(byKind);
  return {
    resources: exported
      .flatMap(({ resources }) => resources)
      .sort((a, b) => orderOf(a) - orderOf(b) || compareTexts(a.name, b.name)),
    unsupported: exported.flatMap(({ unsupported }) => unsupported),
  };
}

function targetsOf<Kind extends ResourceKind>(
  kind: Kind,
  { after }: Difference,
): (desired: ResourceOf<Kind>) => ResourceOf<Kind> {
  const targets = new Map(resourcesOf(after, kind).map((target) => [target.address, target]));
  return (desired) => targets.get(desired.address) ?? desired;
}

const ownPaths = projectPaths.filter((path) => projectArguments[path].resource === 'tfe_project');
const argumentsOf = (paths: readonly (keyof typeof projectArguments)[]) =>
  paths.map((path) => projectArguments[path].argument);

function exportProjects(declared: readonly ProjectResource[], context: ExportContext): ExportedResources {
  const { organization, difference, live } = context;
  const names = resourceNames(declared.map(({ name }) => name));
  const known = new Set(resourcesOf(live.state.resources.values(), 'project').map(({ id }) => id));
  const targetOf = targetsOf('project', difference);
  const resources = declared.flatMap((desired): TerraformResource[] => {
    const { id = '', attributes } = desired;
    const target = targetOf(desired);
    const identity = { name: names(desired.name), importId: known.has(id) ? id : undefined };
    const values = ownPaths.flatMap((path): [string, ArgumentValue][] => {
      const value = path === 'name' ? target.attributes.name : attributes[path];
      const { argument, leftOut } = projectArguments[path];
      const isOmitted = value === undefined || (value === null && leftOut === 'cleared');
      return isOmitted ? [] : [[argument, (value ?? '') as ArgumentValue]];
    });
    const ignored = ownPaths.filter((path) => path !== 'name' && attributes[path] === undefined);
    const tags = tagArguments(desired, target);
    const project: TerraformResource = {
      type: 'tfe_project',
      arguments: { organization, ...Object.fromEntries(values), ...tags.values },
      ignoreChanges: [...argumentsOf(ignored), ...tags.ignored],
      preventDestroy: desired.declared?.protect,
      ...identity,
    };
    const execution = projectExecutionPaths.filter((path) => attributes[path] !== undefined);
    if (execution.length === 0) return [project];
    // Without a mode the project inherits that of its organization, which is what `null` requests.
    const own = execution.flatMap((path): [string, ArgumentValue][] => {
      const value = attributes[path];
      return value ? [[projectArguments[path].argument, value as ArgumentValue]] : [];
    });
    const [mode] = projectExecutionPaths;
    const settings: TerraformResource = {
      type: 'tfe_project_settings',
      arguments: { project_id: idReference('tfe_project', identity.name), ...Object.fromEntries(own) },
      // A mode other than `agent` has no pool, and the language requires the mode beside a pool.
      ignoreChanges: attributes[mode] === undefined ? argumentsOf([mode]) : [],
      ...identity,
    };
    return [project, settings];
  });
  return { resources, unsupported: declared.flatMap((project) => unsupportedOf(project)) };
}

function exportWorkspaces(
  declared: readonly WorkspaceResource[],
  { organization, difference, live, projectId }: ExportContext,
): ExportedResources {
  const names = resourceNames(declared.map(({ name }) => name));
  const targetOf = targetsOf('workspace', difference);
  // By id, because the live workspace still has its former name before a rename.
  const byId = new Map(resourcesOf(live.state.resources.values(), 'workspace').map((one) => [one.id, one]));
  const changes = new Map(
    changesOf(difference.changes, 'workspace').map((change) => [change.address, change]),
  );
  const workspaces = declared.map((desired): ExportedWorkspace => {
    const target = targetOf(desired);
    const name = names(desired.name);
    const workspace = {
      desired,
      target,
      live: target.id === undefined ? undefined : byId.get(target.id),
      fields: changes.get(desired.address)?.fields ?? [],
      name,
      id: idReference('tfe_workspace', name),
    };
    return { ...workspace, unsupported: unsupportedSettings(workspace) };
  });
  // Refers to a workspace of the export by reference, to any other by its id.
  const ids = new Map(workspaces.map(({ target, id }) => [consumerKey(target), id]));
  const context = { organization, projectId, consumerId: (key: string) => ids.get(key) ?? key };
  return {
    resources: workspaces.flatMap((workspace) => workspaceResources(workspace, context)),
    unsupported: workspaces.flatMap(({ desired, unsupported }) => unsupportedOf(desired, unsupported)),
  };
}

/** A grant as `tfe_team_project_access`; under `custom` with every permission of the service, as Attune plans it. */
function exportGrants(declared: readonly GrantResource[], context: ExportContext): ExportedResources {
  const { difference, live, projectId } = context;
  const names = resourceNames(declared.map(({ name }) => name));
  const resources = declared.map(targetsOf('team-access', difference)).map((grant): TerraformResource => {
    const { access, project, team } = grant.attributes;
    const blocks: Record<string, [Record<string, ArgumentValue>]> = {};
    for (const path of access === 'custom' ? permissionPaths : []) {
      const value = grant.attributes[path];
      const [block, argument] = permissionPlace(path);
      if (value !== undefined)
        blocks[block] = [{ ...blocks[block]?.[0], [argument]: value as ArgumentValue }];
    }
    return {
      type: 'tfe_team_project_access',
      name: names(grant.name),
      arguments: { access: String(access), project_id: projectId(project), team_id: team, ...blocks },
      ignoreChanges: [],
      importId: live.state.resources.get(grantAddress(project, team))?.id,
    };
  });
  return { resources, unsupported: declared.flatMap((grant) => unsupportedOf(grant)) };
}
