import { distance } from 'fastest-levenshtein';
import { sameAttribute } from '../diff/fields.ts';
import { inDefaultProject } from '../diff/settings-in-effect.ts';
import { readsNothing } from '../live/live-query.ts';
import { ifListed, type NamedId } from '../live/read-names.ts';
import { changesOf } from '../model/change.ts';
import { AttuneError, type Diagnostic, type SourceLocation, warning } from '../model/diagnostic.ts';
import { findWorkspace, isUncreatedProject, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import type { Check, Pass } from './check.ts';

/**
 * Warnings about workspaces and managed projects that are created beside one that no file declares and that looks like them,
 * or that the plan deletes: a rename is usually intended, which keeps the state and the runs. Where several look alike, they
 * are a series, and the words that they do not share decide.
 */
export const lookAlikes: Check = {
  codes: ['looks-like-rename'],
  except: ['undo', 'replan'],
  find: async (pass) =>
    workspaceRenames(pass, await neighbours(pass)).concat(projectRenames(pass, await projectsFor(pass))),
};

type Compared = Pick<Pass, 'configuration' | 'live' | 'difference'>;

/** As far as the live state that was read shows them, and of projects those that the files delete. */
export function renamesIn(compared: Compared): Diagnostic[] {
  const deleted = changesOf(compared.difference.changes, 'project').flatMap(({ action, live }) =>
    action === 'delete' && live ? { id: live.id ?? '', name: live.attributes.name ?? live.name } : [],
  );
  return workspaceRenames(compared, []).concat(projectRenames(compared, deleted));
}

function workspaceRenames(
  { configuration, live, difference }: Compared,
  neighbours: readonly WorkspaceResource[],
): Diagnostic[] {
  const { desired } = configuration;
  const changes = changesOf(difference.changes, 'workspace');
  const kept = resourcesOf(desired.resources.values(), 'workspace').flatMap(({ name, declared }) =>
    declared?.absent ? [] : [name, declared?.renamedFrom ?? name],
  );
  const declared = new Set(kept.flatMap((name) => findWorkspace(live.state, name)?.id ?? []));
  const known = resourcesOf(live.state.resources.values(), 'workspace');
  const read = new Map([...neighbours, ...known].map((one) => [one.id, one]));
  const others = [...read.values()].filter(({ id = '' }) => !declared.has(id));
  const made = changes.flatMap(({ action, target, address, location }) => {
    if (action !== 'create' || target === undefined) return [];
    // A former name that is not live can be misspelled.
    const created = desired.resources.get(address)?.declared?.renamedFrom ?? target.name;
    const former = lookAlikeOf({ ...inDefaultProject(target, live), name: created }, others)?.name;
    return { created, former, at: { address, location } };
  });
  return warnings('workspace', made);
}

/** More of them are not worth their requests: a plan that creates many sets something up. */
const mostRead = 5;

async function neighbours({ configuration, live, difference, source }: Pass): Promise<WorkspaceResource[]> {
  if (live.whole || live.scopeWhole) return [];
  const created = changesOf(difference.changes, 'workspace').flatMap(({ action, target }) =>
    action === 'create' && target ? target : [],
  );
  const complete = new Set(live.wholeProjects);
  const homes = created.map(({ attributes }) => attributes.project ?? live.defaultProject ?? '');
  const projects = new Set(homes.filter((id) => id && !complete.has(id) && !isUncreatedProject(id)));
  const scopes = [...projects].slice(0, mostRead).map((project) => ({ projects: [project] }));
  if (scopes.length === 0) return [];
  const { organization } = configuration.desired;
  try {
    const { state } = await source.read({ organization, dialect: live.dialect, ...readsNothing, scopes });
    return resourcesOf(state.resources.values(), 'workspace');
  } catch (error) {
    // The plan is complete without the warning.
    if (error instanceof AttuneError) return [];
    throw error;
  }
}

async function projectsFor({ configuration, source, difference }: Pass): Promise<readonly NamedId[]> {
  if (!difference.changes.some(({ kind, action }) => kind === 'project' && action === 'create')) return [];
  return (await ifListed(source.names(configuration.desired.organization, 'projects'))) ?? [];
}

function projectRenames({ configuration, difference }: Compared, listed: readonly NamedId[]): Diagnostic[] {
  const changes = changesOf(difference.changes, 'project');
  const deleted = new Set(
    changes.flatMap(({ action, live }) => (action === 'delete' ? (live?.id ?? []) : [])),
  );
  const declared = new Set([...configuration.aliases.projects.values()].filter((id) => !deleted.has(id)));
  const others = listed.filter(({ id }) => !declared.has(id));
  const created = changes.filter(({ action }) => action === 'create');
  const made = created.map(({ target, name, address, location }) => {
    const { declared } = configuration.desired.resources.get(address) ?? {};
    const created = declared?.renamedFrom ?? target?.attributes.name ?? name;
    const alike = others.filter((other) => hasSimilarName(created, other.name));
    return { created, former: formerOf(created, alike)?.name, at: { address, location } };
  });
  return warnings('project', made);
}

interface Made {
  readonly created: string;
  readonly former: string | undefined;
  readonly at: { readonly address: string; readonly location: SourceLocation | undefined };
}

/** One name belongs to one rename: that of the nearest name. */
function warnings(kind: 'project' | 'workspace', made: readonly Made[]): Diagnostic[] {
  return [...groupBy(made, ({ former }) => former)].flatMap(([former, alike]) => {
    if (former === undefined) return [];
    const [nearest] = [...alike].sort((a, b) => distance(a.created, former) - distance(b.created, former));
    if (nearest === undefined) return [];
    const message = `${nearest.at.address} is created, and the ${kind} "${former}", which the files do not keep, looks like it`;
    return warning('looks-like-rename', message, { at: nearest.at, hint: `renamed-from: ${former}` });
  });
}

export function lookAlikeOf(
  target: WorkspaceResource,
  lives: readonly WorkspaceResource[],
): WorkspaceResource | undefined {
  const alike = lives.filter((live) => looksLike(target, live));
  return formerOf(target.name, alike);
}

/** Of a series, the one with a similar name whose own words stay: `ledgers-dev` was `ledger-dev`, not `ledger-prod`. */
function formerOf<Named extends { readonly name: string }>(created: string, alike: readonly Named[]) {
  if (alike.length < 2) return alike[0];
  const shared = alike.map(wordsOf).reduce((all, words) => all.filter((word) => words.includes(word)));
  const kept = wordsOf({ name: created });
  const [found, another] = alike.filter((one) => {
    const own = wordsOf(one).filter((word) => !shared.includes(word));
    return own.length > 0 && own.every((word) => kept.includes(word)) && hasSimilarName(created, one.name);
  });
  return another ? undefined : found;
}

const wordsOf = ({ name }: { readonly name: string }) => name.toLowerCase().split(/[^a-z\d]+/);

function looksLike({ name, attributes }: WorkspaceResource, live: WorkspaceResource): boolean {
  // Without a declared project it is created in the default project, whose id may be unknown. A rename moves nothing.
  if (attributes.project !== undefined && attributes.project !== live.attributes.project) return false;
  const [repository, former] = [attributes['vcs-repo.identifier'], live.attributes['vcs-repo.identifier']];
  if (typeof repository !== 'string' || typeof former !== 'string') return hasSimilarName(name, live.name);
  // Another repository or folder is another workspace, whatever it is called.
  return (
    repository === former &&
    sameAttribute('working-directory', attributes['working-directory'], live.attributes['working-directory'])
  );
}

const mostChanged = 1 / 3;

/** Names that differ only in numbers are those of a series. */
function hasSimilarName(name: string, other: string): boolean {
  const [a, b] = [name, other].map((one) => one.toLowerCase()) as [string, string];
  if (a.replace(/\d/g, '') === b.replace(/\d/g, '')) return false;
  return distance(a, b) <= Math.max(a.length, b.length) * mostChanged;
}
