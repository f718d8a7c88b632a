import { sortedBindings, type TagBindings } from '../model/tag-bindings.ts';
import type { ServiceReader } from '../service/client.ts';
import { type ResourceObject, relatedIds } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';

/** The key/value tags of a workspace or project. */
export interface DocumentBindings {
  readonly own: TagBindings;
  /** Those of its project that it does not override. */
  readonly inherited: TagBindings;
}

/** Reads the bindings that are included in a document; `undefined` if the service did not send them. */
export function bindingsFromDocument(document: ResourceObject): DocumentBindings | undefined {
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

/** Lists and documents of workspaces and projects, but no paths below them. */
const holders =
  /^\/organizations\/[^/]+\/(?:workspaces(?:\/[^/]+)?|projects)$|^\/(?:workspaces|projects)\/[^/]+$/;

/** Includes key/value tags in the reads of workspaces and projects, without further requests. */
export function includingBindings(reader: ServiceReader): ServiceReader {
  const { capabilities } = reader;
  return {
    capabilities,
    async get(path, query) {
      if (!holders.test(path) || capabilities.lacks('tag-bindings')) return reader.get(path, query);
      const include = [query?.include, 'effective_tag_bindings'].filter(Boolean).join(',');
      try {
        return await reader.get(path, { ...query, include });
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
