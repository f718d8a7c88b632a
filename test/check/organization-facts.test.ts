import { expect, test } from 'vitest';
import {
  assessments,
  visibility,
  warnOfHiddenTeams,
  withRecovery,
} from '../../src/check/organization-facts.ts';
import type { AccessFacts, Caller, TeamFacts } from '../../src/live/access-facts.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Live } from '../../src/live/read-live.ts';
import type { Change } from '../../src/model/change.ts';
import type { Dialect } from '../../src/model/dialect.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { configured } from '../desired/load-files.ts';
import { findings } from './findings.ts';

const names = [...'abcdefghij'];

/** The warnings of a plan that creates ten declared workspaces, of which a part was read. */
async function warnings(workspaceTotal: number | undefined, isReadable = true): Promise<readonly string[]> {
  const configuration = await configured(`workspaces: {${names.map((name) => `${name}: {}`)}}\n`);
  const live = {
    state: { organization: 'acme', resources: new Map() },
    whole: false,
    ...(workspaceTotal !== undefined && { workspaceTotal }),
  } as unknown as Live;
  const changes = names.map(
    (name) => ({ kind: 'workspace', address: `workspace.${name}`, action: 'create' }) as unknown as Change,
  );
  const source = { access: { organization: async () => ({ isReadable }) } } as unknown as LiveSource;
  const input = { configuration, live, difference: { changes }, source, chosen: () => true };
  return (await findings(visibility, input)).map(({ message }) => message);
}

test('a plan that creates all workspaces of an empty or unreadable organization has a warning', async () => {
  const warning = (why: string) => [
    `the plan creates 10 of 10 declared workspaces, and ${why}: can this token see organization acme?`,
  ];
  expect(await warnings(0)).toEqual(warning('the list of workspaces is empty'));
  expect(await warnings(5)).toEqual([]);
  expect(await warnings(undefined)).toEqual([]);
  expect(await warnings(5, false)).toEqual(
    warning('this token may not read the settings of the organization'),
  );
});

const facts = (given: Partial<AccessFacts>) =>
  ({ access: given as AccessFacts }) satisfies Pick<LiveSource, 'access'>;
const organization = (attributes?: Readonly<Record<string, unknown>>) => async () => ({
  isReadable: true,
  ...(attributes && { document: { id: 'acme', type: 'organizations', attributes, relationships: {} } }),
});

test('only assessments that a plan switches off and the organization enforces have a note', async () => {
  const configuration = await configured('workspaces: {app: {assessments-enabled: false}}\n');
  const changed = (address: string, ...fields: readonly [path: string, after: unknown][]) =>
    ({ address, fields: fields.map(([path, after]) => ({ path, after })) }) as unknown as Change;
  const off = changed('workspace.app', ['assessments-enabled', false], ['auto-apply', true]);
  const others = [
    changed('workspace.b', ['assessments-enabled', true], ['auto-apply', false]),
    changed('workspace.c', ['auto-apply', false]),
  ];
  const notes = async (changes: readonly Change[], source: Pick<LiveSource, 'access'>) =>
    (await findings(assessments, { difference: { changes }, configuration, source })).map(
      ({ message, location }) => [message.split(':')[0], location?.column],
    );
  const enforced = facts({ organization: organization({ 'assessments-enforced': true }) });
  expect(await notes([...others, off], enforced)).toEqual([['workspace.app', 20]]);
  const elsewhere = changed('workspace.elsewhere', ['assessments-enabled', false]);
  expect(await notes([elsewhere, off], enforced)).toEqual([['workspace.elsewhere (and 1 more)', undefined]]);
  const unread = async () => Promise.reject(new Error('reads the organization'));
  expect(await notes(others, facts({ organization: unread }))).toEqual([]);
  for (const attributes of [{ 'assessments-enforced': false }, {}, undefined])
    expect(await notes([off], facts({ organization: organization(attributes) }))).toEqual([]);
  expect(await notes([off], { access: undefined })).toEqual([]);
});

test('a token may not see secret teams unless it is of an owner, the organization or a team that sees them', async () => {
  const configuration = await configured('workspaces: {}\n');
  const team = (id: string, members: readonly string[] | undefined, seesSecretTeams: boolean) =>
    ({ id, members, seesSecretTeams }) as unknown as TeamFacts;
  const warned = async (
    caller: Pick<Caller, 'kind' | 'id'> | undefined,
    teams: readonly TeamFacts[] | undefined,
    permissions: unknown = { 'can-destroy': false },
  ) => {
    const source = facts({
      organization: organization({ permissions }),
      caller: async () => caller && { name: undefined, ...caller },
      teams: async () => teams,
    });
    return (await warnOfHiddenTeams('some are not counted', { configuration, source })).length > 0;
  };
  const user = { kind: 'users', id: 'user-1' };
  const ofTeam = { kind: 'teams', id: 'team-a' };
  const sees = [team('team-b', ['user-2'], false), team('team-a', ['user-1'], true)];
  expect(await warned(user, sees)).toBe(false);
  expect(await warned(ofTeam, sees)).toBe(false);
  expect(await warned({ kind: 'teams', id: 'user-1' }, sees)).toBe(true);
  expect(await warned({ kind: 'users', id: 'team-a' }, sees)).toBe(true);
  expect(await warned({ kind: 'users', id: 'user-2' }, sees)).toBe(true);
  expect(await warned({ kind: 'teams', id: 'team-b' }, sees)).toBe(true);
  expect(await warned(user, [team('team-a', undefined, true)])).toBe(true);
  expect(await warned(user, [])).toBe(true);
  // The service does not show whose token it is, or the teams.
  expect(await warned(user, undefined)).toBe(false);
  expect(await warned(undefined, [])).toBe(false);
  expect(await warned({ kind: undefined, id: 'x' }, [])).toBe(false);
  expect(await warned({ kind: 'organizations', id: 'acme' }, [])).toBe(false);
  expect(await warned(user, [], { 'can-destroy': true })).toBe(false);
  expect(await warned(user, [], {})).toBe(false);
  expect(await warned(user, [], null)).toBe(false);
  expect(await warnOfHiddenTeams('', { configuration, source: { access: undefined } })).toEqual([]);
});

test('a plan shows which deletes can be undone where the service keeps deleted workspaces', async () => {
  const changes = [
    ['delete', 'workspace'],
    ['delete', 'project'],
    ['delete', 'team-access'],
    ['update', 'workspace'],
  ].map(([action, kind]) => ({ action, kind }) as unknown as PlannedChange);
  const planOf = (dialect: Dialect, some = changes) =>
    ({ organization: 'acme', dialect, changes: some }) as unknown as Plan;
  const keeping = (value: unknown) =>
    facts({ organization: organization({ 'recoverable-items-enabled': value }) });
  const recoveries = async (value: unknown) =>
    (await withRecovery(planOf('terraform'), keeping(value))).changes.map(({ recovery }) => recovery);
  expect(await recoveries(true)).toEqual(['recoverable', 'final', undefined, undefined]);
  expect(await recoveries(false)).toEqual(['final', 'final', undefined, undefined]);
  const unread = facts({ organization: async () => Promise.reject(new Error('reads the organization')) });
  const unchanged = async (plan: Plan, source: Pick<LiveSource, 'access'>) =>
    expect(await withRecovery(plan, source)).toBe(plan);
  await unchanged(planOf('terraform'), keeping(undefined));
  await unchanged(planOf('terraform'), { access: undefined });
  await unchanged(planOf('iac'), unread);
  await unchanged(planOf('terraform', changes.slice(2)), unread);
});
