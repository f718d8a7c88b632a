import { join } from 'node:path';
import { stateRow } from '../../access/access.ts';
import { readDetails, serviceDetails } from '../../live/detail-reads.ts';
import { notOfferedNotes } from '../../live/read-live.ts';
import type { AliasKind } from '../../model/alias-kind.ts';
import { attributePaths, destroyDuration, destroyTime, wirePlaces } from '../../model/attributes.ts';
import { aliasOf } from '../../model/configuration.ts';
import type { Diagnostic } from '../../model/diagnostic.ts';
import type { Feature } from '../../model/dialect.ts';
import { dialects } from '../../model/dialect.ts';
import { relativePath } from '../../model/files.ts';
import { asBindings, effectiveBindings } from '../../model/list-rule.ts';
import type { DeclarationPlace, NamedThing, WorkspaceEntry } from '../../model/results.ts';
import { type WorkspaceResource, workspaceAddress } from '../../model/state.ts';
import { isRecord, listTexts, type Value, type Values } from '../../model/value.ts';
import { separateRelations } from '../../relations/relations.ts';
import { type ResourceObject, related } from '../../service/documents.ts';
import type { Target } from './find.ts';
import { type Found, lockOf } from './find.ts';

export function workspaceEntries(found: Found, target: Target, cwd: string): readonly WorkspaceEntry[] {
  const files = fileKnowledge(target, cwd);
  return found.map((one) => workspaceEntry(one, files));
}

/** The same with all settings that have their own requests, and notes on those that the service does not offer. */
export async function wholeEntries(
  found: Found,
  target: Target,
  cwd: string,
): Promise<{ readonly workspaces: readonly WorkspaceEntry[]; readonly notes: readonly Diagnostic[] }> {
  const { client } = target.connection;
  const files = fileKnowledge(target, cwd);
  const names = new Map(found.map(({ resource }) => [resource.id ?? '', resource.name]));
  const { capabilities } = client;
  const documents = found.map(({ resource }) => resource);
  const detailed = await readDetails(serviceDetails(client), () => true, documents, names);
  const missing = separateRelations.filter((feature) => capabilities.lacks(feature));
  const workspaces = found.map((one, index) => ({
    ...workspaceEntry(one, files),
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
    ...(consumers !== 'unknown' && { consumers }),
    ...(dataRetention !== undefined && !missing.includes('data-retention') && { dataRetention }),
  };
}

function fileKnowledge({ configuration }: Target, cwd: string) {
  const { aliases, desired, folder } = configuration;
  const alias = (kind: AliasKind, id: string) => {
    const called = aliasOf(aliases, kind, id);
    return called === id ? undefined : called;
  };
  return {
    projectAlias: (id: string) => alias('projects', id),
    sshKeyAlias: (id: string) => alias('ssh-keys', id),
    declaration: (name: string): DeclarationPlace | undefined => {
      const resource = desired.resources.get(workspaceAddress(name));
      if (!resource?.location || resource.declared?.absent) return undefined;
      const file = relativePath(cwd, join(folder, resource.location.file));
      return { ...resource.location, file, protect: resource.declared?.protect === true };
    },
  };
}

/** Attributes with a separate member in an entry, in the spelling of either dialect. */
const placed = new Set([
  ...['name', 'tag-names', 'locked', 'locked-reason', 'resource-count', 'permissions'],
  ...dialects.flatMap((dialect) => wirePlaces[dialect].map(({ holder, name }) => holder ?? name)),
]);

const schedule: ReadonlySet<string> = new Set([destroyTime, destroyDuration]);

function workspaceEntry(found: Found[number], files: ReturnType<typeof fileKnowledge>): WorkspaceEntry {
  const { resource, document } = found;
  const { attributes } = resource;
  const { project, tags, 'resource-count': resources, 'ssh-key': sshKey } = attributes;
  const declared = files.declaration(resource.name);
  return {
    name: resource.name,
    id: resource.id ?? '',
    project:
      typeof project === 'string'
        ? named(project, document.included?.get(project)?.attributes.name, files.projectAlias(project))
        : null,
    tags: listTexts(tags),
    ...bindingEntries(attributes),
    lock: lockOf(found),
    ...(typeof resources === 'number' && { resources }),
    sshKey: typeof sshKey === 'string' ? named(sshKey, undefined, files.sshKeyAlias(sshKey)) : null,
    settings: Object.fromEntries(
      attributePaths.flatMap((path) => {
        // A destroy schedule that the workspace inherits applies to it, too.
        const value = schedule.has(path) ? document.attributes[path] : attributes[path];
        return value === undefined ? [] : [[path, value as Value]];
      }),
    ),
    facts: factsOf(document),
    permissions: permissionsOf(document.attributes.permissions),
    ...(declared && { declared }),
  };
}

function bindingEntries(attributes: Values): Pick<WorkspaceEntry, 'tagBindings'> {
  const own = asBindings(attributes['tag-bindings']);
  if (own === undefined) return {};
  const tagBindings = Object.entries(effectiveBindings(attributes)).map(([key, value]) => ({
    key,
    value,
    inherited: !Object.hasOwn(own, key),
  }));
  return { tagBindings: tagBindings.sort((a, b) => (a.key < b.key ? -1 : 1)) };
}

function named(id: string, name: unknown, alias?: string): NamedThing {
  return { id, ...(typeof name === 'string' && { name }), ...(alias !== undefined && { alias }) };
}

/** All other values of the document, including those of later versions of the service. */
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
