import type { Configuration } from '../../desired/configuration.ts';
import { findWorkspaces } from '../../live/find-workspaces.ts';
import {
  isUncreatedProject,
  type ProjectResource,
  resourcesOf,
  type WorkspaceResource,
} from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import { whereOffered } from '../../service/capabilities.ts';
import type { ResourceObject } from '../../service/documents.ts';
import { projectsOf, readList } from '../../service/paging.ts';
import type { Diagnosed, ServiceFacts } from './check-list.ts';

/** A declared object, and whether the token may do something with it; undefined if the service does not show it. */
export interface CheckedObject {
  readonly name: string;
  readonly isAllowed: boolean | undefined;
}

export interface CheckedAction {
  readonly check: string;
  /** What the documents call the permission. */
  readonly permission: string;
  readonly objects: readonly CheckedObject[];
}

/** What is declared, with the documents of the service that show what the token may do with it. */
interface DeclaredObjects {
  readonly workspaces: readonly WorkspaceResource[];
  readonly managed: readonly ProjectResource[];
  /** By id, as a file writes them. */
  readonly grantProjects: Configuration['grantProjects'];
  /** The document of a live workspace. */
  readonly documentOf: (workspace: WorkspaceResource) => ResourceObject | undefined;
  /** The documents of projects by id. */
  readonly projects: ReadonlyMap<string, ResourceObject>;
  /** The document of the organization. */
  readonly settings: ResourceObject | undefined;
}

/** What the token needs to do with what is declared. An action that nothing declares has no objects. */
export async function actionsOf(
  configuration: Configuration,
  diagnosed: Diagnosed,
  facts: ServiceFacts,
): Promise<readonly CheckedAction[]> {
  const declared = await readDeclared(configuration, diagnosed, facts);
  return [...workspaceActions(declared), ...projectActions(declared)];
}

async function readDeclared(
  { desired: { organization, resources }, grantProjects }: Configuration,
  { connect }: Diagnosed,
  { dialect, organization: { document: settings } }: ServiceFacts,
): Promise<DeclaredObjects> {
  const { client } = connect();
  const workspaces = resourcesOf(resources.values(), 'workspace');
  const managed = resourcesOf(resources.values(), 'project');
  const names = workspaces.flatMap(({ name, declared }) => [
    name,
    ...(declared?.renamedFrom ? [declared.renamedFrom] : []),
  ]);
  const found =
    names.length === 0
      ? []
      : (await findWorkspaces(client, { names, projects: [], tags: [] }, { organization, dialect }))
          .workspaces;
  const byName = new Map(found.map(({ resource, document }) => [resource.name, document]));
  const documentOf = ({ name, declared }: WorkspaceResource) =>
    byName.get(name) ?? byName.get(declared?.renamedFrom ?? '');
  const needsProjects =
    managed.length > 0 || grantProjects.size > 0 || workspaces.some((one) => !documentOf(one));
  const listed = needsProjects
    ? await whereOffered(client, 'projects', () => readList(client, projectsOf(organization)))
    : [];
  const projects = new Map((listed ?? []).map((project) => [project.id, project]));
  return { workspaces, managed, grantProjects, documentOf, projects, settings };
}

function workspaceActions({
  workspaces,
  documentOf,
  projects,
  settings,
}: DeclaredObjects): readonly CheckedAction[] {
  const kept = workspaces.filter(({ declared }) => !declared?.absent);
  const onLive = (
    check: string,
    permission: string,
    chosen: readonly WorkspaceResource[],
  ): CheckedAction => ({
    check,
    permission,
    objects: chosen.flatMap((workspace) => {
      const document = documentOf(workspace);
      return document ? [{ name: workspace.name, isAllowed: permitted(document, permission) }] : [];
    }),
  });
  const declaring = (path: 'tags' | 'lock') =>
    kept.filter(({ attributes }) => attributes[path] !== undefined);
  const deleting = (mode: 'safe' | 'force') => workspaces.filter(({ declared }) => declared?.absent === mode);
  return [
    {
      check: 'create workspaces',
      permission: 'can-create-workspace',
      objects: kept
        .filter((workspace) => !documentOf(workspace))
        .map(({ name, attributes }) => ({
          name,
          // Either permission is enough.
          isAllowed:
            permitted(projects.get(String(attributes.project)), 'can-create-workspace') ||
            permitted(settings, 'can-create-workspace'),
        })),
    },
    onLive('update workspaces', 'can-update', kept),
    onLive('manage tags', 'can-manage-tags', declaring('tags')),
    onLive('lock workspaces', 'can-lock', declaring('lock')),
    onLive('delete workspaces', 'can-destroy', deleting('safe')),
    onLive('force-delete', 'can-force-delete', deleting('force')),
  ];
}

function projectActions({
  managed,
  grantProjects,
  projects,
  settings,
}: DeclaredObjects): readonly CheckedAction[] {
  const isLive = (id = '') => !isUncreatedProject(id);
  const onLive = (
    check: string,
    permission: string,
    ids: readonly (readonly [string, string])[],
  ): CheckedAction => ({
    check,
    permission,
    objects: ids
      .filter(([id]) => isLive(id))
      .map(([id, name]) => ({ name, isAllowed: permitted(projects.get(id), permission) })),
  });
  const idsOf = (all: readonly ProjectResource[]) => all.map(({ id = '', name }) => [id, name] as const);
  const kept = managed.filter(({ declared }) => !declared?.absent);
  const deleted = managed.filter(({ declared }) => declared?.absent);
  return [
    onLive('manage team access', 'can-manage-teams', [...grantProjects]),
    {
      check: 'create projects',
      permission: 'can-create-project',
      objects: kept
        .filter(({ id }) => !isLive(id))
        .map(({ name }) => ({ name, isAllowed: permitted(settings, 'can-create-project') })),
    },
    onLive('update projects', 'can-update', idsOf(kept)),
    onLive('delete projects', 'can-destroy', idsOf(deleted)),
  ];
}

/** The value of a permission in a document; undefined if it does not have it. */
function permitted(document: ResourceObject | undefined, permission: string): boolean | undefined {
  const permissions = document?.attributes.permissions;
  const value = isRecord(permissions) ? permissions[permission] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}
