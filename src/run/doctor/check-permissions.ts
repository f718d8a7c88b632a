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

/** A declared object, and whether the token may do something with it; undefined if the service does not show it. */
interface Allowed {
  readonly name: string;
  readonly isAllowed: boolean | undefined;
}

interface Action {
  readonly check: string;
  /** What the documents call the permission. */
  readonly permission: string;
  readonly objects: readonly Allowed[];
}

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
  const actions = await actionsOf(configuration, diagnosed, facts);
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

async function actionsOf(
  configuration: Configuration,
  diagnosed: Diagnosed,
  facts: ServiceFacts,
): Promise<readonly Action[]> {
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
}: DeclaredObjects): readonly Action[] {
  const kept = workspaces.filter(({ declared }) => !declared?.absent);
  const onLive = (check: string, permission: string, chosen: readonly WorkspaceResource[]): Action => ({
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

function projectActions({ managed, grantProjects, projects, settings }: DeclaredObjects): readonly Action[] {
  const isLive = (id = '') => !isUncreatedProject(id);
  const onLive = (
    check: string,
    permission: string,
    ids: readonly (readonly [string, string])[],
  ): Action => ({
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

function report({ check, permission, objects }: Action, { list }: Diagnosed): void {
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

function namesOf(objects: readonly Allowed[]): string {
  const rest = objects.length - namedObjects;
  const names = objects.slice(0, namedObjects).map(({ name }) => name);
  return `${names.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}
