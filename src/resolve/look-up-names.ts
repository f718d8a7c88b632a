/*
 * Names to ids, and what has to be read.
 *
 * Premise: files may name objects that the service knows by ids. A name is looked up only if the run depends on it, and each
 * kind is listed at most once. Until then it has a placeholder as its id; a text that can be an id is its own placeholder.
 *
 *   names that the run needs (needed-names.ts) -> the lists of their kinds -> ids, or problems at each place of a name
 *   configuration with ids -> the reads that its comparison needs (live-query-of.ts)
 *   ids in the plan -> aliases and names again (labels.ts)
 */

import { conflictsOf } from '../desired/conflicts.ts';
import { createProblems } from '../desired/problems.ts';
import type { LiveSource } from '../live/read-live.ts';
import { type NamedId, NoLookUpError } from '../live/read-names.ts';
import { type AliasKind, byAliasKind, isIdOf, kindOfId } from '../model/alias-kind.ts';
import type { Configuration, LookUp } from '../model/configuration.ts';
import { AttuneError, DiagnosticsError } from '../model/diagnostic.ts';
import { mapSelectorProjects } from '../model/selector.ts';
import { hintAt } from '../model/text.ts';
import { readsBindings } from './live-query-of.ts';
import { answerTo, missedSelections } from './name-problems.ts';
import { looksAtLiveAccess, mapReferences, neededLookUps } from './needed-names.ts';
import type { PlanRequest, QueryOptions } from './plan-request.ts';

export type FoundNames = ReadonlyMap<AliasKind, readonly NamedId[] | NoLookUpError>;

/**
 * Replaces names by ids in aliases, resources, scope and grants. Names are compared exactly. A name that the run does not
 * need may stay unresolved. Templates have to select the workspaces of `isChecked`, whatever the spelling of their project;
 * none if it is absent.
 */
export function withFoundNames(
  configuration: Configuration,
  found: FoundNames,
  needed: readonly LookUp[],
  isChecked?: (address: string) => boolean,
): Configuration {
  const problems = createProblems();
  const isNeeded = new Set(needed);
  const ids = new Map<string, string>();
  for (const lookUp of configuration.lookUps) {
    const known = found.get(lookUp.kind);
    if (known === undefined) continue;
    const answer = answerTo(lookUp, known, configuration);
    if (typeof answer === 'string') ids.set(lookUp.placeholder, answer);
    else if (isNeeded.has(lookUp)) for (const place of lookUp.places) problems.add(answer(place));
  }
  const resolved = { ...withIds(configuration, ids), known: knownNames(configuration, found) };
  problems.add(...(conflictsOf([resolved], '').get(resolved) ?? []));
  if (isChecked) problems.add(...missedSelections(configuration, resolved, ids, isChecked));
  const reported = problems.diagnostics([]);
  const diagnostics = [...configuration.diagnostics, ...reported];
  if (reported.some(({ severity }) => severity === 'error')) throw new DiagnosticsError(diagnostics);
  return { ...resolved, diagnostics };
}

/** The names of exactly one id each: in an address, `/` separates the project from the team. */
function knownNames(
  { aliases, known }: Configuration,
  found: FoundNames,
): NonNullable<Configuration['known']> {
  const byKind = [...found].flatMap(([kind, objects]) => {
    if (objects instanceof NoLookUpError) return [];
    const isClear = ({ name }: NamedId) =>
      !name.includes('/') &&
      !aliases[kind].has(name) &&
      objects.filter((other) => other.name === name || other.id === name).length === 1;
    return [[kind, new Map(objects.filter(isClear).map(({ id, name }) => [id, name]))] as const];
  });
  return new Map([...(known ?? []), ...byKind]);
}

function withIds(configuration: Configuration, ids: ReadonlyMap<string, string>): Configuration {
  const { aliases, desired, scope, guards, holds, grantProjects, lookUps } = configuration;
  const replace = (id: string) => ids.get(id) ?? id;
  const projects = new Map<string, string>();
  // Two keys can refer to one project; messages show the first.
  for (const [id, written] of grantProjects)
    if (!projects.has(replace(id))) projects.set(replace(id), written);
  const resources = [...desired.resources].map(
    ([address, resource]) => [address, mapReferences(resource, replace)] as const,
  );
  return {
    ...configuration,
    aliases: byAliasKind((kind) => new Map([...aliases[kind]].map(([alias, id]) => [alias, replace(id)]))),
    desired: { ...desired, resources: new Map(resources) },
    scope: scope && { ...scope, projects: scope.projects?.map(replace) },
    guards: {
      ...guards,
      protect: guards.protect.map((entry) => ({
        ...entry,
        selector: mapSelectorProjects(entry.selector, replace),
      })),
      keepAdmin: guards.keepAdmin?.map((guard) => ({
        ...guard,
        teams: new Map([...guard.teams].map(([id, written]) => [replace(id), written])),
      })),
    },
    holds: holds && {
      ...holds,
      freeze: holds.freeze.map((window) => ({
        ...window,
        select: window.select && mapSelectorProjects(window.select, replace),
      })),
    },
    grantProjects: projects,
    lookUps: lookUps.filter(({ placeholder }) => !ids.has(placeholder)),
  };
}

/** Returns all objects of one kind, from the service or from a snapshot. */
export type NamesOf = (kind: AliasKind) => Promise<readonly NamedId[]>;

/**
 * Looks up the names of a configuration and replaces them by ids. Each kind is read at most once, and only if the run
 * depends on it. A configuration without names is returned unchanged.
 *
 * @throws {@link DiagnosticsError} if a name is unknown, ambiguous, or of a kind that cannot be looked up.
 * @throws {@link ServiceError} or {@link NetworkError} if a read fails.
 * @example
 * ```ts
 * const { organization } = declared.desired;
 * const named = await lookUpNames(declared, (kind) => readNames(client, organization, kind));
 * console.log(named.aliases.projects.get('payments')); // prj-payments
 * ```
 */
export async function lookUpNames(
  configuration: Configuration,
  namesOf: NamesOf,
  options: QueryOptions = {},
): Promise<Configuration> {
  const needed = neededLookUps(configuration, options);
  const kinds = new Set(needed.map(({ kind }) => kind));
  // A live grant that no file declares is shown by the alias of its team, which can be a name.
  const namesTeams = configuration.lookUps.some(({ kind }) => kind === 'teams');
  if (namesTeams && looksAtLiveAccess(configuration, options)) kinds.add('teams');
  if (kinds.size === 0) return configuration;
  const found = [...kinds].map(async (kind) => [kind, await namesOrNone(namesOf, kind)] as const);
  const names: FoundNames = new Map(await Promise.all(found));
  return withFoundNames(configuration, names, needed, options.chosen ?? (() => true));
}

/** A kind that cannot be looked up is not an error yet: texts that can be ids are used as ids. */
export async function namesOrNone(
  namesOf: NamesOf,
  kind: AliasKind,
): Promise<readonly NamedId[] | NoLookUpError> {
  try {
    return await namesOf(kind);
  } catch (error) {
    if (error instanceof NoLookUpError) return error;
    throw error;
  }
}

interface ResolveNamesOptions extends PlanRequest, Pick<QueryOptions, 'also'> {
  /** Whether another root file of the run needs projects with their key/value tags: they are listed once. */
  readonly bindings?: boolean;
  readonly source: Pick<LiveSource, 'names'>;
}

export function resolveNames(
  configuration: Configuration,
  { source, selection = {}, purpose = 'apply', also = [], ...asked }: ResolveNamesOptions,
): Promise<Configuration> {
  const { organization } = configuration.desired;
  const bindings = asked.bindings ?? readsBindings(configuration, selection);
  return lookUpNames(configuration, (kind) => source.names(organization, kind, { bindings }), {
    ...selection,
    purpose,
    also,
  });
}

export async function resolveProjects(
  written: readonly string[],
  configuration: Configuration,
  namesOf: NamesOf,
  option: string,
): Promise<readonly string[]> {
  const { aliases, desired } = configuration;
  const asked = written.map((project) => projectCalled(project, configuration));
  const isResolved = asked.every((one) => typeof one === 'string');
  const named = isResolved ? [] : await namesOrNone(namesOf, 'projects');
  return asked.map((one, index) => {
    const found = typeof one === 'string' ? one : answerTo(one, named, configuration);
    if (typeof found === 'string') return found;
    if (named instanceof NoLookUpError) {
      // A command line has no line in a file to correct.
      const hint = `use the id of the project (prj-...) with ${option}`;
      throw new AttuneError(named.message, { code: named.code, cause: named, hint });
    }
    const known = [...aliases.projects.keys(), ...named.map(({ name }) => name)];
    throw new AttuneError(
      `${option} ${written[index]}: unknown project in organization ${desired.organization}`,
      {
        code: 'unknown-name',
        hint: hintAt((one as LookUp).name, known, 'use an alias, the exact name, or the id (prj-...)'),
      },
    );
  });
}

/** The id of a project, or what is looked up: the name behind an alias may not be resolved yet. */
function projectCalled(project: string, { aliases, lookUps }: Configuration): string | LookUp {
  const aliased = aliases.projects.get(project);
  const lookUp = lookUps.find(({ kind, placeholder }) => kind === 'projects' && placeholder === aliased);
  // A project that does not exist yet is unknown, too.
  if (lookUp) return { ...lookUp, managed: undefined };
  if (aliased !== undefined) return aliased;
  if (kindOfId(project) === 'projects') return project;
  const placeholder = isIdOf('projects', project) ? project : '';
  return { kind: 'projects', name: project, placeholder, places: [] };
}
