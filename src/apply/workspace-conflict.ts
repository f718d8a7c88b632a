import { holderText, includedIn, lockHolder } from '../live/lock-holder.ts';
import { counted } from '../model/text.ts';
import type { ServiceReader } from '../service/client.ts';
import { asResourceObject, type Document } from '../service/documents.ts';
import type { ServiceErrorDetail } from '../service/service-error.ts';
import { getIfThere } from './lost-answer.ts';

/** A workspace as it stands in the way of a lock, an unlock or a delete. */
export interface Obstacle {
  readonly document: Document;
  readonly locked: boolean;
  /** The reason that was given for the lock, where one was. */
  readonly reason?: string;
}

/** @param path `/workspaces/<id>` */
export async function lookAtLock(path: string, reader: ServiceReader): Promise<Obstacle | undefined> {
  const document = await getIfThere(path, reader);
  return document && obstacleIn(document);
}

/** Why the service refuses: who holds the lock and for what reason, how many resources there are. */
export interface Conflict extends Obstacle {
  readonly lockDetails: readonly ServiceErrorDetail[];
  readonly resourceDetails: readonly ServiceErrorDetail[];
}

/**
 * Looks at a workspace to tell why the service refuses.
 *
 * @param path `/workspaces/<id>`
 * @param told What the service said itself, which is not said again.
 */
export async function lookAtConflict(
  path: string,
  reader: ServiceReader,
  told: readonly ServiceErrorDetail[],
): Promise<Conflict | undefined> {
  const document = await getIfThere(path, reader, { include: 'locked_by' });
  const workspace = document && asResourceObject(document.data);
  if (document === undefined || workspace === undefined) return undefined;
  const obstacle = obstacleIn(document);
  const holder = lockHolder(workspace, includedIn(document));
  const isTold = told.some(({ detail }) => holder && detail?.includes(holder.name ?? holder.id));
  const count = workspace.attributes['resource-count'];
  return {
    ...obstacle,
    lockDetails: [
      ...(holder && !isTold ? [{ detail: `it is locked by ${holderText(holder)}` }] : []),
      ...(obstacle.reason === undefined ? [] : [{ detail: `the reason given: ${obstacle.reason}` }]),
    ],
    resourceDetails:
      typeof count === 'number' && count > 0 ? [{ detail: `it manages ${counted(count, 'resource')}` }] : [],
  };
}

function obstacleIn(document: Document): Obstacle {
  const { locked, 'locked-reason': reason } = asResourceObject(document.data)?.attributes ?? {};
  return {
    document,
    locked: locked === true,
    ...(locked === true && typeof reason === 'string' && reason !== '' && { reason }),
  };
}
