import { pathTo } from './endpoints.ts';
import type { List } from './paging.ts';

export function workspacesOf(organization: string): List {
  return { path: pathTo('listWorkspaces', { organization }) };
}

export function consumersOf(workspace: string): List {
  return { path: pathTo('listConsumers', { workspace }) };
}

/** The grants of a project; without its filter the list is refused (interface, section 4.9). */
export function grantsOf(project: string): List {
  return { path: pathTo('listTeamProjects', {}), query: { 'filter[project][id]': project } };
}
