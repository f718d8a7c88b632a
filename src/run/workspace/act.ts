import pLimit from 'p-limit';
import type { FoundWorkspace } from '../../live/find-workspaces.ts';
import { AttuneError } from '../../model/attune-error.ts';
import type { WorkspaceAction, WorkspaceResult, WorkspaceResults } from '../../model/workspace-results.ts';
import { workspaceResultsText } from '../../report/workspace-text.ts';
import { NetworkError, ServiceError } from '../../service/service-error.ts';
import type { RunContext } from '../context.ts';
import { errorDiagnostics } from '../errors.ts';
import type { Found, LeftWorkspace } from './find.ts';
import type { Target } from './open-target.ts';
import { send } from './send.ts';

export interface ActOptions {
  /** Of a lock. */
  readonly reason?: string | undefined;
  /** Workspaces that are reported and left as they are. */
  readonly left?: readonly LeftWorkspace[];
  /** Once aborted, no other workspace is changed. */
  readonly stop: AbortSignal;
}

type Outcome = Omit<WorkspaceResult, 'name' | 'id'>;

/** Acts on workspaces in parallel, and returns the result of each. */
export async function act(
  action: WorkspaceAction,
  found: Found,
  target: Target,
  context: RunContext,
  { reason = '', left = [], stop }: ActOptions,
): Promise<WorkspaceResults> {
  const { organization, connection } = target;
  const { io, progress } = context;
  progress.begin(`${organization}: ${action}`, found.length);
  const limit = pLimit(connection.parallelism);
  const outcomes = new Map<FoundWorkspace, Outcome>();
  const results = (): WorkspaceResults => ({
    format: 'attune.workspace-results/1',
    organization,
    address: connection.address,
    action,
    workspaces: [
      ...found.map((one) => ({ ...namedBy(one), ...(outcomes.get(one) ?? unknownOutcome) })),
      ...left.map(({ found: one, note }) => ({ ...namedBy(one), result: 'skipped' as const, note })),
    ],
  });
  io.run.describeWrites = () => workspaceResultsText(results());
  await Promise.all(
    found.map((one) =>
      limit(async () => {
        if (stop.aborted) {
          outcomes.set(one, { result: 'skipped', note: 'not attempted: the run was stopped' });
          return;
        }
        try {
          const note = await send(action, one, reason, connection.client);
          outcomes.set(one, { result: 'done', ...(note !== undefined && { note }) });
        } catch (error) {
          outcomes.set(one, { result: 'failed', error: failureOf(error, action, context) });
        }
        progress.step();
      }),
    ),
  );
  progress.end();
  return results();
}

function namedBy({ resource: { name, id = '' } }: FoundWorkspace): Pick<WorkspaceResult, 'name' | 'id'> {
  return { name, id };
}

/** The run ended before the response arrived. */
const unknownOutcome = { result: 'failed', error: { message: 'no answer before the run ended' } } as const;

/** A 404 for a workspace that was just read means that the token lacks a permission (interface, section 5). */
const needed: Readonly<Record<WorkspaceAction, string>> = {
  lock: 'permission to lock and unlock',
  unlock: 'permission to lock and unlock',
  'force-unlock': 'admin access',
};

function failureOf(
  error: unknown,
  action: WorkspaceAction,
  context: RunContext,
): NonNullable<WorkspaceResult['error']> {
  if (!(error instanceof AttuneError)) {
    const [{ message, hint } = { message: String(error) }] = errorDiagnostics(error, context);
    return { message, ...(hint !== undefined && { hint }) };
  }
  const { message } = error;
  const isRefused = error instanceof ServiceError && error.status === 404;
  const hint = error.hint ?? (isRefused ? `use a token with ${needed[action]}` : undefined);
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
