import { type Access, accessAround } from '../access/access.ts';
import { protectionOf } from '../diff/deletions.ts';
import type { Difference } from '../diff/diff.ts';
import { consumerKey } from '../diff/expand-consumers.ts';
import { inDefaultProject, inheritedPaths, settingInEffect } from '../diff/settings-in-effect.ts';
import type { Live } from '../live/read-live.ts';
import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import {
  attributePathsOf,
  destroyDuration,
  destroyTime,
  projectPaths,
  referencePaths,
  variesByPlatform,
} from '../model/attributes.ts';
import type { Change, FieldChange } from '../model/change.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import type { TagBindings } from '../model/list-rule.ts';
import { effectiveBindings } from '../model/list-rule.ts';
import { grantState } from '../model/lowered-access.ts';
import type { Call, Plan, PlannedChange } from '../model/plan.ts';
import { type AttributeSpec, camelCase } from '../model/rows.ts';
import type { PolicySubject } from '../model/rules.ts';
import {
  type GrantResource,
  isPlaceholder,
  isUncreatedProject,
  type ProjectResource,
  pairOf,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { sortedSet, type Value, type Values } from '../model/value.ts';
import { policyValue, typedValue } from '../policy/compile.ts';
import { consumerName, type Labels, labelledField, labelsAfter } from '../resolve/labels.ts';
import {
  type Identities,
  type Identity,
  type Ids,
  identitiesOf,
  type PolicyNames,
  savedIdentity,
} from './policy-identity.ts';

/** The state that a plan was made from: policies on resources are evaluated on what it becomes. */
export interface PlannedState {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Pick<Difference, 'changes' | 'after'>;
  /** The names that the policies use. @default none is known */
  readonly names?: PolicyNames;
  /** Whether the run evaluates an address. */
  readonly chosen: (address: string) => boolean;
}

/** Something that a policy is evaluated on. */
export interface PolicyTarget {
  /** Absent for the plan as a whole. */
  readonly address?: string;
  /** The line that declares it. */
  readonly location?: SourceLocation;
  /** The value of the variable. */
  readonly data: object;
  /** The same with the names before the plan, if it changes one: a rename must not hide the resource from a policy. */
  readonly former?: object;
}

/** What the policies on a subject are evaluated on. */
type PolicyTargets = (subject: PolicySubject) => readonly PolicyTarget[];

/** The targets of a plan; each subject is computed once, when a policy asks for it. */
export function policyTargets(plan: Plan, state: PlannedState | undefined): PolicyTargets {
  const known = new Map<PolicySubject, readonly PolicyTarget[]>();
  const targets: PolicyTargets = (subject) => {
    const found = known.get(subject) ?? compute(subject);
    known.set(subject, found);
    return found;
  };
  const compute = (subject: PolicySubject): readonly PolicyTarget[] => {
    if (subject === 'change') {
      const identities = state && identitiesOf(state);
      const changes = new Map(state?.difference.changes.map((one) => [one.address, placed(one, state.live)]));
      return plan.changes.map((change) => changeTarget(change, changes.get(change.address), identities));
    }
    if (subject === 'plan') return [{ data: planData(plan, targets('change')) }];
    return state ? resourceTargets(subject, state) : [];
  };
  return targets;
}

function placed(change: Change, live: Live): Change {
  return change.kind === 'workspace' && change.target
    ? { ...change, target: inDefaultProject(change.target, live) }
    : change;
}

function planData(plan: Plan, changes: readonly PolicyTarget[]): object {
  const { organization, address, dialect, summary, unmanaged, at } = plan;
  return typedValue('Plan', {
    organization,
    address,
    dialect,
    summary: typedValue('Summary', policyValues({ ...summary, held: summary.held ?? 0 })),
    changes: changes.map(({ data }) => data),
    now: at === undefined ? undefined : new Date(at),
    unmanaged,
  });
}

/** @param identities absent for a saved plan, which does not contain the names of the service */
function changeTarget(
  change: PlannedChange,
  compared: Change | undefined,
  identities: Identities | undefined,
): PolicyTarget {
  const { address, kind, name, id, action, mode, location, resources, fields, origins, grants } = change;
  const { calls, held = [], protectionLost, dependsOn } = change;
  const identity = identities?.of(idsOf(change, compared)) ?? savedIdentity(idsOf(change, compared));
  const formerName = kind === 'workspace' ? compared?.live?.name : undefined;
  const data = (own: object) =>
    typedValue('Change', {
      address,
      kind,
      name,
      id,
      action,
      mode,
      dependsOn,
      protectionLost,
      location: location && placeData(location),
      resources: policyValue(resources),
      fields: fields.map(fieldData),
      origins:
        origins && new Map(Object.entries(origins).map(([path, place]) => [path, placeData(place)] as const)),
      grants: grants?.map(fieldData),
      calls: calls.map(callData),
      held: held.map((hold) => typedValue('Hold', { ...hold })),
      ...own,
    });
  return withFormer(
    { address, ...(location && { location }), data: data(identity.now) },
    formerName !== undefined && formerName !== name
      ? { ...identity.former, name: formerName, address: workspaceAddress(formerName) }
      : identity.former,
    (former) => data({ ...identity.now, ...former }),
  );
}

function withFormer(
  target: PolicyTarget,
  former: object | undefined,
  data: (former: object) => object,
): PolicyTarget {
  return former ? { ...target, former: data(former) } : target;
}

/** The project and the team of a change, by their ids. Facts have them in a saved plan. */
function idsOf({ kind, id, facts }: PlannedChange, compared: Change | undefined): Ids {
  if (kind === 'project') return { project: compared?.target?.id ?? id };
  const { project, team } = compared?.target?.attributes ?? compared?.live?.attributes ?? facts ?? {};
  return {
    project: typeof project === 'string' ? project : undefined,
    ...(typeof team === 'string' && { team }),
  };
}

function placeData({ file, line, column, construct }: SourceLocation): object {
  return typedValue('Place', { file, line: policyValue(line), column: policyValue(column), construct });
}

function fieldData({ path, before, after, add, remove }: FieldChange): object {
  return typedValue('Field', {
    path,
    before: policyValue(before),
    after: policyValue(after),
    add,
    remove,
  });
}

function callData({ operation, method, path, body, mode }: Call): object {
  return typedValue('Call', { operation, method, path, body: policyValue(body), mode });
}

function policyValues(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, policyValue(value)]));
}

/** The declared resources of a kind after the plan, with their managed and their live values. */
function resourceTargets(subject: keyof typeof descriptions, state: PlannedState): readonly PolicyTarget[] {
  const { configuration, live, difference, chosen } = state;
  const { resources } = configuration.desired;
  const declared = difference.after.filter(({ address }) => resources.has(address) && chosen(address));
  const labels = labelsAfter(configuration, live, difference.changes);
  const actions = new Map(difference.changes.map(({ address, action }) => [address, action]));
  const described = descriptions[subject](declared, { state, labels, identities: identitiesOf(state) });
  return described.map(({ resource, type, own, identity }): PolicyTarget => {
    const { address } = resource;
    const { location = resource.location } = resources.get(address) ?? {};
    const data = (names: object) =>
      typedValue(type, { address, action: actions.get(address) ?? 'none', ...own, ...names });
    return withFormer(
      { address, ...(location && { location }), data: data(identity.now) },
      identity.former,
      (former) => data({ ...identity.now, ...former }),
    );
  });
}

interface DescribedResource {
  readonly resource: Resource;
  readonly type: 'Workspace' | 'Grant' | 'Project';
  /** Its data without names. */
  readonly own: object;
  readonly identity: Identity;
}

interface DescribeContext {
  readonly state: PlannedState;
  readonly labels: Labels;
  readonly identities: ReturnType<typeof identitiesOf>;
}

const descriptions = {
  workspace(declared, { state, labels, identities }) {
    const { live, difference } = state;
    const { after: access } = accessAround(live, difference);
    return resourcesOf(declared, 'workspace').map((resource) => ({
      resource,
      type: 'Workspace',
      own: workspaceData(resource, { state, labels, access }),
      identity: identities.ofWorkspace(inDefaultProject(resource, live)),
    }));
  },
  grant(declared, { state: { live, difference }, labels, identities }) {
    const grants = resourcesOf(live.state.resources.values(), 'team-access');
    const after = resourcesOf(difference.after, 'project');
    const context: GrantContext = {
      labels,
      ids: new Map(grants.map((one) => [pairOf(one), one.id])),
      projects: new Map(after.map((one) => [one.id, one])),
    };
    return resourcesOf(declared, 'team-access').map((resource) => ({
      resource,
      type: 'Grant',
      own: grantData(resource, context),
      identity: identities.of(resource.attributes),
    }));
  },
  project(declared, { state, identities }) {
    return resourcesOf(declared, 'project').map((resource) => {
      const identity = identities.of({ project: resource.id });
      const former = identity.former && { ...identity.former, name: identity.former.projectName };
      return {
        resource,
        type: 'Project',
        own: projectData(resource, state.configuration),
        identity: { ...identity, ...(former && { former }) },
      };
    });
  },
} satisfies Record<
  string,
  (declared: readonly Resource[], context: DescribeContext) => readonly DescribedResource[]
>;

interface WorkspaceContext {
  readonly state: PlannedState;
  readonly labels: Labels;
  readonly access: Access;
}

function workspaceData(workspace: WorkspaceResource, { state, labels, access }: WorkspaceContext) {
  const { name, address } = workspace;
  const { configuration, live } = state;
  const attributes: WorkspaceResource['attributes'] & Values = {
    ...workspace.attributes,
    ...Object.fromEntries(
      inheritedPaths.flatMap((path) => {
        const { isInherited, value } = settingInEffect(path, workspace) ?? {};
        return isInherited && value !== undefined ? [[path, value]] : [];
      }),
    ),
    ...derivedSettings(workspace, configuration.desired.resources.get(address)),
  };
  const { tags, lock, project } = attributes;
  // A new workspace has none of these, and the documented default of each setting that no file names. Some defaults are
  // set by the administrators of a service: they are unknown, and with them who may read the state.
  const id = liveId(workspace);
  const isCreated = id === undefined;
  const orNone = <Value>(value: Value | undefined, none: Value) =>
    value === undefined && isCreated ? none : value;
  const labelled = (path: string) => {
    const value = attributes[path];
    if (value === undefined || referencePaths[path] === undefined) return value;
    return labelledField({ path, before: null, after: value }, labels).after;
  };
  const settings = attributePathsOf(live.dialect).flatMap((path) => {
    const spec: AttributeSpec = workspaceAttributes[path];
    const own = labelled(path);
    if (isCreated && !own && inheritsUnread(path, workspace)) return [];
    const isDefault = own === undefined && isCreated && !variesByPlatform.has(path);
    const value = isDefault ? spec.default : own;
    const isMissing = value === undefined || (value === null && !spec.nullable);
    return isMissing ? [] : [[path, policyValue(value)] as const];
  });
  const own = consumerKey(workspace);
  const { readers = { via: 'unknown' as const } } = access.states.get(own) ?? {};
  const listed = readers.via === 'list' ? readers.keys : undefined;
  const shared = readers.via === 'project' ? readers.project : undefined;
  const members = shared !== undefined && access.hasMembers(shared) ? access.membersOf(shared) : undefined;
  const nameOf = (key: string) => access.states.get(key)?.owner.name ?? consumerName(key, labels.names);
  const named = (keys: readonly string[] | undefined) =>
    keys
      ?.filter((key) => key !== own)
      .map(nameOf)
      .sort();
  const homeOf = (key: string) => access.states.get(key)?.owner.attributes.project;
  const readingProjects = shared === undefined ? listed?.map(homeOf) : [shared];
  const projectsOfReaders = (shown: (id: string) => string | undefined) =>
    readingProjects && shownProjects(readingProjects, shown);
  return {
    name,
    id,
    project: project === undefined ? undefined : aliasOf(labels.aliases, 'projects', project),
    tags: orNone(Array.isArray(tags) ? tags : undefined, []),
    attributes: typedValue('Attributes', Object.fromEntries(settings)),
    tagBindings: orNone(policyValue(attributes['tag-bindings']), new Map()),
    effectiveTagBindings: policyValue(bindingsOf(workspace)),
    consumers: named(listed),
    readers: named(listed ?? members),
    consumerProjects: projectsOfReaders((id) => aliasOf(labels.aliases, 'projects', id)),
    consumerProjectIds: projectsOfReaders(liveIdOf),
    sshKey: orNone(policyValue(labelled('ssh-key')), null),
    locked: orNone(lock?.locked, false),
    dataRetention: orNone(policyValue(attributes['data-retention']), null),
    protect:
      configuration.desired.resources.get(address)?.declared?.protect === true ||
      protectionOf(configuration, [workspace]) !== undefined,
  };
}

/**
 * What the service derives from other settings: the execution mode from the deprecated `operations` or the other way round, a pool
 * only with the mode `agent`, and one way to reach a repository (interface, sections 2.1 and 2.2).
 */
function derivedSettings({ attributes }: WorkspaceResource, declared: Resource | undefined): Values {
  const names = (path: string) => Boolean(declared?.attributes[path]);
  const { operations, 'execution-mode': current, [appPath]: app, [connectionPath]: connection } = attributes;
  const implied = operations === false ? 'local' : current === 'local' ? 'remote' : current;
  // What is held is declared, and has its live value.
  const mode = typeof declared?.attributes.operations === 'boolean' ? implied : current;
  return {
    ...(typeof mode === 'string' && {
      'execution-mode': mode,
      ...(operations !== undefined && { operations: mode !== 'local' }),
      ...(mode !== 'agent' && attributes['agent-pool-id'] !== undefined && { 'agent-pool-id': null }),
    }),
    ...(app && names(appPath) && { [connectionPath]: null }),
    ...(app && connection && names(connectionPath) && { [appPath]: null }),
  };
}

const appPath = 'vcs-repo.vcs-app-installation-id';
const connectionPath = 'vcs-repo.oauth-token-id';

/** Whether a new workspace without an own value inherits one that the plan has not read. */
function inheritsUnread(path: string, workspace: WorkspaceResource): boolean {
  const setting = settingInEffect(path, workspace);
  if (path === destroyDuration) return !setting?.isInherited && !workspace.attributes[destroyTime];
  return setting !== undefined && setting.value === undefined;
}

/** Undefined if the project of a workspace is unknown. */
function shownProjects(
  ids: readonly (string | undefined)[],
  shown: (id: string) => string | undefined,
): readonly string[] | undefined {
  const found = ids.map((id) => (id === undefined ? undefined : shown(id)));
  return found.every((one) => one !== undefined) ? sortedSet(found) : undefined;
}

/** The key/value tags in effect; undefined if they were not read. A new project has those that it declares. */
function bindingsOf({ id, attributes }: WorkspaceResource): TagBindings | undefined {
  const own = attributes['tag-bindings'] ?? (id === undefined || isPlaceholder(id) ? {} : undefined);
  const isInNewProject = attributes.project !== undefined && isUncreatedProject(attributes.project);
  const inherited = attributes['inherited-tag-bindings'] ?? (isInNewProject ? {} : undefined);
  return own === undefined || inherited === undefined
    ? undefined
    : effectiveBindings({ 'tag-bindings': own as Value, 'inherited-tag-bindings': inherited as Value });
}

interface GrantContext {
  readonly labels: Labels;
  /** The live ids of grants, by their pairs. */
  readonly ids: ReadonlyMap<string, string | undefined>;
  /** The projects after the plan, by id. */
  readonly projects: ReadonlyMap<string | undefined, ProjectResource>;
}

function grantData(grant: GrantResource, { labels: { aliases }, ids, projects }: GrantContext) {
  const { attributes } = grant;
  const { access, permissions } = grantState(attributes);
  return {
    id: ids.get(pairOf(grant)),
    effectiveTagBindings: policyValue(projects.get(attributes.project)?.attributes['tag-bindings']),
    project: aliasOf(aliases, 'projects', attributes.project),
    team: aliasOf(aliases, 'teams', attributes.team),
    access,
    permissions: typedValue('Permissions', permissions),
  };
}

function projectData(project: ProjectResource, { desired, aliases }: Configuration) {
  const { name: alias, address, attributes } = project;
  const values = projectPaths.map((path) => {
    const { [path]: value } = attributes;
    const kind = projectAttributes[path].reference;
    return [camelCase(path), kind && value ? aliasOf(aliases, kind, String(value)) : value] as const;
  });
  return {
    alias,
    id: liveId(project),
    ...Object.fromEntries(values),
    tagBindings: policyValue(attributes['tag-bindings']),
    effectiveTagBindings: policyValue(attributes['tag-bindings']),
    protect: desired.resources.get(address)?.declared?.protect === true,
  };
}

/** Absent for a resource that the plan creates. */
function liveId({ id }: Resource): string | undefined {
  return id === undefined ? undefined : liveIdOf(id);
}

function liveIdOf(id: string): string | undefined {
  return isPlaceholder(id) ? undefined : id;
}
