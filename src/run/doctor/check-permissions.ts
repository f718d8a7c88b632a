import type { Configuration } from '../../desired/configuration.ts';
import { showPlace } from '../../desired/declarations.ts';
import { asListRule } from '../../diff/list-rule.ts';
import { findWorkspaces } from '../../live/find-workspaces.ts';
import { type LiveSource, serviceSource } from '../../live/live-source.ts';
import { aliasKindTable } from '../../model/alias-kind.ts';
import { DiagnosticsError } from '../../model/attune-error.ts';
import {
  type ConsumerRef,
  isUncreatedProject,
  isWorkspaceId,
  type ProjectResource,
  resourcesOf,
  type WorkspaceResource,
  type WorkspaceValues,
  workspaceAddress,
} from '../../model/state.ts';
import { isRecord } from '../../model/value.ts';
import { lookUpNames } from '../../plan/look-up-names.ts';
import { unknownIds, unknownWorkspaces, unlistedKinds } from '../../plan/unknown-ids.ts';
import { whereOffered } from '../../service/capabilities.ts';
import type { ResourceObject } from '../../service/documents.ts';
import { projectsOf, readList } from '../../service/paging.ts';
import type { Diagnosed, ServiceFacts } from './check-list.ts';

/** The number of objects that a line names. */
const namedObjects = 3;

/**
 * Checks what the token may do with what is declared, by the `permissions` of the documents of the service. An action
 * that nothing declares has no check.
 */
export async function checkPermissions(diagnosed: Diagnosed, facts: ServiceFacts): Promise<void> {
  const { list } = diagnosed;
  const source = serviceSource(diagnosed.connect().client);
  const configuration = await withIds(diagnosed, source);
  await checkWrittenIds(diagnosed, source);
  if (configuration === undefined) return list.skip('permissions', 'not all names are known');
  const actions = actionsOf(await readDeclared(configuration, diagnosed, facts));
  const declared = actions.filter(({ objects }) => objects.length > 0);
  if (declared.length === 0) list.skip('permissions', 'nothing is declared');
  for (const action of declared) report(action, diagnosed);
}

async function withIds(
  { configuration, list }: Diagnosed,
  source: LiveSource,
): Promise<Configuration | undefined> {
  if (configuration.lookUps.length === 0) return configuration;
  const { organization } = configuration.desired;
  try {
    const named = await lookUpNames(configuration, (kind) => source.names(organization, kind), {
      purpose: 'apply',
    });
    list.ok('names', 'all names of projects, teams and keys are known');
    return named;
  } catch (error) {
    if (!(error instanceof DiagnosticsError)) throw error;
    const errors = error.diagnostics.filter(({ severity }) => severity === 'error');
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
    list.fail('names', `${errors[0]?.message}${more}`, errors[0]?.hint ?? 'run `attune plan` for all errors');
    return undefined;
  }
}

/** Checks that each id in the files belongs to something in the organization. */
async function checkWrittenIds({ configuration, list }: Diagnosed, source: LiveSource): Promise<void> {
  const { desired, ids = [] } = configuration;
  const isDeclared = (name: string) => desired.resources.has(workspaceAddress(name));
  const consumers = resourcesOf(desired.resources.values(), 'workspace').flatMap(
    ({ address, location, attributes }) =>
      wantedConsumers(attributes['remote-state-consumers']).flatMap((ref) =>
        typeof ref === 'string' && isWorkspaceId(ref) && !isDeclared(ref)
          ? { id: ref, address, location }
          : [],
      ),
  );
  if (ids.length + consumers.length === 0) return;
  const input = { configuration, source };
  const [first, ...others] = [
    ...(await unknownIds(ids, input)),
    ...(await unknownWorkspaces(consumers, input)),
  ];
  if (first === undefined) {
    const unlisted = (await unlistedKinds(ids, input)).map((kind) => aliasKindTable[kind].plural);
    const beside = unlisted.length > 0 ? `; not listed to this token: ${unlisted.join(', ')}` : '';
    return list.ok('ids', `all ids belong to something in ${desired.organization}${beside}`);
  }
  const at = first.location ? ` (${showPlace(first.location)})` : '';
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  list.fail('ids', `${first.message}${at}${more}`, first.hint ?? 'correct the id');
}

/** An entry that is removed need not exist. */
function wantedConsumers(list: WorkspaceValues['remote-state-consumers']): readonly ConsumerRef[] {
  const rule = asListRule<ConsumerRef>(list);
  if (rule === undefined) return [];
  return 'add' in rule ? rule.add : rule.exactly;
}

function report({ check, permission, objects }: CheckedAction, { list }: Diagnosed): void {
  const refused = objects.filter(({ isAllowed }) => isAllowed === false);
  const unknown = objects.filter(({ isAllowed }) => isAllowed === undefined);
  if (refused.length > 0) {
    list.fail(
      check,
      `${permission} is false for ${refused.length} of ${objects.length}: ${namesOf(refused)}`,
      `give the token a role that has ${permission} there, or remove these declarations`,
    );
  } else if (unknown.length === objects.length) {
    list.skip(check, `the service does not show ${permission}`);
  } else {
    const beside = unknown.length > 0 ? `; not shown for ${unknown.length}: ${namesOf(unknown)}` : '';
    list.ok(
      check,
      `${permission} for ${objects.length - unknown.length} of ${objects.length} declared${beside}`,
    );
  }
}

function namesOf(objects: readonly CheckedObject[]): string {
  const rest = objects.length - namedObjects;
  const names = objects.slice(0, namedObjects).map(({ name }) => name);
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** A declared object, and whether the token may do something with it; undefined if the service does not show it. */
interface CheckedObject {
  readonly name: string;
  readonly isAllowed: boolean | undefined;
}

interface CheckedAction {
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

/** An object, and the documents of which each can show that an action is permitted. */
type Shown = readonly [name: string, ...documents: (ResourceObject | undefined)[]];

/** What the token needs to do with what is declared. An action that nothing declares has no objects. */
function actionsOf({
  workspaces,
  managed,
  grantProjects,
  documentOf,
  projects,
  settings,
}: DeclaredObjects): readonly CheckedAction[] {
  const live = workspaces.filter(documentOf);
  const liveWhere = (isChosen: (workspace: WorkspaceResource) => boolean) =>
    live.filter(isChosen).map((workspace): Shown => [workspace.name, documentOf(workspace)]);
  const isKept = ({ declared }: WorkspaceResource | ProjectResource) => !declared?.absent;
  const inProjects = (named: Iterable<readonly [id: string, name: string]>) =>
    [...named].flatMap(([id, name]): Shown[] => (isUncreatedProject(id) ? [] : [[name, projects.get(id)]]));
  const idsOf = (all: readonly ProjectResource[]) => all.map(({ id = '', name }) => [id, name] as const);
  const actions: readonly (readonly [check: string, permission: string, objects: readonly Shown[]])[] = [
    [
      'create workspaces',
      'can-create-workspace',
      workspaces
        .filter((workspace) => isKept(workspace) && !documentOf(workspace))
        .map(({ name, attributes }) => [name, projects.get(String(attributes.project)), settings]),
    ],
    ['update workspaces', 'can-update', liveWhere(isKept)],
    ['manage tags', 'can-manage-tags', liveWhere((one) => isKept(one) && one.attributes.tags !== undefined)],
    ['lock workspaces', 'can-lock', liveWhere((one) => isKept(one) && one.attributes.lock !== undefined)],
    ['delete workspaces', 'can-destroy', liveWhere(({ declared }) => declared?.absent === 'safe')],
    ['force-delete', 'can-force-delete', liveWhere(({ declared }) => declared?.absent === 'force')],
    ['manage team access', 'can-manage-teams', inProjects(grantProjects)],
    [
      'create projects',
      'can-create-project',
      managed
        .filter((one) => isKept(one) && isUncreatedProject(one.id ?? ''))
        .map(({ name }) => [name, settings]),
    ],
    ['update projects', 'can-update', inProjects(idsOf(managed.filter(isKept)))],
    ['delete projects', 'can-destroy', inProjects(idsOf(managed.filter((one) => !isKept(one))))],
  ];
  return actions.map(([check, permission, objects]) => ({
    check,
    permission,
    objects: objects.map(([name, ...documents]) => ({
      name,
      isAllowed: documents.reduce<boolean | undefined>(
        (isAllowed, document) => isAllowed || permitted(document, permission),
        undefined,
      ),
    })),
  }));
}

/** The value of a permission in a document; undefined if it does not have it. */
function permitted(document: ResourceObject | undefined, permission: string): boolean | undefined {
  const permissions = document?.attributes.permissions;
  const value = isRecord(permissions) ? permissions[permission] : undefined;
  return typeof value === 'boolean' ? value : undefined;
}
