import type { Plan } from '../../src/model/plan.ts';

/** A plan without changes, for tests of functions that take a plan. */
export const emptyPlan: Plan = {
  organization: 'acme',
  address: 'embedded',
  dialect: 'iac',
  summary: { create: 0, update: 0, delete: 0, unchanged: 0, calls: 0 },
  changes: [],
  unmanaged: [],
  diagnostics: [],
  effects: { stateAccess: [], moves: [] },
  overview: { workspaces: [], grants: [], scope: 'none' },
};
