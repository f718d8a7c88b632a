import type { JournaledChange, RunJournal } from '../apply/journal/parse-journal.ts';
import { missingForRepository } from '../diff/workspace-target.ts';
import type { Live } from '../live/read-live.ts';
import { isRepositoryPath } from '../model/attributes.ts';
import { changesOf } from '../model/change.ts';
import { type Configuration, noLimits } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import type { Dialect, Feature } from '../model/dialect.ts';
import { permissionPaths, permissions } from '../model/permissions.ts';
import {
  type DeleteMode,
  type GrantResource,
  type Resource,
  type ResourceKind,
  resourcesOf,
  type WorkspaceResource,
} from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { liveOf, type Touched } from './read-touched.ts';
import { leftAlone, nothingToRevert, notUndoable, type RevertContext, type Reverted } from './revert.ts';
import { revertCreate } from './revert-create.ts';
import { isAnother, revertDelete } from './revert-delete.ts';
import { revertProject } from './revert-project.ts';
import { revertUpdate } from './revert-update.ts';
import type { Recreated } from './successors.ts';
import { lowerCase } from './touched-projects.ts';

/** The input of an undo. */
export interface Undo {
  readonly configuration: Configuration;
  readonly live: Live;
}

export interface UndoOptions {
  /** How workspaces that the run created are deleted. @default 'safe' */
  readonly deleteMode?: DeleteMode;
  /** The features that the service lacks. */
  readonly missing?: readonly Feature[];
  /** What earlier undos of the run created again, by the former ids. */
  readonly recreated?: ReadonlyMap<string, Recreated>;
}

/**
 * Returns the configuration that reverts a run, and the live state to compare it with.
 *
 * @param settings how the service is reached, from the files of the user
 */
export function undoConfiguration(
  journaled: RunJournal,
  touched: Touched,
  settings: Pick<
    Configuration,
    'file' | 'folder' | 'service' | 'aliases' | 'guards' | 'holds' | 'policies' | 'lookUps'
  >,
  { deleteMode = 'safe', missing = [], recreated = new Map() }: UndoOptions,
): Undo {
  const { dialect } = touched;
  const run = { ...journaled, dialect };
  const { organization } = run;
  const names = projectNames(run, touched, settings);
  // Diagnostics name projects as the plan does.
  const { resources, diagnostics } = revertRun(
    run,
    { ...touched, projects: { ...touched.projects, names: names.byId } },
    { deleteMode, recreated, missing },
  );
  const { file, folder, service, guards, holds, policies = [], lookUps } = settings;
  const projects = [...touched.grants.values()].map(({ attributes }) => String(attributes.project));
  return {
    configuration: {
      file,
      folder,
      service: { ...service, dialect },
      aliases: aliasesOf(run, touched, { resources, names }),
      desired: { organization, resources: byAddress(resources) },
      layered: new Map(),
      prune: { workspaces: 'keep', teamAccess: false },
      // An undo deletes only what its run created; `--max-deletes` limits it.
      limits: noLimits,
      guards,
      // Exceptions refer to declarations, and an undo follows the journal.
      ...(holds && { holds: { ...holds, exceptions: [] } }),
      // The journal declares the values that it reverts, which are too few for a policy on resources.
      policies: policies.filter(({ on }) => on === 'change' || on === 'plan'),
      grantProjects: new Map(projects.map((project) => [project, project])),
      // Guards of the configuration may refer to projects by name.
      lookUps,
      diagnostics: [...otherDialect(journaled, dialect), ...diagnostics],
    },
    live: {
      state: {
        organization,
        resources: byAddress([
          ...touched.projects.byAddress.values(),
          ...touched.byId.values(),
          ...touched.grants.values(),
        ]),
      },
      dialect,
      whole: false,
      scopeWhole: false,
      names: touched.names,
      projects: [...new Set(projects)],
      missing,
      diagnostics: [],
    },
  };
}

function byAddress(resources: readonly Resource[]): Map<string, Resource> {
  return new Map(resources.map((resource) => [resource.address, resource]));
}

/** How an undo shows projects. */
interface ProjectNames {
  /** The ids of projects by the aliases of the files and of the run. */
  readonly aliases: ReadonlyMap<string, string>;
  /** One for each id that has an alias or was listed; two ids never have the same. */
  readonly byId: ReadonlyMap<string, string>;
}

/** A listed project has its present name, because the one in the journal can be the name of another project now. */
function projectNames(
  run: RunJournal,
  { changes, projects: { byAddress, names, idsByName } }: Touched,
  { aliases: declared, lookUps }: Pick<Configuration, 'aliases' | 'lookUps'>,
): ProjectNames {
  const isDeclared = (alias: string, id: string) => {
    const written = declared.projects.get(alias);
    const lookUp = lookUps.find(({ kind, placeholder }) => kind === 'projects' && placeholder === written);
    return lookUp === undefined
      ? written === id
      : [undefined, id].includes(idsByName.get(lowerCase(lookUp.name)));
  };
  const journaled = Object.entries(run.aliases.projects).filter(
    ([alias, id]) => isDeclared(alias, id) || !(names.has(id) || idsByName.has(lowerCase(alias))),
  );
  // A project that is created again has a new id.
  const touched = changes.flatMap(({ address, name }) => {
    const id = byAddress.get(address)?.id;
    return id === undefined ? [] : [[name, id] as const];
  });
  const aliases = new Map([...journaled, ...touched]);
  const listed = [...names].filter(([, name]) => !aliases.has(name));
  const aliased = [...aliases].reverse().map(([alias, id]) => [id, alias] as const);
  return { aliases, byId: new Map([...listed, ...aliased]) };
}

/** The aliases, and the names of the projects that the undo reads or writes. */
function aliasesOf(
  run: RunJournal,
  { byId, grants }: Touched,
  { resources, names }: { readonly resources: readonly Resource[]; readonly names: ProjectNames },
): Configuration['aliases'] {
  const journaled = Object.fromEntries(
    Object.entries(run.aliases).map(([kind, ids]) => [kind, new Map(Object.entries(ids))]),
  ) as unknown as Configuration['aliases'];
  const used = [...resources, ...byId.values(), ...grants.values()].flatMap(({ attributes }) =>
    typeof attributes.project === 'string' ? attributes.project : [],
  );
  const named = [...new Set(used)].sort().flatMap((id) => {
    const name = names.byId.get(id);
    return name === undefined ? [] : [[name, id] as const];
  });
  const reverted = resourcesOf(resources, 'project').map(({ name, id = '' }) => [name, id] as const);
  return { ...journaled, projects: new Map([...names.aliases, ...named, ...reverted]) };
}

interface RevertedWorkspace {
  readonly change: JournaledChange;
  readonly live: WorkspaceResource | undefined;
  readonly context: RevertContext;
}

/** Without a repository that the service does not attach again, such as one of an app installation. */
function withoutLostRepository(
  { resources, diagnostics }: Reverted,
  { change, live, context }: RevertedWorkspace,
): Reverted {
  const missing = resources.flatMap((resource) =>
    resource.kind === 'workspace' && resource.declared?.recovers === undefined
      ? missingForRepository(resource, live, context.run.dialect)
      : [],
  );
  if (missing.length === 0) return { resources, diagnostics };
  const what = `its repository is not attached again: a new one requires ${missing.join(' and ')}`;
  return {
    resources: resources.map(
      (resource) => ({ ...resource, attributes: withoutRepository(resource.attributes) }) as Resource,
    ),
    diagnostics: [...diagnostics, notUndoable(change, what)],
  };
}

function withoutRepository(attributes: Values): Values {
  return Object.fromEntries(Object.entries(attributes).filter(([path]) => !isRepositoryPath(path)));
}

/** How a change of each kind is reverted. */
const reverts: Readonly<Record<ResourceKind, (change: JournaledChange, context: RevertContext) => Reverted>> =
  {
    project: revertProject,
    workspace: (change, context) => {
      const revert = { create: revertCreate, update: revertUpdate, delete: revertDelete }[change.action];
      const live = liveOf(change, context.touched);
      return withoutLostRepository(revert(change, live, context), { change, live, context });
    },
    'team-access': revertGrant,
  };

/** The desired state that reverts a run. It is planned like any configuration. */
function revertRun(
  run: RunJournal,
  touched: Touched,
  options: Pick<RevertContext, 'deleteMode' | 'recreated' | 'missing'>,
): Reverted {
  const { changes } = touched;
  const deleted = new Map(
    changesOf(changes, 'workspace')
      .filter(({ action }) => action === 'delete')
      // A new workspace with the name of a deleted one must not get its access to state.
      .filter((change) => !isAnother(change, liveOf(change, touched), { touched, ...options }))
      .map(({ id = '', before, name }) => [id, String(before.name ?? name)]),
  );
  const context: RevertContext = {
    run,
    touched,
    ...options,
    nowCalled: (id) => (touched.names.has(id) ? id : deleted.get(id)),
  };
  const parts = changes.map((change) => reverts[change.kind](change, context));
  return {
    resources: parts.flatMap(({ resources }) => resources),
    diagnostics: [...cutOff(run), ...parts.flatMap(({ diagnostics }) => diagnostics)],
  };
}

function otherDialect({ dialect, organization }: RunJournal, spoken: Dialect): Diagnostic[] {
  if (dialect === spoken) return [];
  return [
    note(
      'journal-dialect',
      `the journal of ${organization} is in the ${dialect} dialect, but the service uses ${spoken}: the undo uses ${spoken}`,
    ),
  ];
}

function cutOff({ isWhole, organization }: RunJournal): Diagnostic[] {
  if (isWhole) return [];
  return [
    note(
      'journal-cut-off',
      `the journal of ${organization} is incomplete; the results of its last calls are read from the service`,
    ),
  ];
}

/** A grant is reverted as a whole: restoring only some permissions would give a level that was never declared. */
function revertGrant(change: JournaledChange, { touched }: RevertContext): Reverted {
  const { before, address, name, calls } = change;
  const project = String(before.project);
  const team = String(before.team);
  const live = touched.grants.get(`${project}/${team}`)?.attributes;
  const written = Object.assign({}, ...calls.map((call) => call.written.values));
  const was = before.exists === true ? grantValues(before) : undefined;
  const left = change.action === 'delete' ? undefined : grantValues({ ...before, ...written });
  const now = live && grantValues(live);
  if (sameGrant(was, now)) return nothingToRevert;
  if (!sameGrant(left, now)) {
    return leftAlone(change, movedHow(left, now));
  }
  const resource: GrantResource = {
    kind: 'team-access',
    address,
    name,
    attributes: { project, team, ...was },
    ...(was === undefined && { declared: { absent: 'safe' as const } }),
  };
  return { resources: [resource], diagnostics: [] };
}

/** A level other than `custom` fixes its permissions, so only the level is compared. */
function grantValues(values: Values): Record<string, Value> {
  const { access = null } = values;
  if (access !== 'custom') return { access };
  // An omitted permission, and one that the service does not have, has its default value.
  const effective = permissionPaths.map((path) => [path, values[path] ?? permissions[path].customDefault]);
  return { access, ...Object.fromEntries(effective) };
}

function sameGrant(a: Values | undefined, b: Values | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function movedHow(left: Values | undefined, now: Values | undefined): string {
  const permissions = left?.access === now?.access ? ' with other permissions' : '';
  return `the run set ${shown(left)}, but it is now ${shown(now)}${permissions}`;
}

function shown(grant: Values | undefined): string {
  return grant === undefined ? 'no access' : String(grant.access);
}
