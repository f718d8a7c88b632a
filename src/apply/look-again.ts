import { grantFromDocument } from '../live/grant-document.ts';
import { readWorkspace } from '../live/read-workspaces.ts';
import { readRetentionPolicy } from '../live/workspace-details.ts';
import { workspaceFromDocument } from '../live/workspace-document.ts';
import type { Facts } from '../plan/facts.ts';
import { asResourceObject } from '../service/documents.ts';
import { getIfThere } from './lost-answer.ts';
import { MovedOnError } from './moved-on-error.ts';
import { movedSince, repositoryOf } from './moved-since.ts';
import type { PreparedCall, SendContext } from './prepared-call.ts';
import { writtenValues } from './written-values.ts';

/** What was read longer ago than this many milliseconds is looked at again before it is taken away or written over. */
const freshFor = 3000;

export function isFresh({ clock, readAt }: Pick<SendContext, 'clock' | 'readAt'>): boolean {
  return readAt !== undefined && clock.now() - readAt <= freshFor;
}

/**
 * Looks again at what a call takes away, or writes over though it is no difference of the plan: a grant before it is
 * revoked, a retention policy, a repository that is detached, a value that only goes along because another is sent.
 * What a file declares otherwise than it is live is written as declared, whatever it has become.
 *
 * @throws {MovedOnError} where it is not what the plan was computed from; nothing is written then.
 */
export async function lookAgain(prepared: PreparedCall, context: SendContext): Promise<void> {
  const { change } = prepared;
  if (change.facts === undefined || change.action === 'create' || isFresh(context)) return;
  const facts = factsAtStake(prepared, context);
  if (Object.keys(facts).length === 0) return;
  const now = await factsNow(prepared, context);
  // Gone is for the call to find out: for a delete it is done, for others a refusal.
  const moved = now === undefined ? [] : movedSince(facts, now);
  if (moved.length > 0) throw new MovedOnError(change.address, moved.join('; '));
}

function factsAtStake({ kind, call, change }: PreparedCall, { dialect }: SendContext): Facts {
  const { facts = {}, fields } = change;
  const picked = (paths: readonly string[]) =>
    Object.fromEntries(Object.entries(facts).filter(([path]) => paths.includes(path)));
  switch (kind) {
    case 'delete-grant': {
      const { exists: _exists, project: _project, team: _team, ...access } = facts;
      return access;
    }
    case 'data-retention':
      return picked(['data-retention']);
    case 'update-workspace':
    case 'update-grant': {
      const differs = new Set(fields.map(({ path }) => path));
      const along = Object.keys(writtenValues(kind, call, dialect).values).filter(
        (path) => !differs.has(path),
      );
      return picked([...along, 'vcs-repo']);
    }
    default:
      return {};
  }
}

async function factsNow(
  { kind, call, change }: PreparedCall,
  { client, dialect }: SendContext,
): Promise<Facts | undefined> {
  const id = change.id ?? '';
  if (kind === 'data-retention') return { 'data-retention': await readRetentionPolicy(client, id) };
  if (kind === 'update-workspace') {
    const document = await readWorkspace(client, id);
    if (document === undefined) return undefined;
    const { attributes } = workspaceFromDocument(document, dialect);
    return { ...attributes, 'vcs-repo': repositoryOf(attributes) };
  }
  const document = asResourceObject((await getIfThere(call.path, client))?.data);
  return document && grantFromDocument(document, String(change.facts?.project), dialect).attributes;
}
