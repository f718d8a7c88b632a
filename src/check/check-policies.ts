import { setImmediate as turn } from 'node:timers/promises';
import { type Diagnostic, problem, type Subject, showPlace } from '../model/diagnostic.ts';
import { type Feature, features } from '../model/dialect.ts';
import type { Plan } from '../model/plan.ts';
import { holdText, type Policy, type PolicyExpression, type PolicyResult } from '../model/rules.ts';
import type { CompileExpression } from '../policy/compile.ts';
import { ExpressionError, Meter, mostSteps, TooManyStepsError } from '../policy/meter.ts';
import type { Check } from './check.ts';
import type { PlannedState, PolicyTarget } from './policy-data.ts';

export const policies: Check = {
  codes: ['policy', 'policy-failed'],
  isOfRoot: true,
  except: [],
  find: (pass) => checkPolicies({ ...pass.plan, diagnostics: [] }, pass.configuration.policies ?? [], pass),
};

export async function checkPolicies(
  plan: Plan,
  policies: readonly Policy[],
  state?: PlannedState,
): Promise<Plan> {
  if (policies.length === 0) return plan;
  const { policyTargets } = await import('./policy-data.ts');
  const { loadCompiler } = await import('../policy/compile.ts');
  const compileExpression = await loadCompiler();
  const targets = policyTargets(plan, state);
  const holds = new Map(
    plan.changes.map(({ address, held: [hold] = [] }) => [address, hold && holdText(hold)]),
  );
  const checked: Checked[] = [];
  for (const policy of policies) {
    // A signal is handled between policies; each takes about a second at most.
    await turn();
    const why = whyNotEvaluated(policy, state);
    checked.push(
      why === undefined
        ? checkPolicy(policy, targets(policy.on), { compileExpression, holds })
        : { diagnostics: [why], result: resultOf(policy, { checked: 0, violations: 0, failed: true }) },
    );
  }
  // A saved plan has the results of the policies that it was made with.
  const ids = new Set(policies.map(({ id }) => id));
  const others = plan.diagnostics.filter(({ policy }) => policy === undefined || !ids.has(policy));
  const results = (plan.policies ?? []).filter(({ id }) => !ids.has(id));
  return {
    ...plan,
    diagnostics: [...others, ...checked.flatMap(({ diagnostics }) => diagnostics)],
    policies: [...results, ...checked.map(({ result }) => result)],
  };
}

/** Why changes wait, by their addresses. */
type Holds = ReadonlyMap<string, string | undefined>;

interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly result: PolicyResult;
}

function checkPolicy(
  policy: Policy,
  targets: readonly PolicyTarget[],
  { compileExpression, holds }: { compileExpression: CompileExpression; holds: Holds },
): Checked {
  const meter = new Meter();
  const compiled = ({ text }: PolicyExpression) => compileExpression(text, policy.on, meter);
  const when = policy.when && compiled(policy.when);
  const require = compiled(policy.require);
  const violations: Diagnostic[] = [];
  const errors: Diagnostic[] = [];
  let checked = 0;
  for (const target of targets) {
    let expression = policy.when ?? policy.require;
    try {
      if (when && !applies(when, target)) continue;
      checked += 1;
      expression = policy.require;
      if (!require.evaluate(target.data)) violations.push(violation(policy, target, holds));
    } catch (error) {
      if (error instanceof TooManyStepsError) {
        errors.push(tooLong(policy));
        break;
      }
      if (!(error instanceof ExpressionError)) throw error;
      const { address } = target;
      const at = { address, location: expression.at(error.offset) };
      errors.push(
        notEvaluated(policy, error.message, { ...at, hint: error.hint, of: address ?? 'the plan' }),
      );
    }
  }
  const isUnused = when !== undefined && checked === 0 && errors.length === 0;
  return {
    diagnostics: [...errors, ...violations],
    result: resultOf(policy, {
      checked,
      violations: violations.length,
      notApplicable: isUnused ? true : undefined,
      failed: errors.length > 0 ? true : undefined,
    }),
  };
}

function applies(when: { evaluate(value: unknown): boolean }, { data, former = [] }: PolicyTarget): boolean {
  return [data, ...former].some((view) => when.evaluate(view));
}

type Figures = Pick<PolicyResult, 'checked' | 'violations' | 'notApplicable' | 'failed'>;

function resultOf({ id, on, severity, location }: Policy, figures: Figures): PolicyResult {
  return { id, on, severity, file: location.file, ...figures };
}

function violation(policy: Policy, { address, location }: PolicyTarget, holds: Holds): Diagnostic {
  const { id, severity, message, require } = policy;
  const what = location ? 'declaration' : 'configuration';
  // No declaration changes what is held, or what an undo reverts.
  const hold = holds.get(address ?? '');
  const out = hold || (address && !location) ? ', or leave it out with --only' : '';
  const when = hold ? ` while it is held (${hold})` : '';
  return problem('policy', `${address ?? 'the plan'} violates policy ${id}: ${message}`, {
    severity,
    at: { address, policy: id, location: location ?? policy.location },
    hint: `change the ${what} so that it meets the requirement at ${showPlace((require.namedAt ?? require.at)(0))}${out}${when}`,
  });
}

/** @param at where, what to do, and `of` what it cannot be evaluated for */
function notEvaluated(
  { id }: Policy,
  why: string,
  { of, hint, ...at }: Subject & { readonly of?: string; readonly hint: string },
): Diagnostic {
  const policy = of === undefined ? id : `${id} for ${of}`;
  return problem('policy-failed', `cannot evaluate policy ${policy}: ${why}`, {
    at: { policy: id, ...at },
    hint,
  });
}

function tooLong(policy: Policy): Diagnostic {
  const why = `it takes more than ${mostSteps.toLocaleString('en-US')} steps`;
  const or = policy.on === 'change' ? '' : ', or set `on: change` to evaluate one change at a time';
  const hint = `replace nested loops and long lists with simpler conditions${or}`;
  return notEvaluated(policy, why, { location: policy.require.at(0), hint });
}

function whyNotEvaluated(policy: Policy, state: PlannedState | undefined): Diagnostic | undefined {
  const { on, location } = policy;
  if (state === undefined) {
    if (on === 'change' || on === 'plan') return undefined;
    return notEvaluated(policy, `it is on ${on}, and a saved plan does not contain the state of resources`, {
      location,
      hint: 'pass the file to `attune plan` or `attune apply --plan` with the configuration files, which read the live state',
    });
  }
  const without = state.configuration.service.without ?? [];
  const feature = without.find((one) => readByPolicies[one]?.(policy));
  if (feature === undefined) return undefined;
  // Else a declaration, which the policy may not trust, would leave nothing for it to check.
  return notEvaluated(policy, `it reads ${features[feature]}, which service.without leaves out`, {
    location,
    hint: `remove ${feature} from service.without: Attune detects what a service does not offer`,
  });
}

const readByPolicies: { readonly [Name in Feature]?: (policy: Policy) => boolean } = {
  'remote-state-consumers': mentions(/\b(consumers|consumerProjects|consumerProjectIds|readers)\b/),
  'tag-bindings': mentions(/\b(tagBindings|effectiveTagBindings)\b/),
  'data-retention': mentions(/\bdataRetention\b/),
  'team-access': ({ on }) => on === 'grant',
};

function mentions(field: RegExp): (policy: Policy) => boolean {
  return ({ when, require }) => field.test(require.text) || (when !== undefined && field.test(when.text));
}
