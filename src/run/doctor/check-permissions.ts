import { requirements } from '../../check/not-permitted.ts';
import { findWorkspaces } from '../../live/find-workspaces.ts';
import { serviceSource } from '../../live/read-live.ts';
import type { WorkspaceRelation } from '../../model/attributes.ts';
import { type Configuration, shownAs } from '../../model/configuration.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  isUncreatedProject,
  type ProjectResource,
  resourcesOf,
  type WorkspaceResource,
  type WorkspaceValues,
} from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import { namesText } from '../../report/values.ts';
import { lookUpNames, type NamesOf } from '../../resolve/look-up-names.ts';
import { whereOffered } from '../../service/capabilities.ts';
import type { ResourceObject } from '../../service/documents.ts';
import { projectsOf, readList } from '../../service/paging.ts';
import type { Diagnosed } from './check-service.ts';

interface ServiceFacts {
  readonly dialect: Dialect;
  /** The document of the organization, if the service shows it. */
  readonly settings: ResourceObject | undefined;
}

/**
 * Checks what the token may do with what is declared, by the `permissions` of the documents of the service. An action
 * that nothing declares has no check.
 */
export async function checkPermissions(diagnosed: Diagnosed, facts: ServiceFacts): Promise<void> {
  const { list } = diagnosed;
  const source = serviceSource(diagnosed.connect().client);
  const { desired, lookUps } = diagnosed.configuration;
  const namesOf: NamesOf = (kind) => source.names(desired.organization, kind);
  const configuration = await list.attempt('names', () =>
    lookUpNames(diagnosed.configuration, namesOf, { purpose: 'apply' }),
  );
  if (configuration === undefined) return list.skip('permissions', 'not all names are known');
  if (lookUps.length > 0) list.ok('names', 'all names of projects, teams and keys are known');
  const actions = await declaredActions(configuration, diagnosed, facts);
  const declared = actions.filter(([, , objects]) => objects.length > 0);
  if (declared.length === 0) list.skip('permissions', 'nothing declared needs one');
  for (const action of declared) report(action, diagnosed);
}

function report([check, operation, shown]: CheckedAction, { list }: Diagnosed): void {
  const { anyOf } = requirements[operation];
  const permission = anyOf.join(' or ');
  const namesWhere = (wanted: boolean) =>
    shown.flatMap(([name, ...documents]) => (isAllowed(documents, anyOf) === wanted ? name : []));
  const [allowed, refused] = [namesWhere(true), namesWhere(false)];
  if (refused.length > 0) {
    list.fail(
      check,
      `${permission} is false for ${refused.length} of ${shown.length}: ${namesText(refused)}`,
      `give the token a role that has ${permission} there, or remove these declarations`,
    );
  } else if (allowed.length === 0) {
    list.skip(check, `the service does not show ${permission}`);
  } else {
    list.ok(check, `${permission} for ${allowed.length} of ${shown.length} declared`);
  }
}

/** An object, and the documents of which each can show that an action is permitted. */
type Shown = readonly [name: string, ...documents: (ResourceObject | undefined)[]];

type CheckedAction = readonly [
  check: string,
  operation: keyof typeof requirements,
  objects: readonly Shown[],
];

/** The settings of a workspace that other permissions than `can-update` allow. */
const otherwise: ReadonlySet<string> = new Set<WorkspaceRelation>([
  'project',
  'tags',
  'tag-bindings',
  'lock',
]);

async function declaredActions(
  configuration: Configuration,
  { connect }: Diagnosed,
  { dialect, settings }: ServiceFacts,
): Promise<readonly CheckedAction[]> {
  const { desired, grantProjects } = configuration;
  const { organization, resources } = desired;
  const { client } = connect();
  const workspaces = resourcesOf(resources.values(), 'workspace');
  const managed = resourcesOf(resources.values(), 'project');
  const names = workspaces.flatMap(({ name, declared }) => [name, declared?.renamedFrom ?? []].flat());
  const choice = { names, projects: [], tags: [], isOpen: false };
  const found =
    names.length === 0 ? [] : (await findWorkspaces(client, choice, { organization, dialect })).workspaces;
  const byName = new Map(found.map((one) => [one.resource.name, one]));
  const liveOf = ({ name, declared }: WorkspaceResource) =>
    byName.get(name) ?? byName.get(declared?.renamedFrom ?? '');
  // By id: those that a workspace leaves or enters.
  const moveProjects = new Map(
    workspaces.flatMap((workspace) => {
      const to = workspace.attributes.project;
      const from = liveOf(workspace)?.resource.attributes.project;
      if (from === undefined || to === undefined || from === to) return [];
      return [from, to].map((id) => [id, shownAs(configuration, 'projects', id)] as const);
    }),
  );
  const needsProjects =
    managed.length + grantProjects.size + moveProjects.size > 0 || workspaces.some((one) => !liveOf(one));
  const listed = needsProjects
    ? await whereOffered(client, 'projects', () => readList(client, projectsOf(organization)))
    : [];
  const projects = new Map((listed ?? []).map((project) => [project.id, project]));

  const isKept = ({ declared }: WorkspaceResource | ProjectResource) => !declared?.absent;
  const live = (isChosen: (workspace: WorkspaceResource, live: WorkspaceResource) => unknown) =>
    workspaces.flatMap((workspace): Shown[] => {
      const found = liveOf(workspace);
      return found && isChosen(workspace, found.resource) ? [[workspace.name, found.document]] : [];
    });
  const kept = (isChosen: (attributes: WorkspaceValues) => unknown) =>
    live((workspace) => isKept(workspace) && isChosen(workspace.attributes));
  const inProjects = (named: Iterable<readonly [id: string, name: string]>) =>
    [...named].flatMap(([id, name]): Shown[] => (isUncreatedProject(id) ? [] : [[name, projects.get(id)]]));
  const existing = (isChosen: (project: ProjectResource) => unknown) =>
    inProjects(managed.filter(isChosen).map(({ id = '', name }) => [id, name]));
  return [
    [
      'create workspaces',
      'createWorkspace',
      workspaces
        .filter((workspace) => isKept(workspace) && !liveOf(workspace))
        .map(({ name, attributes }) => [name, projects.get(String(attributes.project)), settings]),
    ],
    [
      'update workspaces',
      'updateWorkspace',
      live(
        (workspace, { name }) =>
          isKept(workspace) &&
          (workspace.name !== name || Object.keys(workspace.attributes).some((path) => !otherwise.has(path))),
      ),
    ],
    ['move workspaces', 'moveWorkspaces', inProjects(moveProjects)],
    ['manage tags', 'addTags', kept(({ tags }) => tags)],
    ['manage key/value tags', 'upsertBindings', kept((attributes) => attributes['tag-bindings'])],
    ['lock workspaces', 'lockWorkspace', kept(({ lock }) => lock?.locked)],
    [
      'unlock workspaces',
      'unlockWorkspace',
      live(({ attributes: { lock }, declared }) => declared?.unlocks || lock?.locked === false),
    ],
    ['delete workspaces', 'deleteWorkspace', live(({ declared }) => declared?.absent === 'safe')],
    ['force-delete', 'forceDelete', live(({ declared }) => declared?.absent === 'force')],
    ['read team access', 'readGrants', inProjects(grantProjects)],
    ['manage team access', 'createGrant', inProjects(grantProjects)],
    [
      'create projects',
      'createProject',
      managed
        .filter((one) => isKept(one) && isUncreatedProject(one.id ?? ''))
        .map(({ name }) => [name, settings]),
    ],
    ['update projects', 'updateProject', existing(isKept)],
    ['delete projects', 'deleteProject', existing((project) => !isKept(project))],
  ];
}

/** Whether any of the documents shows one of the permissions; undefined if none shows that they are denied. */
function isAllowed(documents: readonly (ResourceObject | undefined)[], anyOf: readonly string[]) {
  const shown = documents.map((document) => {
    const permissions = document?.attributes.permissions;
    const values = isRecord(permissions) ? anyOf.map((permission) => permissions[permission]) : [undefined];
    if (values.includes(true)) return true;
    return values.every((value) => value === false) ? false : undefined;
  });
  if (shown.includes(true)) return true;
  return shown.includes(false) ? false : undefined;
}
