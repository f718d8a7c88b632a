import { expect, test } from 'vitest';
import { adminGuardsOf, guards } from '../../src/check/guards.ts';
import type { LiveSource } from '../../src/live/read-live.ts';
import { ServiceError } from '../../src/service/service-error.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';
import { findings } from './findings.ts';

test('the teams of guards.keep-admin guard a project, unless it is deleted or outside the scope', async () => {
  const configuration = await configured(`teams: {sre: team-sre, ops: team-ops}
projects: {base: prj-1, other: prj-2, old: {id: prj-old, name: Old, manage: true, state: absent}}
scope: {projects: [base, old]}
guards: {keep-admin: [sre, ops]}
`);
  const guardsOf = adminGuardsOf(configuration);
  expect(['prj-1', 'prj-2', 'prj-old'].map(guardsOf)).toEqual([[new Set(['team-sre', 'team-ops'])], [], []]);
  expect(adminGuardsOf(await configured(''))('prj-1')).toEqual([]);
});

test('a failing read of grants ends a plan with its own error, unless the token may not read them', async () => {
  const configuration = await configured('projects: {base: prj-1}\nguards: {keep-admin: [team-sre]}\n');
  const [keepAdmin] = guards;
  const checked = (error: Error) => {
    const source = { read: () => Promise.reject(error) } as unknown as LiveSource;
    const difference = { changes: [], after: [] };
    const request = { purpose: 'apply' };
    return findings(keepAdmin, { configuration, live: emptyLive, difference, source, request });
  };
  const failing = (status: number) => new ServiceError({ method: 'GET', path: '/team-projects' }, status, []);
  for (const error of [new Error('connection reset'), failing(500)])
    await expect(checked(error)).rejects.toBe(error);
  for (const status of [403, 404])
    await expect(checked(failing(status))).rejects.toMatchObject({
      diagnostics: [{ severity: 'error', code: 'keep-admin' }],
    });
});
