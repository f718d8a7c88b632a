import type { JournaledChange } from '../apply/journal/parse-journal.ts';
import type { ValueDifference } from '../diff/fields.ts';
import { missingForRepository } from '../diff/workspace-target.ts';
import { destroyDuration, isRepositoryPath, referencePaths } from '../model/attributes.ts';
import { aliasOf, type Configuration } from '../model/configuration.ts';
import { type Diagnostic, warning } from '../model/diagnostic.ts';
import type { Feature } from '../model/dialect.ts';
import {
  type Declared,
  type DeleteMode,
  type Resource,
  uncreatedProject,
  workspaceAddress,
} from '../model/state.ts';
import type { Value, Values } from '../model/value.ts';
import { lockWord } from '../relations/relations.ts';
import { isGoneProject, type Touched, type withRecreated } from './read-touched.ts';

export interface Reverted {
  readonly resources: readonly Resource[];
  readonly diagnostics: readonly Diagnostic[];
}

export const nothingToRevert: Reverted = { resources: [], diagnostics: [] };

export interface RevertContext extends Pick<Configuration, 'aliases'> {
  readonly touched: Touched;
  /** How workspaces that the run created are deleted. */
  readonly deleteMode: DeleteMode;
  readonly missing: readonly Feature[];
  /** What earlier undos created again, by the former ids. */
  readonly recreated: ReturnType<typeof withRecreated>['recreated'];
  /** The entry of a consumer list for a workspace of the former state: its id, or its name if it is created again. */
  readonly nowCalled: (id: string) => string | undefined;
}

export function undoConflict(
  { address }: JournaledChange,
  how: string,
  path?: string,
  hint = 'it changed after the run: undo the later run first, or change it manually if needed',
): Diagnostic {
  const what = path === undefined ? address : `${path} of ${address}`;
  return warning('undo-conflict', `${what} is not reverted: ${how}`, { at: { address }, hint });
}

export function leftAlone(change: JournaledChange, how: string): Reverted {
  return { resources: [], diagnostics: [undoConflict(change, how)] };
}

export function notUndoable({ address }: JournaledChange, what: string): Diagnostic {
  return warning('not-undoable', `${address}: ${what}`, { at: { address } });
}

export function goneConsumer(id: string): string {
  return `its consumer ${id} was deleted, or this token may not see it`;
}

export function lostProject(
  change: JournaledChange,
  { project }: Values,
  { touched }: RevertContext,
  path?: string,
): Diagnostic | undefined {
  if (typeof project !== 'string' || !isGoneProject(touched, project)) return undefined;
  const how = `its former project ${project} was deleted, or this token may not see it`;
  const hint = 'if a later run deleted the project, undo that run first: `attune undo --list` shows it';
  return undoConflict(change, how, path, hint);
}

/**
 * A resource as a file would declare it, without a repository that the service does not attach again, such as that of an app
 * installation. A workspace owns a destroy schedule even if it would inherit the same one.
 *
 * @param name that of a workspace; projects and grants have the name and the address of their change
 */
export function declareReverted(
  change: JournaledChange,
  { name = change.name, live, attributes = {}, ...about }: Declaration,
  { touched: { dialect } }: Pick<RevertContext, 'touched'>,
): Reverted {
  const { kind } = change;
  const owns = kind === 'workspace' && attributes[destroyDuration] ? { ownsSchedule: true as const } : {};
  const declared = { ...about, ...owns };
  const resource = {
    kind,
    address: kind === 'workspace' ? workspaceAddress(name) : change.address,
    name,
    attributes,
    ...(kind === 'project' && { id: live?.id ?? uncreatedProject(name) }),
    ...(Object.keys(declared).length > 0 && { declared }),
  } as Resource;
  const missing =
    resource.kind === 'workspace' && !about.recovers
      ? missingForRepository(resource, live?.kind === 'workspace' ? live : undefined, dialect)
      : [];
  if (missing.length === 0) return { resources: [resource], diagnostics: [] };
  const rest = Object.entries(attributes).filter(([path]) => !isRepositoryPath(path));
  const what = `its repository is not attached again: a new one requires ${missing.join(' and ')}`;
  return {
    resources: [{ ...resource, attributes: Object.fromEntries(rest) } as Resource],
    diagnostics: [notUndoable(change, what)],
  };
}

interface Declaration extends Declared {
  readonly name?: string;
  readonly live?: Resource | undefined;
  readonly attributes?: Values;
}

export function both(one: Reverted, ...others: readonly Diagnostic[]): Reverted {
  return { ...one, diagnostics: [...one.diagnostics, ...others] };
}

export function movedSince(
  left: 'run' | 'undo',
  change: JournaledChange,
  { path, before, after }: ValueDifference,
  context: RevertContext,
): Diagnostic {
  const [was, is] = [before, after].map((value) => shownValue(path, value, context));
  return undoConflict(change, `the ${left} left it ${was}, but it is now ${is}`, path);
}

function shownValue(path: string, value: Value | undefined, { aliases }: RevertContext): string {
  if (path === 'lock') return lockWord(value);
  if (value === null || value === undefined || value === '') return 'not set';
  const kind = referencePaths[path];
  return JSON.stringify(kind && typeof value === 'string' ? aliasOf(aliases, kind, value) : value);
}
