import { type Access, accessAround, type PlanAccess } from '../access/access.ts';
import { consumerKey } from '../diff/expand-consumers.ts';
import { protectionOf } from '../diff/refusals.ts';
import { settingInEffect } from '../diff/settings-in-effect.ts';
import { projectAttributes, workspaceAttributes } from '../model/attribute-table.ts';
import { destroyDuration, destroyTime, projectPaths, variesByPlatform } from '../model/attributes.ts';
import type { Change } from '../model/change.ts';
import { aliasOf } from '../model/configuration.ts';
import type { SourceLocation } from '../model/diagnostic.ts';
import { effectiveBindings, type TagBindings } from '../model/list-rule.ts';
import { grantState } from '../model/lowered-access.ts';
import type { Plan, PlannedChange } from '../model/plan.ts';
import { type AttributeSpec, camelCase, pathsOf } from '../model/rows.ts';
import type { PolicySubject } from '../model/rules.ts';
import {
  findAmong,
  identity,
  isPlaceholder,
  isUncreatedProject,
  type ProjectResource,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
  workspaceAddress,
} from '../model/state.ts';
import { sameValue, sortedSet, type Value, type Values } from '../model/value.ts';
import { policyData } from '../policy/compile.ts';
import { consumerName, type Labels, labelledField, labelsAfter } from '../resolve/labels.ts';
import type { Pass } from './check.ts';
import { identitiesOf } from './policy-identity.ts';

export type PlannedState = Pick<Pass, 'configuration' | 'live' | 'difference' | 'chosen'> &
  Partial<Pick<Pass, 'names'>>;

export interface PolicyTarget {
  readonly address?: string | undefined;
  readonly location?: SourceLocation | undefined;
  readonly data: object;
  /**
   * What the variable is otherwise: with the live values, the names before the plan, and the key/value tags that are inherited before
   * it. A plan must not hide a resource from a policy by changing what selects it.
   */
  readonly former?: readonly object[] | undefined;
}

type PolicyTargets = (subject: PolicySubject) => readonly PolicyTarget[];

export function policyTargets(plan: Plan, state: PlannedState | undefined): PolicyTargets {
  const known = new Map<PolicySubject, readonly PolicyTarget[]>();
  const described = state && describing(state);
  const targets: PolicyTargets = (subject) => {
    const found = known.get(subject) ?? compute(subject);
    known.set(subject, found);
    return found;
  };
  const compute = (subject: PolicySubject): readonly PolicyTarget[] => {
    if (subject === 'change') return plan.changes.map((change) => changeTarget(change, described));
    if (subject === 'plan') return [{ data: planData(plan, targets('change')) }];
    return described ? descriptions[subject](described) : [];
  };
  return targets;
}

function planData(plan: Plan, changes: readonly PolicyTarget[]): object {
  return policyData('Plan', {
    ...plan,
    summary: { held: 0, ...plan.summary },
    changes: changes.map(({ data }) => data),
    now: plan.at === undefined ? undefined : new Date(plan.at),
  });
}

interface Described {
  readonly state: PlannedState;
  readonly access: PlanAccess;
  readonly labels: Labels;
  readonly identities: ReturnType<typeof identitiesOf>;
  readonly changes: ReadonlyMap<string, Change>;
  readonly live: ReadonlyMap<string | undefined, Resource>;
}

function describing(state: PlannedState): Described {
  const { configuration, live, difference, names } = state;
  const access = accessAround(live, difference);
  const { before, after } = access;
  return {
    state,
    access,
    labels: labelsAfter(configuration, live, difference.changes),
    identities: identitiesOf(before.resources, after.resources, names),
    changes: new Map(difference.changes.map((change) => [change.address, change])),
    live: new Map([...before.resources.values()].map((resource) => [resource.id, resource])),
  };
}

function changeTarget(change: PlannedChange, described: Described | undefined): PolicyTarget {
  const { kind, address, name, id, facts, location, held = [] } = change;
  const { live, target } = described?.changes.get(address) ?? {};
  const after = target?.kind === 'workspace' ? described && placedOf(target, described) : target;
  // Facts have the ids in a saved plan.
  const { project, team } = after?.attributes ?? live?.attributes ?? facts ?? {};
  const ids =
    kind === 'project' ? { project: target?.id ?? id } : { project: textOf(project), team: textOf(team) };
  const identity = (described?.identities ?? identitiesOf([], []))(ids);
  const was = kind === 'workspace' ? live?.name : undefined;
  const names = { ...identity.former, ...formerOf(was, name) };
  return targetOf('Change', { address, location }, [
    { values: { ...change, held, ...identity.now }, others: [names] },
  ]);
}

/** A new workspace without a project is created in the default project. */
function placedOf(workspace: WorkspaceResource, { access }: Described): WorkspaceResource {
  return access.after.states.get(consumerKey(workspace))?.owner ?? workspace;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function formerOf(was: string | undefined, name: string): object {
  return was === undefined || was === name ? {} : { name: was, address: workspaceAddress(was) };
}

interface Side {
  readonly values: object;
  readonly others: readonly object[];
}

function targetOf(
  type: 'Change' | 'Workspace' | 'Grant' | 'Project',
  about: Pick<PolicyTarget, 'address' | 'location'>,
  sides: readonly Side[],
): PolicyTarget {
  const views = sides.flatMap(({ values, others }) =>
    others
      .filter((other) => Object.keys(other).length > 0)
      .reduce<object[]>((all, other) => all.flatMap((view) => [view, { ...view, ...other }]), [values]),
  );
  const [data = {}, ...former] = views.map((view) => policyData(type, view));
  return { ...about, data, former };
}

function otherBindings(own: WorkspaceResource, other: WorkspaceResource): object {
  const inherited = other.attributes['inherited-tag-bindings'];
  if (inherited === undefined) return {};
  const attributes = { ...own.attributes, 'inherited-tag-bindings': inherited };
  const effectiveTagBindings = bindingsOf({ ...own, attributes });
  const isOther = effectiveTagBindings !== undefined && !sameValue(effectiveTagBindings, bindingsOf(own));
  return isOther ? { effectiveTagBindings } : {};
}

const descriptions: Readonly<
  Record<'workspace' | 'grant' | 'project', (described: Described) => readonly PolicyTarget[]>
> = {
  workspace(described) {
    const { access, identities } = described;
    const before = { ...described, access: { ...access, after: access.before } };
    return declaredOf(described, 'workspace').map(({ resource, about, own }) => {
      const { name } = resource;
      const live = described.live.get(resource.id);
      const side = (one: WorkspaceResource, other: Resource | undefined, when: Described): Side => {
        const { now, former } = identities({ project: placedOf(one, when).attributes.project });
        return {
          values: { ...own, ...workspaceData(one, when), name, ...now },
          others: [
            { ...former, ...formerOf(live?.name, name) },
            other?.kind === 'workspace' ? otherBindings(one, other) : {},
          ],
        };
      };
      const isChanged = live?.kind === 'workspace' && own.action !== 'none';
      const former = isChanged ? side(live, resource, before) : [];
      return targetOf('Workspace', about, [side(resource, live, described), former].flat());
    });
  },
  grant(described) {
    const { access, identities, labels, state } = described;
    const { configuration } = state;
    const grants = resourcesOf(access.before.resources, 'team-access');
    const liveIds = new Map(grants.map((one) => [identity(one)[0], one.id]));
    const after = resourcesOf(access.after.resources, 'project');
    const projects = new Map(after.map(({ id, attributes }) => [id, attributes]));
    return declaredOf(described, 'team-access').map(({ resource, about, own }) => {
      const { project, team } = resource.attributes;
      const { now, former } = identities({ project, team });
      const effectiveTagBindings = projects.get(project)?.['tag-bindings'];
      const bindingsBefore = described.live.get(project)?.attributes['tag-bindings'];
      const { until, reason = null } = configuration.desired.resources.get(resource.address)?.declared ?? {};
      const data = {
        ...own,
        ...grantState(resource.attributes),
        until: until?.written ?? null,
        reason,
        id: liveIds.get(identity(resource)[0]),
        effectiveTagBindings,
        project: labels.shown('projects', project),
        team: labels.shown('teams', team),
        ...now,
      };
      const isOther = bindingsBefore && !sameValue(bindingsBefore, effectiveTagBindings);
      // The live level selects nothing: a policy on a level must not refuse to lower it.
      return targetOf('Grant', about, [
        { values: data, others: [former, isOther ? { effectiveTagBindings: bindingsBefore } : {}] },
      ]);
    });
  },
  project(described) {
    return declaredOf(described, 'project').map(({ resource, about, own }) => {
      const { now, former } = described.identities({ project: resource.id });
      const { projectName: was } = former;
      const live = described.live.get(resource.id);
      const side = (one: ProjectResource): Side => ({
        values: {
          ...own,
          ...projectData({ ...one, name: resource.name, address: resource.address }, described),
          ...now,
        },
        others: [was === undefined ? former : { ...former, name: was }],
      });
      const isChanged = live?.kind === 'project' && own.action !== 'none';
      return targetOf('Project', about, [side(resource), isChanged ? side(live) : []].flat());
    });
  },
};

function declaredOf<Kind extends Resource['kind']>(
  { state: { configuration, difference, chosen }, changes }: Described,
  kind: Kind,
) {
  const declaredAs = findAmong(configuration.desired.resources.values());
  return resourcesOf(difference.after, kind).flatMap((resource) => {
    // What waits as a whole is as it is live, also in its address.
    const declared = declaredAs(identity(resource));
    // A deletion that waits declares nothing that a policy can require.
    if (declared === undefined || declared.declared?.absent || !chosen(declared.address)) return [];
    const { address, name, location = resource.location } = declared;
    return {
      resource: { ...resource, address, name: kind === 'workspace' ? resource.name : name },
      about: { address, location },
      own: { address, action: changes.get(address)?.action ?? 'none' },
    };
  });
}

function workspaceData(workspace: WorkspaceResource, { state, labels, access }: Described) {
  const { name, address } = workspace;
  const { configuration, live } = state;
  const declared = configuration.desired.resources.get(address);
  const attributes: WorkspaceResource['attributes'] & Values = {
    ...workspace.attributes,
    ...derivedSettings(workspace, declared),
  };
  const { tags, lock, project } = attributes;
  // A new workspace has none of these, and the documented default of each setting that no file names. Some defaults are
  // set by the administrators of a service: they are unknown, and with them who may read the state.
  const id = liveIdOf(workspace.id);
  const isCreated = id === undefined;
  const orNone = <Value>(value: Value | undefined, none: Value) =>
    value === undefined && isCreated ? none : value;
  const labelled = (path: string): Value | undefined =>
    labelledField({ path, before: null, after: attributes[path] as Value }, labels).after;
  const settings = pathsOf(workspaceAttributes, live.dialect).flatMap((path) => {
    const spec: AttributeSpec = workspaceAttributes[path];
    const own = labelled(path);
    if (isCreated && !own && inheritsUnread(path, workspace)) return [];
    const isDefault = own === undefined && isCreated && !variesByPlatform.has(path);
    const value = isDefault ? spec.default : own;
    const isMissing = value === undefined || (value === null && !spec.nullable);
    return isMissing ? [] : [[path, value] as const];
  });
  return {
    ...readersData(consumerKey(workspace), access.after, labels),
    name,
    id,
    project: project === undefined ? undefined : labels.shown('projects', project),
    tags: orNone(Array.isArray(tags) ? tags : undefined, []),
    attributes: Object.fromEntries(settings),
    tagBindings: orNone(attributes['tag-bindings'], {}),
    effectiveTagBindings: bindingsOf(workspace),
    sshKey: orNone(labelled('ssh-key'), null),
    locked: orNone(lock?.locked, false),
    dataRetention: orNone(attributes['data-retention'], null),
    protect: declared?.declared?.protect === true || protectionOf(configuration, [workspace]) !== undefined,
  };
}

function readersData(owner: string, { states, hasMembers, membersOf }: Access, { shown, names }: Labels) {
  const { via = 'unknown', readers, owner: { attributes = {} } = {} } = states.get(owner) ?? {};
  const { project } = attributes;
  const isShared = via === 'project' && project !== undefined;
  const listed = via === 'list' ? readers : undefined;
  const members = isShared && hasMembers(project) ? membersOf(project) : undefined;
  const named = (keys: readonly string[] | undefined) =>
    keys
      ?.filter((key) => key !== owner)
      .map((key) => states.get(key)?.owner.name ?? consumerName(key, names))
      .sort();
  const homes = isShared ? [project] : listed?.map((key) => states.get(key)?.owner.attributes.project);
  const projects = (shown: (id: string) => string | undefined) => homes && shownProjects(homes, shown);
  return {
    consumers: named(listed),
    readers: named(listed ?? members),
    consumerProjects: projects((id) => shown('projects', id)),
    consumerProjectIds: projects(liveIdOf),
  };
}

function shownProjects(
  ids: readonly (string | undefined)[],
  shown: (id: string) => string | undefined,
): readonly string[] | undefined {
  const found = ids.map((id) => (id === undefined ? undefined : shown(id)));
  return found.every((one) => one !== undefined) ? sortedSet(found) : undefined;
}

/**
 * What the service derives from other settings: the execution mode from the deprecated `operations` or the other way round,
 * one way to reach a repository (interface, sections 2.1 and 2.2), and an inherited destroy schedule.
 */
function derivedSettings(workspace: WorkspaceResource, declared: Resource | undefined): Values {
  const { attributes } = workspace;
  const names = (path: string) => Boolean(declared?.attributes[path]);
  const { operations, 'execution-mode': current, [appPath]: app, [connectionPath]: connection } = attributes;
  const implied = operations === false ? 'local' : current === 'local' ? 'remote' : current;
  // What is held is declared, and has its live value.
  const mode = typeof declared?.attributes.operations === 'boolean' ? implied : current;
  const derived: Record<string, Value> = {};
  if (typeof mode === 'string') {
    derived['execution-mode'] = mode;
    if (operations !== undefined || workspace.id === undefined) derived.operations = mode !== 'local';
  }
  if (app && names(appPath)) derived[connectionPath] = null;
  if (connection && names(connectionPath)) derived[appPath] = null;
  const duration = settingInEffect(destroyDuration, workspace)?.value;
  if (duration !== undefined) derived[destroyDuration] = duration;
  return derived;
}

const appPath = 'vcs-repo.vcs-app-installation-id';
const connectionPath = 'vcs-repo.oauth-token-id';

/** Whether a new workspace without an own value inherits one that the plan has not read. */
function inheritsUnread(path: string, workspace: WorkspaceResource): boolean {
  const setting = settingInEffect(path, workspace);
  if (path === destroyDuration) return !setting?.isInherited && !workspace.attributes[destroyTime];
  return setting !== undefined && setting.value === undefined;
}

function bindingsOf({ id, attributes }: WorkspaceResource): TagBindings | undefined {
  const own = attributes['tag-bindings'] ?? (id === undefined || isPlaceholder(id) ? {} : undefined);
  const isInNewProject = attributes.project !== undefined && isUncreatedProject(attributes.project);
  const inherited = attributes['inherited-tag-bindings'] ?? (isInNewProject ? {} : undefined);
  return own === undefined || inherited === undefined
    ? undefined
    : effectiveBindings({ 'tag-bindings': own as Value, 'inherited-tag-bindings': inherited as Value });
}

function projectData(project: ProjectResource, { state: { configuration } }: Described) {
  const { name: alias, address, attributes } = project;
  const { desired, aliases } = configuration;
  const values = projectPaths.map((path) => {
    const { [path]: value } = attributes;
    const kind = projectAttributes[path].reference;
    return [camelCase(path), kind && value ? aliasOf(aliases, kind, String(value)) : value] as const;
  });
  return {
    alias,
    id: liveIdOf(project.id),
    ...Object.fromEntries(values),
    tagBindings: attributes['tag-bindings'],
    effectiveTagBindings: attributes['tag-bindings'],
    protect: desired.resources.get(address)?.declared?.protect === true,
  };
}

function liveIdOf(id: string | undefined): string | undefined {
  return id === undefined || isPlaceholder(id) ? undefined : id;
}
