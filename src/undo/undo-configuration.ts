import type { RunJournal } from '../apply/journal/parse-journal.ts';
import type { Live } from '../live/read-live.ts';
import { liveOf } from '../live/snapshot.ts';
import { type Aliases, bareConfiguration, type Configuration } from '../model/configuration.ts';
import { type Diagnostic, note } from '../model/diagnostic.ts';
import { uncreatedProject } from '../model/state.ts';
import type { Touched } from './read-touched.ts';
import { isAnother, revertDelete } from './recreate.ts';
import { revertCreate, revertUpdate } from './restore.ts';
import { leftAlone, nothingToRevert, type RevertContext, type Reverted } from './reverted.ts';

/*
 * An undo is a plan like any other. Its desired state is the one that the journal recorded before the run, restricted to what is
 * still as the run left it: what another user changed since is not declared, and so not touched.
 *
 *   journal -- read-touched.ts -> what the run touched, as it is now, as if it had met what other undos created again
 *           -- versions.ts -----> former values that can be restored: before the run, as it left them, live
 *           -- restore.ts, recreate.ts --> desired state; only what was created or deleted needs more than a comparison
 *           -- here ------------> configuration and live state, which are compared, planned and checked as usual
 */

export function undoConfiguration(
  run: RunJournal,
  touched: Touched,
  settings: Configuration,
  options: Pick<RevertContext, 'deleteMode' | 'missing' | 'recreated'>,
): { readonly configuration: Configuration; readonly live: Live } {
  const { dialect, workspaces, grants, names } = touched;
  const { organization } = run;
  const touchedProjects = touched.changes.flatMap(({ live }) => (live?.kind === 'project' ? live : []));
  const aliases = aliasesOf(run, touched, settings);
  const reverted = revertChanges(touched, { aliases, ...options });
  const resources = reverted.flatMap((one) => one.resources);
  const { file, folder, service, guards, holds, policies = [], lookUps } = settings;
  const projects = [...new Set(grants.map(({ attributes }) => attributes.project))];
  return {
    configuration: {
      // Without limits: an undo deletes only what its run created; `--max-deletes` limits it.
      ...bareConfiguration(organization, folder),
      file,
      service: { ...service, dialect },
      aliases,
      desired: { organization, resources: new Map(resources.map((one) => [one.address, one])) },
      guards,
      // Exceptions refer to declarations, and an undo follows the journal.
      holds: holds && { ...holds, exceptions: [] },
      // The journal declares the values that it reverts, which are too few for a policy on resources.
      policies: policies.filter(({ on }) => on === 'change' || on === 'plan'),
      grantProjects: new Map(projects.map((project) => [project, project])),
      // Guards of the configuration may refer to projects by name.
      lookUps,
      diagnostics: [...notesOn(run), ...reverted.flatMap(({ diagnostics }) => diagnostics)],
    },
    live: liveOf(organization, [...touchedProjects, ...workspaces.values(), ...grants], {
      ...{ dialect, names, projects, missing: options.missing },
    }),
  };
}

/**
 * The aliases of the run, and the names of the projects that it touched or used. A listed project has its name, unless the files
 * have the alias for it: the alias of the journal can be the name of another project now.
 */
function aliasesOf(
  run: RunJournal,
  { changes, workspaces, grants, projects = [] }: Touched,
  { aliases: declared, lookUps }: Pick<Configuration, 'aliases' | 'lookUps'>,
): Aliases {
  const nameOf = new Map(projects.map(({ id = '', attributes: { name } }) => [id, String(name)]));
  const byName = new Map([...nameOf].map(([id, name]) => [name.toLowerCase(), id]));
  const isDeclared = (alias: string, id: string) => {
    const written = declared.projects.get(alias);
    const lookUp = lookUps.find(({ kind, placeholder }) => kind === 'projects' && placeholder === written);
    return (lookUp ? (byName.get(lookUp.name.toLowerCase()) ?? id) : written) === id;
  };
  const journaled = Object.entries(run.aliases.projects).filter(
    ([alias, id]) => isDeclared(alias, id) || !(nameOf.has(id) || byName.has(alias.toLowerCase())),
  );
  const touched = changes.flatMap(({ change: { kind, name, action }, live }) => {
    if (kind !== 'project') return [];
    const id = live?.id ?? (action === 'delete' ? uncreatedProject(name) : undefined);
    return id === undefined ? [] : [[name, id] as const];
  });
  const aliases = new Map([...journaled, ...touched]);
  const aliased = new Set(aliases.values());
  const used = [
    ...[...workspaces.values(), ...grants].map(({ attributes }) => attributes.project),
    ...changes.flatMap(({ change: { before, kept } }) => [before.project, kept?.project]),
  ];
  for (const id of [...new Set(used)].sort()) {
    const name = nameOf.get(String(id));
    if (name !== undefined && !aliased.has(String(id)) && !aliases.has(name)) aliases.set(name, String(id));
  }
  const others = Object.entries(run.aliases).map(([kind, ids]) => [kind, new Map(Object.entries(ids))]);
  return { ...Object.fromEntries(others), projects: aliases } as Aliases;
}

function revertChanges(
  touched: Touched,
  options: Omit<RevertContext, 'touched' | 'nowCalled'>,
): readonly Reverted[] {
  const workspaces = touched.changes.filter(
    ({ change: { kind, action } }) => kind === 'workspace' && action === 'delete',
  );
  // A new workspace with the name of a deleted one must not get its access to state.
  const recreated = new Map(
    workspaces
      .filter(({ change, live }) => !isAnother(change, live, { touched, ...options }))
      .map(({ change: { id = '', before, name } }) => [id, String(before.name ?? name)]),
  );
  const nowCalled = (id: string) => (touched.names.has(id) ? id : recreated.get(id));
  return touched.changes.map((one) => revert(one, { ...options, touched, nowCalled }));
}

function revert({ change, live }: Touched['changes'][number], context: RevertContext): Reverted {
  switch (change.action) {
    case 'create':
      return live ? revertCreate(change, live, context) : nothingToRevert;
    case 'update':
      return live
        ? revertUpdate(change, live, context)
        : leftAlone(change, 'it was deleted, or this token may not see it');
    case 'delete':
      return revertDelete(change, live, context);
    default:
      return change.action satisfies never;
  }
}

function notesOn({ organization, isWhole, changes }: RunJournal): Diagnostic[] {
  const cutOff = `the journal of ${organization} is incomplete; the results of its last calls are read from the service`;
  if (!isWhole) return [note('journal-cut-off', cutOff)];
  const unclear = changes.filter(({ calls }) => calls.some(({ outcome }) => outcome?.result !== 'done'));
  const unknown = `calls got a server error or no answer, and the live state decides whether they took effect: ${unclear.map(({ address }) => address).join(', ')}`;
  if (unclear.length > 0) return [note('unknown-effect', unknown)];
  const hasWritten = changes.some(({ calls }) => calls.length > 0);
  return hasWritten ? [] : [note('nothing-written', `the run of ${organization} wrote nothing`)];
}
