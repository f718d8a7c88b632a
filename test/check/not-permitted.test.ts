import { expect, test } from 'vitest';
import { permitted } from '../../src/check/not-permitted.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';
import { findings } from './findings.ts';

test('denials of projects are read only if the run lists projects', async () => {
  const configuration = await configured('');
  const update = { kind: 'workspace', address: 'workspace.api', action: 'update' };
  const moved = { ...update, fields: [{ path: 'project', after: 'prj-1' }] };
  const named = { ...configuration, known: new Map([['projects', new Map()]]) };
  const lists = async (change: object, given: object = {}) => {
    const asked: unknown[] = [];
    await findings(permitted, {
      ...{ configuration, live: emptyLive, query: {}, request: { purpose: 'apply' } },
      ...{ difference: { changes: [change] }, plan: { changes: [] } },
      source: {
        objects: async (_: string, kind: string, options: object) => asked.push([kind, options]) && [],
      },
      ...given,
    });
    return asked;
  };
  expect(await lists({ ...update, fields: [] })).toEqual([]);
  expect(await lists(moved, { request: { purpose: 'undo' } })).toEqual([]);
  expect(await lists(moved)).toEqual([['projects', { bindings: false }]]);
  const given = { configuration: named, query: { bindings: true } };
  expect(await lists({ ...update, fields: [] }, given)).toEqual([['projects', { bindings: true }]]);
});

test('the recovery of a deleted workspace does not need the permission to create one', async () => {
  const configuration = { ...(await configured('')), known: new Map([['projects', new Map()]]) };
  const workspace = { kind: 'workspace', address: 'workspace.api', name: 'api', action: 'create' };
  const change = { ...workspace, fields: [], target: { attributes: { project: 'prj-1' } } };
  const denials = async (operations: readonly string[], permissions = {}, purpose = 'apply') => {
    const calls = operations.map((operation) => ({ operation }));
    const found = await findings(permitted, {
      ...{ configuration, live: emptyLive, query: {}, request: { purpose } },
      ...{ difference: { changes: [change] }, plan: { changes: [{ ...change, calls }] } },
      source: {
        access: { organizationIfRead: async () => ({ document: { attributes: { permissions } } }) },
        objects: async () => [{ id: 'prj-1', denied: ['can-create-workspace'] }],
      },
    });
    return found.map(({ message }) => message);
  };
  const recovery = ['recoverWorkspace', 'createWorkspace'];
  const lacking = 'workspace.api cannot be created: this token has no';
  expect(await denials(['createWorkspace'])).toEqual([`${lacking} can-create-workspace on project prj-1`]);
  expect(await denials(recovery)).toEqual([]);
  expect(await denials(recovery, { 'can-manage-recoverable-items': false })).toEqual([
    `${lacking} can-manage-recoverable-items in organization acme`,
  ]);
  const ofReview = ['the token of this plan may not make 1 of its changes'];
  expect(await denials(['createWorkspace'], {}, 'review')).toEqual(ofReview);
  expect(await denials(recovery, {}, 'review')).toEqual([]);
});
