import { escapeControls } from './escape-controls.ts';
import { type Paint, plain, type Style } from './paint.ts';

/** The actions of `attune workspace`, with the word for a completed one. */
export const workspaceActions = {
  lock: 'locked',
  unlock: 'unlocked',
  'force-unlock': 'force-unlocked',
  'safe-delete': 'deleted',
  'force-delete': 'force-deleted',
} as const;
export type WorkspaceAction = keyof typeof workspaceActions;

/** The result for one workspace. */
export interface WorkspaceResult {
  readonly name: string;
  readonly id: string;
  readonly result: 'done' | 'failed' | 'skipped';
  /** Why nothing was done. */
  readonly note?: string;
  /** Whether the service keeps the deleted workspace for some days; absent if the organization does not show it. */
  readonly recovery?: 'recoverable' | 'final';
  /** In ISO 8601. */
  readonly recoverableUntil?: string;
  readonly error?: WorkspaceFailure;
}

export interface WorkspaceFailure {
  readonly message: string;
  readonly hint?: string;
  readonly method?: string;
  readonly path?: string;
  readonly status?: number;
}

export interface WorkspaceResults {
  readonly format: 'attune.workspace-results/1';
  readonly organization: string;
  readonly address: string;
  readonly action: WorkspaceAction;
  readonly workspaces: readonly WorkspaceResult[];
}

const styles: Readonly<Record<WorkspaceResult['result'], Style>> = {
  done: 'green',
  failed: 'red',
  skipped: 'yellow',
};

/** One line for each workspace with its error below it, and the sums. */
export function workspaceResultsText(results: WorkspaceResults, paint: Paint = plain): string {
  const { organization, address, action, workspaces } = results;
  const heading = `${paint('bold', escapeControls(organization))}  ${escapeControls(address)}`;
  const lines = workspaces.flatMap((one) => resultLines(one, paint));
  const count = (result: WorkspaceResult['result']) =>
    workspaces.filter((one) => one.result === result).length;
  const rest = (['failed', 'skipped'] as const)
    .filter((result) => count(result) > 0)
    .map((result) => `, ${count(result)} ${result}`);
  return `${[heading, '', ...lines, ''].join('\n')}\n${count('done')} ${workspaceActions[action]}${rest.join('')}.\n`;
}

function resultLines(
  { name, result, note, recovery, recoverableUntil, error }: WorkspaceResult,
  paint: Paint,
): string[] {
  const kept = recoverableUntil === undefined ? recovery : `recoverable until ${recoverableUntil}`;
  const details = [note, kept, error?.message, error?.hint && `hint: ${error.hint}`].filter(
    (text) => text !== undefined,
  );
  return [
    `  ${paint(styles[result], result.padEnd(7))}  ${escapeControls(name)}`,
    ...details.map((text) => `             ${escapeControls(text)}`),
  ];
}
