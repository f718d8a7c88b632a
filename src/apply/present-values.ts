import { repositoryOf } from '../diff/fields.ts';
import { grantFromDocument, projectFromDocument } from '../live/from-document.ts';
import { holderText, includingBindings, lockHolder } from '../live/included.ts';
import { readWorkspace, type SingleQuery } from '../live/read-workspaces.ts';
import type { Written } from '../model/plan.ts';
import { counted } from '../model/text.ts';
import type { Value } from '../model/value.ts';
import type { Facts } from '../plan/kinds.ts';
import { readConsumerIds, readRetentionPolicy } from '../relations/relations.ts';
import type { Query, ServiceReader } from '../service/client.ts';
import { asResourceObject, resourceOf } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import { ifFound, type ServiceErrorDetail } from '../service/service-error.ts';
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
  { reader, ...query }: SingleQuery & { readonly reader: ServiceReader },
) {
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

export const readSettings: ReadValues = async ({ id, written }, { reader, dialect }) =>
  (await presentFacts(id, {}, { reader, dialect, bindings: written.bindings !== undefined }))?.now;

export const readConsumers: ReadValues = async ({ id }, { reader }) => ({
  'remote-state-consumers': await readConsumerIds(reader, id),
});

export const readProject: ReadValues = async ({ id }, { reader }) => {
  const project = resourceOf(await readIfThere(pathTo('showProject', { id }), includingBindings(reader)));
  return project && projectFromDocument(project).attributes;
};

export const readGrant: ReadValues = async ({ change, id }, { reader, dialect }) => {
  const document = await readIfThere(pathTo('showTeamProject', { id }), reader);
  const grant = asResourceObject(document?.data);
  return grant && grantFromDocument(grant, String(change.facts?.project), dialect).attributes;
};

/** @param reported the text of the service's error, which is not repeated */
export async function readConflict(
  id: string,
  reader: ServiceReader,
  reported: readonly ServiceErrorDetail[] = [],
) {
  const path = pathTo('showWorkspace', { workspace: id });
  const document = await readIfThere(path, reader, { include: 'locked_by' });
  const workspace = resourceOf(document);
  if (document === undefined || workspace === undefined) return undefined;
  const { locked, 'locked-reason': reason, 'resource-count': count } = workspace.attributes;
  const holder = lockHolder(workspace);
  const isReported = reported.some(({ detail }) => holder && detail?.includes(holder.name ?? holder.id));
  return {
    document,
    locked: locked === true,
    lockDetails: [
      ...(holder && !isReported ? [{ detail: `it is locked by ${holderText(holder)}` }] : []),
      ...(locked === true && reason ? [{ detail: `reason: ${reason}` }] : []),
    ],
    resourceDetails:
      typeof count === 'number' && count > 0 ? [{ detail: `it manages ${counted(count, 'resource')}` }] : [],
  };
}

export function readerOfSent({ bindings }: Written, reader: ServiceReader): ServiceReader {
  return bindings === undefined ? reader : includingBindings(reader);
}
