import type { Live } from '../../src/live/read-live.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';

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

/** An update of the workspace `app` without a field or a call. */
export const updateOfApp: PlannedChange = {
  address: 'workspace.app',
  kind: 'workspace',
  name: 'app',
  action: 'update',
  fields: [],
  calls: [],
  dependsOn: [],
};

/** A live state of which nothing was read. */
export const emptyLive: Live = {
  state: { organization: 'acme', resources: new Map() },
  dialect: 'terraform',
  whole: false,
  scopeWhole: false,
  projects: [],
  names: new Map(),
  missing: [],
  diagnostics: [],
};
