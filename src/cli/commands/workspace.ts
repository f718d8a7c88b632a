import { AttuneError, usageError } from '../../model/attune-error.ts';
import { counted } from '../../model/text.ts';
import type { WorkspaceAction } from '../../model/workspace-results.ts';
import { jsonText } from '../../report/escape-controls.ts';
import type { ReportEntry } from '../../report/report.ts';
import {
  workspaceLines,
  workspaceResultsText,
  workspacesToConfirm,
  workspaceTable,
  workspaceText,
} from '../../report/workspace-text.ts';
import { type ActOptions, act } from '../../run/workspace/act.ts';
import { checkLocks, checkRuns } from '../../run/workspace/declared.ts';
import { wholeEntries, workspaceEntries } from '../../run/workspace/entries.ts';
import { byLockReason, type Choice, choiceOf, type Found, find, findSome } from '../../run/workspace/find.ts';
import { openTarget, type Target } from '../../run/workspace/open-target.ts';
import { requireSame } from '../../run/workspace/send.ts';
import { defineCommand, defineGroup } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { type WorkspaceFlags, workspaceFlags, workspaceNames } from '../flags.ts';
import type { Session } from '../session.ts';

const learnMore = 'docs/guides/workspaces.md';

const list = defineCommand({
  details: 'Lists the workspaces that match the names and filters, or all workspaces of the organization.',
  arguments: workspaceNames,
  flags: workspaceFlags,
  examples: [
    'attune workspace list',
    'attune workspace list "*-prod" --project payments',
    'attune workspace list --tag prod --format json',
    'attune workspace list | cut -f 1',
  ],
  learnMore,
  run: async ({ workspaces: names }, flags, session) => {
    const { io, console, progress } = session;
    await using target = await openTarget(flags, session);
    const { organization, connection } = target;
    progress.begin(`${organization}: reading`);
    const workspaces = workspaceEntries(await find(choice(names, flags), target), target, io.cwd);
    progress.end();
    if (flags.format === 'json') {
      const { address } = connection;
      console.result(jsonText({ format: 'attune.workspaces/1', organization, address, workspaces }));
      return 0;
    }
    if (!io.stdout.isTerminal) console.result(workspaceLines(workspaces));
    else if (workspaces.length > 0)
      console.result(workspaceTable(workspaces, { width: io.stdout.columns ?? 80, paint: console.paint }));
    console.inform(`${organization}: ${counted(workspaces.length, 'workspace')}.`);
    return 0;
  },
});

const show = defineCommand({
  details:
    'Shows attributes, tags, state consumers, lock and data retention of the selected workspaces, and whether they are declared.',
  arguments: workspaceNames,
  flags: workspaceFlags,
  examples: [
    'attune workspace show network-prod',
    'attune workspace show network-prod --organization acme --address https://iac.example.com',
  ],
  learnMore,
  run: async ({ workspaces: names }, flags, session) => {
    const { io, console, progress } = session;
    const chosen = requireChoice(names, flags, 'show');
    await using target = await openTarget(flags, session);
    const { organization, connection } = target;
    progress.begin(`${organization}: reading`);
    const found = await findSome(chosen, target, { bindings: true });
    const { workspaces, notes } = await wholeEntries(found, target, io.cwd);
    progress.end();
    console.diagnostics(notes);
    const { address } = connection;
    console.result(
      flags.format === 'json'
        ? jsonText({ format: 'attune.workspaces/1', organization, address, workspaces })
        : workspaces.map((entry) => workspaceText(entry, console.paint)).join('\n'),
    );
    return 0;
  },
});

const lock = defineCommand({
  details:
    'Locks the workspaces that match the names and filters. A locked workspace starts no new run until it is unlocked.',
  arguments: workspaceNames,
  flags: { ...workspaceFlags, reason: textFlag('text', 'reason that is shown to other users') },
  examples: [
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace lock --tag prod --reason "moving the state"',
  ],
  learnMore,
  run: async ({ workspaces: names }, flags, session) => {
    const chosen = requireChoice(names, flags, 'lock');
    await using target = await openTarget(flags, session);
    const found = await findSome(chosen, target);
    printEntry(checkLocks(found, 'locked', target, session), session);
    return await actAndPrint('lock', found, target, session, flags);
  },
});

const unlock = defineCommand({
  details:
    'Unlocks the workspaces that match the names and filters. Locks of other users need --force, which asks for confirmation if a pattern or a filter selects the workspaces.',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    reason: textFlag('text', 'unlock only workspaces that are locked with exactly this reason'),
    force: switchFlag('also remove locks held by other users; requires admin access'),
    yes: switchFlag('unlock without asking for confirmation'),
  },
  examples: [
    'attune workspace unlock network-prod',
    'attune workspace unlock --reason "freeze 42"',
    'attune workspace unlock "app-*" --force --yes',
  ],
  learnMore,
  run: async ({ workspaces: names }, flags, session) => {
    const { reason, force: isForced = false, yes } = flags;
    const { console } = session;
    // A reason chooses among all workspaces.
    const chosen = reason === undefined ? requireChoice(names, flags, 'unlock') : choice(names, flags);
    const isOpen = chosen.isOpen || chosen.names.length === 0;
    await using target = await openTarget(flags, session);
    const selected = await findSome(chosen, target, { runs: isForced });
    const { chosen: found, left, unlocked } = byLockReason(selected, reason, isOpen);
    printEntry(checkLocks(found, 'unlocked', target, session), session);
    if (isForced) printEntry(checkRuns(found, target, session), session);
    if (isForced && isOpen && found.length > 0 && !yes) {
      await confirmForced(found, target, session);
      requireSame(found, byLockReason(await find(chosen, target), reason, isOpen).chosen);
    }
    if (reason !== undefined && found.length === 0)
      console.inform(`No workspace is locked with the reason ${JSON.stringify(reason)}.`);
    if (unlocked > 0) console.inform(`${counted(unlocked, 'workspace')} without a lock.`);
    return await actAndPrint(isForced ? 'force-unlock' : 'unlock', found, target, session, { left });
  },
});

export default defineGroup({
  examples: [
    'attune workspace list --tag prod',
    'attune workspace show network-prod',
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace unlock network-prod',
  ],
  learnMore,
  commands: {
    list: { description: 'list workspaces', command: list },
    show: { description: 'show the settings, consumers and lock of workspaces', command: show },
    lock: { description: 'lock workspaces to prevent new runs', command: lock },
    unlock: { description: 'unlock workspaces', command: unlock },
  },
});

function choice(names: readonly string[], { name = [], project = [], tag = [] }: WorkspaceFlags): Choice {
  return choiceOf({ names: [...names, ...name], projects: project, tags: tag });
}

/** @throws {AttuneError} if the command line has no name and no filter. */
function requireChoice(names: readonly string[], flags: WorkspaceFlags, command: string): Choice {
  const chosen = choice(names, flags);
  if (chosen.isOpen || chosen.names.length > 0) return chosen;
  throw usageError(
    `workspace ${command} requires the names of workspaces or a filter`,
    'add names, or select workspaces with --name "*-prod", --tag or --project',
  );
}

function printEntry({ diagnostics, path }: ReportEntry, { console }: Session): void {
  console.diagnostics(diagnostics, path);
}

/** Lists the workspaces and asks for a confirmation. @throws {AttuneError} if the user does not confirm. */
async function confirmForced(found: Found, target: Target, { io }: Session): Promise<void> {
  io.stderr.write(workspacesToConfirm(workspaceEntries(found, target, io.cwd)));
  const answer = await io.ask(
    `\nForce-unlock ${counted(found.length, 'workspace')}? Only "yes" is accepted: `,
  );
  if (answer?.trim() === 'yes') return;
  if (answer !== undefined)
    throw new AttuneError('canceled: the answer was not "yes"; no changes were made', {
      code: 'not-confirmed',
    });
  const message = 'this command requires confirmation and stdin is not a terminal; no changes were made';
  throw new AttuneError(message, {
    code: 'not-confirmed',
    hint: 'review the list above, then run again with --yes',
  });
}

/** @returns the exit code */
async function actAndPrint(
  action: WorkspaceAction,
  found: Found,
  target: Target,
  session: Session,
  options: Omit<ActOptions, 'stop'> = {},
): Promise<number> {
  const { io, console, flags } = session;
  const interrupts = io.catchInterrupts();
  try {
    const results = await act(action, found, target, session, { ...options, stop: interrupts.stop });
    console.result(
      flags.format === 'json' ? jsonText(results) : workspaceResultsText(results, console.paint),
    );
    const failed = results.workspaces.some(({ result }) => result === 'failed');
    return interrupts.exitCode() ?? (failed ? 1 : 0);
  } finally {
    interrupts.release();
  }
}
