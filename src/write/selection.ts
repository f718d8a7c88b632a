import type { LiveScope } from '../model/configuration.ts';
import { selectorIn } from '../model/declared-selector.ts';
import type { Dialect } from '../model/dialect.ts';
import { matchesAddress, matchesSelector, type Selector } from '../model/selector.ts';
import {
  canMatchKind,
  kindOfAddress,
  nameOfAddress,
  type ResourceKind,
  type WorkspaceResource,
} from '../model/state.ts';

export interface Selection extends LiveScope {
  /** Globs of addresses, with aliases for projects and teams that have one. */
  readonly only?: readonly string[] | undefined;
  /** The selectors among the patterns of `only`, with ids of projects. They match live values. */
  readonly selectors?: readonly Selector[];
  /** Grants beside those of `only`, as their addresses by id: the import can give a team an alias. */
  readonly grants?: ReadonlySet<string>;
  /** Names of declared workspaces, of which nothing is read. */
  readonly known?: ReadonlySet<string>;
  /** The scope of the files that an import adds to: resources outside of it belong to other configurations. */
  readonly scope?: LiveScope | undefined;
}

export function isChosen({ only = [] }: Selection, address: string): boolean {
  return only.length === 0 || only.some((pattern) => matchesAddress(pattern, address));
}

export function isChosenWorkspace(
  selection: Selection,
  workspace: WorkspaceResource,
  dialect: Dialect,
): boolean {
  const { selectors = [] } = selection;
  return (
    isChosen(selection, workspace.address) ||
    selectors.some((selector) => matchesSelector(selector, workspace, dialect))
  );
}

export function isChosenProject({ selectors = [] }: Selection, project: string): boolean {
  return selectors.some(
    (selector) => isOfProjects(selector) && [selector.project ?? []].flat().includes(project),
  );
}

function isOfProjects({ project, ...others }: Selector): boolean {
  return project !== undefined && Object.keys(others).length === 0;
}

export function canChoose({ only = [], selectors = [] }: Selection, kind: ResourceKind): boolean {
  if (only.length === 0) return true;
  const isSelected = kind === 'workspace' ? selectors.length > 0 : selectors.some(isOfProjects);
  const patterns = only.filter((pattern) => selectorIn(pattern) === undefined);
  return isSelected || patterns.some((pattern) => canMatchKind(pattern, kind));
}

/** Team access belongs to projects: a selection of single workspaces excludes it. */
export function takesTeamAccess(selection: Selection): boolean {
  return !selection.tags && !selection.names && canChoose(selection, 'team-access');
}

export function takesProjects(selection: Selection): boolean {
  return !selection.tags && !selection.names && canChoose(selection, 'project');
}

export function namesProjects({ only = [] }: Selection): boolean {
  return only.some((pattern) => kindOfAddress(pattern) === 'project');
}

/** The service's filter supports `*` only; a pattern for all workspaces needs no filter. */
function isServiceFilter(pattern: string): boolean {
  return pattern !== '*' && !pattern.includes('?');
}

/**
 * The part of a selection that the service's own filters support. `--only` is used if it selects workspaces only, and
 * no other filter does.
 */
export function scopeOf({ projects, tags, names, only = [], scope }: Selection): LiveScope | undefined {
  const chosen =
    only.length > 0 && only.every((pattern) => kindOfAddress(pattern) === 'workspace')
      ? only.map(nameOfAddress).filter(isServiceFilter)
      : [];
  const wanted = names ?? (chosen.length === only.length && chosen.length > 0 ? chosen : undefined);
  if (!projects && !tags && !wanted) return scope;
  return { projects, tags, names: wanted };
}
