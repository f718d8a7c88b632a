import { checkApplyOptions } from '../../run/apply-journals.ts';
import { withPlans } from '../../run/with-plans.ts';
import { applyPlans } from '../apply-plans.ts';
import { defineCommand } from '../command.ts';
import { switchFlag, textFlag } from '../flag.ts';
import { comparisonFlags, dueFlag, freezeFlags, journalFlags, planningFlags, rootFiles } from '../flags.ts';

// The addresses of a saved plan were selected when it was made, so it is applied as a whole.
const toPlan = 'give it to `attune plan --out`';
const dueAlone = 'run it alone: it plans what is due now';

export default defineCommand({
  details:
    'Shows the plan, asks for confirmation and makes the changes. If a change fails, those that do not depend on it continue; run apply again to retry the rest. With --plan, Attune plans again and applies the saved plan only if the new plan is the same.',
  arguments: rootFiles,
  flags: {
    ...comparisonFlags,
    ...planningFlags,
    ...dueFlag,
    plan: textFlag('file', 'apply this saved plan; fails if planning it again gives other changes'),
    ...freezeFlags,
    ...journalFlags,
    yes: switchFlag('apply without asking for confirmation'),
  },
  conflicts: [
    ['due', 'plan', dueAlone],
    ['due', 'onlyChanged', dueAlone],
    ['only', 'plan', toPlan],
    ['base', 'plan', toPlan],
    ['onlyChanged', 'plan', toPlan],
  ],
  examples: [
    'attune apply',
    'attune apply --plan plan.json --yes',
    'attune apply --yes --max-deletes 3 --format json',
  ],
  learnMore: 'docs/guides/ci.md',
  report: 'apply',
  run: async ({ files }, given, session) => {
    await checkApplyOptions(session);
    const { plan, yes } = given;
    if (plan === undefined)
      return await withPlans({ purpose: 'apply', files }, session, (planned) =>
        applyPlans(planned, session, { yes }),
      );
    // The completed changes differ from a saved plan, so the rest needs another one.
    const retry = 'run `attune plan --out` again to plan the rest';
    return await withPlans({ purpose: 'replan', files, plan }, session, (planned) =>
      applyPlans(planned, session, { yes, retry }),
    );
  },
});
