import { expect, test } from 'vitest';
import { checkDenied, leftToApply } from '../../src/check/not-permitted.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { Change } from '../../src/model/change.ts';
import type { Call, PlannedChange } from '../../src/model/plan.ts';
import { configured } from '../desired/load-files.ts';

const create: Call = { operation: 'createWorkspace', method: 'POST', path: '/organizations/acme/workspaces' };
const recover: Call = {
  operation: 'recoverWorkspace',
  method: 'PUT',
  path: '/recoverable-items/item-1/actions/recover',
  recovers: 'ws-1',
};

async function denials(calls: readonly Call[], permissions = {}): Promise<readonly string[]> {
  const configuration = await configured('');
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
  const diagnostics = await checkDenied({
    configuration,
    live: { state: { organization: 'acme', resources: new Map() } } as unknown as Live,
    changes: [change],
    planned: [{ ...change, calls } as unknown as PlannedChange],
    listed: [{ id: 'prj-1', denied: ['can-create-workspace'] }],
    source: {
      access: { organizationIfRead: async () => ({ document: { attributes: { permissions } } }) },
    } as unknown as LiveSource,
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

test('a plan without refused calls leaves nothing to the token of the apply', () => {
  expect(leftToApply([])).toEqual([]);
});
