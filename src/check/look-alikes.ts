import { distance } from 'fastest-levenshtein';
import { sameAttribute } from '../diff/fields.ts';
import { readsNothing } from '../live/live-query.ts';
import { ifListed, type NamedId } from '../live/read-names.ts';
import { changesOf } from '../model/change.ts';
import { AttuneError, type Diagnostic, warning } from '../model/diagnostic.ts';
import { isUncreatedProject, resourcesOf, type WorkspaceResource } from '../model/state.ts';
import { groupBy, type Values } from '../model/value.ts';
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
  find: async (pass) => renamesIn(pass, await neighbours(pass), await projectsFor(pass)),
};

type Compared = Pick<Pass, 'configuration' | 'live' | 'difference'>;

/** @param beside workspaces that the live state does not show. It shows projects only as far as they are declared. */
export function renamesIn(
  compared: Compared,
  beside: readonly WorkspaceResource[] = [],
  listed: readonly NamedId[] = [],
): Diagnostic[] {
  const { configuration, live, difference } = compared;
  const declared = resourcesOf(configuration.desired.resources.values(), 'workspace');
  const kept = new Set(declared.flatMap((one) => (one.declared?.absent ? [] : bothNames(one))));
  const read = [...beside, ...resourcesOf(live.state.resources.values(), 'workspace')];
  const byName = new Map(read.map((one) => [one.name, one]));
  const workspaces = [...byName.values()].filter(({ name }) => !kept.has(name));
  const aliased = new Set(configuration.aliases.projects.values());
  const deleted = changesOf(difference.changes, 'project').flatMap(({ action, live }) =>
    action === 'delete' && live ? { name: calledOf(live) } : [],
  );
  const projects = [...listed.filter(({ id }) => !aliased.has(id)), ...deleted];
  return [
    ...renames('workspace', compared, workspaces, (name, { attributes }) => {
      const placed = { name, attributes: { project: live.defaultProject ?? null, ...attributes } };
      return (other) => looksLike(placed, other);
    }),
    ...renames(
      'project',
      compared,
      projects,
      (created) =>
        ({ name }) =>
          hasSimilarName(created, name),
    ),
  ];
}

async function neighbours({ configuration, live, difference, source }: Pass): Promise<WorkspaceResource[]> {
  if (live.whole || live.scopeWhole) return [];
  const homes = changesOf(difference.changes, 'workspace').flatMap(({ action, target }) =>
    action === 'create' ? (target?.attributes.project ?? live.defaultProject ?? []) : [],
  );
  const complete = new Set(live.wholeProjects);
  const projects = new Set(homes.filter((id) => !complete.has(id) && !isUncreatedProject(id)));
  // More are not worth their requests: a plan that creates many sets something up.
  const scopes = [...projects].slice(0, 5).map((project) => ({ projects: [project] }));
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

/** One name belongs to one rename: that of the nearest name. */
function renames<Other extends Named>(
  kind: 'project' | 'workspace',
  { configuration: { desired, base }, difference }: Compared,
  others: readonly Other[],
  isAlike: (name: string, target: Called) => (other: Other) => boolean,
): Diagnostic[] {
  const before = resourcesOf<typeof kind>(base?.declared?.desired.resources.values() ?? [], kind);
  const renamedTo = new Map(before.map((one) => [one.declared?.renamedFrom, calledOf(one)]));
  const made = changesOf(difference.changes, kind).flatMap(({ action, address, target, location }) => {
    if (action !== 'create' || target === undefined) return [];
    const name = calledOf(target);
    // The base renamed it, and this change takes that back.
    const renamed = renamedTo.get(name);
    const back = renamed && others.find((other) => other.name === renamed);
    // A former name that is not live can be misspelled.
    const created = desired.resources.get(address)?.declared?.renamedFrom ?? name;
    const alike = others.filter(isAlike(created, target));
    return { created, former: (back || formerOf(created, alike))?.name, at: { address, location } };
  });
  return [...groupBy(made, ({ former }) => former)].flatMap(([former, alike]) => {
    if (former === undefined) return [];
    const { at } = alike.reduce((a, b) =>
      distance(b.created, former) < distance(a.created, former) ? b : a,
    );
    const message = `${at.address} is created, and the ${kind} "${former}", which the files do not keep, looks like it`;
    return warning('looks-like-rename', message, { at, hint: `renamed-from: ${former}` });
  });
}

type Named = Pick<WorkspaceResource, 'name'>;
type Called = Named & { readonly attributes: Values };

const calledOf = ({ name, attributes }: Called) => String(attributes.name ?? name);

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

export function looksLike({ name, attributes }: Called, live: WorkspaceResource): boolean {
  // Without a declared project it is created in the default project, whose id may be unknown. A rename moves nothing.
  if (attributes.project && attributes.project !== live.attributes.project) return false;
  const [repository, former] = [attributes['vcs-repo.identifier'], live.attributes['vcs-repo.identifier']];
  if (typeof repository !== 'string' || typeof former !== 'string') return hasSimilarName(name, live.name);
  // Another repository or folder is another workspace, whatever it is called.
  return (
    repository === former &&
    sameAttribute('working-directory', attributes['working-directory'], live.attributes['working-directory'])
  );
}

/** At most a third of them differs. Names that differ only in numbers are those of a series. */
function hasSimilarName(name: string, other: string): boolean {
  const [a, b] = [name, other].map((one) => one.toLowerCase()) as [string, string];
  if (a.replace(/\d/g, '') === b.replace(/\d/g, '')) return false;
  return distance(a, b) <= Math.max(a.length, b.length) / 3;
}
