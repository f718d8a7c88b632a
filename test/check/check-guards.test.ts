import { expect, test } from 'vitest';
import { keepAdmin } from '../../src/check/keep-admin.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Change } from '../../src/model/change.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive as live } from '../support/empty-plan.ts';
import { findings } from './findings.ts';

/** The queries of the last check. */
const asked: unknown[] = [];

/** Guards of a plan that changes one grant, with a source that fails. */
async function checked(error: Error, changes: readonly Change[] = []) {
  const configuration = await configured('projects: {base: prj-1}\nguards: {keep-admin: [team-sre]}\n');
  asked.length = 0;
  const source = {
    read: (query: unknown) => {
      asked.push(query);
      return Promise.reject(error);
    },
    access: {
      teams: async () => [],
      caller: async () => undefined,
      organization: async () => ({ isReadable: undefined }),
    },
  } as unknown as LiveSource;
  const diagnostics = await findings(keepAdmin, {
    configuration,
    live: changes.length > 0 ? { ...live, projects: ['prj-1'] } : live,
    difference: { changes, after: [] },
    source,
    request: { purpose: 'apply' },
  });
  return { diagnostics };
}

test('a failing read of grants ends a plan with its own error, unless the token may not read them', async () => {
  const failing = (status: number) => new ServiceError({ method: 'GET', path: '/team-projects' }, status, []);
  const broken = new Error('connection reset');
  await expect(checked(broken)).rejects.toBe(broken);
  const unavailable = failing(500);
  await expect(checked(unavailable)).rejects.toBe(unavailable);
  for (const status of [403, 404])
    await expect(checked(failing(status))).rejects.toMatchObject({
      diagnostics: [{ severity: 'error', code: 'keep-admin' }],
    });
});

test('only the grants of the project are read', async () => {
  const failure = checked(new Error('connection reset'));
  await expect(failure).rejects.toThrow('connection reset');
  expect(asked).toEqual([
    {
      organization: 'acme',
      dialect: 'terraform',
      names: [],
      whole: false,
      consumersOf: new Set(),
      retentionOf: new Set(),
      projects: ['prj-1'],
    },
  ]);
});

test('the error about a lost admin has the address of the change, and one without such a change has none', async () => {
  const grant = { kind: 'team-access', address: 'team-access.base/sre', name: 'base/sre' } as const;
  const attributes = { project: 'prj-1', team: 'team-sre', access: 'admin' } as const;
  const change = (values: object): Change => ({
    ...grant,
    action: 'delete',
    live: { ...grant, attributes: { ...attributes, ...values } },
    fields: [],
  });
  const addresses = async (...changes: readonly Change[]) =>
    (await checked(new Error('not read'), changes)).diagnostics.map((one) => 'address' in one && one.address);
  expect(await addresses(change({}))).toEqual(['team-access.base/sre']);
  for (const other of [{ project: 'prj-2' }, { team: 'team-dev' }, { access: 'write' }])
    expect(await addresses(change(other))).toEqual([false]);
});
