import { type Document, includedResources, type ResourceObject, related } from '../service/documents.ts';

/** The holder of a workspace's lock: a user, a team or a run. */
export interface LockHolder {
  readonly type: 'user' | 'team' | 'run';
  readonly id: string;
  /** A run has none; `include=locked_by` returns the names of users and teams. */
  readonly name?: string;
}

const types: ReadonlyMap<string, LockHolder['type']> = new Map([
  ['users', 'user'],
  ['teams', 'team'],
  ['runs', 'run'],
]);

/** `undefined` if the workspace is not locked, or its document does not contain the holder. */
export function lockHolder(
  workspace: ResourceObject,
  included: ReadonlyMap<string, ResourceObject>,
): LockHolder | undefined {
  const holder = related(workspace, 'locked-by');
  const type = types.get(holder?.type ?? '');
  if (holder === undefined || type === undefined) return undefined;
  const { username, name } = included.get(holder.id)?.attributes ?? {};
  const called = [username, name].find((text) => typeof text === 'string' && text !== '');
  return { type, id: holder.id, ...(called !== undefined && { name: String(called) }) };
}

/** For example `user mara (user-1)`. */
export function holderText({ type, id, name }: LockHolder): string {
  return name === undefined ? `${type} ${id}` : `${type} ${name} (${id})`;
}

/** The included resources of a document, by id. */
export function includedIn(document: Document): ReadonlyMap<string, ResourceObject> {
  return new Map((includedResources(document) ?? []).map((object) => [object.id, object]));
}
