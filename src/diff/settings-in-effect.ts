/*
 * A workspace inherits its execution mode, its agent pool, its destroy schedule and key/value tags from its project, and that from
 * the organization. What it inherits after the plan follows from the projects after the plan. Unknown is missing: a project that
 * was not read hands down nothing that is known.
 */

import type { Live } from '../live/read-live.ts';
import {
  destroyDuration,
  destroyTime,
  inheritedDestroyDuration,
  inheritsPool,
  modeFlag,
} from '../model/attributes.ts';
import type { ProjectChange } from '../model/change.ts';
import type { Dialect } from '../model/dialect.ts';
import { asBindings, type TagBindings } from '../model/list-rule.ts';
import {
  type Declared,
  isUncreatedProject,
  type ProjectResource,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { sameValue, type Value, type Values } from '../model/value.ts';

/** By id. A project that was not read is missing. */
type Projects = ReadonlyMap<string, ProjectResource>;

/** An execution mode and its pool. The mode is `null` for that of an organization that was not read. */
type Execution = { readonly mode: string | null; readonly pool?: string | null };

export interface Inheritance {
  readonly dialect: Dialect;
  readonly before: Projects;
  readonly after: Projects;
  /** What projects without an own setting inherit; `undefined` if no project that was read shows it. */
  readonly organization: Execution | undefined;
  readonly defaultProject: string | undefined;
}

export interface StatesOfPlan extends Inheritance {
  readonly workspaces: readonly WorkspaceResource[];
}

const executions = [
  {
    path: 'execution-mode',
    isInherited: (attributes: Values) => attributes[modeFlag] === false,
  },
  {
    path: 'agent-pool-id',
    isInherited: (attributes: Values) => inheritsPool((flag) => attributes[flag]),
  },
] as const;
const [modeSetting] = executions;

export function inheritanceOf(
  { state, dialect, defaultProject }: Live,
  after: readonly Resource[],
): Inheritance {
  const live = resourcesOf(state.resources.values(), 'project');
  const [organization] = live.flatMap(({ attributes }): Execution[] => {
    const { 'inherited-execution-mode': mode, 'inherited-agent-pool': pool } = attributes;
    return typeof mode === 'string' ? [{ mode, pool: pool as string | null }] : [];
  });
  const byId = (projects: readonly ProjectResource[]) =>
    new Map(projects.map((project) => [project.id ?? '', project]));
  return {
    dialect,
    before: byId(live),
    after: byId(resourcesOf(after, 'project')),
    organization,
    defaultProject,
  };
}

export function statesOfPlan(live: Live, after: readonly Resource[]): StatesOfPlan {
  const planned = resourcesOf(after, 'workspace');
  // A rule of a root file is about its declarations, which a rename gives another address.
  const addresses = new Map(planned.map(({ id, address }) => [id, address]));
  const before = resourcesOf(live.state.resources.values(), 'workspace');
  const declared = before.map((one) => ({ ...one, address: addresses.get(one.id) ?? one.address }));
  return { ...inheritanceOf(live, after), workspaces: [...declared, ...planned] };
}

export function matchedStates(
  states: readonly WorkspaceResource[],
  inheritance: Inheritance,
): WorkspaceResource[] {
  const { before, after } = inheritance;
  return states.flatMap((state) => {
    const placed = inDefaultProject(state, inheritance);
    return [placed, withTagsOf(before, placed), withTagsOf(after, placed)];
  });
}

export function inheritingStates(
  { live, target }: ProjectChange,
  states: StatesOfPlan,
): readonly (readonly [before: WorkspaceResource, after: WorkspaceResource])[] {
  if (live === undefined || target === undefined) return [];
  return states.workspaces
    .map((workspace) => inDefaultProject(workspace, states))
    .filter(({ attributes }) => attributes.project === live.id)
    .map((workspace) => [withTagsOf(states.before, workspace), withTagsOf(states.after, workspace)] as const);
}

function withTagsOf(projects: Projects, workspace: WorkspaceResource): WorkspaceResource {
  const tags = tagsFromProject(workspace, projects);
  if (tags === undefined) return workspace;
  return { ...workspace, attributes: { ...workspace.attributes, 'inherited-tag-bindings': tags } };
}

export function inDefaultProject(
  workspace: WorkspaceResource,
  { defaultProject }: { readonly defaultProject?: string | undefined },
): WorkspaceResource {
  if (workspace.id !== undefined || defaultProject === undefined) return workspace;
  return { ...workspace, attributes: { project: defaultProject, ...workspace.attributes } };
}

/**
 * A workspace with what it inherits after the plan: its execution mode and pool are those in effect, as in a live one. A
 * value that is unknown is missing.
 */
export function withInherited(
  target: WorkspaceResource,
  live: WorkspaceResource | undefined,
  inheritance: Inheritance,
  { ownsSchedule }: Declared = {},
): WorkspaceResource {
  const placed = inDefaultProject(target, inheritance);
  const tags = tagsFromProject(placed, inheritance.after);
  const inherited = {
    ...(tags && { 'inherited-tag-bindings': tags }),
    ...inheritedExecution(placed, live, inheritance),
    ...inheritedSchedule(placed, live, { ...inheritance, ownsSchedule: ownsSchedule === true }),
  };
  const differing = Object.entries(inherited).filter(
    ([path, value]) => !sameValue(value, target.attributes[path]),
  );
  if (differing.length === 0) return target;
  const attributes: Record<string, Value> = { ...target.attributes };
  for (const [path, value] of differing) {
    if (value === undefined) delete attributes[path];
    else attributes[path] = value;
  }
  return { ...target, attributes };
}

type Inherited = Readonly<Record<string, Value | undefined>>;

/** The key/value tags that a workspace inherits from its project; `undefined` if those of either were not read. */
function tagsFromProject(
  { id, attributes: { project = '', 'tag-bindings': own } }: WorkspaceResource,
  projects: Projects,
): TagBindings | undefined {
  const bindings = asBindings(projects.get(project)?.attributes['tag-bindings']);
  const isUnread = id !== undefined && own === undefined;
  if (bindings === undefined || isUnread) return undefined;
  const overridden = asBindings(own) ?? {};
  return Object.fromEntries(Object.entries(bindings).filter(([key]) => !Object.hasOwn(overridden, key)));
}

function inheritedExecution(
  { attributes }: WorkspaceResource,
  live: WorkspaceResource | undefined,
  inheritance: Inheritance,
): Inherited {
  // A workspace is created without an own mode if none is declared.
  const inherits = ({ path, isInherited }: (typeof executions)[number]) =>
    isInherited(attributes) || (!live && attributes[path] === undefined);
  const project = attributes.project ?? '';
  const isKept = live !== undefined && keepsExecution(live, project, inheritance);
  const begins = ({ isInherited }: (typeof executions)[number]) =>
    live !== undefined && isInherited(live.attributes) !== isInherited(attributes);
  const changed = executions.filter(
    (setting) => inherits(setting) && (!isKept || begins(setting) || begins(modeSetting)),
  );
  const handedDown = executionOf(project, inheritance);
  const after = inherits(modeSetting) ? handedDown?.mode : attributes[modeSetting.path];
  const pool = after === 'agent' ? handedDown?.pool : typeof after === 'string' ? null : undefined;
  return Object.fromEntries(changed.map(({ path }) => [path, path === modeSetting.path ? after : pool]));
}

function keepsExecution(
  { attributes: { project: formerly = '' } }: WorkspaceResource,
  project: string,
  { dialect, before, after }: Inheritance,
): boolean {
  const [from, to] = [before.get(formerly), after.get(project)];
  // Projects have no such settings in the `iac` dialect.
  const isKnown = formerly === project || dialect === 'iac' || (from !== undefined && to !== undefined);
  return isKnown && sameValue(ownExecution(from), ownExecution(to));
}

function executionOf(id: string, { after, organization }: Inheritance): Execution | undefined {
  const project = after.get(id);
  if (project === undefined) return undefined;
  const inherits = project.attributes['default-execution-mode'] === null || isUncreatedProject(id);
  return ownExecution(project) ?? organization ?? (inherits ? { mode: null } : undefined);
}

function ownExecution(project: ProjectResource | undefined): Execution | undefined {
  const { 'default-execution-mode': own, 'default-agent-pool': pool = null } = project?.attributes ?? {};
  return typeof own === 'string' ? { mode: own, pool } : undefined;
}

/**
 * A workspace without its own schedule has that of its project after the plan. A declared duration that the workspace
 * inherits, and keeps inheriting, does not differ.
 */
function inheritedSchedule(
  { attributes }: WorkspaceResource,
  live: WorkspaceResource | undefined,
  { after, ownsSchedule }: Inheritance & { readonly ownsSchedule: boolean },
): Inherited {
  const before = live?.attributes[inheritedDestroyDuration];
  const project = after.get(attributes.project ?? '');
  const isMoved = attributes.project !== live?.attributes.project;
  const inherited = project ? (project.attributes[destroyDuration] ?? null) : isMoved ? undefined : before;
  const keepsInheriting =
    before !== undefined &&
    !ownsSchedule &&
    !attributes[destroyTime] &&
    attributes[destroyDuration] &&
    attributes[destroyDuration] === inherited;
  const inherits = keepsInheriting || inheritsSchedule(live?.attributes, attributes);
  return {
    [inheritedDestroyDuration]: inherits ? inherited : undefined,
    ...(keepsInheriting && { [destroyDuration]: null }),
  };
}

/** A workspace without an own schedule inherits, unless the service shows that it does not. */
function inheritsSchedule(before: Values | undefined, after: Values): boolean {
  if (after[destroyDuration] || after[destroyTime]) return false;
  return (
    before === undefined || before[inheritedDestroyDuration] !== undefined || givesUpSchedule(before, after)
  );
}

/** A time without a duration is cleared only as declared. */
function givesUpSchedule(before: Values, after: Values): boolean {
  if (after[destroyDuration] || after[destroyTime]) return false;
  return Boolean(before[destroyDuration]) || (Boolean(before[destroyTime]) && after[destroyTime] === null);
}

export function startsInheriting(
  { attributes: before }: WorkspaceResource,
  { attributes: after }: WorkspaceResource,
): boolean {
  const isReset = executions.some(({ isInherited }) => !isInherited(before) && isInherited(after));
  return isReset || givesUpSchedule(before, after);
}

export const inheritedPaths = [...executions.map(({ path }) => path), destroyDuration] as const;

/**
 * A setting of a live workspace, or of one after the plan; `undefined` for one that workspaces do not inherit. Its value is
 * `undefined` if it is unknown, or the service does not have it.
 */
export function settingInEffect(path: string, { attributes }: WorkspaceResource) {
  const { [inheritedDestroyDuration]: inherited, [destroyDuration]: own } = attributes;
  if (path === destroyDuration)
    return inherited === undefined
      ? { isInherited: false, value: own }
      : { isInherited: true, value: inherited };
  const execution = executions.find((one) => one.path === path);
  return execution && { isInherited: execution.isInherited(attributes), value: attributes[path] };
}

export function isInherited(
  path: string,
  { attributes }: Pick<Resource, 'attributes'>,
  managed: { readonly attributes: Values },
): boolean {
  const execution = executions.find((one) => one.path === path);
  // A declared mode decides about the pool, too.
  const isManaged = [path, modeSetting.path].some((one) => managed.attributes[one] !== undefined);
  return execution !== undefined && (execution.isInherited(attributes) || !isManaged);
}
