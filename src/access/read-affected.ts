import { startsInheriting } from '../diff/settings-in-effect.ts';
import { type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { LiveSource } from '../live/live-source.ts';
import type { Live } from '../live/read-live.ts';
import { AttuneError } from '../model/attune-error.ts';
import {
  type Change,
  changesOf,
  type ProjectChange,
  projectsOfMove,
  type WorkspaceChange,
} from '../model/change.ts';
import { note } from '../model/diagnostic.ts';
import { isUncreatedProject, type Resource, resourcesOf } from '../model/state.ts';
import { sameValue, type Value } from '../model/value.ts';
import { relatedId } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';

/** The query of the live state, and the changes that follow from it. */
interface AffectedInput {
  readonly query: LiveQuery;
  readonly changes: readonly Change[];
  /** How a project is shown, by its id. */
  readonly shown: (project: string) => string;
}

/**
 * Reads what only the effects of a plan depend on: the workspaces of the projects that it moves workspaces between, creates
 * them in, or whose settings it changes, and the settings of the projects of a move, or of a workspace that gives up its own.
 * These workspaces, declared or not, may read states and inherit settings through their project (interface, section 4.5).
 *
 * @returns the same live state if nothing is to be read
 */
export async function readAffected(source: LiveSource, read: Live, input: AffectedInput): Promise<Live> {
  if (read.dialect !== 'terraform') return read;
  const { query, changes, shown } = input;
  const { organization } = query;
  const live = await withDefaultProject(source, read, input);
  const base = { organization, dialect: live.dialect, ...readsNothing };
  const workspaces = changesOf(changes, 'workspace');
  const moves = workspaces.filter((change) => projectsOfMove(change).length > 0);
  const bounds = unique(moves.flatMap(projectsOf));
  const known = new Set(resourcesOf(live.state.resources.values(), 'project').map(({ id }) => id));
  const settings = unique([...bounds, ...workspaces.flatMap(newlyInheritedFrom)]).filter(
    (project) => !known.has(project),
  );
  const settingsQuery = { ...base, managedProjects: settings, ...(bounds.length > 0 && { bindings: true }) };
  const withProjects =
    settings.length > 0
      ? withSettings(live, settings.map(shown).sort(), await readSettings(source, settingsQuery))
      : live;

  const touched = unique([
    ...workspaces.flatMap(projectsOf),
    ...[live.defaultProject ?? []].flat(),
    ...changesOf(changes, 'project')
      .filter(handsDown)
      .flatMap(({ live: { id } = {} }) => id ?? []),
  ]);
  const isRead = (project: string) => live.whole || coversProject(live, query, project);
  const wholeProjects = touched.filter(isRead);
  const needsTags = query.bindings !== true && moves.some((move) => changesTags(move, withProjects));
  const unread = touched.filter((project) => (needsTags && bounds.includes(project)) || !isRead(project));
  if (unread.length === 0) return touched.length === 0 ? withProjects : { ...withProjects, wholeProjects };
  const members = await readOrNone(source, {
    ...base,
    scopes: [{ projects: unread }],
    ...((needsTags || query.bindings) && { bindings: true }),
  });
  if (members === undefined)
    return { ...withNote(withProjects, unreadMembers(unread.map(shown).sort())), wholeProjects };
  return { ...withResources(withProjects, members), wholeProjects: touched };
}

/** A workspace without a project is created in the default project of the organization, which a snapshot does not contain. */
async function withDefaultProject(
  { access }: LiveSource,
  live: Live,
  { query: { organization }, changes }: AffectedInput,
): Promise<Live> {
  const workspaces = changesOf(changes, 'workspace');
  const needsDefault = workspaces.some(
    ({ action, target }) => action === 'create' && target?.attributes.project === undefined,
  );
  if (!needsDefault || live.defaultProject !== undefined) return live;
  const facts = await access?.organization(organization);
  const defaultProject = facts?.document && relatedId(facts.document, 'default-project');
  if (defaultProject) return { ...live, defaultProject };
  const others = resourcesOf(live.state.resources.values(), 'workspace');
  const isRead = [...others, ...workspaces.flatMap(({ target }) => target ?? [])].some(
    ({ attributes }) => attributes['project-remote-state'] === true,
  );
  if (!isRead) return live;
  const message =
    'the default project is unknown: which states the workspaces without `project` may read through it is unknown';
  return withNote(live, message, 'declare the project of new workspaces');
}

/** The projects that a workspace is created in, or moved from and to. No workspace is in one that does not exist yet. */
function projectsOf({ action, live, target }: WorkspaceChange): string[] {
  if (action === 'delete') return [];
  const [before, after] = [live?.attributes.project, target?.attributes.project];
  if (before === after) return [];
  return [before, after].filter((id) => id !== undefined).filter((id) => !isUncreatedProject(id));
}

/** The project of a workspace that gives up its own value of a setting. A move reads the settings of its projects anyway. */
function newlyInheritedFrom({ live, target }: WorkspaceChange): string[] {
  const { project } = target?.attributes ?? {};
  const isRead = !live || !target || project === undefined || isUncreatedProject(project);
  return isRead || !startsInheriting(live, target) ? [] : [project];
}

/** Whether a project changes a setting that its workspaces inherit. */
function handsDown({ fields }: ProjectChange): boolean {
  return fields.some(({ path }) => path !== 'name' && path !== 'description');
}

/** Whether the project of a workspace after its move has other key/value tags than the one before. */
function changesTags({ live: current, target }: WorkspaceChange, { state }: Live): boolean {
  const projects = resourcesOf(state.resources.values(), 'project');
  const [before, after] = [current, target].map(
    (side) => projects.find(({ id }) => id === side?.attributes.project)?.attributes['tag-bindings'] ?? {},
  );
  return !sameValue(before as Value, after as Value);
}

/** Whether a scope that was read contains every workspace of a project. */
function coversProject({ scopeWhole }: Live, { scopes = [] }: LiveQuery, project: string): boolean {
  if (!scopeWhole) return false;
  return scopes.some(({ projects = [project], tags = [], names, tagged = {} }) => {
    const isFiltered = names !== undefined || tags.length + Object.keys(tagged).length > 0;
    return projects.includes(project) && !isFiltered;
  });
}

/** A snapshot may lack what only effects need. */
async function readOrNone(source: LiveSource, query: LiveQuery): Promise<Live | undefined> {
  try {
    return await source.read(query);
  } catch (error) {
    if (error instanceof AttuneError && error.code === 'bad-snapshot') return undefined;
    throw error;
  }
}

/** A token that may change workspaces need not be one that may list projects. */
async function readSettings(source: LiveSource, query: LiveQuery): Promise<Live | 'forbidden' | undefined> {
  try {
    return await readOrNone(source, query);
  } catch (error) {
    if (error instanceof ServiceError && [403, 404].includes(error.status)) return 'forbidden';
    throw error;
  }
}

/** What was read first was compared, so it stays; only key/value tags that it lacks are added. */
function withResources(live: Live, more: Live): Live {
  const resources = new Map(live.state.resources);
  const known = new Map([...resources.values()].map((resource) => [keyOf(resource), resource]));
  for (const resource of more.state.resources.values()) {
    const first = known.get(keyOf(resource));
    if (first === undefined && !resources.has(resource.address)) resources.set(resource.address, resource);
    const tags = tagsOf(resource.attributes);
    if (first)
      resources.set(first.address, { ...first, attributes: { ...tags, ...first.attributes } } as Resource);
  }
  return {
    ...live,
    state: { ...live.state, resources },
    names: new Map([...more.names, ...live.names]),
  };
}

function keyOf({ kind, id }: Resource): string {
  return `${kind} ${id}`;
}

function tagsOf({
  'tag-bindings': own,
  'inherited-tag-bindings': inherited,
}: Resource['attributes']): Record<string, Value> {
  return {
    ...(own !== undefined && { 'tag-bindings': own as Value }),
    ...(inherited !== undefined && { 'inherited-tag-bindings': inherited as Value }),
  };
}

function withSettings(live: Live, projects: readonly string[], read: Live | 'forbidden' | undefined): Live {
  if (typeof read === 'object') return withResources(live, read);
  const unknown = `the settings of ${projects.join(', ')}: what changes in the settings that workspaces inherit is unknown`;
  return read === 'forbidden'
    ? withNote(
        live,
        `this token may not read ${unknown}`,
        'use a token that may list the projects of the organization',
      )
    : withNote(live, `the snapshot does not contain ${unknown}`);
}

function unreadMembers(projects: readonly string[]): string {
  return `the snapshot does not contain every workspace of ${projects.join(', ')}: the effects of moves and creates on undeclared ones are unknown`;
}

function withNote(
  live: Live,
  message: string,
  hint = 'record a snapshot of the whole organization with `attune snapshot --everything --out`',
): Live {
  return { ...live, diagnostics: [...live.diagnostics, note('effects-unread', message, { hint })] };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
