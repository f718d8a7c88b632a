import pLimit from 'p-limit';
import { AttuneError, type Diagnostic } from '../model/diagnostic.ts';
import type { Dialect } from '../model/dialect.ts';
import type {
  GrantResource,
  ProjectResource,
  Resource,
  ResourceKind,
  ResourceOf,
  WorkspaceResource,
} from '../model/state.ts';
import { whereOffered } from '../service/capabilities.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';
import { grantsOf, projectsOf, readList } from '../service/paging.ts';
import { dialectOf } from '../service/wire-codec.ts';
import { type DetailReads, readDetails } from './detail-reads.ts';
import {
  grantFromDocument,
  noteMissingFlags,
  projectFromDocument,
  withMeaningfulFlags,
  workspaceFromDocument,
} from './from-document.ts';
import { bindingsFromDocument } from './included.ts';
import { type LiveQuery, queryMembers } from './live-query.ts';
import { ifListed, readObjects } from './read-names.ts';
import { readWorkspaces } from './read-workspaces.ts';

interface LiveKind<Item extends Resource> {
  read(reader: ServiceReader, query: LiveQuery, details: DetailReads): Promise<KindReading<Item>>;
  isAsked(resource: Item, query: LiveQuery): boolean;
}

interface KindReading<Item extends Resource> {
  /**
   * Some of its documents: the dialect, and whether documents have key/value tags, show in them if they show in any.
   * The organization, if there is no workspace.
   */
  readonly examples: readonly ResourceObject[];
  resources(dialect: Dialect): Promise<LiveResources<Item>>;
}

interface LiveResources<Item extends Resource> {
  readonly resources: readonly Item[];
  readonly names?: ReadonlyMap<string, string>;
  readonly projects?: readonly string[];
  readonly projectNames?: ReadonlyMap<string, string> | undefined;
  readonly whole?: boolean;
  readonly scopeWhole?: boolean;
  readonly workspaceTotal?: number | undefined;
  readonly diagnostics?: readonly Diagnostic[];
}

const kinds: { readonly [Kind in ResourceKind]: LiveKind<ResourceOf<Kind>> } = {
  project: {
    read: readProjects,
    isAsked: ({ id = '' }, { managedProjects = [] }) =>
      managedProjects === 'all' || managedProjects.includes(id),
  },
  workspace: { read: readWorkspaceKind, isAsked: () => true },
  'team-access': {
    read: readGrants,
    // Grants of undeclared projects are neither compared nor pruned.
    isAsked: ({ attributes }, { projects }) => projects.includes(attributes.project),
  },
};

export function liveKind(kind: ResourceKind): LiveKind<Resource> {
  return kinds[kind];
}

const nothing = { examples: [], resources: async () => ({ resources: [] }) };

/** One list has the documents of all projects, and the look-up of their names reads the same list. */
async function readProjects(reader: ServiceReader, query: LiveQuery): Promise<KindReading<ProjectResource>> {
  const { managedProjects = [], organization } = query;
  if (managedProjects.length === 0) return nothing;
  const list = await whereOffered(reader, 'projects', () => readList(reader, projectsOf(organization)));
  const documents = (list ?? []).filter(
    ({ id }) => managedProjects === 'all' || managedProjects.includes(id),
  );
  const projectNames = list && namesById(list.map(({ id, attributes: { name } }) => ({ id, name })));
  return {
    examples: documents,
    resources: async () => ({ resources: documents.map(projectFromDocument), projectNames }),
  };
}

async function readWorkspaceKind(
  reader: ServiceReader,
  query: LiveQuery,
  details: DetailReads,
): Promise<KindReading<WorkspaceResource>> {
  if (query.names.length === 0 && !query.whole && query.scopes === undefined) return nothing;
  const conversion = convertEarly(workspaceFromDocument);
  const reading = await readWorkspaces(reader, query, conversion.keep);
  const { whole, scopeWhole, total, diagnostics } = reading;
  const kept = [...reading.found.values()].map(({ item }) => item);
  return {
    examples: conversion.examples(),
    async resources(dialect) {
      const returned = kept.map((one) => conversion.finish(one, dialect));
      noteMissingFlags(reader, returned);
      const workspaces = returned.map((one) => withMeaningfulFlags(reader, one));
      const names = new Map(workspaces.map(({ id = '', name }) => [id, name]));
      const resources = await readDetails(
        details,
        (path, { name }) => query[queryMembers[path]].has(name),
        workspaces,
        names,
      );
      return { resources, names, whole, scopeWhole, workspaceTotal: total, diagnostics };
    },
  };
}

/** Requests are sent in their order: with more of them waiting, the pages of workspaces would come after all grants. */
const grantListsAtATime = 10;

async function readGrants(
  reader: ServiceReader,
  query: LiveQuery,
  details: DetailReads,
): Promise<KindReading<GrantResource>> {
  const limit = pLimit(grantListsAtATime);
  const readProject = async (project: string) => {
    const conversion = convertEarly((document, dialect) => grantFromDocument(document, project, dialect));
    const documents = await limit(() => details.grants(project));
    // A reader that leaves out what it may not see must not take a part for the whole.
    const isChecked = documents?.length === 0 || (documents && query.isHidden !== undefined);
    const projectNames = isChecked
      ? await refuseHiddenGrants(reader, query.organization, project)
      : undefined;
    return { project, conversion, kept: (documents ?? []).map(conversion.keep), projectNames };
  };
  const visible = query.projects.map((project) =>
    readProject(project).catch((error: unknown) => {
      if (query.isHidden?.(error)) return [];
      throw error;
    }),
  );
  const readings = (await Promise.all(visible)).flat();
  return {
    examples: readings.flatMap(({ conversion }) => conversion.examples()),
    resources: async (dialect) => ({
      resources: readings.flatMap(({ conversion, kept }) =>
        kept.map((one) => conversion.finish(one, dialect)),
      ),
      projects: readings.map(({ project }) => project),
      projectNames: readings.find(({ projectNames }) => projectNames)?.projectNames,
    }),
  };
}

function namesById(named: readonly { readonly id: string; readonly name?: unknown }[]) {
  return new Map(named.flatMap(({ id, name }) => (typeof name === 'string' ? [[id, name] as const] : [])));
}

export const useTokenThatReadsAccess =
  'use a token that may read the team access of the project, such as one of a team with admin access';

/**
 * The service lists to a member only the access of teams that it belongs to (interface, section 5): for a token that may not
 * read team access, a list does not show all teams that have access.
 */
async function refuseHiddenGrants(
  reader: ServiceReader,
  organization: string,
  project: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  const projects = await ifListed(readObjects(reader, organization, 'projects'));
  const { name = project, denied = [] } = projects?.find(({ id }) => id === project) ?? {};
  if (!denied.includes('can-read-teams')) return projects && namesById(projects);
  const path = `${grantsOf(project).path}?filter[project][id]=${project}`;
  throw new AttuneError(
    `GET ${path}: this token may not read the whole team access of ${name} (can-read-teams is false)`,
    { code: 'access-unread', hint: useTokenThatReadsAccess },
  );
}

/**
 * Converts documents as soon as one of them has shown the dialect. A document takes five times the memory of its
 * resource, and lists of all organizations are in memory at the same time.
 */
export function convertEarly<Item>(convert: (document: ResourceObject, dialect: Dialect) => Item) {
  let shown: Dialect | undefined;
  let hasBindings = false;
  const examples: ResourceObject[] = [];
  const learn = (document: ResourceObject) => {
    const dialect = shown === undefined ? dialectOf(document) : undefined;
    const isFirstWithBindings = !hasBindings && bindingsFromDocument(document) !== undefined;
    if (examples.length === 0 || dialect !== undefined || isFirstWithBindings) examples.push(document);
    shown ??= dialect;
    hasBindings ||= isFirstWithBindings;
  };
  return {
    /** A resource, or the document until one has shown the dialect. */
    keep(document: ResourceObject): Converted<Item> {
      if (shown === undefined || !hasBindings) learn(document);
      return shown === undefined ? { document } : { resource: convert(document, shown) };
    },
    finish: (kept: Converted<Item>, dialect: Dialect) =>
      'resource' in kept ? kept.resource : convert(kept.document, dialect),
    examples: (): readonly ResourceObject[] => examples,
  };
}

type Converted<Item> = { readonly resource: Item } | { readonly document: ResourceObject };
