import { hasErrors } from '../../model/diagnostic.ts';
import { defineCommand } from '../command.ts';
import { hidden, requiredArgument } from '../flag.ts';
import { changeOutputFlags, planningFlags, policyFlags } from '../flags.ts';

export const show = defineCommand({
  name: 'show',
  description: 'print a saved plan in any output format',
  details: 'Renders a plan that was saved with `attune plan --out`. Sends no request and needs no token.',
  arguments: { file: requiredArgument('file written by `attune plan --out`') },
  flags: { ...policyFlags, ...changeOutputFlags, ...hidden(planningFlags) },
  examples: [
    'attune show plan.json',
    'attune show plan.json --policy guardrails.yaml',
    'attune show plan.json --format html > plan.html',
  ],
  learnMore: 'docs/guides/ci.md',
  report: 'plan',
  run: async ({ file }, _flags, session) => {
    const { readPlanFile } = await import('../files/input-files.ts');
    const { emit } = await import('../emit.ts');
    const { checkSavedPlans } = await import('../organizations/saved-policies.ts');
    const plans = await checkSavedPlans(await readPlanFile(file, session.io.cwd), session);
    // The files may have changed since the plan was saved, so source lines are not shown.
    const entries = plans.map((plan) => ({
      plan,
      diagnostics: plan.diagnostics,
      path: (place: string) => place,
    }));
    await emit(session, { kind: 'plan', entries });
    return plans.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0;
  },
});
