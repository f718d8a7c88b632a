import { areDeclarable } from '../desired/tag-bindings.ts';
import { workspaceNamePattern } from '../model/attributes.ts';
import { projectAttributes, projectPaths } from '../model/project-attributes.ts';
import { type ProjectResource, projectAddress, type Resource, resourcesOf } from '../model/state.ts';
import { asBindings } from '../model/tag-bindings.ts';
import type { Value } from '../model/value.ts';
import { createAliases, type DeclaredAliases, type ImportAliases } from './aliases.ts';
import type { ImportNotices } from './notices.ts';
import type { OrganizationReading } from './read-organization.ts';
import { isChosen, isChosenProject, namesProjects, type Selection } from './selection.ts';
import { type StatedGrant, stateGrant } from './state-grant.ts';
import { stateWorkspace } from './state-workspace.ts';
import { type StatedWorkspace, undeclarableBindings, withManagedDefaults } from './statement.ts';

export interface StateInput {
  readonly reading: OrganizationReading;
  readonly selection: Selection;
  readonly full: boolean;
  readonly notices: ImportNotices;
  /** Addresses that cannot be declared. */
  readonly dropped: ReadonlySet<string>;
  /** Aliases that the files declare already. */
  readonly declared?: DeclaredAliases;
  /** Existing keys of `team-access` by project id. */
  readonly grantProjects?: ReadonlyMap<string, string>;
}

/** The declarations of an import, before they are distributed over files. */
export interface StatedOrganization {
  readonly workspaces: readonly StatedWorkspace[];
  readonly grants: readonly StatedGrant[];
  /** The managed projects, by alias. */
  readonly projects: ReadonlyMap<string, Value>;
  readonly aliases: ImportAliases;
}

/** Declares all live resources that were read and that a file can contain. */
export function stateOrganization(input: StateInput): StatedOrganization {
  const { reading, selection, full, notices, dropped, declared, grantProjects } = input;
  const { live, names, dead } = reading;
  const resources = [...live.state.resources.values()].filter(({ address }) => !dropped.has(address));
  const aliases = createAliases(idsOf(resources, dead), names, declared);
  const workspaces = resourcesOf(resources, 'workspace');
  for (const { address } of workspaces.filter((workspace) => !isDeclarable(workspace))) {
    notices.omit(address, 'its name has characters other than A-Z a-z 0-9 - _');
  }
  const grants = resourcesOf(resources, 'team-access').flatMap(
    (grant) => stateGrant(grant, { aliases, notices, selection, full, grantProjects }) ?? [],
  );
  const stated = workspaces
    .filter(isDeclarable)
    .map((workspace) => stateWorkspace(workspace, { live, aliases, notices }))
    .map((workspace) => withManagedDefaults(workspace, full));
  return {
    workspaces: stated,
    projects: stateProjects(resourcesOf(resources, 'project'), aliases, input),
    grants: grants.filter(({ address }) => !dropped.has(address)),
    aliases,
  };
}

/** The projects that the files refer to for the first time, and those that the selection names. */
function stateProjects(
  all: readonly ProjectResource[],
  aliases: ImportAliases,
  { selection, notices, full, dropped, declared }: StateInput,
): ReadonlyMap<string, Value> {
  const isDeclared = new Set(declared?.projects.values());
  const chosen = all.flatMap((project): [string, ProjectResource][] => {
    const alias = aliases.aliasOf('projects', project.id ?? '');
    const address = projectAddress(alias ?? '');
    const isNew = alias !== undefined && !isDeclared.has(project.id ?? '');
    const isWanted = isChosen(selection, address) || isChosenProject(selection, project.id ?? '');
    return isNew && isWanted && !dropped.has(address) ? [[alias, project]] : [];
  });
  if (namesProjects(selection)) for (const [, { id = '' }] of chosen) aliases.use('projects', id);
  const used = aliases.added('projects');
  return new Map(
    chosen
      .filter(([alias]) => used.has(alias))
      .flatMap(([alias, project]): [string, Value][] => {
        const stated = stateManagedProject(project, { alias, aliases, all, notices, full });
        return stated === undefined ? [] : [[alias, stated]];
      }),
  );
}

interface StateProjectContext {
  readonly alias: string;
  readonly aliases: ImportAliases;
  /** All projects of the organization. */
  readonly all: readonly ProjectResource[];
  readonly notices: ImportNotices;
  readonly full: boolean;
}

/** A project as a file manages it; undefined if a file can only refer to it. */
function stateManagedProject(
  { id = '', attributes }: ProjectResource,
  { alias, aliases, all, notices, full }: StateProjectContext,
): Value | undefined {
  const address = projectAddress(alias);
  const { name } = attributes;
  if (typeof name !== 'string' || !projectAttributes.name.pattern.test(name)) {
    notices.omit(address, 'the service no longer accepts such a name');
    return undefined;
  }
  const isTaken = all.some(
    (other) => other.id !== id && other.attributes.name?.toLowerCase() === name.toLowerCase(),
  );
  if (isTaken) {
    notices.omit(address, 'the name of another project differs only in case');
    return undefined;
  }
  const stated: Record<string, Value> = { id, name, manage: true };
  for (const path of projectPaths) {
    const value = attributes[path];
    if (path === 'name' || value === undefined) continue;
    if (value !== null && !acceptsValue(path, value))
      notices.add(address, `${path} is left out: ${noSuchValue}`);
    // A schedule of the project destroys the infrastructure of its workspaces, so a schedule set elsewhere is drift.
    else if (value !== null || full || path === 'auto-destroy-activity-duration') stated[path] = value;
    if (path === 'default-agent-pool' && value !== null)
      stated[path] = aliases.use('agent-pools', value) ?? value;
  }
  const bindings = asBindings(attributes['tag-bindings']);
  if (bindings === undefined) return stated;
  if (!areDeclarable(bindings)) notices.add(address, `tag-bindings is left out: ${undeclarableBindings}`);
  else if (Object.keys(bindings).length > 0 || full) stated['tag-bindings'] = bindings;
  return stated;
}

const noSuchValue = 'the service no longer accepts such a value';

function acceptsValue(path: (typeof projectPaths)[number], value: string): boolean {
  const spec = projectAttributes[path];
  if ('pattern' in spec) return spec.pattern.test(value);
  if ('values' in spec) return spec.values.some((known) => known === value);
  return !('maxLength' in spec) || value.length <= spec.maxLength;
}

function isDeclarable({ name }: Resource): boolean {
  return workspaceNamePattern.test(name);
}

/** Grants by team by project, sorted. */
export function accessTable(grants: readonly StatedGrant[]): ReadonlyMap<string, ReadonlyMap<string, Value>> {
  const table = new Map<string, Map<string, Value>>();
  for (const { project, team, value } of [...grants].sort((a, b) => (a.address < b.address ? -1 : 1))) {
    const teams = table.get(project) ?? new Map<string, Value>();
    table.set(project, teams.set(team, value));
  }
  return table;
}

function idsOf(resources: readonly Resource[], dead: ReadonlySet<string>) {
  const ids = (path: string) =>
    resources.flatMap(({ attributes: { [path]: id } }) =>
      typeof id === 'string' && !dead.has(id) ? id : [],
    );
  return {
    projects: ids('project'),
    teams: ids('team'),
    'ssh-keys': ids('ssh-key'),
    'agent-pools': [...ids('agent-pool-id'), ...ids('default-agent-pool')],
    'vcs-connections': ids('vcs-repo.oauth-token-id'),
  };
}
