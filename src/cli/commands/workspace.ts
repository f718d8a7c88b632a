import { usageError } from '../../model/diagnostic.ts';
import { counted } from '../../model/text.ts';
import { jsonText } from '../../report/escape-controls.ts';
import { workspaceList, workspaceText } from '../../report/resource-text.ts';
import { checkApplyOptions } from '../../run/apply-journals.ts';
import { listWorkspaces, showWorkspaces } from '../../run/workspace/entries.ts';
import { type LockRequest, withLockPlan } from '../../run/workspace/plan-locks.ts';
import { defineCommand, defineGroup, listArgument } from '../command.ts';
import {
  connectionFlags,
  type FlagValues,
  formatFlag,
  journalFlags,
  listFlag,
  plainFlags,
  switchFlag,
  textFlag,
} from '../flags.ts';
import type { Session } from '../session.ts';
import { applyPlans } from './apply.ts';

const learnMore = 'docs/guides/workspaces.md';

const workspaceNames = { workspaces: listArgument('workspace names; * matches any characters') };

const workspaceFlags = {
  name: listFlag('workspace', 'select workspaces with this name; * matches any characters (repeatable)'),
  tag: listFlag('tag', 'select workspaces with this tag (repeatable: all of the tags)'),
  project: listFlag(
    'project',
    'select workspaces of this project, by alias, name or ID (repeatable: any of the projects)',
  ),
  organization: textFlag('name', "organization (default: the root file's)"),
  config: textFlag(
    'file',
    'root file with the organization, address and aliases (default: attune.yaml if it exists)',
  ),
  ...formatFlag(['text', 'json']),
  ...plainFlags,
  ...connectionFlags,
};

type WorkspaceFlags = FlagValues<typeof workspaceFlags>;

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
    const { io, console } = session;
    const { workspaces, ...from } = await listWorkspaces(choice(names, flags), flags, session);
    if (flags.format === 'json') {
      console.result(jsonText({ format: 'attune.workspaces/1', ...from, workspaces }));
      return 0;
    }
    console.text(workspaceList(workspaces, io.stdout.isTerminal ? console.paint : undefined, console.width));
    console.inform(`${from.organization}: ${counted(workspaces.length, 'workspace')}.`);
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
    const { console } = session;
    const chosen = requireChoice(names, flags, 'show');
    const { workspaces, notes, ...from } = await showWorkspaces(chosen, flags, session);
    console.diagnostics(notes);
    if (flags.format === 'json')
      console.result(jsonText({ format: 'attune.workspaces/1', ...from, workspaces }));
    else console.text(workspaces.map((entry) => workspaceText(entry, console.paint)).join('\n'));
    return 0;
  },
});

const lock = defineCommand({
  details:
    'Locks the workspaces that match the names and filters, and writes a journal for `attune undo`. A locked workspace starts no new run until it is unlocked.',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    reason: textFlag('text', 'reason that is shown to other users'),
    ...journalFlags,
  },
  examples: [
    'attune workspace lock network-prod --reason "change freeze"',
    'attune workspace lock --tag prod --reason "moving the state"',
  ],
  learnMore,
  report: 'apply',
  run: async ({ workspaces: names }, flags, session) => {
    const { reason } = flags;
    return await changeLocks(requireChoice(names, flags, 'lock'), { locks: true, reason }, flags, session);
  },
});

const unlock = defineCommand({
  details:
    'Unlocks the workspaces that match the names and filters, and writes a journal for `attune undo`. Locks of other users need --force, which asks for confirmation if a pattern or a filter selects the workspaces.',
  arguments: workspaceNames,
  flags: {
    ...workspaceFlags,
    reason: textFlag('text', 'unlock only workspaces that are locked with exactly this reason'),
    force: switchFlag('also remove locks held by other users; requires admin access'),
    ...journalFlags,
    yes: switchFlag('unlock without asking for confirmation'),
  },
  examples: [
    'attune workspace unlock network-prod',
    'attune workspace unlock --reason "freeze 42"',
    'attune workspace unlock "app-*" --force --yes',
  ],
  learnMore,
  report: 'apply',
  run: async ({ workspaces: names }, flags, session) => {
    const { reason, force } = flags;
    // A reason chooses among all workspaces.
    const chosen = reason === undefined ? requireChoice(names, flags, 'unlock') : choice(names, flags);
    return await changeLocks(chosen, { locks: false, reason, force }, flags, session);
  },
});

async function changeLocks(
  chosen: Choice,
  request: LockRequest,
  flags: WorkspaceFlags & { readonly yes?: boolean },
  session: Session,
): Promise<number> {
  await checkApplyOptions(session);
  const isNamed = !chosen.isOpen && chosen.names.length > 0;
  const isAsked = !request.locks && request.force && !isNamed;
  return await withLockPlan(chosen, request, flags, session, async (planned, isPossible) => {
    const code = await applyPlans([planned], session, { yes: !isAsked || flags.yes });
    return code === 0 && !isPossible ? 1 : code;
  });
}

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

type Choice = ReturnType<typeof choice>;

function choice(given: readonly string[], { name = [], project = [], tag = [] }: WorkspaceFlags) {
  const names = [...new Set([...given, ...name])];
  const isOpen = names.some((one) => one.includes('*')) || project.length + tag.length > 0;
  return { names, projects: project, tags: tag, isOpen };
}

function requireChoice(names: readonly string[], flags: WorkspaceFlags, command: string): Choice {
  const chosen = choice(names, flags);
  if (chosen.isOpen || chosen.names.length > 0) return chosen;
  throw usageError(
    `workspace ${command} requires the names of workspaces or a filter`,
    'add names, or select workspaces with --name "*-prod", --tag or --project',
  );
}
