import { aliasOf } from '../desired/configuration.ts';
import type { InheritedSetting, InheritedTags } from '../model/plan.ts';
import { type ProjectResource, type Resource, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import {
  asBindings,
  bindingText,
  effectiveBindings,
  sortedBindings,
  type TagBindings,
} from '../model/tag-bindings.ts';
import { sameValue, type Value } from '../model/value.ts';
import type { Labels } from './labels.ts';
import type { StateAccessInput } from './state-access.ts';

type Projects = ReadonlyMap<string, ProjectResource>;

/** The projects on both sides of the plan, by id. An unread one is missing. */
interface Sides {
  readonly before: Projects;
  readonly after: Projects;
  /** What projects without an own setting inherit; `undefined` if no project that was read shows it. */
  readonly organization: Execution | undefined;
}

type Execution = { readonly mode: string; readonly pool: string | null };

/** A workspace before and after the plan. */
interface Pair {
  readonly live: WorkspaceResource;
  readonly target: WorkspaceResource;
}

const period = 'auto-destroy-activity-duration';
const inheritedPeriod = 'inherited-auto-destroy-activity-duration';
const modeFlag = 'setting-overwrites.execution-mode';

/**
 * The settings in effect that change because a workspace moves, or because its project hands down others. A workspace
 * inherits from its project, and that from the organization; an own value of the workspace is a field of its change.
 */
export function inheritedSettingsOf({
  before,
  after,
  labels,
}: Pick<StateAccessInput, 'before' | 'after' | 'labels'>): InheritedSetting[] {
  const sides = sidesOf({ before, after });
  const live = new Map(resourcesOf(before, 'workspace').map((workspace) => [workspace.id, workspace]));
  const pool = (id: Value) => (typeof id === 'string' ? aliasOf(labels.aliases, 'agent-pools', id) : id);
  return resourcesOf(after, 'workspace')
    .flatMap((target): InheritedSetting[] => {
      const current = target.id === undefined ? undefined : live.get(target.id);
      if (current === undefined) return [];
      const pair = { live: current, target };
      const isMoved = current.attributes.project !== target.attributes.project;
      const from = isMoved ? 'move' : 'project';
      const changed = [...executionOf(pair, sides), ...scheduleOf(pair, sides), ...tagsOf(pair, sides)];
      return changed.map(({ path, before, after }) => ({
        address: target.address,
        path,
        before: path === 'agent-pool-id' ? pool(before) : before,
        after: path === 'agent-pool-id' ? pool(after) : after,
        from,
      }));
    })
    .sort((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : 0));
}

type Setting = Omit<InheritedSetting, 'address' | 'from'>;

function sidesOf({ before, after }: Pick<StateAccessInput, 'before' | 'after'>): Sides {
  const byId = (resources: StateAccessInput['before']): Projects =>
    new Map(resourcesOf(resources, 'project').map((project) => [project.id ?? '', project]));
  const live = byId(before);
  const shown = [...live.values()].flatMap(({ attributes }): Execution[] => {
    const { 'inherited-execution-mode': mode, 'inherited-agent-pool': pool } = attributes;
    return typeof mode === 'string' ? [{ mode, pool: typeof pool === 'string' ? pool : null }] : [];
  });
  return { before: live, after: byId(after), organization: shown[0] };
}

/** Both are in the documents as they are in effect; the flags show that they are inherited. */
function executionOf({ live, target }: Pair, sides: Sides): Setting[] {
  const inherits = [live, target].every(({ attributes }) => attributes[modeFlag] === false);
  const project = target.attributes.project ?? '';
  const planned = sides.after.get(project);
  const isKept =
    live.attributes.project === project &&
    sameValue(ownExecution(sides.before.get(project)), ownExecution(planned));
  if (!inherits || planned === undefined || isKept) return [];
  const own = ownExecution(planned);
  // A service that does not return the settings of projects does not have them.
  if (planned.attributes['default-execution-mode'] === undefined && sides.organization === undefined)
    return [];
  const { mode, pool } = own ?? sides.organization ?? { mode: null, pool: null };
  return [
    ...setting('execution-mode', live.attributes['execution-mode'] ?? null, mode),
    ...setting('agent-pool-id', live.attributes['agent-pool-id'] ?? null, pool),
  ];
}

/** Undefined if the project inherits from its organization. */
function ownExecution(project: ProjectResource | undefined): Execution | undefined {
  const { 'default-execution-mode': mode, 'default-agent-pool': pool } = project?.attributes ?? {};
  return typeof mode === 'string' ? { mode, pool: pool ?? null } : undefined;
}

function scheduleOf({ live, target }: Pair, { after }: Sides): Setting[] {
  const before = live.attributes[inheritedPeriod];
  const project = after.get(target.attributes.project ?? '');
  const hasOwn = [period, 'auto-destroy-at'].some((path) => typeof target.attributes[path] === 'string');
  if (before === undefined || project === undefined || hasOwn) return [];
  return setting(period, before, project.attributes[period] ?? null);
}

/** Own tags are fields, so only what is inherited makes a change. */
function tagsOf({ live, target }: Pair, sides: Sides): Setting[] {
  const path = 'inherited-tag-bindings';
  const { project } = target.attributes;
  const handedDown = ({ before, after }: Sides) =>
    [before, after].map((projects) => projects.get(project ?? '')?.attributes['tag-bindings'] as Value);
  const [formerly, now] = handedDown(sides);
  const isKept = live.attributes.project === project && sameValue(formerly, now);
  const [had, has] = [asBindings(live.attributes[path]), asBindings(target.attributes[path])];
  if (isKept || had === undefined || has === undefined || sameValue(had, has)) return [];
  const [before, after] = [live, target].map(({ attributes }) =>
    sortedBindings(effectiveBindings(attributes)),
  );
  return setting('tag-bindings', before ?? {}, after ?? {});
}

function setting(path: string, before: Value, after: Value): Setting[] {
  return sameValue(before, after) ? [] : [{ path, before, after }];
}

/** The key/value tags that workspaces gain and lose because their project, or the tags of their project, change. */
export function inheritedTagsOf(
  before: readonly Resource[],
  after: readonly Resource[],
  { aliases }: Labels,
): readonly InheritedTags[] {
  const live = new Map(resourcesOf(before, 'workspace').map((workspace) => [workspace.id, workspace]));
  const groups = new Map<string, InheritedTags>();
  for (const workspace of resourcesOf(after, 'workspace')) {
    const { gains, loses } = difference(workspace.id ? live.get(workspace.id) : undefined, workspace);
    if (gains.length + loses.length === 0) continue;
    const project = aliasOf(aliases, 'projects', String(workspace.attributes.project));
    const key = JSON.stringify([project, gains, loses]);
    const { workspaces = [] } = groups.get(key) ?? {};
    groups.set(key, { project, workspaces: [...workspaces, workspace.name].sort(), gains, loses });
  }
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}

function difference(
  live: WorkspaceResource | undefined,
  { attributes }: WorkspaceResource,
): Pick<InheritedTags, 'gains' | 'loses'> {
  const had = live ? effectiveBindings(live.attributes) : {};
  const inherited = asBindings(attributes['inherited-tag-bindings']) ?? {};
  const formerly = asBindings(live?.attributes['inherited-tag-bindings']) ?? {};
  const has = effectiveBindings(attributes);
  return {
    gains: texts(inherited, (key, value) => !Object.hasOwn(had, key) || had[key] !== value),
    // A tag that the workspace now overrides is a field of its change.
    loses: texts(formerly, (key) => !Object.hasOwn(has, key)),
  };
}

function texts(bindings: TagBindings, filter: (key: string, value: string | null) => boolean): string[] {
  return Object.entries(bindings)
    .filter(([key, value]) => filter(key, value))
    .map(([key, value]) => bindingText(key, value))
    .sort();
}
