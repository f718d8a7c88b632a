import { usageError } from '../../model/attune-error.ts';
import { checkApplyOptions } from '../../run/apply-journals.ts';
import { commandLine, repeatedWords } from '../../run/shell-words.ts';
import { withPlans } from '../../run/with-plans.ts';
import { applyPlans } from '../apply-plans.ts';
import { defineCommand } from '../command.ts';
import { type FlagValues, switchFlag, textFlag } from '../flag.ts';
import { comparisonFlags, dueFlag, freezeFlags, journalFlags, planningFlags, rootFiles } from '../flags.ts';

const flags = {
  ...comparisonFlags,
  ...planningFlags,
  ...dueFlag,
  plan: textFlag('file', 'apply this saved plan; fails if planning it again gives other changes'),
  ...freezeFlags,
  ...journalFlags,
  yes: switchFlag('apply without asking for confirmation'),
};

export default defineCommand({
  details:
    'Shows the plan, asks for confirmation and makes the changes. If a change fails, those that do not depend on it continue; run apply again to retry the rest. With --plan, Attune plans again and applies the saved plan only if the new plan is the same.',
  arguments: rootFiles,
  flags,
  examples: [
    'attune apply',
    'attune apply --plan plan.json --yes',
    'attune apply --yes --max-deletes 3 --format json',
  ],
  learnMore: 'docs/guides/ci.md',
  report: 'apply',
  run: async ({ files }, given, session) => {
    checkFlags(given);
    await checkApplyOptions(session);
    const { plan, yes } = given;
    const again = commandLine(['attune', 'apply', ...repeatedWords(files, given)]);
    // The completed changes differ from a saved plan, so the rest needs another one.
    const next =
      plan === undefined
        ? `run \`${again}\` again to retry`
        : 'run `attune plan --out` again to plan the rest';
    return await withPlans(
      plan === undefined ? { purpose: 'apply', files } : { purpose: 'replan', files, plan },
      session,
      (planned) => applyPlans(planned, session, { yes, retry: () => next }),
    );
  },
});

/** The addresses of a saved plan were selected when it was made, so it is applied as a whole. */
function checkFlags({ plan, only = [], base, onlyChanged, due }: FlagValues<typeof flags>): void {
  const other = plan === undefined ? onlyChanged && '--only-changed' : '--plan';
  if (due && other)
    throw usageError(`--due cannot be used with ${other}`, 'run it alone: it plans what is due now');
  if (plan !== undefined && only.length > 0) {
    throw usageError(
      '--only cannot be used with --plan: a saved plan is applied as a whole',
      'give --only to `attune plan --out`',
    );
  }
  if (plan !== undefined && (base !== undefined || onlyChanged)) {
    throw usageError(
      `--${base === undefined ? 'only-changed' : 'base'} cannot be used with --plan: a saved plan keeps its base`,
      'give it to `attune plan --out`',
    );
  }
}
