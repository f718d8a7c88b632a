import type { JournaledChange, RunJournal } from '../apply/journal/parse-journal.ts';
import { destroyDuration, referencePaths } from '../model/attributes.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import type { Feature } from '../model/dialect.ts';
import { type DeleteMode, type Resource, type WorkspaceResource, workspaceAddress } from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { lockWord } from '../relations/relations.ts';
import type { Touched } from './read-touched.ts';
import type { Recreated } from './successors.ts';

/**
 * The desired resources that revert a change. They hold the values from before the run. A value that changed since
 * the run is omitted, so that it is unmanaged.
 */
export interface Reverted {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

export const nothingToRevert: Reverted = { resources: [], diagnostics: [] };

export interface RevertContext {
  readonly run: RunJournal;
  readonly touched: Touched;
  /** How workspaces that the run created are deleted. */
  readonly deleteMode: DeleteMode;
  /** The features that the service lacks. */
  readonly missing: readonly Feature[];
  /** What earlier undos of the run created again, by the former ids. */
  readonly recreated: ReadonlyMap<string, Recreated>;
  /** The entry of a consumer list for a workspace of the former state: its id, or its name if it is created again. */
  readonly nowCalled: (id: string) => string | undefined;
}

/** A value that is not reverted because it changed since the run. */
export function undoConflict(
  { address }: Pick<JournaledChange, 'address'>,
  how: string,
  path?: string,
): Diagnostic {
  return warning(
    'undo-conflict',
    `${path === undefined ? address : `${path} of ${address}`} is not reverted: ${how}`,
    { at: { address }, hint: 'check the value, and change it manually if needed: it changed after the run' },
  );
}

/** Nothing of a change is reverted, because its resource changed since the run. */
export function leftAlone(change: JournaledChange, how: string): Reverted {
  return { resources: [], diagnostics: [undoConflict(change, how)] };
}

/** Why a workspace cannot be put back into its former project; undefined if it can. */
export function lostProject(
  project: Value | undefined,
  { touched: { projects } }: Pick<RevertContext, 'touched'>,
): string | undefined {
  if (typeof project !== 'string' || !projects.isGone(project)) return undefined;
  return `its former project ${project} was deleted, or this token may not see it`;
}

export function nameInUse(
  change: JournaledChange,
  name: Value | undefined,
  kind: 'project' | 'workspace',
): Diagnostic {
  return undoConflict(change, `its former name ${JSON.stringify(name)} is used by another ${kind} now`);
}

/** A value that cannot be restored. */
export function notUndoable({ address }: Pick<JournaledChange, 'address'>, what: string): Diagnostic {
  return warning('not-undoable', `${address}: ${what}`, { at: { address } });
}

/** A workspace as a file would declare it, but a journal distinguishes an own destroy schedule from an equal inherited one. */
export function declaration(
  name: string,
  attributes: Values,
  options: NonNullable<WorkspaceResource['declared']>,
): WorkspaceResource {
  const declared = { ...options, ...(attributes[destroyDuration] && { ownsSchedule: true as const }) };
  return {
    kind: 'workspace',
    address: workspaceAddress(name),
    name,
    attributes,
    ...(Object.keys(declared).length > 0 && { declared }),
  };
}

/** Whose aliases and names are shown instead of ids. */
type Named = Pick<RevertContext, 'run' | 'touched'>;

export function shownValue(path: string, value: Value | undefined, named: Named): string {
  if (path === 'lock') return lockWord(value);
  if (value === null || value === undefined || value === '') return 'not set';
  return JSON.stringify(typeof value === 'string' ? nameOfId(path, value, named) : value);
}

/** The alias or the name of the object that a path refers to by its id; any other text as it is. */
function nameOfId(path: string, value: string, { run, touched }: Named): string {
  const kind = referencePaths[path];
  if (kind === undefined) return value;
  if (kind === 'projects') return touched.projects.names.get(value) ?? value;
  const [name] = Object.entries(run.aliases[kind]).find(([, id]) => id === value) ?? [];
  return name ?? value;
}
