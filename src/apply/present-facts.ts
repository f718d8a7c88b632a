import { repositoryOf } from '../diff/workspace-target.ts';
import { readRetentionPolicy } from '../live/detail-reads.ts';
import { readWorkspace } from '../live/read-workspaces.ts';
import { includingBindings } from '../live/tag-bindings.ts';
import type { WorkspaceResource } from '../model/state.ts';
import type { Value } from '../model/value.ts';
import type { Facts } from '../plan/facts.ts';
import type { ServiceReader } from '../service/client.ts';
import type { ResourceObject } from '../service/documents.ts';

/** Whether a comparison of facts needs key/value tags. */
export function needsBindings(facts: Facts): boolean {
  return 'tag-bindings' in facts || 'inherited-tag-bindings' in facts;
}

/** Reads a workspace with what its facts are compared with; `undefined` if it does not exist any more. */
export function readForFacts(
  id: string,
  facts: Facts,
  reader: ServiceReader,
): Promise<ResourceObject | undefined> {
  return readWorkspace(needsBindings(facts) ? includingBindings(reader) : reader, id);
}

/** The present values of the facts of a workspace, except its consumers. */
export async function presentFacts(
  { id = '', name, attributes }: WorkspaceResource,
  facts: Facts,
  reader: ServiceReader,
): Promise<Facts> {
  const values: Record<string, Value> = { ...attributes, name };
  if ('vcs-repo' in facts) values['vcs-repo'] = repositoryOf(attributes);
  if ('data-retention' in facts && attributes['data-retention'] !== null) {
    values['data-retention'] = await readRetentionPolicy(reader, id);
  }
  return values;
}
