import type { Query, ServiceReader } from '../service/client.ts';
import type { Document } from '../service/documents.ts';
import { isNotFound } from '../service/service-error.ts';

/** Reads a document; `undefined` if it does not exist. */
export async function readIfThere(
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

export async function isGone(path: string, reader: ServiceReader): Promise<boolean> {
  return (await readIfThere(path, reader)) === undefined;
}
