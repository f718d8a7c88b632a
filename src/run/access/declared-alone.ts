import type { Configuration } from '../../desired/configuration.ts';
import {
  type AccessQuestion,
  type AccessRow,
  type StateAccessRow,
  unknownValue,
} from '../../model/access-result.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { isWorkspaceId, type ListRule, resourcesOf, type WorkspaceResource } from '../../model/state.ts';
import { hintAt } from '../../model/text.ts';
import { type RowLabels, readersOfState, statesReadBy, teamRows } from './access-rows.ts';
import { namedProjects } from './labels.ts';

/** Whether the files alone decide the answer: who can read the state of a workspace with declared switches and a list of names. */
export function isDecidedByFiles(
  { stateOf }: AccessQuestion,
  configurations: readonly Configuration[],
): boolean {
  return configurations.some((configuration) => {
    const owner = keptWorkspaces([configuration]).find(({ name }) => name === stateOf);
    return owner !== undefined && declaresReaders(owner, configuration);
  });
}

/** A switch that no file declares can be on. */
function declaresReaders(owner: WorkspaceResource, { service }: Configuration): boolean {
  const inProject = service.dialect === 'iac' ? false : undefined;
  const { 'global-remote-state': all, 'project-remote-state': project = inProject } = owner.attributes;
  return all === true || (all === false && project === false && listed(owner) !== undefined);
}

/** What files alone show. Access that they do not decide is unknown. */
export function rowsOfFiles(
  question: AccessQuestion,
  configurations: readonly Configuration[],
  labels: RowLabels,
): readonly AccessRow[] {
  const { stateOf, stateFor } = question;
  const workspaces = keptWorkspaces(configurations).map(withReaders);
  const input = { workspaces, homes: new Map<string, string>(), labels };
  if (stateOf !== undefined) {
    const known = readersOfState(workspaceCalled(stateOf, workspaces), input);
    const isWhole =
      isDecidedByFiles(question, configurations) || known.some(({ via }) => via === unknownValue);
    return isWhole ? known : [...known, unknownState];
  }
  if (stateFor !== undefined) {
    const known = statesReadBy(workspaceCalled(stateFor, workspaces), input);
    return [...known, unknownState];
  }
  return grantRows(question, configurations, labels);
}

/** Undeclared workspaces can read, or share, too. */
const unknownState: StateAccessRow = {
  workspace: '*',
  project: null,
  via: unknownValue,
  source: 'remote-state-consumers',
};

function grantRows(
  question: AccessQuestion,
  configurations: readonly Configuration[],
  labels: RowLabels,
): readonly AccessRow[] {
  const grants = configurations.flatMap(({ desired }) =>
    resourcesOf(desired.resources.values(), 'team-access').filter(({ declared }) => !declared?.absent),
  );
  const pruned = configurations.filter(({ prune }) => prune.teamAccess);
  const closed = new Set(pruned.flatMap(({ grantProjects }) => [...grantProjects.keys()]));
  const projects = projectsOf(question, configurations, {
    all: [...new Set(namedProjects(configurations))],
    labels,
  });
  const teams = [...new Set(grants.map(({ attributes }) => attributes.team))];
  return teamRows({
    projects,
    unread: new Set(projects.filter((project) => !closed.has(project))),
    grants,
    teams: undefined,
    ...(question.team !== undefined && { team: idOf('team', question.team, teams, labels.team) }),
    labels,
  });
}

function projectsOf(
  { project, workspace }: AccessQuestion,
  configurations: readonly Configuration[],
  { all, labels }: { readonly all: readonly string[]; readonly labels: RowLabels },
): readonly string[] {
  if (project !== undefined) return [idOf('project', project, all, labels.project)];
  if (workspace === undefined) return all;
  const { attributes } = workspaceCalled(workspace, keptWorkspaces(configurations));
  if (attributes.project !== undefined) return [attributes.project];
  throw new AttuneError(`the files do not declare the project of workspace ${workspace}`, {
    code: 'unknown-project',
    hint: 'set --address and a token, so that it is read from the service',
  });
}

function idOf(
  noun: 'team' | 'project',
  written: string,
  ids: readonly string[],
  shown: (id: string) => string,
): string {
  const found = ids.find((id) => id === written || shown(id) === written);
  if (found !== undefined) return found;
  throw new AttuneError(`unknown ${noun} ${written}: no file declares access of it`, {
    code: `unknown-${noun}`,
    hint: hintAt(written, ids.map(shown), 'use a name or an alias of the files'),
  });
}

function workspaceCalled(name: string, workspaces: readonly WorkspaceResource[]): WorkspaceResource {
  const found = workspaces.find((workspace) => workspace.name === name);
  if (found) return found;
  const names = workspaces.map((workspace) => workspace.name);
  throw new AttuneError(`unknown workspace ${name}: no file declares it`, {
    code: 'no-such-workspace',
    hint: hintAt(name, names, 'set the address and a token to ask the service'),
  });
}

export function keptWorkspaces(configurations: readonly Configuration[]): readonly WorkspaceResource[] {
  return configurations.flatMap(({ desired }) =>
    resourcesOf(desired.resources.values(), 'workspace').filter(({ declared }) => !declared?.absent),
  );
}

/** As after an apply: with the list of readers, or without one if other workspaces decide it. */
function withReaders(workspace: WorkspaceResource): WorkspaceResource {
  const { 'remote-state-consumers': _rule, ...attributes } = workspace.attributes;
  const consumers = listed(workspace);
  return {
    ...workspace,
    attributes: { ...attributes, ...(consumers && { 'remote-state-consumers': consumers }) },
  };
}

/** The readers by name; undefined if ids, selectors or the live list decide them. */
function listed({ attributes }: WorkspaceResource): readonly string[] | undefined {
  const rule = attributes['remote-state-consumers'] as ListRule | undefined;
  if (rule === undefined || !('exactly' in rule) || (rule.except?.length ?? 0) > 0) return undefined;
  const isName = (entry: unknown) => typeof entry === 'string' && !isWorkspaceId(entry);
  return rule.exactly.every(isName) ? rule.exactly : undefined;
}
