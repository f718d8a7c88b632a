import type { Difference } from '../diff/diff.ts';
import { consumerKey } from '../diff/expand-consumers.ts';
import type { Live } from '../live/read-live.ts';
import { changesOf } from '../model/change.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import { permissionPaths } from '../model/permissions.ts';
import { projectAttributes, projectExecutionPaths, projectPaths } from '../model/project-attributes.ts';
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
import { permissionPlace } from './places.ts';
import { retentionResource, settingsResource } from './settings-resource.ts';
import {
  referTo,
  resourceAddress,
  resourceNames,
  type TerraformReference,
  type TerraformResource,
} from './terraform-resource.ts';
import {
  bindingSettings,
  type ExportedWorkspace,
  unsupportedDiagnostic,
  unsupportedSettings,
} from './unsupported-settings.ts';
import { tagArguments, workspaceResource } from './workspace-resource.ts';

export interface KindExport {
  readonly resources: readonly TerraformResource[];
  /** Settings that Terraform's provider does not support, or supports with restrictions. */
  readonly unsupported: readonly Diagnostic[];
}

export interface KindContext {
  readonly organization: string;
  readonly difference: Difference;
  readonly live: Live;
  /** The id of a project, or a reference to it if it is part of the export. */
  readonly projectId: (id: string) => string | TerraformReference;
}

interface KindExporter<Kind extends ResourceKind> {
  readonly convert: (declared: readonly ResourceOf<Kind>[], context: KindContext) => KindExport;
  /** Describes a declaration that deletes. */
  readonly deletion: (name: string) => string;
}

export const exportKinds: { readonly [Kind in ResourceKind]: KindExporter<Kind> } = {
  project: { convert: exportProjects, deletion: (name) => `the tombstone of "${name}"` },
  workspace: { convert: exportWorkspaces, deletion: (name) => `the tombstone of "${name}"` },
  'team-access': { convert: exportGrants, deletion: (name) => `none for ${name}` },
};

export function exportKind<Kind extends ResourceKind>(
  kind: Kind,
  declared: readonly Resource[],
  context: KindContext,
): KindExport {
  const exporter: KindExporter<Kind> = exportKinds[kind];
  return exporter.convert(resourcesOf(declared, kind), context);
}

/** Finds what a declared resource becomes; itself if nothing is known of it. */
function targetsOf<Kind extends ResourceKind>(
  kind: Kind,
  { after }: Difference,
): (desired: ResourceOf<Kind>) => ResourceOf<Kind> {
  const targets = new Map(resourcesOf(after, kind).map((target) => [target.address, target]));
  return (desired) => targets.get(desired.address) ?? desired;
}

function exportProjects(
  declared: readonly ProjectResource[],
  { organization, difference, live: { state } }: KindContext,
): KindExport {
  const names = resourceNames(declared.map(({ name }) => name));
  const live = new Map(
    resourcesOf(state.resources.values(), 'project').map((project) => [project.id, project]),
  );
  const targetOf = targetsOf('project', difference);
  const resources = declared.flatMap((desired): TerraformResource[] => {
    const { id, name, attributes, declared: about } = desired;
    const current = live.get(id);
    const target = targetOf(desired);
    const managed = ownPaths.flatMap((path) => {
      const value = path === 'name' ? target.attributes.name : attributes[path];
      if (value === undefined || (value === null && path !== 'description')) return [];
      return [[projectAttributes[path].argument, value ?? ''] as const];
    });
    const ignored = ownPaths.filter((path) => path !== 'name' && attributes[path] === undefined);
    const tags = tagArguments(desired, target);
    const known = {
      name: names(name),
      ...(current?.id !== undefined && { importId: current.id }),
    };
    const project: TerraformResource = {
      type: 'tfe_project',
      arguments: { organization, ...Object.fromEntries(managed), ...tags.values },
      ignoreChanges: [...ignored.map((path) => projectAttributes[path].argument), ...tags.ignored],
      ...(about?.protect && { preventDestroy: true }),
      ...known,
    };
    const settings = projectSettings(desired, referTo(`${resourceAddress(project)}.id`));
    return settings ? [project, { type: 'tfe_project_settings', ...known, ...settings }] : [project];
  });
  const unsupported = declared.flatMap((project) =>
    bindingSettings(project).map((setting) => unsupportedDiagnostic(project, setting)),
  );
  return { resources, unsupported };
}

/**
 * The execution mode and the agent pool of a project; `undefined` if neither is declared. Without a mode the project inherits
 * that of its organization, which is what `null` requests.
 */
function projectSettings(
  { attributes }: ProjectResource,
  id: TerraformReference,
): Pick<TerraformResource, 'arguments' | 'ignoreChanges'> | undefined {
  const paths = projectExecutionPaths.filter((path) => attributes[path] !== undefined);
  if (paths.length === 0) return undefined;
  const values = paths.flatMap((path) => {
    const value = attributes[path];
    return value ? [[projectAttributes[path].argument, value] as const] : [];
  });
  const [mode] = projectExecutionPaths;
  // A mode other than `agent` has no pool, and the language requires the mode beside a pool.
  const ignoreChanges = attributes[mode] === undefined ? [projectAttributes[mode].argument] : [];
  return { arguments: { project_id: id, ...Object.fromEntries(values) }, ignoreChanges };
}

const ownPaths = projectPaths.filter((path) => projectAttributes[path].resource === 'tfe_project');

function exportWorkspaces(
  declared: readonly WorkspaceResource[],
  { organization, difference, live, projectId }: KindContext,
): KindExport {
  const workspaces = exportedWorkspaces(declared, difference, live);
  // Refers to a workspace of the export by reference, to any other by its id.
  const ids = new Map(workspaces.map(({ target, id }) => [consumerKey(target), id]));
  const consumerId = (key: string) => ids.get(key) ?? key;
  return {
    resources: workspaces
      .flatMap((workspace) => [
        workspaceResource(workspace, { organization, projectId }),
        settingsResource(workspace, consumerId),
        retentionResource(workspace, organization),
      ])
      .filter((resource) => resource !== undefined),
    unsupported: workspaces.flatMap(({ desired, unsupported }) =>
      unsupported.map((setting) => unsupportedDiagnostic(desired, setting)),
    ),
  };
}

function exportedWorkspaces(
  declared: readonly WorkspaceResource[],
  difference: Difference,
  { state }: Live,
): readonly ExportedWorkspace[] {
  const names = resourceNames(declared.map(({ name }) => name));
  const targetOf = targetsOf('workspace', difference);
  // By id, because the live workspace still has its former name before a rename.
  const liveById = new Map(
    resourcesOf(state.resources.values(), 'workspace').map((resource) => [resource.id, resource]),
  );
  const changes = new Map(
    changesOf(difference.changes, 'workspace').map(({ address, fields }) => [address, fields]),
  );
  return declared.map((desired) => {
    const target = targetOf(desired);
    const fields = changes.get(desired.address) ?? [];
    const live = target.id === undefined ? undefined : liveById.get(target.id);
    const name = names(desired.name);
    const id = referTo(`${resourceAddress({ type: 'tfe_workspace', name })}.id`);
    const workspace = { desired, target, ...(live && { live }), fields, name, id };
    return { ...workspace, unsupported: unsupportedSettings(workspace) };
  });
}

function exportGrants(
  declared: readonly GrantResource[],
  { difference, live: { state }, projectId }: KindContext,
): KindExport {
  const names = resourceNames(declared.map(({ name }) => name));
  const liveGrants = new Map(
    resourcesOf(state.resources.values(), 'team-access').map((grant) => [grant.address, grant]),
  );
  const resources = declared.map(targetsOf('team-access', difference)).map((desired) => {
    const { name, attributes } = desired;
    const live = liveGrants.get(grantAddress(attributes.project, attributes.team));
    return accessResource(desired, live, { name: names(name), projectId });
  });
  const unsupported = declared.flatMap((grant) => {
    const path = (['until', 'reason'] as const).find((one) => grant.declared?.[one] !== undefined);
    return path ? unsupportedDiagnostic(grant, { path, reason: notEnding[path], written: 'never' }) : [];
  });
  return { resources, unsupported };
}

/** A reason belongs to the end, if there is one. */
const notEnding = {
  until: 'the provider has no access that ends',
  reason: 'the provider keeps no reason',
} as const;

/** A grant as `tfe_team_project_access`; under `custom` with every permission of the service, as Attune plans it. */
function accessResource(
  desired: GrantResource,
  live: GrantResource | undefined,
  { name, projectId }: Pick<KindContext, 'projectId'> & { readonly name: string },
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
      project_id: projectId(String(project)),
      team_id: String(team),
      ...Object.fromEntries(Object.entries(blocks).map(([block, values]) => [block, [values]])),
    },
    ignoreChanges: [],
    ...(live?.id !== undefined && { importId: live.id }),
  };
}
