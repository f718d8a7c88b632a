import { repositoryOf } from '../diff/workspace-target.ts';
import { readWorkspace, type SingleQuery, type SingleWorkspace } from '../live/read-workspaces.ts';
import type { Value } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';
import { readRetentionPolicy } from '../relations/data-retention.ts';
import type { ServiceReader } from '../service/client.ts';

/** A workspace with the present values of its facts. */
export interface PresentFacts extends SingleWorkspace {
  /** All values except its consumers. */
  readonly now: Facts;
}

/** Reads a workspace with what its facts are compared with; `undefined` if it does not exist any more. */
export async function presentFacts(
  id: string,
  facts: Facts,
  { reader, ...query }: SingleQuery & { readonly reader: ServiceReader },
): Promise<PresentFacts | undefined> {
  const bindings = query.bindings || 'tag-bindings' in facts || 'inherited-tag-bindings' in facts;
  const single = await readWorkspace(reader, { id }, { ...query, bindings });
  if (single === undefined) return undefined;
  const { name, attributes } = single.workspace;
  const now: Record<string, Value> = { ...attributes, name, 'vcs-repo': repositoryOf(attributes) };
  if ('data-retention' in facts && attributes['data-retention'] !== null) {
    now['data-retention'] = await readRetentionPolicy(reader, id);
  }
  return { ...single, now };
}
