import { expect, test } from 'vitest';
import { permitted } from '../../src/check/not-permitted.ts';
import type { Change } from '../../src/model/change.ts';
import type { Call, PlanPurpose } from '../../src/model/plan.ts';
import { configured } from '../desired/load-files.ts';
import { findings } from './findings.ts';

const create: Call = { operation: 'createWorkspace', method: 'POST', path: '/organizations/acme/workspaces' };
const recover: Call = {
  operation: 'recoverWorkspace',
  method: 'PUT',
  path: '/recoverable-items/item-1/actions/recover',
  recovers: 'ws-1',
};

async function denials(
  calls: readonly Call[],
  granted = {},
  purpose: PlanPurpose = 'apply',
): Promise<readonly string[]> {
  const configuration = { ...(await configured('')), known: new Map([['projects', new Map()]]) };
  const change = {
    kind: 'workspace',
    address: 'workspace.api',
    name: 'api',
    action: 'create',
    fields: [],
    target: {
      kind: 'workspace',
      address: 'workspace.api',
      name: 'api',
      attributes: { project: 'prj-1' },
    },
  } as unknown as Change;
  const diagnostics = await findings(permitted, {
    configuration,
    live: { state: { organization: 'acme', resources: new Map() } },
    difference: { changes: [change] },
    plan: { changes: [{ ...change, calls }] },
    query: {},
    request: { purpose },
    source: {
      access: { organizationIfRead: async () => ({ document: { attributes: { permissions: granted } } }) },
      objects: async () => [{ id: 'prj-1', denied: ['can-create-workspace'] }],
    },
  });
  return diagnostics.map(({ message }) => message);
}

test('the recovery of a deleted workspace does not need the permission to create one', async () => {
  expect(await denials([create])).toEqual([
    'workspace.api cannot be created: this token has no can-create-workspace on project prj-1',
  ]);
  expect(await denials([recover, create])).toEqual([]);
  expect(await denials([recover, create], { 'can-manage-recoverable-items': false })).toEqual([
    'workspace.api cannot be created: this token has no can-manage-recoverable-items in organization acme',
  ]);
});

test('a plan for a review leaves refused calls to the token of the apply', async () => {
  expect(await denials([create], {}, 'review')).toEqual([
    'the token of this plan may not make 1 of its changes',
  ]);
  expect(await denials([recover, create], {}, 'review')).toEqual([]);
});
