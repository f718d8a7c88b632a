import type { Difference } from '../diff/diff.ts';
import { inDefaultProject, inheritedPaths, settingInEffect } from '../diff/settings-in-effect.ts';
import type { Live } from '../live/read-live.ts';
import type { AliasKind } from '../model/alias-kind.ts';
import {
  type Change,
  changesOf,
  type FieldChange,
  permissionChanges,
  projectsOfMove,
  type WorkspaceChange,
} from '../model/change.ts';
import { aliasOf, type Configuration, rootsOf } from '../model/configuration.ts';
import type { AccessLevel } from '../model/permissions.ts';
import type {
  Effects,
  GrantState,
  InheritedSetting,
  InheritedTags,
  MoveEffect,
  Overview,
  Plan,
} from '../model/plan.ts';
import {
  isUncreatedProject,
  type ProjectResource,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import {
  asBindings,
  bindingText,
  effectiveBindings,
  sortedBindings,
  type TagBindings,
} from '../model/tag-bindings.ts';
import { sameValue, type Value } from '../model/value.ts';
import { aliasesAndNames, type Labels, labelsAfter } from '../resolve/labels.ts';
import { overviewOf } from './overview.ts';
import { type StateAccessInput, stateAccessOf } from './state-access.ts';

interface EffectsInput extends StateAccessInput {
  readonly changes: readonly Change[];
  readonly overview: Overview;
  /** Ids of the projects whose grants were read. */
  readonly projects: readonly string[];
}

/** What the effects of a plan are computed from. */
export interface PlanEffectsInput {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Difference;
  /** Names that were read for policies. Effects show them; the overview and changes must not depend on policies. */
  readonly names?: ReadonlyMap<AliasKind, ReadonlyMap<string, string>>;
}

/**
 * A plan with what follows from its changes: the overview of state sharing and team access, and its effects.
 *
 * @example
 * ```ts
 * const live = await readLive(client, liveQueryOf(configuration));
 * const input = { configuration, live, difference: diff(configuration, live) };
 * const plan = withEffects(createPlan({ ...input, address }), input);
 * console.log(plan.effects.stateAccess.length); // 0
 * ```
 */
export function withEffects<Planned extends object>(
  plan: Planned,
  { configuration, live, difference, names }: PlanEffectsInput,
): Planned & Pick<Plan, 'effects' | 'overview'> {
  const { changes } = difference;
  const labels = labelsAfter(configuration, live, changes);
  const known = new Map([...(configuration.known ?? []), ...(names ?? [])]);
  const after = difference.after.map((resource) =>
    resource.kind === 'workspace' ? inDefaultProject(resource, live) : resource,
  );
  // No team has access to a project that does not exist yet.
  const created = resourcesOf(difference.after, 'project').flatMap(({ id = '' }) =>
    isUncreatedProject(id) ? id : [],
  );
  const isScoped = rootsOf(configuration).some(({ scope }) => scope !== undefined);
  const overview = {
    ...overviewOf(live, { changes, after }, labels),
    projects: live.projects.map((id) => aliasOf(labels.aliases, 'projects', id)).sort(),
    scope: isScoped ? (live.scopeWhole ? 'whole' : 'not-whole') : 'none',
    ...idsOf(labels),
  } as const;
  const effects = effectsOf({
    changes,
    overview,
    labels: names?.size ? { ...labels, aliases: aliasesAndNames({ ...configuration, known }) } : labels,
    projects: [...live.projects, ...created],
    before: [...live.state.resources.values()],
    after,
    hasMembers: (id) => live.whole || isUncreatedProject(id) || (live.wholeProjects?.includes(id) ?? false),
  });
  return { ...plan, effects, overview };
}

function idsOf({ aliases }: Labels): Pick<Plan['overview'], 'ids'> {
  if (aliases.projects.size + aliases.teams.size === 0) return {};
  return {
    ids: { projects: Object.fromEntries(aliases.projects), teams: Object.fromEntries(aliases.teams) },
  };
}

/** Effects that no field shows: access to state, permissions of teams after moves, and inherited settings and tags. */
function effectsOf(input: EffectsInput): Effects {
  const { changes, overview, labels, projects } = input;
  const inheritedTags = inheritedTagsOf(input.before, input.after, labels);
  const inherited = inheritedSettingsOf(input);
  const read = new Set(projects.map((id) => aliasOf(labels.aliases, 'projects', id)));
  return {
    stateAccess: stateAccessOf(overview.workspaces, input),
    moves: changesOf(changes, 'workspace').flatMap((change) =>
      moveEffect(change, { overview, labels, read }),
    ),
    ...(inheritedTags.length > 0 && { inheritedTags }),
    ...(inherited.length > 0 && { inherited }),
  };
}

interface MoveContext {
  readonly overview: Overview;
  readonly labels: Labels;
  /** The projects whose grants were read, as they are shown. */
  readonly read: ReadonlySet<string>;
}

function moveEffect(change: WorkspaceChange, { overview, labels, read }: MoveContext): MoveEffect[] {
  const [from, to] = projectsOfMove(change).map((id) => aliasOf(labels.aliases, 'projects', id));
  if (from === undefined || to === undefined) return [];
  const unknown = [from, to].filter((name) => !read.has(name));
  // The grants of the old project as they are now against those of the new one as they will be.
  const had = new Map(
    overview.grants.filter((grant) => grant.project === from).map((grant) => [grant.team, grant.before]),
  );
  const has = new Map(
    overview.grants.filter((grant) => grant.project === to).map((grant) => [grant.team, grant.after]),
  );
  const teams = [...new Set([...had.keys(), ...has.keys()])].sort().flatMap((team) =>
    teamEffect(team, {
      before: unknown.includes(from) ? 'unknown' : (had.get(team) ?? null),
      after: unknown.includes(to) ? 'unknown' : (has.get(team) ?? null),
    }),
  );
  return [{ workspace: change.name, from, to, teams, unknown }];
}

type Access = GrantState | 'unknown' | null;

function teamEffect(
  team: string,
  { before, after }: { readonly before: Access; readonly after: Access },
): MoveEffect['teams'][number][] {
  if (before === 'unknown' || after === 'unknown') {
    // A team without access on the known side is one of those that the report sums up as unknown.
    if (before === null || after === null) return [];
    return [{ team, before: levelOf(before), after: levelOf(after), permissions: [] }];
  }
  const permissions = permissionChanges(before?.permissions, after?.permissions);
  return permissions.length === 0
    ? []
    : [{ team, before: levelOf(before), after: levelOf(after), permissions }];
}

function levelOf(access: Access): AccessLevel | 'unknown' | null {
  return access === 'unknown' ? access : (access?.access ?? null);
}

type Projects = ReadonlyMap<string, ProjectResource>;

/** The projects on both sides of the plan, by id. An unread one is missing. */
interface Sides {
  readonly before: Projects;
  readonly after: Projects;
}

/** A workspace before and after the plan. */
interface Pair {
  readonly live: WorkspaceResource;
  readonly target: WorkspaceResource;
  /** Those of its change. */
  readonly fields: readonly FieldChange[];
}

type InheritedInput = Pick<StateAccessInput, 'before' | 'after' | 'labels'> & {
  readonly changes: readonly Change[];
};

/**
 * The settings in effect that change because a workspace moves, gives up its own value, or because its project hands down
 * others. A workspace inherits from its project, and that from the organization; an own value of the workspace is a field
 * of its change.
 */
export function inheritedSettingsOf({ before, after, labels, changes }: InheritedInput): InheritedSetting[] {
  const sides = sidesOf({ before, after });
  const fieldsOf = new Map(changes.map(({ address, fields }) => [address, fields]));
  const live = new Map(resourcesOf(before, 'workspace').map((workspace) => [workspace.id, workspace]));
  const pool = (id: Value) => (typeof id === 'string' ? aliasOf(labels.aliases, 'agent-pools', id) : id);
  return resourcesOf(after, 'workspace')
    .flatMap((target): InheritedSetting[] => {
      const current = live.get(target.id);
      if (current === undefined) return [];
      const pair = { live: current, target, fields: fieldsOf.get(target.address) ?? [] };
      const isMoved = current.attributes.project !== target.attributes.project;
      const from = isMoved ? 'move' : 'project';
      const changed = [...inEffectOf(pair), ...tagsOf(pair, sides)];
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
  return { before: byId(before), after: byId(after) };
}

/** Without a value that a field of the change shows. */
function inEffectOf({ live, target, fields }: Pair): Setting[] {
  return inheritedPaths.flatMap((path) => {
    const [before, after] = [live, target].map((side) => settingInEffect(path, side));
    const isShown = fields.some((field) => field.path === path && field.inEffect === undefined);
    if (isShown || after?.value === undefined || !after.isInherited) return [];
    return setting(path, before?.value ?? null, after.value);
  });
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
    const { gains, loses } = difference(live.get(workspace.id), workspace);
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
    gains: texts(inherited, (key, value) => had[key] !== value),
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
