import { asResourceObject, type Document, relatedId } from '../service/documents.ts';
import { ServiceError } from '../service/service-error.ts';
import { getIfThere } from './lost-answer.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';

/**
 * Locks or unlocks. The wanted state may have come about meanwhile, which is as good; a lock that somebody else holds
 * makes the change fail with who that is. Attune never forces a lock open.
 */
export async function changeLock(
  { call, kind, change }: PreparedCall,
  { client, notice }: SendContext,
): Promise<Document | undefined> {
  const workspace = call.path.replace(/\/actions\/(un)?lock$/, '');
  const wanted = kind === 'lock';
  const look = async () => {
    const document = await getIfThere(workspace, client);
    return document && { document, ...lockOf(document) };
  };
  try {
    return await client.send(call, {
      lookUp: async () => {
        const found = await look();
        return found?.locked === wanted ? { document: found.document } : undefined;
      },
    });
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 409) throw error;
    const found = await look();
    if (found?.locked === wanted) {
      notice({
        severity: 'note',
        code: 'already-done',
        message: `"${change.name}" was ${wanted ? 'locked' : 'unlocked'} already when its turn came`,
        address: change.address,
      });
      return found.document;
    }
    const told = error.errors.some(({ detail }) => found?.holder && detail?.includes(found.holder));
    const holder = [
      ...(found?.holder && !told ? [`it is locked by ${found.holder}`] : []),
      ...(found?.reason ? [`the reason given: ${found.reason}`] : []),
    ];
    throw new ServiceError(
      error,
      error.status,
      [...error.errors, ...holder.map((detail) => ({ detail }))],
      'ask the holder to unlock it; Attune does not force a lock open',
    );
  }
}

function lockOf(document: Document): { locked: boolean; holder?: string; reason?: string } {
  const workspace = asResourceObject(document.data);
  const holder = workspace && relatedId(workspace, 'locked-by');
  const reason = workspace?.attributes['locked-reason'];
  return {
    locked: workspace?.attributes.locked === true,
    ...(holder && { holder }),
    ...(typeof reason === 'string' && reason !== '' && { reason }),
  };
}
