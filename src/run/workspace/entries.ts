import { join } from 'node:path';
import { stateRow } from '../../access/access.ts';
import { readDetails, serviceDetails } from '../../live/detail-reads.ts';
import type { FoundWorkspace, WorkspaceChoice } from '../../live/find-workspaces.ts';
import { notOfferedNotes } from '../../live/read-live.ts';
import { attributePaths, destroyDuration, destroyTime, wirePlaces } from '../../model/attributes.ts';
import { aliasOf, type Configuration } from '../../model/configuration.ts';
import { dialects, type Feature } from '../../model/dialect.ts';
import { relativePath } from '../../model/files.ts';
import { asBindings, effectiveBindings } from '../../model/list-rule.ts';
import { resourcesOf, type WorkspaceResource, workspaceAddress } from '../../model/state.ts';
import { isRecord, listTexts, type Value, type Values } from '../../model/value.ts';
import { separateRelations } from '../../relations/relations.ts';
import type { WorkspaceEntry } from '../../report/resource-text.ts';
import { type ResourceObject, related } from '../../service/documents.ts';
import type { RunContext } from '../context.ts';
import { findWorkspacesOf, openTarget, type TargetOptions } from './find.ts';

export async function listWorkspaces(choice: WorkspaceChoice, options: TargetOptions, context: RunContext) {
  await using target = await openTarget(options, context);
  const { organization, connection, configuration } = target;
  const found = await findWorkspacesOf(choice, target, { isNoneAllowed: true });
  const workspaces = found.map((one) => workspaceEntry(one, configuration, context.io.cwd));
  context.progress.end();
  return { organization, address: connection.address, workspaces };
}

/** The same with what takes separate reads. */
export async function showWorkspaces(choice: WorkspaceChoice, options: TargetOptions, context: RunContext) {
  await using target = await openTarget(options, context);
  const { organization, connection, configuration } = target;
  const { client, address } = connection;
  const { capabilities } = client;
  const found = await findWorkspacesOf(choice, target, { bindings: true });
  const names = new Map(found.map(({ resource }) => [resource.id ?? '', resource.name]));
  const documents = found.map(({ resource }) => resource);
  const detailed = await readDetails(serviceDetails(client), () => true, documents, names);
  const missing = separateRelations.filter((feature) => capabilities.lacks(feature));
  const workspaces: readonly WorkspaceEntry[] = found.map((one, index) => ({
    ...workspaceEntry(one, configuration, context.io.cwd),
    ...detailsOf(detailed[index] ?? one.resource, { names, missing }),
  }));
  context.progress.end();
  return { organization, address, workspaces, notes: notOfferedNotes(missing, capabilities) };
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

function declarationOf(name: string, configuration: Configuration, cwd: string): WorkspaceEntry['declared'] {
  const { desired, folder } = configuration;
  const found =
    desired.resources.get(workspaceAddress(name)) ??
    resourcesOf(desired.resources.values(), 'workspace').find((one) => one.declared?.renamedFrom === name);
  if (!found?.location) return undefined;
  const { location, declared } = found;
  const file = relativePath(cwd, join(folder, location.file));
  const rename = found.name === name ? undefined : found.name;
  return { ...location, file, protect: declared?.protect === true, delete: declared?.absent, rename };
}

/** Attributes with a separate member in an entry, in the spelling of either dialect. */
const placed = new Set([
  ...['name', 'tag-names', 'locked', 'locked-reason', 'resource-count', 'permissions'],
  ...dialects.flatMap((dialect) => wirePlaces[dialect].map(({ holder, name }) => holder ?? name)),
]);

const schedule: ReadonlySet<string> = new Set([destroyTime, destroyDuration]);

function workspaceEntry(
  { resource, document, lock }: FoundWorkspace,
  configuration: Configuration,
  cwd: string,
): WorkspaceEntry {
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
    lock,
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

function named(id: string, name: unknown, alias = id) {
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
