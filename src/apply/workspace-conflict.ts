import { holderText, lockHolder } from '../live/included.ts';
import { counted } from '../model/text.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document, resourceOf } from '../service/documents.ts';
import { pathTo } from '../service/endpoints.ts';
import type { ServiceErrorDetail } from '../service/service-error.ts';
import { readIfThere } from './present-values.ts';

/** The lock of a workspace, with the document that it was read from. */
export interface WorkspaceLock {
  readonly document: Document;
  readonly locked: boolean;
  /** The reason of the lock, if one was given. */
  readonly reason?: string;
}

export async function readLock(workspace: string, reader: ServiceReader): Promise<WorkspaceLock | undefined> {
  const document = await readIfThere(pathTo('showWorkspace', { workspace }), reader);
  return document && lockIn(document);
}

/** Why the service refuses: the holder and the reason of the lock, the number of resources. */
export interface Conflict extends WorkspaceLock {
  readonly lockDetails: readonly ServiceErrorDetail[];
  readonly resourceDetails: readonly ServiceErrorDetail[];
}

/**
 * Reads a workspace to find out why the service refuses.
 *
 * @param reported the text of the service's error, which is not repeated
 */
export async function readConflict(
  id: string,
  reader: ServiceReader,
  reported: readonly ServiceErrorDetail[],
): Promise<Conflict | undefined> {
  const path = pathTo('showWorkspace', { workspace: id });
  const document = await readIfThere(path, reader, { include: 'locked_by' });
  const workspace = resourceOf(document);
  if (document === undefined || workspace === undefined) return undefined;
  const lock = lockIn(document);
  const holder = lockHolder(workspace);
  const isReported = reported.some(({ detail }) => holder && detail?.includes(holder.name ?? holder.id));
  const count = workspace.attributes['resource-count'];
  return {
    ...lock,
    lockDetails: [
      ...(holder && !isReported ? [{ detail: `it is locked by ${holderText(holder)}` }] : []),
      ...(lock.reason === undefined ? [] : [{ detail: `reason: ${lock.reason}` }]),
    ],
    resourceDetails:
      typeof count === 'number' && count > 0 ? [{ detail: `it manages ${counted(count, 'resource')}` }] : [],
  };
}

function lockIn(document: Document): WorkspaceLock {
  const { locked, 'locked-reason': reason } = asResourceObject(document.data)?.attributes ?? {};
  return {
    document,
    locked: locked === true,
    ...(locked === true && typeof reason === 'string' && reason !== '' && { reason }),
  };
}
