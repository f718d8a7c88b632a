import { join } from 'node:path';
import { stateRow } from '../../access/access.ts';
import { readDetails, serviceDetails } from '../../live/detail-reads.ts';
import {
  type FindOptions,
  type FoundWorkspace,
  findWorkspaces,
  isPattern,
  type WorkspaceChoice,
} from '../../live/find-workspaces.ts';
import { lockHolder } from '../../live/included.ts';
import { notOfferedNotes } from '../../live/read-live.ts';
import { readNames } from '../../live/read-names.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { attributePaths, destroyDuration, destroyTime, wirePlaces } from '../../model/attributes.ts';
import { aliasOf, type Configuration } from '../../model/configuration.ts';
import { AttuneError } from '../../model/diagnostic.ts';
import { dialects, type Feature } from '../../model/dialect.ts';
import { relativePath } from '../../model/files.ts';
import { asBindings, effectiveBindings } from '../../model/list-rule.ts';
import { resourcesOf, type WorkspaceResource, workspaceAddress } from '../../model/state.ts';
import { hintAt } from '../../model/text.ts';
import { isRecord, listTexts, type Value, type Values } from '../../model/value.ts';
import { separateRelations } from '../../relations/relations.ts';
import type { NamedThing, WorkspaceEntry } from '../../report/resource-text.ts';
import { resolveProjects } from '../../resolve/look-up-names.ts';
import { type ResourceObject, related } from '../../service/documents.ts';
import { type Connection, openConnections } from '../connect.ts';
import type { RunContext } from '../context.ts';
import { chosenConfiguration, loadOptional } from '../load.ts';

export interface Target {
  readonly organization: string;
  readonly connection: Connection;
  readonly configuration: Configuration;
}

export async function openTarget(
  { organization: wanted, config }: { readonly organization?: string; readonly config?: string },
  context: RunContext,
): Promise<Target & AsyncDisposable> {
  // A file for another organization is not used.
  const loaded = await loadOptional(config === undefined ? [] : [config], context);
  const configuration = chosenConfiguration(wanted, loaded, context, 'workspace');
  const connections = await openConnections([configuration], context);
  const { organization } = configuration.desired;
  return {
    organization,
    connection: connections.at(0),
    configuration,
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  };
}

export type Found = readonly FoundWorkspace[];

export interface Choice extends WorkspaceChoice {
  /** Whether a pattern or a filter selects them, so that the service must be asked which they are. */
  readonly isOpen: boolean;
}

export function choiceOf({ names, projects, tags }: WorkspaceChoice): Choice {
  const all = [...new Set(names)];
  return { names: all, projects, tags, isOpen: all.some(isPattern) || projects.length + tags.length > 0 };
}

export async function find(
  choice: Choice,
  target: Target,
  options: Pick<FindOptions, 'bindings' | 'runs'> = {},
): Promise<Found> {
  const { organization, connection, configuration } = target;
  const { client } = connection;
  const { dialect } = configuration.service;
  const namesOf = (kind: AliasKind) => readNames(client, organization, kind);
  const { workspaces, missing } = await findWorkspaces(
    client,
    { ...choice, projects: await resolveProjects(choice.projects, configuration, namesOf, '--project') },
    { organization, dialect, ...options },
  );
  if (missing.length > 0) throw noSuchWorkspace(missing, choice, target);
  return workspaces;
}

export async function findSome(
  choice: Choice,
  target: Target,
  options: Pick<FindOptions, 'bindings' | 'runs'> = {},
): Promise<Found> {
  const found = await find(choice, target, options);
  if (found.length > 0) return found;
  throw new AttuneError(
    `no workspace of ${target.organization} matches the names and filters, or none is visible to this token`,
    { code: 'unknown-name', hint: 'run `attune workspace list` to see the workspaces' },
  );
}

function noSuchWorkspace(missing: readonly string[], choice: Choice, target: Target): AttuneError {
  const { organization, configuration } = target;
  const [first = ''] = missing;
  const chosen = choice.projects.length + choice.tags.length > 0 ? ' with these filters' : '';
  const nouns = missing.length === 1 ? 'workspace' : 'workspaces';
  const declared = resourcesOf(configuration.desired.resources.values(), 'workspace').map(({ name }) => name);
  return new AttuneError(
    `unknown ${nouns} ${missing.join(', ')}: not in organization ${organization}${chosen}, or not visible to this token`,
    {
      code: 'unknown-name',
      hint: hintAt(first, declared, 'run `attune workspace list` to see the workspaces'),
    },
  );
}

export function lockOf({ resource, document }: FoundWorkspace): WorkspaceEntry['lock'] {
  const { lock } = resource.attributes;
  const { locked, reason } = isRecord(lock) ? lock : {};
  return {
    locked: locked === true,
    reason: typeof reason === 'string' ? reason : undefined,
    by: locked === true ? lockHolder(document) : undefined,
  };
}

export function workspaceEntries(found: Found, target: Target, cwd: string): readonly WorkspaceEntry[] {
  return found.map((one) => workspaceEntry(one, target, cwd));
}

export async function wholeEntries(found: Found, target: Target, cwd: string) {
  const { client } = target.connection;
  const names = new Map(found.map(({ resource }) => [resource.id ?? '', resource.name]));
  const { capabilities } = client;
  const documents = found.map(({ resource }) => resource);
  const detailed = await readDetails(serviceDetails(client), () => true, documents, names);
  const missing = separateRelations.filter((feature) => capabilities.lacks(feature));
  const workspaces: readonly WorkspaceEntry[] = found.map((one, index) => ({
    ...workspaceEntry(one, target, cwd),
    ...detailsOf(detailed[index] ?? one.resource, { names, missing }),
  }));
  return { workspaces, notes: notOfferedNotes(missing, capabilities) };
}

function detailsOf(
  workspace: WorkspaceResource,
  { names, missing }: { readonly names: ReadonlyMap<string, string>; readonly missing: readonly Feature[] },
): Partial<WorkspaceEntry> {
  const { 'data-retention': dataRetention } = workspace.attributes;
  const { via, readers = [] } = stateRow(workspace);
  const consumers =
    via === 'list'
      ? readers
          .map((id) => named(id, names.get(id)))
          .sort((a, b) => ((a.name ?? a.id) < (b.name ?? b.id) ? -1 : 1))
      : via;
  return {
    consumers: consumers === 'unknown' ? undefined : consumers,
    dataRetention: missing.includes('data-retention') ? undefined : dataRetention,
  };
}

function declarationOf(
  name: string,
  { desired, folder }: Configuration,
  cwd: string,
): WorkspaceEntry['declared'] {
  const { location, declared } = desired.resources.get(workspaceAddress(name)) ?? {};
  if (!location || declared?.absent) return undefined;
  const file = relativePath(cwd, join(folder, location.file));
  return { ...location, file, protect: declared?.protect === true };
}

/** Attributes with a separate member in an entry, in the spelling of either dialect. */
const placed = new Set([
  ...['name', 'tag-names', 'locked', 'locked-reason', 'resource-count', 'permissions'],
  ...dialects.flatMap((dialect) => wirePlaces[dialect].map(({ holder, name }) => holder ?? name)),
]);

const schedule: ReadonlySet<string> = new Set([destroyTime, destroyDuration]);

function workspaceEntry(found: Found[number], { configuration }: Target, cwd: string): WorkspaceEntry {
  const { resource, document } = found;
  const { attributes } = resource;
  const { aliases } = configuration;
  const { project, tags, 'resource-count': resources, 'ssh-key': sshKey } = attributes;
  return {
    name: resource.name,
    id: resource.id ?? '',
    project:
      typeof project === 'string'
        ? named(
            project,
            document.included?.get(project)?.attributes.name,
            aliasOf(aliases, 'projects', project),
          )
        : null,
    tags: listTexts(tags),
    tagBindings: bindingEntries(attributes),
    lock: lockOf(found),
    resources: typeof resources === 'number' ? resources : undefined,
    sshKey:
      typeof sshKey === 'string' ? named(sshKey, undefined, aliasOf(aliases, 'ssh-keys', sshKey)) : null,
    settings: Object.fromEntries(
      attributePaths.flatMap((path) => {
        // A destroy schedule that the workspace inherits applies to it, too.
        const value = schedule.has(path) ? document.attributes[path] : attributes[path];
        return value === undefined ? [] : [[path, value as Value]];
      }),
    ),
    facts: factsOf(document),
    permissions: permissionsOf(document.attributes.permissions),
    declared: declarationOf(resource.name, configuration, cwd),
  };
}

function bindingEntries(attributes: Values): WorkspaceEntry['tagBindings'] {
  const own = asBindings(attributes['tag-bindings']);
  return (
    own &&
    Object.entries(effectiveBindings(attributes))
      .map(([key, value]) => ({ key, value, inherited: !Object.hasOwn(own, key) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
  );
}

function named(id: string, name: unknown, alias = id): NamedThing {
  return { id, name: typeof name === 'string' ? name : undefined, alias: alias === id ? undefined : alias };
}

function factsOf(document: ResourceObject): Record<string, Value> {
  const plain = Object.entries(document.attributes).filter(
    ([name, value]) =>
      !placed.has(name) && ['string', 'number', 'boolean'].includes(typeof value) && value !== '',
  );
  const pointed = ['current-run', 'current-state-version', 'current-configuration-version'].flatMap(
    (name) => {
      const identifier = related(document, name);
      return identifier ? [[name, identifier.id] as const] : [];
    },
  );
  const facts = [...plain, ...pointed].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(facts) as Record<string, Value>;
}

function permissionsOf(permissions: unknown): string[] {
  if (!isRecord(permissions)) return [];
  return Object.entries(permissions)
    .filter(([, may]) => may === true)
    .map(([name]) => name.replace(/^can-/, ''))
    .sort();
}
