import { sortedBindings } from '../model/list-rule.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import { asResourceObject, type ResourceObject, related, relatedIds } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';

interface LockHolder {
  readonly type: 'user' | 'team' | 'run';
  readonly id: string;
  /** A run has none; `include=locked_by` returns the names of users and teams. */
  readonly name?: string | undefined;
}

export function bindingsFromDocument(document: ResourceObject) {
  const ids = relatedIds(document, 'effective-tag-bindings');
  if (ids === undefined) return undefined;
  // Entries, because a key can be `__proto__`.
  const own: [string, string | null][] = [];
  const inherited: [string, string | null][] = [];
  for (const id of ids) {
    const binding = document.included?.get(id);
    const { key, value } = binding?.attributes ?? {};
    if (!binding || typeof key !== 'string') continue;
    const isInherited =
      binding.relationships['inherited-from'] !== undefined ||
      binding.links?.['inherited-from'] !== undefined;
    (isInherited ? inherited : own).push([key, typeof value === 'string' && value !== '' ? value : null]);
  }
  return {
    own: sortedBindings(Object.fromEntries(own)),
    inherited: sortedBindings(Object.fromEntries(inherited)),
  };
}

const types: ReadonlyMap<string, LockHolder['type']> = new Map([
  ['users', 'user'],
  ['teams', 'team'],
  ['runs', 'run'],
]);

export function lockHolder(workspace: ResourceObject): LockHolder | undefined {
  const holder = related(workspace, 'locked-by');
  const type = types.get(holder?.type ?? '');
  if (holder === undefined || type === undefined) return undefined;
  const { username, name } = workspace.included?.get(holder.id)?.attributes ?? {};
  const called = [username, name].find((text) => typeof text === 'string' && text !== '');
  return { type, id: holder.id, name: called === undefined ? undefined : String(called) };
}

export function holderText({ type, id, name }: LockHolder): string {
  return name === undefined ? `${type} ${id}` : `${type} ${name} (${id})`;
}

/** Lists and documents of workspaces, but no paths below them. */
const ofWorkspaces = /^\/organizations\/[^/]+\/workspaces(?:\/[^/]+)?$|^\/workspaces\/[^/]+$/;
const ofProjects = /^\/organizations\/[^/]+\/projects$|^\/projects\/[^/]+$/;

export function including(reader: ServiceReader, ...relationships: readonly string[]): ServiceReader {
  return {
    capabilities: reader.capabilities,
    get: (path, query) =>
      reader.get(path, ofWorkspaces.test(path) ? withInclude(query, ...relationships) : query),
  };
}

export function includingBindings(reader: ServiceReader): ServiceReader {
  const { capabilities } = reader;
  return {
    capabilities,
    async get(path, query) {
      const isHolder = ofWorkspaces.test(path) || ofProjects.test(path);
      if (!isHolder || capabilities.lacks('tag-bindings')) return reader.get(path, query);
      try {
        const document = await reader.get(path, withInclude(query, 'effective_tag_bindings'));
        if ([document.data].flat().some(hasBindings)) capabilities.recordOffered('tag-bindings');
        return document;
      } catch (error) {
        // An older service refuses an unknown `include`.
        if (!(error instanceof ServiceError) || error.status !== 400 || !/include/i.test(error.message))
          throw error;
        capabilities.recordMissing('tag-bindings', error);
        return reader.get(path, query);
      }
    },
  };
}

function hasBindings(resource: unknown): boolean {
  const object = asResourceObject(resource);
  return object !== undefined && relatedIds(object, 'effective-tag-bindings') !== undefined;
}

function withInclude(query: Query | undefined, ...relationships: readonly string[]): Query {
  return { ...query, include: [query?.include, ...relationships].filter(Boolean).join(',') };
}
