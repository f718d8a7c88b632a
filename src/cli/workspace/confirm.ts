import { deletionChanges } from '../../apply/changed-since-plan.ts';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { holderText } from '../../live/lock-holder.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { DeleteMode } from '../../model/state.ts';
import { counted } from '../../model/text.ts';
import { escapeControls } from '../../report/escape-controls.ts';
import type { Session } from '../session.ts';
import { factsToDelete, lockOf } from './write.ts';

/** Lists the workspaces and asks for a confirmation. @throws {AttuneError} if the user does not confirm. */
export async function confirmWithYes(
  found: readonly FoundWorkspace[],
  verb: string,
  session: Session,
): Promise<void> {
  list(found, session);
  const question = `\n${verb} ${counted(found.length, 'workspace')}? Only "yes" is accepted: `;
  const answer = await session.io.ask(question);
  if (answer?.trim() !== 'yes') throw notConfirmed(answer, 'the answer was not "yes"');
}

/** Lists the workspaces and asks for the name of each. @throws {AttuneError} if a name is not typed exactly. */
export async function confirmByName(found: readonly FoundWorkspace[], session: Session): Promise<void> {
  list(found, session);
  for (const { resource } of found) {
    const question = `\nType the name of the workspace to force-delete it with its state (${escapeControls(resource.name)}): `;
    const answer = await session.io.ask(question);
    if (answer?.trim() !== resource.name) throw notConfirmed(answer, `"${resource.name}" was not typed`);
  }
}

function list(found: readonly FoundWorkspace[], { io }: Session): void {
  const lines = found.map((one) => {
    const { name, attributes } = one.resource;
    const resources = attributes['resource-count'];
    const { locked, holder } = lockOf(one);
    const facts = [
      ...(typeof resources === 'number' && resources > 0
        ? [`manages ${counted(resources, 'resource')}`]
        : []),
      ...(locked ? [`locked by ${holder ? holderText(holder) : 'an unknown user'}`] : []),
    ];
    return `  ${escapeControls([name, facts.join(', ')].join('  ').trimEnd())}\n`;
  });
  io.stderr.write(lines.join(''));
}

function notConfirmed(answer: string | undefined, why: string): AttuneError {
  return answer === undefined
    ? new AttuneError(
        'this command requires confirmation and stdin is not a terminal; no changes were made',
        {
          code: 'not-confirmed',
          hint: 'review the list above, then run again with --yes',
        },
      )
    : new AttuneError(`canceled: ${why}; no changes were made`, { code: 'not-confirmed' });
}

/** @throws {AttuneError} if other workspaces are selected after the question, or one of them has changed. */
export function requireSame(
  before: readonly FoundWorkspace[],
  now: readonly FoundWorkspace[],
  mode: DeleteMode,
): void {
  const byId = new Map(now.map(({ resource: { id, name, attributes } }) => [id, { ...attributes, name }]));
  const isSame = (one: FoundWorkspace) => {
    const values = byId.get(one.resource.id);
    return values !== undefined && deletionChanges(factsToDelete(one, mode), values).length === 0;
  };
  if (before.length === now.length && before.every(isSame)) return;
  throw new AttuneError('the selected workspaces changed before the confirmation; no changes were made', {
    code: 'moved-on',
    hint: 'run again and review the new list',
  });
}
