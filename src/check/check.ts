import type { Difference } from '../diff/diff.ts';
import type { LiveQuery } from '../live/live-query.ts';
import type { Live, LiveSource } from '../live/read-live.ts';
import type { Configuration } from '../model/configuration.ts';
import type { Diagnostic } from '../model/diagnostic.ts';
import type { Plan, PlanPurpose } from '../model/plan.ts';
import type { PlanRequest } from '../resolve/plan-request.ts';
import type { readPolicyNames } from './policy-identity.ts';

export type LimitOverrides = { readonly [Kind in 'deletes' | 'revokes' | 'updates']?: number | undefined };

/** A plan and what it was made from. */
export interface Pass {
  readonly configuration: Configuration;
  readonly live: Live;
  readonly difference: Difference;
  readonly plan: Plan;
  /** Where a check reads more. It reads only for a plan that needs it. */
  readonly source: LiveSource;
  readonly query: LiveQuery;
  readonly names: Awaited<ReturnType<typeof readPolicyNames>>;
  readonly chosen: (address: string) => boolean;
  readonly request: PlanRequest & { readonly purpose: PlanPurpose };
  readonly overrides: LimitOverrides;
}

type Findings = readonly Diagnostic[] | Pick<Plan, 'diagnostics' | 'policies'>;

export interface Check {
  readonly codes: readonly string[];
  /** Whether it checks each root file with its part of the plan. @default false, which checks the organization */
  readonly isOfRoot?: true;
  /** The purposes of plans that it does not check. @default a drift report, which changes nothing */
  readonly except?: readonly PlanPurpose[];
  find(pass: Pass): Findings | Promise<Findings>;
}
