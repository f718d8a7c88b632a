import { describe, expect, test } from 'vitest';
import { type AccessRow, isTeamRow, type StateAccessRow } from '../../src/model/results.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';
import { rowsIn } from '../support/rows.ts';

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: {
    sre: 'team-sre',
    developers: 'team-dev',
    root: { id: 'team-root', 'organization-access': ['manage-projects'] },
  },
  workspaces: {
    network: { id: 'ws-network', project: 'Platform', 'remote-state-consumers': ['billing'] },
    billing: { id: 'ws-billing', project: 'Payments' },
    dns: { id: 'ws-dns', project: 'Platform', 'global-remote-state': true },
  },
  'team-access': {
    Platform: { sre: 'admin', developers: 'read' },
    Payments: { developers: { access: 'custom', 'workspace-access': { runs: 'plan' } } },
  },
};
const files = `attune: 1
organization: acme
projects: {payments: prj-payments, platform: prj-platform}
teams: {sre: team-sre, developers: team-dev}
roles: {auditor: {access: custom, workspace-access: {runs: read}}}
team-access:
  payments: {developers: write, sre: auditor}
  platform:
    sre: admin
workspaces:
  network: {remote-state-consumers: [billing]}
`;

async function ask(world: Pick<World, 'attune'>, ...argv: string[]) {
  const { code, stdout, stderr } = await world.attune('access', ...argv, '--format', 'json');
  expect([code, stderr], stdout).toEqual([0, '']);
  const document = JSON.parse(stdout);
  expect(documentErrors(document)).toEqual([]);
  return document as { rows: AccessRow[]; address?: string; diagnostics: { code: string }[] };
}

/** Rows in one line each: team or workspace, project, level or via, source, and the place. */
function lines(rows: readonly AccessRow[]): string[] {
  return rows.map((row) => {
    const { location } = row;
    const place = location ? ` ${location.file}:${location.line}` : '';
    return isTeamRow(row)
      ? `${row.team} ${row.project} ${row.level} ${row.runs}/${row.variables}/${row.state} ${row.permission ?? row.role ?? row.source}${place}`
      : `${row.workspace} ${row.project} ${row.via} ${row.source}${place}`;
  });
}

const withoutFiles = ['--organization', 'acme'];

describe('access of teams', () => {
  test('a row has all rights of a team together, the source that permits the most, and the others', async () => {
    const world = await worldWith(files, { seed });
    expect(lines((await ask(world)).rows)).toEqual([
      'root Default Project admin apply/write/write manage-projects',
      'developers payments custom plan/none/none grant attune.yaml:7',
      'root payments admin apply/write/write manage-projects',
      'developers platform read read/read/read grant',
      'root platform admin apply/write/write manage-projects',
      'sre platform admin apply/write/write grant attune.yaml:9',
    ]);
    const seeded = { ...seed['team-access'].Platform, root: 'read' };
    const both = await worldWith({}, { seed: { ...seed, 'team-access': { Platform: seeded } } });
    const { rows } = await ask(both, ...withoutFiles, '--team', 'root', '--project', 'Platform');
    expect(rows).toEqual([
      expect.objectContaining({ level: 'admin', also: [{ level: 'read', source: 'grant' }] }),
    ]);
  });

  test('the state after the plan has declared, undeclared and no revoked access, with roles', async () => {
    const world = await worldWith(files.replace('sre: admin', 'sre: none'), { seed });
    expect(lines((await ask(world, '--declared')).rows)).toEqual([
      'root Default Project admin apply/write/write manage-projects',
      'developers payments write apply/write/write grant attune.yaml:7',
      'root payments admin apply/write/write manage-projects',
      'sre payments custom read/none/none auditor attune.yaml:7',
      'developers platform read read/read/read grant',
      'root platform admin apply/write/write manage-projects',
    ]);
    expect(world.writes()).toEqual([]);
  });

  test('access that has ended is not shown after the plan, and is shown live with its line', async () => {
    const yaml = files.replace('sre: admin', 'sre: {access: admin, until: 2026-11-30}');
    const date = () => new Date('2026-12-01T00:00:00Z');
    const world = await worldWith(yaml, { seed }, { date });
    const asked = ['--team', 'sre', '--project', 'platform'];
    expect(lines((await ask(world, ...asked)).rows)).toEqual([
      'sre platform admin apply/write/write grant attune.yaml:9',
    ]);
    const declared = await ask(world, ...asked, '--declared');
    expect([declared.rows, declared.diagnostics]).toEqual([[], []]);
  });

  test('pruning revokes only in projects of the file, also if access to all projects is read', async () => {
    const pruned = `${files.replace(/ {2}payments: .*\n/, '')}prune: {team-access: true}\n`;
    const world = await worldWith(pruned, { seed });
    const rows = lines((await ask(world, '--declared')).rows).filter((line) => !line.startsWith('root'));
    expect(rows).toEqual([
      'developers payments custom plan/none/none grant',
      'sre platform admin apply/write/write grant attune.yaml:8',
    ]);
  });

  test('the plans of several root files of one organization are taken together', async () => {
    const root = (body: string) => `attune: 1\norganization: acme\n${body}`;
    const world = await worldWith(
      {
        'a.yaml': root(
          'projects: {payments: prj-payments}\nteam-access: {payments: {sre-team: read}}\nteams: {sre-team: team-sre}\n',
        ),
        'b.yaml': root('projects: {platform: prj-platform}\nteam-access: {platform: {team-sre: none}}\n'),
      },
      { seed },
    );
    expect(lines((await ask(world, 'a.yaml', 'b.yaml', '--declared', '--team', 'team-sre')).rows)).toEqual([
      'sre-team payments read read/read/read grant a.yaml:4',
    ]);
  });

  test('access to a project that the plan creates is shown, and none to one that it deletes', async () => {
    const managed = `attune: 1
organization: acme
projects:
  fresh: {name: Fresh, manage: true}
  payments: {name: Payments, manage: true, state: absent}
teams: {sre: team-sre}
team-access: {fresh: {sre: write}}
workspaces: {billing: {state: absent, delete: force}}
`;
    const world = await worldWith(managed, { seed, dialect: 'terraform' });
    const projects = (await ask(world, '--declared')).rows.map((row) => row.project);
    expect(new Set(projects)).toEqual(new Set(['Default Project', 'Platform', 'fresh']));
    expect(lines((await ask(world, '--declared', '--project', 'fresh')).rows)).toEqual([
      'root fresh admin apply/write/write manage-projects',
      'sre fresh write apply/write/write grant attune.yaml:7',
    ]);
  });

  test('two teams that the files and the service call alike are shown with their ids', async () => {
    const one = files
      .replace('teams: {sre: team-sre, developers: team-dev}', 'teams: {sre: team-dev}')
      .replace('developers: write, ', '');
    const other = await worldWith(one, { seed });
    expect(lines((await ask(other, '--project', 'platform')).rows).sort()).toEqual(
      [
        'root platform admin apply/write/write manage-projects',
        'sre (team-dev) platform read read/read/read grant attune.yaml:9',
        'sre (team-sre) platform admin apply/write/write grant',
      ].sort(),
    );
  });

  test('teams of a workspace are those of its project, after the plan of the project that it moves to', async () => {
    const moving = files.replace('  network: {', '  network: {project: payments, ');
    const world = await worldWith(moving, { seed });
    const levels = async (...argv: string[]) =>
      lines((await ask(world, '--workspace', 'network', ...argv)).rows).map((line) =>
        line.split(' ').slice(0, 3).join(' '),
      );
    expect(await levels()).toEqual(['developers platform read', 'root platform admin', 'sre platform admin']);
    expect(await levels('--declared')).toEqual([
      'developers payments write',
      'root payments admin',
      'sre payments custom',
    ]);
  });

  test.each([
    ['read', 'read read/read/read grant'],
    [{ access: 'custom', 'workspace-access': { runs: 'apply' } }, 'custom apply/none/none grant'],
    [{ access: 'custom', 'workspace-access': { runs: 'read' } }, 'custom read/none/none auditor'],
  ])(
    'the row of a live grant of %j names the role that is declared only if it gives this access',
    async (access, row) => {
      const payments = { ...seed['team-access'].Payments, sre: access };
      const world = await worldWith(files, {
        seed: { ...seed, 'team-access': { ...seed['team-access'], Payments: payments } },
      });
      const asked = ['--team', 'sre', '--project', 'payments'];
      expect(lines((await ask(world, ...asked)).rows)).toEqual([`sre payments ${row} attune.yaml:7`]);
      expect(lines((await ask(world, ...asked, '--declared')).rows)).toEqual([
        'sre payments custom read/none/none auditor attune.yaml:7',
      ]);
    },
  );
});

describe('access to state', () => {
  /** Without the teams that can read the state. */
  const readers = (rows: readonly AccessRow[]) => lines(rows.filter((row) => !isTeamRow(row)));

  test('the readers of a state are workspaces, and the teams whose access to its workspace includes it', async () => {
    const world = await worldWith(files, { seed });
    expect(lines((await ask(world, '--state-of', 'network')).rows)).toEqual([
      'billing payments list remote-state-consumers attune.yaml:11',
      'developers platform read read/read/read grant',
      'root platform admin apply/write/write manage-projects',
      'sre platform admin apply/write/write grant attune.yaml:9',
    ]);
    // The level of developers in payments gives no state.
    expect(lines((await ask(world, '--state-of', 'billing')).rows)).toEqual([
      'root payments admin apply/write/write manage-projects',
    ]);
    const { stdout } = await world.attune('access', '--state-of', 'billing');
    expect(stdout).toMatch(
      /\n\nNo other workspace can read the state of billing\.\n\nTEAM +LEVEL .*\nroot +admin .*\n$/,
    );
  });

  test('readers and states have their projects, the way, the setting and the declared entry', async () => {
    const world = await worldWith(files, { seed });
    expect(readers((await ask(world, '--state-of', 'network')).rows)).toEqual([
      'billing payments list remote-state-consumers attune.yaml:11',
    ]);
    expect(lines((await ask(world, '--state-for', 'billing')).rows)).toEqual([
      'dns platform all global-remote-state',
      'network platform list remote-state-consumers attune.yaml:11',
    ]);
    expect(readers((await ask(world, ...withoutFiles, '--state-of', 'dns')).rows)).toEqual([
      '* null all global-remote-state',
    ]);
    expect(readers((await ask(world, '--state-of', 'billing')).rows)).toEqual([]);
  });

  test('a reader that no entry declares has no location', async () => {
    const world = await worldWith(files.replace('[billing]', '[dns]'), { seed });
    expect(readers((await ask(world, '--state-of', 'network')).rows)).toEqual([
      'billing payments list remote-state-consumers',
    ]);
  });

  test('the state after the plan has new readers, moves into a shared project, and new workspaces', async () => {
    const yaml = `attune: 1
organization: acme
projects: {payments: prj-payments}
workspaces:
  billing: {project-remote-state: true}
  network: {remote-state-consumers: {add: [fresh], remove: [billing]}, project: payments}
  fresh: {project: payments}
`;
    const world = await worldWith(yaml, { seed, dialect: 'terraform' });
    expect(readers((await ask(world, '--declared', '--state-of', 'network')).rows)).toEqual([
      'fresh payments list remote-state-consumers attune.yaml:6',
    ]);
    expect(readers((await ask(world, '--declared', '--state-of', 'billing')).rows)).toEqual([
      'fresh payments project project-remote-state attune.yaml:5',
      'network payments project project-remote-state attune.yaml:5',
    ]);
    expect(lines((await ask(world, '--declared', '--state-for', 'fresh')).rows)).toEqual([
      'billing payments project project-remote-state attune.yaml:5',
      'dns Platform all global-remote-state',
      'network payments list remote-state-consumers attune.yaml:6',
    ]);
  });

  const declaredReaders = async (workspaces: string, state = 'network', network: object = {}) => {
    const yaml = `attune: 1\norganization: acme\nprojects: {platform: prj-platform}\nworkspaces: ${workspaces}\n`;
    const seeded = {
      ...seed,
      workspaces: { ...seed.workspaces, network: { ...seed.workspaces.network, ...network } },
    };
    const world = await worldWith(yaml, { seed: seeded, dialect: 'terraform' });
    const rows = (await ask(world, '--declared', '--state-of', state)).rows.filter((row) => !isTeamRow(row));
    return lines(rows).map((line, index) => {
      const { reason } = rows[index] as StateAccessRow;
      return reason === undefined ? line : `${line}: ${reason}`;
    });
  };

  // While the switch is on, the service returns all members of the project instead of the stored list.
  test('the readers are unknown when the sharing with the project ends and the plan declares no list', async () => {
    const shared = { 'project-remote-state': true };
    const unknown = '* null unknown remote-state-consumers';
    const ended = '{net: {renamed-from: network, project-remote-state: false}}';
    expect(await declaredReaders(ended, 'net', shared)).toEqual([
      `${unknown}: the service does not show the stored list while project-remote-state is true`,
    ]);
    const added =
      '{billing: {}, network: {project-remote-state: false, remote-state-consumers: {add: [billing]}}}';
    expect(await declaredReaders(added, 'network', shared)).toEqual([expect.stringContaining(unknown)]);
    expect(await declaredReaders('{network: {}, fresh: {}}', 'fresh')).toEqual([
      `${unknown}: the service decides whether a new workspace shares its state`,
    ]);
    expect(await declaredReaders('{fresh: {global-remote-state: false}}', 'fresh')).toEqual([]);
  });

  test('a consumer that the plan deletes is not a reader after the plan', async () => {
    expect(await declaredReaders('{billing: {state: absent}, network: {auto-apply: true}}')).toEqual([]);
  });

  test('a reader that moves is shown in its new project', async () => {
    expect(await declaredReaders('{billing: {project: platform}, network: {auto-apply: true}}')).toEqual([
      'billing platform list remote-state-consumers',
    ]);
  });

  test('a reader that no file declares is shown in its live project beside entries that a list adds', async () => {
    expect(await declaredReaders('{network: {remote-state-consumers: {add: []}}}')).toEqual([
      'billing Payments list remote-state-consumers',
    ]);
  });

  test('a reader that the plan renames is shown with its new name', async () => {
    expect(await declaredReaders('{bill: {renamed-from: billing}, network: {auto-apply: true}}')).toEqual([
      expect.stringMatching(/^bill /),
    ]);
  });

  test('a workspace that the plan renames keeps the readers of its list, and the states that it reads', async () => {
    const renamed = '{net: {renamed-from: network}, bill: {renamed-from: billing}}';
    expect(await declaredReaders(renamed, 'net')).toEqual(['bill Payments list remote-state-consumers']);
    const world = await worldWith(`attune: 1\norganization: acme\nworkspaces: ${renamed}\n`, { seed });
    expect(lines((await ask(world, '--declared', '--state-for', 'bill')).rows)).toEqual([
      'dns Platform all global-remote-state',
      'net Platform list remote-state-consumers',
    ]);
  });

  test('a project that the plan creates has its alias in the answer about states', async () => {
    const declared = `attune: 1
organization: acme
projects: {platform: prj-platform, lab: {name: Lab, manage: true}}
workspaces:
  network: {project: platform}
  trial: {project: lab, remote-state-consumers: [network]}
`;
    const world = await worldWith(declared, { seed, dialect: 'terraform' });
    const answer = await ask(world, '--state-for', 'network', '--declared');
    expect(lines(answer.rows)).toContain('trial lab list remote-state-consumers attune.yaml:6');
  });
});

describe('requests', () => {
  test('the matrix of 50 projects is 50 lists, the team page and the project page', async () => {
    const projects = Object.fromEntries(Array.from({ length: 47 }, (_, index) => [`p${index}`, {}]));
    const world = await worldWith(
      {},
      { seed: { ...seed, projects: { ...seed.projects, ...projects } }, dialect: 'terraform' },
    );
    await ask(world, ...withoutFiles);
    const count = (path: string) =>
      world.requests().filter((request) => request.startsWith(`GET ${path}`)).length;
    const paths = ['/organizations/acme/projects', '/organizations/acme/teams', '/team-projects'];
    expect([...paths.map(count), world.requests().length]).toEqual([1, 1, 50, 52]);
  });

  test.each(rowsIn<[string[], string[]]>`
- [[--project, payments], [/organizations/acme/teams, /team-projects]]
- [[--workspace, network], [/organizations/acme/workspaces/network, /organizations/acme/teams, /team-projects]]
- [[--state-of, network], [/organizations/acme/workspaces/network, /organizations/acme/workspaces/network, /workspaces/ws-network/relationships/remote-state-consumers, /organizations/acme/teams, /team-projects]]
- [[--state-of, dns], [/organizations/acme/workspaces/dns, /organizations/acme/workspaces/dns, /organizations/acme/teams, /team-projects]]
- [[--state-for, billing], [/organizations/acme/workspaces, /workspaces/ws-network/relationships/remote-state-consumers]]
`)('access %j makes only these requests', async (argv, paths) => {
    const world = await worldWith(files, { seed, dialect: 'terraform' });
    await ask(world, ...argv);
    const found = world.requests().map((request) => request.replace(/^GET (\S+?)(\?.*)?$/, '$1'));
    expect(found.filter((path) => path !== '/organizations/acme/projects').toSorted()).toEqual(
      paths.toSorted(),
    );
  });
});

describe('unknown access', () => {
  test('access that this token may not read is unknown, and the rest is shown', async () => {
    const world = await worldWith({}, { seed });
    const refused = { kind: 'status', status: 403, method: 'GET' } as const;
    world.service.setFaults([{ ...refused, path: '/organizations/acme/teams' }]);
    const rows = lines((await ask(world, ...withoutFiles)).rows);
    expect(rows).toEqual([
      'team-dev Payments custom plan/none/none grant',
      'team-dev Platform read read/read/read grant',
      'team-sre Platform admin apply/write/write grant',
      '* * unknown unknown/unknown/unknown organization-permission',
    ]);
    world.service.setFaults([{ ...refused, path: '/team-projects' }]);
    expect(lines((await ask(world, ...withoutFiles, '--team', 'sre')).rows)).toEqual([
      'sre Default Project unknown unknown/unknown/unknown grant',
      'sre Payments unknown unknown/unknown/unknown grant',
      'sre Platform unknown unknown/unknown/unknown grant',
    ]);
    world.service.setFaults([
      { ...refused, path: '/workspaces/ws-network/relationships/remote-state-consumers' },
    ]);
    const states = (await ask(world, ...withoutFiles, '--state-for', 'billing')).rows;
    expect(lines(states)).toEqual([
      'dns Platform all global-remote-state',
      'network Platform unknown remote-state-consumers',
    ]);
    expect(states[1]).toMatchObject({
      reason: 'the list was not read: this token may not read it, or the service has none',
    });
  });
});

describe('wrong questions', () => {
  test.each(['iac', 'terraform'] as const)(
    'an organization that the %s service does not have is an error',
    async (dialect) => {
      const world = await worldWith({}, { seed, dialect });
      for (const argv of [[], ['--project', 'prj-platform']]) {
        const { code, stdout, stderr } = await world.attune('access', '--organization', 'nope', ...argv);
        expect([code, stdout]).toEqual([1, '']);
        expect(stderr).toMatch(
          /^error\[service-error\]: GET \/organizations\/nope\/workspaces\S+ answered 404: .*\n {2}hint: check the name of the organization/,
        );
      }
    },
  );

  test('a question about what is declared and does not exist yet is an error that names --declared', async () => {
    const yaml = `attune: 1
organization: acme
projects: {fresh: {name: Fresh, manage: true}}
teams: {sre: team-sre}
team-access: {fresh: {sre: write}}
workspaces: {trial: {project: fresh}}
`;
    const world = await worldWith(yaml, { seed, dialect: 'terraform' });
    const hint =
      '  hint: it does not exist, or this token may not see it; add --declared for the state after the plan\n';
    expect(await world.attune('access', '--project', 'fresh')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error[unknown-name]: --project fresh: declared, but not in organization acme\n${hint}`,
    });
    for (const option of ['--workspace', '--state-of', '--state-for'])
      expect(await world.attune('access', option, 'trial')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: `error[unknown-name]: workspace trial is declared, but not in organization acme\n${hint}`,
      });
    expect(lines((await ask(world, '--project', 'fresh', '--declared')).rows)).toContain(
      'sre fresh write apply/write/write grant attune.yaml:5',
    );
  });

  test.each<[string[], string]>([
    [
      ['--team', 'devlopers'],
      '[unknown-name]: --team devlopers: unknown team in organization acme\n  hint: did you mean "developers"?',
    ],
    [
      ['--team', 'nobody-at-all'],
      '[unknown-name]: --team nobody-at-all: unknown team in organization acme\n  hint: use an alias, the exact name, or the id (team-...); this token may not see secret teams',
    ],
    [
      ['--project', 'Platfrom'],
      '[unknown-name]: --project Platfrom: unknown project in organization acme\n  hint: did you mean "platform"?',
    ],
    [
      ['--workspace', 'netwrk'],
      '[unknown-name]: unknown workspace netwrk: not in organization acme, or not visible to this token\n  hint: did you mean "network"?',
    ],
    [
      ['--state-of', 'bilLing'],
      '[unknown-name]: unknown workspace bilLing: not in organization acme, or not visible to this token\n  hint: did you mean "billing"?',
    ],
    [
      ['--team', 'sre', '--state-of', 'network'],
      '[usage]: --team cannot be used with --state-of\n  hint: ask one question at a time; --team can be added to --project and --workspace',
    ],
    [
      ['--project', 'platform', '--workspace', 'network'],
      '[usage]: --project cannot be used with --workspace\n  hint: ask one question at a time; --team can be added to --project and --workspace',
    ],
    [
      ['--organization', 'other', '--declared'],
      '[no-organization]: --declared needs root files of organization other\n  hint: name the root files, or remove --declared',
    ],
  ])('access %j is an error with what to do', async (argv, message) => {
    const world = await worldWith(files, { seed });
    const { code, stdout, stderr } = await world.attune('access', ...argv);
    expect([code, stdout, stderr]).toEqual([1, '', `error${message}\n`]);
  });

  test('access without an organization, or with several, is an error with what to do', async () => {
    const none = await attune(['access'], { cwd: await folderWith({}) });
    expect(none.stderr).toBe(
      'error[no-organization]: access needs an organization: there is no --organization and no attune.yaml\n  hint: add --organization and --address, or name a root file\n',
    );
    const cwd = await folderWith({
      'a.yaml': 'attune: 1\norganization: acme\n',
      'b.yaml': 'attune: 1\norganization: globex\n',
    });
    const two = await attune(['access', 'a.yaml', 'b.yaml'], { cwd });
    expect(two.stderr).toBe(
      'error[usage]: access answers for one organization, but the files declare several\n  hint: name the root files of one of them, or add --organization\n',
    );
  });
});

test('access prints CSV, Markdown and a page', async () => {
  const service = await serviceWith({ seed });
  const cwd = await folderWith({ 'attune.yaml': files });
  const go = async (...argv: string[]) =>
    (
      await attune(['access', '--address', service.url, ...argv], {
        cwd,
        env: { ATTUNE_TOKEN: 'test-token' },
      })
    ).stdout;
  expect(await go('--project', 'payments', '--format', 'csv')).toBe(
    'team,workspace,project,level,via,runs,variables,state,source,detail,file,line\n' +
      'developers,,payments,custom,,plan,none,none,grant,,attune.yaml,7\n' +
      'root,,payments,admin,,apply,write,write,organization-permission,manage-projects,,\n',
  );
  expect(await go('--state-of', 'network', '--format', 'markdown')).toBe(
    '`acme: Who can read the state of network`\n\n| `WORKSPACE` | `PROJECT` | `VIA` | `SOURCE` |\n| --- | --- | --- | --- |\n' +
      '| `billing` | `payments` | `list` | `remote-state-consumers (attune.yaml:11)` |\n\n' +
      '| `TEAM` | `LEVEL` | `RUNS` | `VARIABLES` | `STATE` | `SOURCE` |\n| --- | --- | --- | --- | --- | --- |\n' +
      '| `developers` | `read` | `read` | `read` | `read` | `grant` |\n' +
      '| `root` | `admin` | `apply` | `write` | `write` | `organization permission manage-projects` |\n' +
      '| `sre` | `admin` | `apply` | `write` | `write` | `grant (attune.yaml:9)` |\n',
  );
  const page = await go('--state-of', 'network', '--format', 'html');
  expect(page).toMatch(/^<!doctype html>[\s\S]*<h2>acme<\/h2>[\s\S]*<\/html>\n$/);
  expect(page).toContain('<h1>Who can read the state of network</h1>');
  expect(page).toContain(
    '<tr><th scope="row">billing</th><td>payments</td><td>list</td><td>remote-state-consumers (attune.yaml:11)</td></tr>',
  );
});

test('no cell of the CSV is a formula', async () => {
  const names = ['=1+1', '+1', '-1', '@sum', '＝1', 'a=1', '=a,"b"'];
  const teams = Object.fromEntries(names.map((name, index) => [name, `team-${index}`]));
  const grants = Object.fromEntries(names.map((name) => [name, 'read']));
  const world = await worldWith(
    {},
    { seed: { organization: 'acme', projects: { Lab: 'prj-lab' }, teams, 'team-access': { Lab: grants } } },
  );
  const { stdout } = await world.attune('access', ...withoutFiles, '--project', 'Lab', '--format', 'csv');
  const cells = stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.split(',,Lab,')[0]);
  expect(cells.toSorted()).toEqual(
    [`"'=1+1"`, `"'+1"`, `"'-1"`, `"'@sum"`, `"'＝1"`, 'a=1', `"'=a,""b"""`].toSorted(),
  );
});
