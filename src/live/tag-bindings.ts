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

/** Reads the bindings that came along with a document; `undefined` if the service did not send them. */
export function bindingsFromDocument(document: ResourceObject): DocumentBindings | undefined {
  const ids = relatedIds(document, 'effective-tag-bindings');
  if (ids === undefined) return undefined;
  const own: Record<string, string | null> = {};
  const inherited: Record<string, string | null> = {};
  for (const id of ids) {
    const binding = document.included?.get(id);
    const { key, value } = binding?.attributes ?? {};
    if (!binding || typeof key !== 'string') continue;
    const isInherited =
      binding.relationships['inherited-from'] !== undefined ||
      binding.links?.['inherited-from'] !== undefined;
    (isInherited ? inherited : own)[key] = typeof value === 'string' && value !== '' ? value : null;
  }
  return { own: sortedBindings(own), inherited: sortedBindings(inherited) };
}

/** Lists and documents of workspaces and projects, but nothing below them. */
const holders =
  /^\/organizations\/[^/]+\/(?:workspaces(?:\/[^/]+)?|projects)$|^\/(?:workspaces|projects)\/[^/]+$/;

/** Asks for key/value tags along with workspaces and projects, for no request more. */
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
        // An older service refuses an `include` that it does not know.
        if (!(error instanceof ServiceError) || error.status !== 400 || !/include/i.test(error.message))
          throw error;
        capabilities.recordMissing('tag-bindings', error);
        return reader.get(path, query);
      }
    },
  };
}
