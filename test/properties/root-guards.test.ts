import fc from 'fast-check';
import { expect, test } from 'vitest';
import { guardSelects } from '../../src/model/selector.ts';
import { worldWith } from '../support/attune.ts';
import { cases } from '../support/cases.ts';
import { type LiveFacts, liveFacts } from './live-facts.ts';

const projects = { One: 'prj-1', Two: 'prj-2', Three: 'prj-3' };
const teams = { sre: 'team-1', ops: 'team-2', dev: 'team-3' };
const workspaces = ['app', 'app-prod', 'Base', 'web'] as const;

const either = <Key extends string>(table: Readonly<Record<Key, string>>) =>
  fc.constantFrom(...(Object.keys(table) as Key[]), ...(Object.values(table) as string[]));
const project = either(projects);
const team = either(teams);

const seeds = fc.record({
  workspaces: fc.record(
    Object.fromEntries(
      workspaces.map((name) => [
        name,
        fc.record({ project: fc.constantFrom('One', 'Two'), tags: fc.subarray(['keep', 'web']) }),
      ]),
    ),
  ),
  access: fc.record(
    Object.fromEntries(
      Object.keys(projects).map((name) => [
        name,
        fc.record({ sre: fc.constant('admin'), ops: fc.constantFrom('admin', 'read') }),
      ]),
    ),
  ),
});

const guards = fc.record(
  {
    protect: fc.array(
      fc.oneof(
        fc.constantFrom('*-PROD', 'base', 'w*'),
        fc.record({ tag: fc.constant('keep') }),
        fc.record({ project }),
      ),
      { minLength: 1, maxLength: 2 },
    ),
    'keep-admin': fc.uniqueArray(team, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: [] },
);

const tombstone = fc.record({ state: fc.constant('absent'), delete: fc.constantFrom('safe', 'force') });
const managed = fc.oneof(
  fc.record({ protect: fc.constant(true) }),
  fc.record({ state: fc.constant('absent') }),
  fc.constant({}),
);

/** What a root file declares: resources by id or name, and what it deletes. */
const roots = fc.record(
  {
    guards,
    workspaces: fc.dictionary(
      fc.constantFrom(...workspaces),
      fc.oneof(fc.constant({}), { weight: 3, arbitrary: tombstone }),
      { maxKeys: 2 },
    ),
    managed: fc.option(
      fc.tuple(fc.constantFrom({ id: 'prj-3' }, { name: 'Three' }, { name: 'three' }), managed),
      { nil: undefined, freq: 1 },
    ),
    access: fc.dictionary(
      project,
      fc.dictionary(team, fc.constantFrom('none', 'read', 'admin'), { minKeys: 1, maxKeys: 2 }),
      { maxKeys: 1 },
    ),
    prune: fc.constantFrom(false, false, true),
  },
  { requiredKeys: ['access'] },
);

type Root = typeof roots extends fc.Arbitrary<infer Value> ? Value : never;

function fileOf(
  { guards: guarded, workspaces: declared = {}, managed: own, access, prune }: Root,
  alias: string,
) {
  return JSON.stringify({
    attune: 1,
    organization: 'acme',
    ...(own && { projects: { [alias]: { ...own[0], ...own[1], manage: true } } }),
    ...(guarded && { guards: guarded }),
    workspaces: declared,
    'team-access': access,
    limits: { deletes: 100, 'delete-percent': 100 },
    ...(prune && { scope: { names: ['*'] }, prune: { workspaces: 'force' } }),
  });
}

const idOf = (table: Readonly<Record<string, string>>, written: string) => table[written] ?? written;

/** Workspaces that a guard of any root file selects. */
function protectedBy(both: readonly Root[], live: LiveFacts): string[] {
  const entries = both.flatMap(({ guards: guarded }) => guarded?.protect ?? []);
  const selectors = entries.map((entry) => {
    if (typeof entry === 'string') return { name: entry };
    return 'project' in entry ? { project: idOf(projects, entry.project) } : entry;
  });
  return live.workspaces
    .filter((workspace) => selectors.some((selector) => guardSelects(selector, workspace)))
    .map(({ name }) => name);
}

/** Projects that a root file with `keep-admin` declares and that none of its teams administers. */
function withoutAdmin(both: readonly Root[], live: LiveFacts): string[] {
  return both.flatMap(({ guards: guarded, access, managed: own }) => {
    const keep = guarded?.['keep-admin']?.map((written) => idOf(teams, written));
    if (keep === undefined) return [];
    const declared = [
      ...Object.keys(access).map((written) => idOf(projects, written)),
      ...(own ? ['prj-3'] : []),
    ];
    return declared.filter(
      (id) => live.projects.has(id) && !live.admins(id).some((admin) => keep.includes(admin)),
    );
  });
}

test('two root files of one run never delete what a guard of one of them protects, nor leave a project without a required admin', async () => {
  const seen = { applied: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(seeds, roots, roots, async (seed, one, two) => {
      const both = [one, two];
      const files = { '0/attune.yaml': fileOf(one, 'p0'), '1/attune.yaml': fileOf(two, 'p1') };
      const live = { projects, teams, workspaces: seed.workspaces, 'team-access': seed.access };
      const { attune, service } = await worldWith(files, { dialect: 'terraform', seed: live as never });
      const before = await liveFacts(service.url);
      const { code, stderr } = await attune('apply', '0', '1', '--yes', '--no-journal');
      const after = await liveFacts(service.url);
      seen[code === 0 ? 'applied' : 'refused'] += 1;
      const names = new Set(after.workspaces.map(({ name }) => name));
      expect(
        protectedBy(both, before).filter((name) => !names.has(name)),
        stderr,
      ).toEqual([]);
      if (both.some(({ managed: own }) => own && 'protect' in own[1]))
        expect([...after.projects], stderr).toContain('prj-3');
      const lost = withoutAdmin(both, after).filter((id) => !withoutAdmin(both, before).includes(id));
      expect(lost, stderr).toEqual([]);
    }),
    cases({ fast: 10, soak: 400 }),
  );
  expect(seen.applied).toBeGreaterThan(0);
  expect(seen.refused).toBeGreaterThan(0);
});
