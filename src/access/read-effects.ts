import { startsInheriting } from '../diff/settings-in-effect.ts';
import { useTokenThatReadsAccess } from '../live/kinds.ts';
import { type LiveQuery, readsNothing } from '../live/live-query.ts';
import type { Live, LiveSource } from '../live/read-live.ts';
import { ifListed } from '../live/read-names.ts';
import { type Change, changesOf, projectsOfMove, type WorkspaceChange } from '../model/change.ts';
import { AttuneError, note } from '../model/diagnostic.ts';
import { findAmong, identity, isUncreatedProject, type Resource, resourcesOf } from '../model/state.ts';
import { sameValue, sortedSet, type Value } from '../model/value.ts';
import type { Labels } from '../resolve/labels.ts';
import { relatedId } from '../service/documents.ts';
import { isHidden } from '../service/service-error.ts';

interface EffectsInput {
  readonly query: LiveQuery;
  readonly changes: readonly Change[];
  readonly shown: Labels['shown'];
}

/**
 * Reads what only the effects of a plan depend on: the team access of the projects that it moves workspaces between; the
 * workspaces of these projects, of those in which it creates some and of those whose settings it changes; and the settings
 * of the projects of a move, or of a workspace that gives up its own. These workspaces, declared or not, may read states and
 * inherit settings through their project (interface, section 4.5). What may not be read stays unknown, with a note.
 *
 * @returns the same live state if nothing is to be read
 */
export async function readForEffects(source: LiveSource, read: Live, input: EffectsInput): Promise<Live> {
  const granted = await readMoveAccess(source, read, input);
  if (read.dialect !== 'terraform') return granted;
  const placed = await withDefaultProject(source, granted, input);
  return withMembers(source, await withSettings(source, placed, input), input);
}

export async function readMoveAccess(
  source: LiveSource,
  live: Live,
  { query: { organization }, changes, shown }: EffectsInput,
): Promise<Live> {
  if (live.missing.includes('team-access')) return live;
  // No team has access to a project that does not exist yet.
  const moved = sortedSet(changesOf(changes, 'workspace').flatMap(projectsOfMove)).filter(
    (project) => !isUncreatedProject(project),
  );
  if (moved.length === 0) return live;
  const listed = source.objects && (await ifListed(source.objects(organization, 'projects')));
  // A token that may not read the access is shown that of its teams.
  const inPart = new Set(listed?.flatMap(({ id, denied }) => (denied.includes('can-read-teams') ? id : [])));
  const known = new Set(live.projects.filter((project) => !inPart.has(project)));
  const unread = moved.filter((project) => !known.has(project));
  const base = { organization, dialect: live.dialect, ...readsNothing };
  const parts = await Promise.all(
    unread.map((project) =>
      inPart.has(project) ? 'forbidden' : readOr(source, { ...base, projects: [project] }),
    ),
  );
  const read = parts.filter((part) => isLive(part));
  const grants = read.flatMap(({ state }) => resourcesOf(state.resources.values(), 'team-access'));
  const resources = new Map(live.state.resources);
  for (const grant of grants) resources.set(grant.address, grant);
  const notes = parts.flatMap((part, index) => {
    if (isLive(part)) return [];
    const { reason, hint } = part === 'missing' ? notInSnapshot : forbidden;
    const message = `the team access of ${shown('projects', unread[index] ?? '')} is unknown: ${reason}, so what moves change for teams is not complete`;
    return note('effects-unread', message, { hint });
  });
  if (parts.length === 0) return live;
  return {
    ...live,
    state: { ...live.state, resources },
    projectNames: live.projectNames ?? read.find(({ projectNames }) => projectNames)?.projectNames,
    projects: [...new Set([...known, ...read.flatMap(({ projects }) => projects)])],
    diagnostics: [...live.diagnostics, ...notes],
  };
}

const forbidden = { reason: 'this token may not read it', hint: useTokenThatReadsAccess };
const notInSnapshot = {
  reason: 'the snapshot does not contain it',
  hint: 'add the project under `projects`, and record a snapshot with `attune snapshot --everything --out`',
};

/** A workspace without a project is created in the default project of the organization, which a snapshot does not contain. */
async function withDefaultProject(
  { access }: LiveSource,
  live: Live,
  { query: { organization }, changes }: EffectsInput,
): Promise<Live> {
  const workspaces = changesOf(changes, 'workspace');
  const needsDefault = workspaces.some(
    ({ action, target }) => action === 'create' && target?.attributes.project === undefined,
  );
  if (!needsDefault || live.defaultProject !== undefined) return live;
  const facts = await access?.organization(organization);
  const defaultProject = facts?.document && relatedId(facts.document, 'default-project');
  if (defaultProject) return { ...live, defaultProject };
  const targets = workspaces.flatMap(({ target }) => target ?? []);
  const isRead = [...live.state.resources.values(), ...targets].some(
    ({ attributes }) => attributes['project-remote-state'] === true,
  );
  if (!isRead) return live;
  const message =
    'the default project is unknown: which states the workspaces without `project` may read through it is unknown';
  return withNote(live, message, 'declare the project of new workspaces');
}

async function withSettings(
  source: LiveSource,
  live: Live,
  { query: { organization, bindings }, changes, shown }: EffectsInput,
): Promise<Live> {
  const workspaces = changesOf(changes, 'workspace');
  const bounds = boundsOf(workspaces);
  // The comparison may have read projects without their tags, which a move changes.
  const isKnown = bounds.length === 0 || bindings === true;
  const known = new Set(
    resourcesOf(isKnown ? live.state.resources.values() : [], 'project').map(({ id }) => id),
  );
  const projects = sortedSet([...bounds, ...workspaces.flatMap(newlyInheritedFrom)]).filter(
    (project) => !known.has(project),
  );
  if (projects.length === 0) return live;
  const query = { organization, dialect: live.dialect, ...readsNothing, managedProjects: projects };
  const read = await readOr(source, bounds.length > 0 ? { ...query, bindings: true } : query);
  if (isLive(read)) return withResources(live, read);
  const unknown = `the settings of ${namesOf(projects, shown)}: what changes in the settings that workspaces inherit is unknown`;
  if (read === 'missing') return withNote(live, `the snapshot does not contain ${unknown}`);
  const hint = 'use a token that may list the projects of the organization';
  return withNote(live, `this token may not read ${unknown}`, hint);
}

async function withMembers(
  source: LiveSource,
  live: Live,
  { query, changes, shown }: EffectsInput,
): Promise<Live> {
  const workspaces = changesOf(changes, 'workspace');
  const handing = changesOf(changes, 'project').filter(({ fields }) =>
    fields.some(({ path }) => path !== 'name' && path !== 'description'),
  );
  const affected = sortedSet(
    [
      workspaces.flatMap(projectsOf),
      live.defaultProject ?? [],
      handing.flatMap(({ live: { id } = {} }) => id ?? []),
    ].flat(),
  );
  if (affected.length === 0) return live;
  const bounds = boundsOf(workspaces);
  const needsTags =
    query.bindings !== true && workspaces.some((one) => isMove(one) && changesTags(one, live));
  const isRead = (project: string) => live.whole || coversProject(live, query, project);
  const unread = affected.filter((project) => (needsTags && bounds.includes(project)) || !isRead(project));
  if (unread.length === 0) return { ...live, wholeProjects: affected };
  const members = await readOr(source, {
    organization: query.organization,
    dialect: live.dialect,
    ...readsNothing,
    scopes: [{ projects: unread }],
    bindings: needsTags || query.bindings,
  });
  if (members instanceof AttuneError) throw members;
  if (members !== 'missing') return { ...withResources(live, members), wholeProjects: affected };
  const message = `the snapshot does not contain every workspace of ${namesOf(unread, shown)}: the effects of moves and creates on undeclared ones are unknown`;
  return { ...withNote(live, message), wholeProjects: affected.filter(isRead) };
}

function namesOf(projects: readonly string[], shown: Labels['shown']): string {
  const names = projects.map((id) => shown('projects', id));
  return names.sort().join(', ');
}

function isMove(change: WorkspaceChange): boolean {
  return projectsOfMove(change).length > 0;
}

function boundsOf(workspaces: readonly WorkspaceChange[]): readonly string[] {
  return workspaces.filter(isMove).flatMap(projectsOf);
}

/** The projects that a workspace is created in, or moved from and to. No workspace is in one that does not exist yet. */
function projectsOf({ action, live, target }: WorkspaceChange): string[] {
  const [before, after] = [live?.attributes.project, target?.attributes.project];
  if (action === 'delete' || before === after) return [];
  return [before, after].filter((id) => id !== undefined).filter((id) => !isUncreatedProject(id));
}

/** The project of a workspace that gives up its own value of a setting. A move reads the settings of its projects anyway. */
function newlyInheritedFrom({ live, target }: WorkspaceChange): string[] {
  const { project } = target?.attributes ?? {};
  const isRead = !live || !target || project === undefined || isUncreatedProject(project);
  return isRead || !startsInheriting(live, target) ? [] : [project];
}

function changesTags({ live: current, target }: WorkspaceChange, { state }: Live): boolean {
  const projects = resourcesOf(state.resources.values(), 'project');
  const [before, after] = [current, target].map(
    (side) => projects.find(({ id }) => id === side?.attributes.project)?.attributes['tag-bindings'] ?? {},
  );
  return !sameValue(before as Value, after as Value);
}

function coversProject({ scopeWhole }: Live, { scopes = [] }: LiveQuery, project: string): boolean {
  if (!scopeWhole) return false;
  return scopes.some(({ projects = [project], tags = [], names, tagged = {} }) => {
    const isFiltered = names !== undefined || tags.length + Object.keys(tagged).length > 0;
    return projects.includes(project) && !isFiltered;
  });
}

/** A snapshot may lack what only effects need, and a token that may change workspaces need not be one that may read it. */
async function readOr(source: LiveSource, query: LiveQuery): Promise<Live | 'missing' | AttuneError> {
  try {
    return await source.read(query);
  } catch (error) {
    if (error instanceof AttuneError && error.code === 'bad-snapshot') return 'missing';
    if (isHidden(error)) return error;
    throw error;
  }
}

function isLive(read: Live | 'missing' | 'forbidden' | AttuneError): read is Live {
  return typeof read === 'object' && !(read instanceof AttuneError);
}

/** What was read first was compared, so it stays; only key/value tags that it lacks are added. */
function withResources(live: Live, more: Live): Live {
  const resources = new Map(live.state.resources);
  const known = findAmong(resources.values());
  for (const resource of more.state.resources.values()) {
    const first = known(identity(resource));
    if (first === undefined && !resources.has(resource.address)) resources.set(resource.address, resource);
    if (first === undefined) continue;
    const attributes = { ...tagsOf(resource.attributes), ...first.attributes };
    resources.set(first.address, { ...first, attributes } as Resource);
  }
  return {
    ...live,
    state: { ...live.state, resources },
    names: new Map([...more.names, ...live.names]),
    projectNames: live.projectNames ?? more.projectNames,
  };
}

function tagsOf(attributes: Resource['attributes']): Record<string, Value> {
  const paths = ['tag-bindings', 'inherited-tag-bindings'];
  return Object.fromEntries(paths.map((path) => [path, attributes[path] as Value]));
}

function withNote(
  live: Live,
  message: string,
  hint = 'record a snapshot of the whole organization with `attune snapshot --everything --out`',
): Live {
  return { ...live, diagnostics: [...live.diagnostics, note('effects-unread', message, { hint })] };
}
