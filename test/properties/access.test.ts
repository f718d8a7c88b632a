import {
  type Arbitrary,
  array,
  constantFrom,
  dictionary,
  integer,
  record,
  sample,
  subarray,
} from 'fast-check';
import { expect, test } from 'vitest';
import { accessOf, applyFiles } from '../../src/run/use-cases.ts';
import { folderWith, serviceWith } from '../support/attune.ts';
import { cases } from '../support/cases.ts';
import { documentErrors } from '../support/document-errors.ts';

/*
 * `attune access` agrees with a computation that knows only the seed of the service, and has its own table of permissions.
 * What it answers for the state after a plan is what it answers when the plan is applied.
 */

/** In each dialect. */
const organizations = cases<Generated>({ fast: 3, soak: 100 });
const table: Readonly<Record<string, readonly (string | boolean)[]>> = {
  // settings, teams, runs, mocks, state, variables, create, locking, delete, move, run-tasks
  read: ['read', 'none', 'read', 'none', 'read', 'read', false, false, false, false, false],
  write: ['read', 'none', 'apply', 'read', 'write', 'write', false, true, false, false, false],
  maintain: ['read', 'none', 'apply', 'read', 'write', 'write', true, true, true, false, true],
  admin: ['delete', 'manage', 'apply', 'read', 'write', 'write', true, true, true, true, true],
};
const least = ['read', 'none', 'read', 'none', 'none', 'none', false, false, false, false, false];
const orders: readonly (readonly (string | boolean)[])[] = [
  ['read', 'update', 'delete'],
  ['none', 'read', 'manage'],
  ['read', 'plan', 'apply'],
  ['none', 'read'],
  ['none', 'read-outputs', 'read', 'write'],
  ['none', 'read', 'write'],
  ...Array.from({ length: 5 }, () => [false, true]),
];
const inOrganization: Readonly<Record<string, string>> = {
  owners: 'admin',
  'manage-projects': 'admin',
  // Without moves and settings of projects, it is what `maintain` permits.
  'manage-workspaces': 'maintain',
  'read-projects': 'read',
  'read-workspaces': 'read',
};

interface Generated {
  readonly teams: Readonly<Record<string, readonly string[]>>;
  readonly grants: readonly Readonly<Record<string, { level: string; runs: string; variables: string }>>[];
  readonly workspaces: readonly {
    readonly project: number;
    readonly sharing: 'list' | 'all' | 'project';
    readonly readers: readonly number[];
  }[];
}

/** What files declare of a workspace. */
const plans = ['nothing', 'move', 'rename', 'delete', 'list', 'add', 'unshare', 'share'] as const;

const teamNames = ['owners', 'sre', 'developers', 'auditors', 'web'];
const generated: Arbitrary<Generated> = record({
  teams: dictionary(
    constantFrom(...teamNames),
    subarray(['manage-projects', 'manage-workspaces', 'read-projects', 'read-workspaces', 'manage-teams']),
    { minKeys: 1 },
  ),
  grants: array(
    dictionary(
      constantFrom(...teamNames),
      record({
        level: constantFrom('read', 'write', 'maintain', 'admin', 'custom'),
        runs: constantFrom('read', 'plan', 'apply'),
        variables: constantFrom('none', 'read', 'write'),
      }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
  workspaces: array(
    record({
      project: integer({ min: 0, max: 3 }),
      sharing: constantFrom('list', 'list', 'all', 'project'),
      readers: array(integer({ min: 0, max: 5 }), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

/** Some dialects lack the switch of projects. */
function sharingOf(
  { sharing }: Generated['workspaces'][number],
  dialect: string,
): Generated['workspaces'][number]['sharing'] {
  return sharing === 'project' && dialect === 'iac' ? 'list' : sharing;
}

function projectOf(one: Generated, { project }: Generated['workspaces'][number]): number {
  return project % one.grants.length;
}

function seedOf(one: Generated, dialect: string) {
  const access = one.grants.map((teams) =>
    Object.fromEntries(
      Object.entries(teams)
        .filter(([team]) => team in one.teams)
        .map(([team, { level, runs, variables }]) => [
          team,
          level === 'custom' ? { access: level, 'workspace-access': { runs, variables } } : level,
        ]),
    ),
  );
  return {
    settings: { 'default-project': 'p0' },
    projects: Object.fromEntries(one.grants.map((_, index) => [`p${index}`, {}])),
    teams: Object.fromEntries(
      Object.entries(one.teams).map(([name, permissions]) => [name, { 'organization-access': permissions }]),
    ),
    'team-access': Object.fromEntries(access.map((teams, index) => [`p${index}`, teams])),
    workspaces: Object.fromEntries(
      one.workspaces.map((workspace, index) => {
        const readers = readersIn(one, index).map((reader) => `w${reader}`);
        const sharing = sharingOf(workspace, dialect);
        return [
          `w${index}`,
          {
            project: `p${projectOf(one, workspace)}`,
            'global-remote-state': sharing === 'all',
            ...(sharing === 'project' && { 'project-remote-state': true }),
            ...(sharing === 'list' && { 'remote-state-consumers': readers }),
          },
        ];
      }),
    ),
  };
}

function readersIn(one: Generated, owner: number): number[] {
  const readers = one.workspaces[owner]?.readers.filter((reader) => reader < one.workspaces.length) ?? [];
  return [...new Set(readers)].filter((reader) => reader !== owner);
}

function expectedTeams(one: Generated): string[] {
  return one.grants.flatMap((grants, index) =>
    Object.entries(one.teams).flatMap(([team, permissions]) => {
      const grant = grants[team];
      const granted =
        grant === undefined ? [] : [{ level: grant.level, holds: table[grant.level] ?? customOf(grant) }];
      const general = Object.entries(inOrganization)
        .filter(([name]) => permissions.includes(name) || name === team)
        .map(([, level]) => ({ level, holds: table[level] ?? [] }));
      const rights = [...granted, ...general];
      if (rights.length === 0) return [];
      const most = orders.map((order, at) => {
        const ranks = rights.map(({ holds }) => order.indexOf(holds[at] ?? ''));
        return order[Math.max(...ranks)] ?? '';
      });
      const same = (holds: readonly (string | boolean)[]) => holds.join() === most.join();
      const alone = rights.find(({ holds }) => same(holds))?.level;
      const level = alone ?? Object.keys(table).find((name) => same(table[name] ?? [])) ?? 'custom';
      return `p${index} ${team} ${level} ${most[2]} ${most[5]} ${most[4]}`;
    }),
  );
}

function customOf({ runs, variables }: { runs: string; variables: string }): (string | boolean)[] {
  return least.map((value, at) => (at === 2 ? runs : at === 5 ? variables : value));
}

function canRead(one: Generated, reader: number, owner: number, dialect: string): string | undefined {
  const [from, to] = [one.workspaces[owner], one.workspaces[reader]];
  if (!from || !to || reader === owner) return undefined;
  const sharing = sharingOf(from, dialect);
  if (sharing === 'all') return 'all';
  if (sharing === 'project') return projectOf(one, from) === projectOf(one, to) ? 'project' : undefined;
  return readersIn(one, owner).includes(reader) ? 'list' : undefined;
}

test.each(['iac', 'terraform'] as const)(
  'access agrees with a computation from the seed of generated organizations in the %s dialect',
  async (dialect) => {
    const all = sample(generated, organizations);
    const named = all.map((one, index) => [`org${index}`, one] as const);
    const service = await serviceWith({
      seed: { organizations: Object.fromEntries(named.map(([name, one]) => [name, seedOf(one, dialect)])) },
      dialect,
    });
    const cwd = await folderWith({});
    const options = { cwd, env: { ATTUNE_TOKEN: 'test-token' }, address: service.url };
    for (const [organization, one] of named) {
      const ask = async (question: Parameters<typeof accessOf>[0]) => {
        const result = await accessOf(question, { ...options, organization });
        expect(documentErrors({ format: 'attune.access/1', ...result })).toEqual([]);
        return result.rows;
      };
      const rows = await ask({});
      const shown = rows.flatMap((row) =>
        'team' in row
          ? `${row.project} ${row.team} ${row.level} ${row.runs} ${row.variables} ${row.state}`
          : [],
      );
      expect(shown.toSorted(), organization).toEqual(expectedTeams(one).toSorted());
      const names = one.workspaces.map((_, index) => `w${index}`);
      const owner = one.workspaces.length - 1;
      const readers = await ask({ stateOf: `w${owner}` });
      const isAll = sharingOf(one.workspaces[owner] as never, dialect) === 'all';
      expect(
        readers.flatMap((row) => ('team' in row ? [] : `${row.workspace} ${row.via}`)),
        organization,
      ).toEqual(
        isAll
          ? ['* all']
          : names.flatMap((name, reader) => {
              const via = canRead(one, reader, owner, dialect);
              return via === undefined ? [] : `${name} ${via}`;
            }),
      );
      const states = await ask({ stateFor: 'w0' });
      expect(
        states.map((row) => ('team' in row ? '' : `${row.workspace} ${row.project} ${row.via}`)),
        organization,
      ).toEqual(
        one.workspaces.flatMap((workspace, other) => {
          const via = canRead(one, 0, other, dialect);
          return via === undefined ? [] : `w${other} p${projectOf(one, workspace)} ${via}`;
        }),
      );
    }
  },
);

/** Files that move, rename and delete workspaces, and change who reads their states. */
function filesOf(one: Generated, organization: string, planned: readonly (typeof plans)[number][]): string {
  const nameAfter = (index: number) => (planned[index] === 'rename' ? `r${index}` : `w${index}`);
  const kept = one.workspaces.flatMap((_, index) => (planned[index] === 'delete' ? [] : index));
  const workspaces = one.workspaces.flatMap(({ project }, index) => {
    const readers = kept.filter((reader) => reader !== index && (reader + project) % 2 === 0).map(nameAfter);
    const list = `global-remote-state: false, project-remote-state: false, remote-state-consumers`;
    const declared = {
      nothing: undefined,
      move: `project: p${(project + 1) % one.grants.length}`,
      rename: `renamed-from: w${index}`,
      delete: 'state: absent',
      list: `${list}: [${readers.join(', ')}]`,
      add: `${list}: {add: [${readers.join(', ')}]}`,
      unshare: 'global-remote-state: false, project-remote-state: false',
      share: 'global-remote-state: false, project-remote-state: true',
    }[planned[index] ?? 'nothing'];
    return declared === undefined ? [] : `  ${nameAfter(index)}: {${declared}}\n`;
  });
  const head = `attune: 1\norganization: ${organization}\nlimits: {delete-percent: 100}\nworkspaces:\n`;
  return `${head}${workspaces.join('')}  new: {project: p0, global-remote-state: false}\n`;
}

test('the answer for the state after a plan is the one after its apply, as far as it is known', async () => {
  const all = sample(
    record({ one: generated, planned: array(constantFrom(...plans), { minLength: 6, maxLength: 6 }) }),
    cases<{ one: Generated; planned: (typeof plans)[number][] }>({ fast: 2, soak: 200 }),
  );
  const named = all.map((drawn, index) => ({ ...drawn, organization: `org${index}` }));
  const seeds = named.map(({ one, organization }) => [organization, seedOf(one, 'terraform')] as const);
  const service = await serviceWith({
    seed: { organizations: Object.fromEntries(seeds) },
    dialect: 'terraform',
  });
  for (const { one, planned, organization } of named) {
    const yaml = filesOf(one, organization, planned);
    const cwd = await folderWith({ 'attune.yaml': yaml });
    const options = { cwd, env: { ATTUNE_TOKEN: 'test-token' }, address: service.url };
    const names = [...yaml.matchAll(/^ {2}(\w+): \{(?!state: absent)/gm)].map(([, name = '']) => name);
    const answers = async (declared: boolean) => {
      const found = new Map<string, string[]>();
      for (const name of names)
        for (const question of [{ stateOf: name }, { stateFor: name }]) {
          const { rows } = await accessOf(question, { ...options, declared });
          const shown = rows.map((row) =>
            'team' in row
              ? `${row.team} ${row.project} ${row.state}`
              : `${row.workspace} ${row.project} ${row.via}`,
          );
          found.set(JSON.stringify(question), shown);
        }
      return found;
    };
    const before = await answers(true);
    expect((await applyFiles(['attune.yaml'], options)).isComplete, yaml).toBe(true);
    const after = await answers(false);
    for (const [question, known] of before) {
      const unknown = known.filter((row) => row.endsWith(' unknown')).map((row) => row.split(' ')[0]);
      const isKnown = (row: string) => !unknown.includes('*') && !unknown.includes(row.split(' ')[0]);
      expect(known.filter(isKnown), `${question}\n${yaml}`).toEqual(after.get(question)?.filter(isKnown));
    }
  }
});
