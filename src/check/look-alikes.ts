import { distance } from 'fastest-levenshtein';
import { sameAttribute } from '../diff/fields.ts';
import { inDefaultProject } from '../diff/settings-in-effect.ts';
import { readsNothing } from '../live/live-query.ts';
import { ifListed, type NamedId } from '../live/read-names.ts';
import { changesOf } from '../model/change.ts';
import { AttuneError, type Diagnostic, warning } from '../model/diagnostic.ts';
import {
  isUncreatedProject,
  type ProjectResource,
  type Resource,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import { groupBy } from '../model/value.ts';
import { bothNames } from '../resolve/needed-names.ts';
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

function workspaceRenames(compared: Compared, neighbours: readonly WorkspaceResource[]): Diagnostic[] {
  const { configuration, live } = compared;
  const declared = resourcesOf(configuration.desired.resources.values(), 'workspace');
  const kept = new Set(declared.flatMap((one) => (one.declared?.absent ? [] : bothNames(one))));
  const known = resourcesOf(live.state.resources.values(), 'workspace');
  const read = new Map([...neighbours, ...known].map((one) => [one.id, one]));
  const others = [...read.values()].filter(({ name }) => !kept.has(name));
  return renames(
    'workspace',
    compared,
    others,
    (other, name, target) =>
      target.kind === 'workspace' && looksLike({ ...inDefaultProject(target, live), name }, other),
  );
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

function projectRenames(compared: Compared, listed: readonly NamedId[]): Diagnostic[] {
  const { configuration, difference } = compared;
  const deleted = new Set(
    changesOf(difference.changes, 'project').map(({ action, live }) => action === 'delete' && live?.id),
  );
  const declared = new Set([...configuration.aliases.projects.values()].filter((id) => !deleted.has(id)));
  const others = listed.filter(({ id }) => !declared.has(id));
  return renames('project', compared, others, ({ name }, created) => hasSimilarName(created, name));
}

interface Named {
  readonly name: string;
}

/** One name belongs to one rename: that of the nearest name. */
function renames<Other extends Named>(
  kind: 'project' | 'workspace',
  { configuration: { desired, base }, difference }: Compared,
  others: readonly Other[],
  isAlike: (other: Other, name: string, target: Resource) => boolean,
): Diagnostic[] {
  const before = resourcesOf<typeof kind>(base?.declared?.desired.resources.values() ?? [], kind);
  const made = changesOf(difference.changes, kind).flatMap(({ action, address, target, location }) => {
    if (action !== 'create' || target === undefined) return [];
    const name = calledOf(target);
    // The base renamed it, and this change takes that back.
    const renamed = before.find(({ declared }) => declared?.renamedFrom === name);
    const back = others.find((other) => renamed && other.name === calledOf(renamed));
    // A former name that is not live can be misspelled.
    const created = desired.resources.get(address)?.declared?.renamedFrom ?? name;
    const former =
      back ??
      formerOf(
        created,
        others.filter((other) => isAlike(other, created, target)),
      );
    return { created, former: former?.name, at: { address, location } };
  });
  return [...groupBy(made, ({ former }) => former)].flatMap(([former, alike]) => {
    if (former === undefined) return [];
    const [nearest] = [...alike].sort((a, b) => distance(a.created, former) - distance(b.created, former));
    if (nearest === undefined) return [];
    const message = `${nearest.at.address} is created, and the ${kind} "${former}", which the files do not keep, looks like it`;
    return warning('looks-like-rename', message, { at: nearest.at, hint: `renamed-from: ${former}` });
  });
}

function calledOf({ name, attributes }: ProjectResource | WorkspaceResource): string {
  return String(attributes.name ?? name);
}

/** Of a series, the one with a similar name whose own words stay: `ledgers-dev` was `ledger-dev`, not `ledger-prod`. */
function formerOf(created: string, alike: readonly Named[]): Named | undefined {
  if (alike.length < 2) return alike[0];
  const shared = alike.map(wordsOf).reduce((all, words) => all.filter((word) => words.includes(word)));
  const kept = wordsOf({ name: created });
  const [found, another] = alike.filter((one) => {
    const own = wordsOf(one).filter((word) => !shared.includes(word));
    return own.length > 0 && own.every((word) => kept.includes(word)) && hasSimilarName(created, one.name);
  });
  return another ? undefined : found;
}

const wordsOf = ({ name }: Named) => name.toLowerCase().split(/[^a-z\d]+/);

export function looksLike({ name, attributes }: WorkspaceResource, live: WorkspaceResource): boolean {
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
