import { expect, test } from 'vitest';
import { adminGuardsOf } from '../../src/check/keep-admin.ts';
import { configured } from '../desired/load-files.ts';

test('the teams of guards.keep-admin guard a project, unless it is deleted or outside the scope', async () => {
  const configuration = await configured(`teams: {sre: team-sre, ops: team-ops}
projects: {base: prj-1, other: prj-2, old: {id: prj-old, name: Old, manage: true, state: absent}}
scope: {projects: [base, old]}
guards: {keep-admin: [sre, ops]}
`);
  const guardsOf = adminGuardsOf(configuration);
  const lists = [new Set(['team-sre', 'team-ops'])];
  expect(['prj-1', 'prj-2', 'prj-old'].map(guardsOf)).toEqual([lists, [], []]);
  expect(adminGuardsOf(await configured(''))('prj-1')).toEqual([]);
});
