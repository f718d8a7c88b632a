import type { Call } from '../model/plan.ts';
import { isRecord } from '../model/value.ts';
import type { Query, ServiceClient, ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document, relatedId } from '../service/documents.ts';
import { grantsOf } from '../service/lists.ts';
import { readList } from '../service/paging.ts';
import { isNotFound } from '../service/service-error.ts';

/**
 * An answer that was lost says nothing about the write. Before it is sent again the service is asked for its effect,
 * so that there are never two of one thing.
 */

/** The workspace that has the name of a create. Its plan found none. */
export async function createdWorkspace(call: Call, client: ServiceClient): Promise<Document | undefined> {
  const name = attributesOf(call).name;
  return getIfThere(`${call.path}/${encodeURIComponent(String(name))}`, client);
}

/** Whether the team has a grant on the project by now. */
export async function createdGrant(
  call: Call,
  client: ServiceClient,
): Promise<{ document: Document } | undefined> {
  const sent = asResourceObject({ id: 'new', ...dataOf(call) });
  const project = sent && relatedId(sent, 'project');
  const team = sent && relatedId(sent, 'team');
  if (!project || !team) return undefined;
  const grants = await readList(client, grantsOf(project));
  const found = grants.find((grant) => relatedId(grant, 'team') === team);
  return found && { document: { data: found } };
}

export async function isGone(path: string, client: ServiceClient): Promise<boolean> {
  return (await getIfThere(path, client)) === undefined;
}

export async function getIfThere(
  path: string,
  reader: ServiceReader,
  query?: Query,
): Promise<Document | undefined> {
  try {
    return await reader.get(path, query);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export function dataOf(call: Call): Readonly<Record<string, unknown>> {
  return isRecord(call.body) && isRecord(call.body.data) ? call.body.data : {};
}

export function attributesOf(call: Call): Readonly<Record<string, unknown>> {
  const { attributes } = dataOf(call);
  return isRecord(attributes) ? attributes : {};
}
