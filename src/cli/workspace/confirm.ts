import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { holderText } from '../../live/lock-holder.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { counted } from '../../model/text.ts';
import { escapeControls } from '../../report/escape-controls.ts';
import type { Session } from '../session.ts';
import { lockOf } from './write.ts';

/** Lists what is meant and asks for a yes. @throws {AttuneError} where the answer is another. */
export async function confirmWithYes(
  found: readonly FoundWorkspace[],
  verb: string,
  session: Session,
): Promise<void> {
  list(found, session);
  const question = `\n${verb} ${counted(found.length, 'workspace')}? Only "yes" is a yes: `;
  const answer = await session.io.ask(question);
  if (answer?.trim() !== 'yes') throw notConfirmed(answer, 'the answer was not "yes"');
}

/** Lists what is meant and asks for the name of each. @throws {AttuneError} where one is typed differently. */
export async function confirmByName(found: readonly FoundWorkspace[], session: Session): Promise<void> {
  list(found, session);
  for (const { resource } of found) {
    const question = `\nType the name of the workspace to delete it by force, with its state (${escapeControls(resource.name)}): `;
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
      ...(locked ? [`locked by ${holder ? holderText(holder) : 'somebody'}`] : []),
    ];
    return `  ${escapeControls([name, facts.join(', ')].join('  ').trimEnd())}\n`;
  });
  io.stderr.write(lines.join(''));
}

function notConfirmed(answer: string | undefined, why: string): AttuneError {
  return answer === undefined
    ? new AttuneError('this needs an answer, and there is no terminal to ask on; nothing was written', {
        code: 'not-confirmed',
        hint: 'look at the list above, then say it again with --yes',
      })
    : new AttuneError(`not done: ${why}; nothing was written`, { code: 'not-confirmed' });
}

/** @throws {AttuneError} if the workspaces have changed while the question was open. */
export function requireSame(before: readonly FoundWorkspace[], now: readonly FoundWorkspace[]): void {
  const shown = (found: readonly FoundWorkspace[]) =>
    JSON.stringify(
      found.map(({ resource: { id, name, attributes } }) => [id, name, attributes.project, attributes.tags]),
    );
  if (shown(before) === shown(now)) return;
  throw new AttuneError('what you chose has changed since you were asked; nothing was written', {
    code: 'moved-on',
    hint: 'run again, and look at the list once more',
  });
}
