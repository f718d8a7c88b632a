import { expect, test } from 'vitest';
import { adminGuardsOf, type GuardedRoot, guardTogether } from '../../src/check/keep-admin.ts';
import type { LiveSource } from '../../src/live/live-source.ts';
import type { Plan, PlannedChange } from '../../src/model/plan.ts';
import { renderDiagnostics } from '../../src/report/text/diagnostics-text.ts';
import { configured } from '../desired/load-files.ts';

const guard = `teams: {sre: team-sre, ops: team-ops}
projects: {base: prj-1}
guards: {keep-admin: [sre, ops]}
`;

/** A change of the access of a team to a project, from one level to another; none is a revocation. */
function change(
  team: string,
  from: string | undefined,
  to: string | undefined,
  project = 'prj-1',
): PlannedChange {
  return {
    address: `team-access.${project}/${team}`,
    kind: 'team-access',
    name: `${project}/${team}`,
    action: from === undefined ? 'create' : to === undefined ? 'delete' : 'update',
    fields: from === to || to === undefined ? [] : [{ path: 'access', before: from ?? null, after: to }],
    calls: [],
    dependsOn: [],
    facts: { exists: true, project, team: `team-${team}`, ...(from && { access: from }) },
    location: { file: `${team}.yaml`, line: 1, column: 1 },
  } as unknown as PlannedChange;
}

const deletionOfProject = {
  address: 'project.base',
  kind: 'project',
  name: 'base',
  id: 'prj-1',
  action: 'delete',
  fields: [],
  calls: [],
  dependsOn: [],
  facts: {},
} as unknown as PlannedChange;

async function root(yaml: string, ...changes: readonly PlannedChange[]): Promise<GuardedRoot> {
  const plan = { organization: 'acme', dialect: 'terraform', changes, diagnostics: [] };
  return { configuration: await configured(yaml), plan: plan as unknown as Plan };
}

interface Service {
  /** The levels of the teams on every project. */
  readonly access?: Readonly<Record<string, string>>;
  readonly adminOfAll?: string;
  readonly isSnapshot?: boolean;
}

/** The diagnostics of each root file, and the projects that were read. */
async function guarded(
  roots: readonly GuardedRoot[],
  { access = { sre: 'admin', ops: 'admin' }, adminOfAll, isSnapshot = false }: Service = {},
) {
  const read: string[] = [];
  const source = {
    read: async ({ projects }: { readonly projects: readonly string[] }) => {
      read.push(...projects);
      const grants = Object.entries(access).map(([team, level]) => ({
        kind: 'team-access',
        address: `team-access.${projects[0]}/${team}`,
        attributes: { project: projects[0], team: `team-${team}`, access: level },
      }));
      return { state: { resources: new Map(grants.map((grant) => [grant.address, grant])) } };
    },
    ...(!isSnapshot && {
      access: { teams: async () => [{ id: `team-${adminOfAll}`, isAdminOfAll: adminOfAll !== undefined }] },
    }),
  } as unknown as LiveSource;
  const found = await guardTogether(roots, () => source);
  return { printed: found.map(({ plan }) => renderDiagnostics(plan.diagnostics)), read };
}

const revoked = async (service?: Service) =>
  guarded(
    [await root(guard, change('sre', 'admin', undefined)), await root('', change('ops', 'admin', 'write'))],
    service,
  );

test('two root files that each revoke one of the last admins are refused at the change of the other one', async () => {
  expect(await revoked()).toEqual({
    printed: [
      '',
      `ops.yaml:1:1: error[keep-admin]: no team of guards.keep-admin (sre, ops) is an admin of project prj-1 after the plans of this run: they revoke or lower team-access.prj-1/sre, team-access.prj-1/ops
  hint: keep \`admin\` for sre or ops in one of the root files
`,
    ],
    read: ['prj-1'],
  });
});

test('a plan from a snapshot has a warning, because it does not show who is an admin of all projects', async () => {
  const { printed } = await revoked({ isSnapshot: true });
  expect(printed[1]).toContain('warning[keep-admin]');
});

test('a team of the guard that is an admin of all projects keeps the project', async () => {
  expect((await revoked({ adminOfAll: 'ops' })).printed).toEqual(['', '']);
});

test('an admin of no guard does not keep a project', async () => {
  expect((await revoked({ adminOfAll: 'dev' })).printed[1]).toContain('error[keep-admin]');
  expect((await revoked({ access: { sre: 'admin', ops: 'admin', dev: 'admin' } })).printed[1]).toContain(
    'error[keep-admin]',
  );
});

test.each<[string, readonly PlannedChange[], readonly PlannedChange[]]>([
  [
    'one root file grants what the other revokes',
    [change('sre', undefined, 'admin')],
    [change('ops', 'admin', undefined)],
  ],
  [
    'a change of permissions leaves the level',
    [change('sre', 'admin', 'admin')],
    [change('ops', 'admin', undefined)],
  ],
  [
    'only the root file with the guard revokes',
    [change('sre', 'admin', undefined), change('ops', 'admin', undefined)],
    [],
  ],
  [
    'the other root file revokes a team of no guard',
    [change('sre', 'admin', undefined)],
    [change('dev', 'admin', undefined)],
  ],
  [
    'the other root file lowers a team that was no admin',
    [change('sre', 'admin', undefined)],
    [change('ops', 'write', 'read')],
  ],
  [
    'the project is deleted',
    [deletionOfProject],
    [change('sre', 'admin', undefined), change('ops', 'admin', undefined)],
  ],
])('root files are not refused together: %s', async (_, own, others) => {
  expect((await guarded([await root(guard, ...own), await root('', ...others)])).printed).toEqual(['', '']);
});

test('a change that is held revokes nothing', async () => {
  const held: PlannedChange = {
    ...change('ops', 'admin', undefined),
    held: [{ by: 'freeze', reason: 'launch', until: '2026-12-01' }],
  };
  const { printed, read } = await guarded([
    await root(guard, change('sre', 'admin', undefined)),
    await root('', held),
  ]);
  expect([printed, read]).toEqual([['', ''], []]);
});

test('each project without an admin is reported, and each is read once', async () => {
  const both = (team: string) => [
    change(team, 'admin', undefined),
    change(team, 'admin', undefined, 'prj-2'),
  ];
  const { printed, read } = await guarded([
    await root(guard, ...both('sre')),
    await root('', ...both('ops')),
  ]);
  expect([printed[1]?.match(/admin of project \S+/g), read]).toEqual([
    ['admin of project prj-1', 'admin of project prj-2'],
    ['prj-1', 'prj-2'],
  ]);
});

test('root files of other organizations and a single root file are not checked together', async () => {
  const other = await root('', change('ops', 'admin', undefined));
  const elsewhere = {
    ...other,
    configuration: {
      ...other.configuration,
      desired: { ...other.configuration.desired, organization: 'other' },
    },
  };
  const own = await root(guard, change('sre', 'admin', undefined));
  expect(await guarded([own, elsewhere])).toEqual({ printed: ['', ''], read: [] });
  expect(await guarded([own])).toEqual({ printed: [''], read: [] });
});

test('root files without the guard are not checked', async () => {
  const roots = [
    await root('', change('sre', 'admin', undefined)),
    await root('', change('ops', 'admin', undefined)),
  ];
  expect(await guarded(roots)).toEqual({ printed: ['', ''], read: [] });
});

test('a team of the guard that stays an admin on the service keeps the project, and one with another level does not', async () => {
  const three = `teams: {sre: team-sre, ops: team-ops, dev: team-dev}
guards: {keep-admin: [sre, ops, dev]}
`;
  const roots = [
    await root(three, change('sre', 'admin', undefined)),
    await root('', change('ops', 'admin', undefined)),
  ];
  const levels = { sre: 'admin', ops: 'admin' };
  expect((await guarded(roots, { access: { ...levels, dev: 'admin' } })).printed).toEqual(['', '']);
  expect((await guarded(roots, { access: { ...levels, dev: 'write' } })).printed[1]).toContain(
    'error[keep-admin]',
  );
});

test('an admin of another project does not keep a project, and a change of the project itself does not delete it', async () => {
  const update = { ...deletionOfProject, action: 'update' } as const;
  const { printed } = await guarded([
    await root(guard, update, change('sre', 'admin', undefined), change('sre', undefined, 'admin', 'prj-2')),
    await root('', change('ops', 'admin', undefined), change('ops', 'write', 'admin', 'prj-2')),
  ]);
  expect(printed[1]?.match(/admin of project \S+/g)).toEqual(['admin of project prj-1']);
});

test('a level that changes together with permissions is found among the fields', async () => {
  const lowered = change('ops', 'admin', 'custom');
  const permission = { path: 'project-access.teams', before: 'manage', after: 'admin' };
  const withPermission = { ...lowered, fields: [permission, ...lowered.fields] };
  const { printed } = await guarded([
    await root(guard, change('sre', 'admin', undefined)),
    await root('', withPermission),
  ]);
  expect(printed[1]).toContain('error[keep-admin]');
});

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
