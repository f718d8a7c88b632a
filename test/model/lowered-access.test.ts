import { expect, test } from 'vitest';
import type { GrantChange } from '../../src/model/change.ts';
import { loweredAccess, mayLowerAccess } from '../../src/model/lowered-access.ts';
import { impliedPermissions } from '../../src/model/permissions.ts';
import type { MoveEffect } from '../../src/model/plan.ts';
import type { GrantValues } from '../../src/model/state.ts';

type Given = Omit<GrantValues, 'project' | 'team'>;

function lowered(
  before: Given | undefined,
  after: Given | undefined,
  action: GrantChange['action'] = 'update',
) {
  const grant = { kind: 'team-access', address: 'team-access.p/t', name: 'p/t' } as const;
  const values = (given: Given) => ({ project: 'prj-1', team: 'team-1', ...given }) as GrantValues;
  return loweredAccess({
    ...grant,
    action,
    fields: [],
    ...(before && { live: { ...grant, attributes: values(before) } }),
    ...(after && { target: { ...grant, attributes: values(after) } }),
  });
}

const custom = (permissions: Given): Given => ({ access: 'custom', ...permissions });

test('an admin with all permissions of a custom level is lowered', () => {
  expect(lowered({ access: 'admin' }, custom(impliedPermissions.admin))).toBe(true);
  expect(lowered({ access: 'maintain' }, custom(impliedPermissions.maintain))).toBe(false);
});

test('a new grant, a higher level and the same permissions are not lower access', () => {
  expect(lowered(undefined, { access: 'read' }, 'create')).toBe(false);
  expect(lowered({ access: 'read' }, { access: 'write' })).toBe(false);
  expect(lowered({ access: 'admin' }, { access: 'admin' })).toBe(false);
  expect(
    lowered(custom({ 'workspace-access.runs': 'plan' }), custom({ 'workspace-access.runs': 'plan' })),
  ).toBe(false);
});

test('a move lowers the access of teams that have less of it afterwards, or may have', () => {
  const move = (team: Partial<MoveEffect['teams'][number]>, unknown: readonly string[] = []) =>
    mayLowerAccess({
      workspace: 'app',
      from: 'one',
      to: 'two',
      teams: [
        { team: 'sre', before: 'read', after: 'read', permissions: [], ...team },
        { team: 'ops', before: 'read', after: 'read', permissions: [] },
      ] as MoveEffect['teams'],
      unknown,
    });
  expect(move({})).toBe(false);
  expect(move({ before: 'admin', after: 'admin' })).toBe(false);
  expect(move({ before: 'write', after: 'admin' })).toBe(false);
  expect(move({ before: 'admin', after: 'maintain' })).toBe(true);
  expect(move({ after: 'unknown' })).toBe(true);
  const runs = (before: string, after: string) =>
    move({ permissions: [{ path: 'workspace-access.runs', before, after }] });
  expect(runs('apply', 'read')).toBe(true);
  expect(runs('read', 'apply')).toBe(false);
  expect(move({}, ['two'])).toBe(false);
  expect(move({}, ['one'])).toBe(true);
});
