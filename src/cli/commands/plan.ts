import { hasErrors } from '../../model/diagnostic.ts';
import { hasDifference, isFrozen } from '../../model/plan.ts';
import { commandLine } from '../../model/text.ts';
import { hasDrift } from '../../report/figures.ts';
import type { Report } from '../../report/report.ts';
import { failureOf } from '../../run/errors.ts';
import { writablePath } from '../../run/files/write-file.ts';
import { withDiagnostics } from '../../run/report-entry.ts';
import { type ComparedRoots, compareRoots, savePlanned } from '../../run/with-plans.ts';
import { defineCommand, rootFiles } from '../command.ts';
import { emit } from '../emit.ts';
import {
  clockFlags,
  comparisonFlags,
  connectionFlags,
  dueFlag,
  hidden,
  limitFlags,
  onlyFlag,
  planningFlags,
  switchFlag,
  textFlag,
} from '../flags.ts';
import type { Session } from '../session.ts';

const snapshotFlag = {
  snapshot: textFlag('file', 'read the live state from this file of `attune snapshot`'),
};

export default defineCommand({
  details:
    'Reads the live state, compares it with the configuration and prints the changes. Planning never writes to the service. A plan that was saved with --out shows exactly the calls that apply sends; moves into one project become one request.',
  arguments: rootFiles,
  flags: {
    ...comparisonFlags,
    ...planningFlags,
    ...dueFlag,
    ...clockFlags,
    out: textFlag('file', 'save the plan to a file for `attune apply --plan` and `attune show`'),
    ...snapshotFlag,
    detailedExitcode: switchFlag('exit with 2 if there are changes'),
  },
  conflicts: [['out', 'due', 'run `attune apply --due`: it plans what is due then']],
  examples: [
    'attune plan',
    'attune plan --out plan.json --report plan.md',
    'attune plan --only "workspace.*-prod" --detailed-exitcode',
    'attune plan --base origin/main',
  ],
  learnMore: 'docs/configuration.md',
  report: 'plan',
  run: async ({ files }, { out, snapshot, detailedExitcode }, session) => {
    if (out !== undefined) await writablePath('--out', out, session.io.cwd);
    const purpose = out === undefined ? 'apply' : 'review';
    const compared = await compareRoots(files, session, { purpose, snapshot });
    return await reportPlans(compared, session, { out, detailedExitcode, command: ['apply'] });
  },
});

export const drift = defineCommand({
  details:
    'Compares the live state with the configuration and reports the differences. If the configuration has a scope, live workspaces in scope that are not declared are reported, too. Never writes to the service.',
  arguments: rootFiles,
  flags: {
    ...comparisonFlags,
    ...onlyFlag,
    ...connectionFlags,
    ...clockFlags,
    // Nothing is written. Accepted so that scripts can share flags with `plan`.
    ...hidden(limitFlags),
    ...snapshotFlag,
  },
  examples: ['attune drift', 'attune drift --format json > drift.json'],
  learnMore: 'docs/guides/ci.md',
  report: 'drift',
  run: async ({ files }, { snapshot }, session) => {
    const { planned, entries } = await compareRoots(files, session, { purpose: 'drift', snapshot });
    await emit(session, { kind: 'drift', entries });
    if (entries.some(({ diagnostics }) => hasErrors(diagnostics))) return 1;
    return planned.some(({ plan }) => hasDrift(plan)) ? 2 : 0;
  },
});

export async function reportPlans(
  { planned, entries }: Pick<ComparedRoots, 'planned' | 'entries'>,
  session: Session,
  {
    out,
    detailedExitcode,
    command,
  }: { out: string | undefined; detailedExitcode: boolean | undefined; command: readonly string[] },
): Promise<number> {
  const report: Report = { kind: 'plan', entries };
  // A plan that exceeds its limits is printed, and not saved.
  if (report.entries.some(({ diagnostics }) => hasErrors(diagnostics))) {
    await emit(session, report);
    return 1;
  }
  const unsaved = out === undefined ? [] : await failureOf(savePlanned(planned, out, session), session);
  await emit(session, withDiagnostics(report, unsaved));
  if (unsaved.length > 0) return 1;
  const differs = planned.some(({ plan }) => hasDifference(plan));
  if (out !== undefined) {
    const isPart = planned.some(({ plan }) => plan.changes.some(isFrozen));
    const skipFrozen = isPart ? ['--skip-frozen'] : [];
    // A plan for another time cannot be applied.
    const next = planned.some(({ plan }) => plan.hypothetical)
      ? commandLine(['attune', 'show', out])
      : `${commandLine(['attune', ...command, '--plan', out, ...skipFrozen])}, with the same files and flags`;
    session.console.inform(`Saved as ${out}: ${next}`);
  }
  return differs && detailedExitcode ? 2 : 0;
}
