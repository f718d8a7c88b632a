import { expect, test } from 'vitest';
import { organizationFacts, warnOfHiddenTeams, withRecovery } from '../../src/check/organization-facts.ts';
import type { LiveSource } from '../../src/live/read-live.ts';
import type { Plan } from '../../src/model/plan.ts';
import { configured } from '../desired/load-files.ts';
import { emptyLive } from '../support/empty-plan.ts';
import { rowsIn } from '../support/rows.ts';
import { findings } from './findings.ts';

/** A source of an organization with these attributes; without a document if there are none, and with an error for `unread`. */
function sourceOf(attributes: object | 'unread' | undefined, access: object = {}): LiveSource {
  const organization = async () => {
    if (attributes === 'unread') throw new Error('reads the organization');
    return { isReadable: true, ...(attributes && { document: { attributes } }) };
  };
  return { access: { organization, ...access } } as unknown as LiveSource;
}

test('only assessments that a plan switches off and the organization enforces have a note', async () => {
  const configuration = await configured('workspaces: {app: {assessments-enabled: false}}\n');
  const changed = (address: string, ...fields: readonly (readonly [path: string, after: unknown])[]) => ({
    address,
    fields: fields.map(([path, after]) => ({ path, after })),
  });
  const off = changed('workspace.app', ['assessments-enabled', false], ['auto-apply', true]);
  const others = [
    changed('workspace.b', ['assessments-enabled', true], ['auto-apply', false]),
    changed('workspace.c', ['auto-apply', false]),
  ];
  const notes = async (changes: readonly object[], source: object) =>
    (
      await findings(organizationFacts, {
        ...{ difference: { changes }, configuration, source, live: emptyLive, chosen: () => true },
      })
    ).map(({ message, location }) => [message.split(':')[0], location?.column]);
  const enforced = sourceOf({ 'assessments-enforced': true });
  expect(await notes([...others, off], enforced)).toEqual([['workspace.app', 20]]);
  const elsewhere = changed('workspace.elsewhere', ['assessments-enabled', false]);
  expect(await notes([elsewhere, off], enforced)).toEqual([['workspace.elsewhere (and 1 more)', undefined]]);
  expect(await notes(others, sourceOf('unread'))).toEqual([]);
  for (const attributes of [{ 'assessments-enforced': false }, {}, undefined])
    expect(await notes([off], sourceOf(attributes))).toEqual([]);
  expect(await notes([off], { access: undefined })).toEqual([]);
});

interface Token {
  readonly caller?: { readonly kind?: string; readonly id: string };
  /** By id: the members, and whether the team sees secret teams. */
  readonly teams?: Readonly<Record<string, readonly [members: readonly string[] | null, sees: boolean]>>;
  readonly permissions?: unknown;
}

test.each(rowsIn<[Token, boolean]>`
- [{caller: {kind: teams, id: team-a}, teams: {team-b: [[user-2], false], team-a: [[user-1], true]}}, false]
- [{caller: {kind: teams, id: user-1}, teams: {team-a: [[user-1], true]}}, true]
- [{caller: {kind: users, id: team-a}, teams: {team-a: [[user-1], true]}}, true]
- [{caller: {kind: users, id: user-2}, teams: {team-b: [[user-2], false], team-a: [[user-1], true]}}, true]
- [{caller: {kind: users, id: user-1}, teams: {team-a: [null, true]}}, true]
- [{caller: {kind: users, id: user-1}}, false]
- [{teams: {}}, false]
- [{caller: {id: x}, teams: {}}, false]
- [{caller: {kind: organizations, id: acme}, teams: {}}, false]
`)('whether a token may not see secret teams: %j', async ({ caller, teams, ...given }, isWarned) => {
  const permissions = 'permissions' in given ? given.permissions : { 'can-destroy': false };
  const listed =
    teams &&
    Object.entries(teams).map(([id, [members, seesSecretTeams]]) => ({
      ...{ id, members: members ?? undefined, seesSecretTeams },
    }));
  const access = { caller: async () => caller, teams: async () => listed };
  const source = sourceOf({ permissions }, access);
  const configuration = await configured('');
  expect((await warnOfHiddenTeams('', { configuration, source })).length > 0).toBe(isWarned);
});

test('hidden teams are a warning only if access to terraform projects is pruned', async () => {
  const plain = await configured('');
  const pruning = await configured('prune: {team-access: true}\n');
  const source = sourceOf(
    { permissions: { 'can-destroy': false } },
    { caller: () => ({ kind: 'users' }), teams: () => [] },
  );
  const isWarned = async (given: object, configuration = pruning) => {
    const live = { ...emptyLive, dialect: 'terraform', projects: ['prj-1'], ...given };
    const found = await findings(organizationFacts, {
      ...{ configuration, live, difference: { changes: [] }, source, chosen: () => true },
    });
    return found.length > 0;
  };
  expect([await isWarned({}), await isWarned({}, { ...plain, roots: [plain, pruning] })]).toEqual([
    true,
    true,
  ]);
  expect([await isWarned({ dialect: 'iac' }), await isWarned({ projects: [] })]).toEqual([false, false]);
});

test('a plan shows which deletes can be undone where the service keeps deleted workspaces', async () => {
  const kinds = [
    { action: 'delete', kind: 'workspace', facts: { project: 'prj-1' } },
    { action: 'delete', kind: 'project', id: 'prj-2' },
    { action: 'delete', kind: 'team-access' },
    { action: 'update', kind: 'workspace' },
    { action: 'update', kind: 'project', id: 'prj-1' },
  ];
  const inDeletedProject = { action: 'delete', kind: 'workspace', facts: { project: 'prj-2' } };
  const planOf = (dialect: string, changes: readonly object[] = kinds) =>
    ({ organization: 'acme', dialect, changes }) as unknown as Plan;
  const keeping = (value: unknown) => sourceOf({ 'recoverable-items-enabled': value });
  const recoveries = async (value: unknown) =>
    (await withRecovery(planOf('terraform', [...kinds, inDeletedProject]), keeping(value))).changes.map(
      ({ recovery }) => recovery,
    );
  expect(await recoveries(true)).toEqual(['recoverable', 'final', undefined, undefined, undefined, 'final']);
  expect(await recoveries(false)).toEqual(['final', 'final', undefined, undefined, undefined, 'final']);
  const unchanged = async (plan: Plan, source: Pick<LiveSource, 'access'>) =>
    expect(await withRecovery(plan, source)).toBe(plan);
  await unchanged(planOf('terraform'), keeping(undefined));
  await unchanged(planOf('terraform'), { access: undefined });
  await unchanged(planOf('iac'), sourceOf('unread'));
  await unchanged(planOf('terraform', kinds.slice(2)), sourceOf('unread'));
});
