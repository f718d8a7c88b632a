import pLimit from 'p-limit';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { AttuneError } from '../../model/attune-error.ts';
import { type Diagnostic, hasErrors } from '../../model/diagnostic.ts';
import { jsonText } from '../../report/json-text.ts';
import {
  type WorkspaceAction,
  type WorkspaceResult,
  type WorkspaceResults,
  workspaceResultsText,
} from '../../report/workspace/workspace-results.ts';
import { NetworkError, ServiceError } from '../../service/service-error.ts';
import type { WorkspaceFlags } from '../flags.ts';
import type { Io } from '../io.ts';
import { errorDiagnostics } from '../session/console.ts';
import { entryOf } from '../session/emit.ts';
import { RefusedError } from '../session/refused-error.ts';
import { runSession } from '../session/run-session.ts';
import type { Session } from '../session/session.ts';
import { type Choice, choiceOf, find, findSome, requireChoice } from './find.ts';
import { type Target, withTarget } from './target.ts';

/** What a command does to each workspace that is chosen. */
export interface Act {
  /** As it is typed: `lock`. */
  readonly command: string;
  readonly action: WorkspaceAction;
  /** Whether the files must be sound: they say what is protected. */
  readonly needsFiles?: boolean;
  /** What the files say against it: an error among it ends the run before anything is written. */
  check?(found: readonly FoundWorkspace[], target: Target): readonly Diagnostic[];
  /** Asks, where that is due. @throws {AttuneError} where the answer is not what was asked for. */
  confirm?(found: readonly FoundWorkspace[], choice: Choice, session: Session): Promise<Confirmation>;
  /** @returns why there was nothing to do, where that is so. @throws where it failed. */
  send(found: FoundWorkspace, target: Target, io: Io): Promise<string | undefined>;
}

export type Confirmation = 'asked' | 'not-asked';

/** Chooses, checks, asks, and then acts on all that is chosen side by side. */
export function act(
  names: readonly string[],
  flags: WorkspaceFlags,
  io: Io,
  { command, action, needsFiles, check, confirm, send }: Act,
): Promise<number> {
  return runSession(io, flags, 'plan', (session) => {
    const choice = choiceOf(names, flags);
    requireChoice(choice, command);
    return withTarget(session, flags, { ...(needsFiles && { needsFiles }) }, async (target) => {
      const found = await findSome(choice, target);
      object(check?.(found, target) ?? [], target, session);
      if ((await confirm?.(found, choice, session)) === 'asked') {
        requireSame(found, await find(choice, target));
      }
      return actOnAll(found, target, session, { action, send });
    });
  });
}

/** Tells what the files say against it; errors end the run. */
function object(diagnostics: readonly Diagnostic[], { configuration }: Target, session: Session): void {
  const entry = entryOf(session, configuration.folder, { diagnostics });
  if (hasErrors(diagnostics)) throw new RefusedError([entry]);
  session.console.diagnostics(entry.diagnostics, entry.path);
}

async function actOnAll(
  found: readonly FoundWorkspace[],
  target: Target,
  session: Session,
  { action, send }: Pick<Act, 'action' | 'send'>,
): Promise<number> {
  const { organization, connection } = target;
  const { io, progress, console, flags } = session;
  const interrupts = io.catchInterrupts();
  try {
    progress.begin(`${organization}: ${action}`, found.length);
    const limit = pLimit(connection.parallelism);
    const outcomes = new Map<FoundWorkspace, Pick<WorkspaceResult, 'result' | 'note' | 'error'>>();
    const results = (): WorkspaceResults => ({
      format: 'attune.workspace-results/1',
      organization,
      address: connection.address,
      action,
      workspaces: found.map((one) => {
        const { name, id = '' } = one.resource;
        return { name, id, ...(outcomes.get(one) ?? unknownOutcome) };
      }),
    });
    io.run.describeWrites = () => workspaceResultsText(results());
    await Promise.all(
      found.map((one) =>
        limit(async () => {
          if (interrupts.stop.aborted) {
            outcomes.set(one, { result: 'skipped', note: 'not attempted: the run was stopped' });
            return;
          }
          try {
            const note = await send(one, target, io);
            outcomes.set(one, { result: 'done', ...(note !== undefined && { note }) });
          } catch (error) {
            outcomes.set(one, { result: 'failed', error: failureOf(error, action, session) });
          }
          progress.step();
        }),
      ),
    );
    progress.end();
    const { workspaces } = results();
    console.result(
      flags.format === 'json' ? jsonText(results()) : workspaceResultsText(results(), console.paint),
    );
    const failed = workspaces.some(({ result }) => result !== 'done');
    return interrupts.exitCode() ?? (failed ? 1 : 0);
  } finally {
    interrupts.release();
  }
}

/** The run ended before the answer came. */
const unknownOutcome = { result: 'failed', error: { message: 'no answer before the run ended' } } as const;

/** What the service calls "not found" on a workspace that was just read, the token may not do (interface, section 5). */
const needed: Readonly<Record<WorkspaceAction, string>> = {
  lock: 'permission to lock and unlock',
  unlock: 'permission to lock and unlock',
  'force-unlock': 'admin access',
  'safe-delete': 'admin access',
  'force-delete': "an owner's rights, or admin access where the organization allows that",
};

function failureOf(
  error: unknown,
  action: WorkspaceAction,
  session: Session,
): NonNullable<WorkspaceResult['error']> {
  if (!(error instanceof AttuneError)) {
    const [{ message, hint } = { message: String(error) }] = errorDiagnostics(error, session);
    return { message, ...(hint !== undefined && { hint }) };
  }
  const { message } = error;
  const isRefused = error instanceof ServiceError && error.status === 404;
  const hint = isRefused ? `the workspace was there: the token needs ${needed[action]}` : error.hint;
  const request =
    error instanceof ServiceError || error instanceof NetworkError
      ? {
          method: error.method,
          path: error.path,
          ...(error.status !== undefined && { status: error.status }),
        }
      : {};
  return { message, ...(hint !== undefined && { hint }), ...request };
}

/** While somebody thought about the answer, somebody else may have been at work. */
function requireSame(before: readonly FoundWorkspace[], now: readonly FoundWorkspace[]): void {
  const told = (found: readonly FoundWorkspace[]) =>
    JSON.stringify(
      found.map(({ resource: { id, name, attributes } }) => [id, name, attributes.project, attributes.tags]),
    );
  if (told(before) === told(now)) return;
  throw new AttuneError('what you chose has changed since you were asked; nothing was written', {
    code: 'moved-on',
    hint: 'run again, and look at the list once more',
  });
}
