import { repositoryOf } from '../diff/fields.ts';
import { projectFromDocument } from '../live/from-document.ts';
import { includingBindings } from '../live/included.ts';
import { readWorkspace } from '../live/read-workspaces.ts';
import type { Dialect } from '../model/dialect.ts';
import type { Written } from '../model/plan.ts';
import type { Value } from '../model/value.ts';
import type { Facts } from '../plan/kinds.ts';
import { readRetentionPolicy } from '../relations/relations.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import { resourceOf } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { ifFound } from '../service/service-error.ts';
import type { ReadValues } from './operations/operation.ts';

export function readIfThere(path: string, reader: ServiceReader, query?: Query) {
  return ifFound(reader.get(path, query));
}

export async function isGone(path: string, reader: ServiceReader): Promise<boolean> {
  return (await readIfThere(path, reader)) === undefined;
}

export async function presentFacts(
  id: string,
  facts: Facts,
  {
    reader,
    ...query
  }: { readonly reader: ServiceReader; readonly dialect: Dialect; readonly bindings?: boolean | undefined },
) {
  const bindings = query.bindings || 'tag-bindings' in facts || 'inherited-tag-bindings' in facts;
  const single = await readWorkspace(reader, { id }, { ...query, bindings });
  if (single === undefined) return undefined;
  const { name, attributes } = single.workspace;
  const now: Record<string, Value> = { ...attributes, name, 'vcs-repo': repositoryOf(attributes) };
  if ('data-retention' in facts && attributes['data-retention'] !== null)
    now['data-retention'] = await readRetentionPolicy(reader, id);
  return { ...single, now };
}

export const readSettings: ReadValues = async ({ id, written }, { reader, dialect }) =>
  (await presentFacts(id, {}, { reader, dialect, bindings: written.bindings !== undefined }))?.now;

export const readProject: ReadValues = async ({ id }, { reader }) => {
  const project = resourceOf(await readIfThere(pathTo('showProject', { id }), includingBindings(reader)));
  return project && projectFromDocument(project).attributes;
};

export function readerOfSent({ bindings }: Written, reader: ServiceReader): ServiceReader {
  return bindings === undefined ? reader : includingBindings(reader);
}
