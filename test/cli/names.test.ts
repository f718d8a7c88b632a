import { describe, expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const seed = {
  projects: { Payments: 'prj-1' },
  teams: { 'team-sre': 'team-1', other: 'team-out' },
  'ssh-keys': { deploy: 'sshkey-1' },
  workspaces: { billing: {} },
};

const yaml = `attune: 1
organization: acme
projects: {pay: {name: Payments}}
workspaces:
  billing: {project: pay, ssh-key: deploy}
`;

describe('a service that does not list what it has', () => {
  const notListed = { kind: 'status', method: 'GET', status: 404 } as const;
  const kinds = ['projects', 'ssh-keys', 'teams'];
  const faults = kinds.map((kind) => ({ ...notListed, path: `/organizations/acme/${kind}` }));

  test('a service without lists of names is reported with the lines to write instead of names', async () => {
    const world = await worldWith(yaml, { seed });
    world.service.setFaults(faults);
    const { code, stdout, stderr } = await world.attune('plan');
    expect([code, stdout]).toEqual([1, '']);
    expect(
      stderr,
    ).toBe(`attune.yaml:3:17: error[no-look-up]: "Payments" is not an id, and no projects can be looked up by name: GET /organizations/acme/projects?page[size]=100 answered 404: not found, or this token may not see it
  3 | projects: {pay: {name: Payments}}
    |                 ^
  hint: write its id: "pay: prj-..."
attune.yaml:5:36: error[no-look-up]: "deploy" is not an id, and no SSH keys can be looked up by name: GET /organizations/acme/ssh-keys?page[size]=100 answered 404: not found, or this token may not see it
  5 |   billing: {project: pay, ssh-key: deploy}
    |                                    ^
  hint: declare it by its id under ssh-keys: "deploy: sshkey-..."
`);
  });

  test('a service without lists of names accepts ids, also those that could be names', async () => {
    const world = await worldWith('attune: 1\norganization: acme\nteam-access: {prj-1: {team-out: read}}\n', {
      seed,
    });
    world.service.setFaults(faults);
    const applied = await world.attune('apply', '--yes');
    expect([applied.code, applied.stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
    expect((await world.attune('plan')).stdout).toContain('No changes');
  });
});

test('a team whose name looks like an id is found by its name', async () => {
  const world = await worldWith(
    'attune: 1\norganization: acme\nteam-access: {prj-1: {team-sre: read, team-out: read}}\n',
    { seed },
  );
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const { stdout } = await world.attune('drift', '--format', 'json');
  expect(JSON.parse(stdout).summary.unchanged).toBe(2);
  expect(world.requests()).toEqual([
    'GET /organizations/acme/teams?page[size]=100',
    'GET /team-projects?filter[project][id]=prj-1&page[size]=100',
  ]);
});

describe('a grant of an undeclared team whose name was read', () => {
  const files = `attune: 1
organization: acme
prune: {team-access: true}
limits: {delete-percent: 100}
team-access: {Payments: {sre: read}}
`;
  const live = {
    projects: { Payments: 'prj-1' },
    teams: { sre: 'team-sre', Contractors: 'team-contractors', 'night/shift': 'team-night' },
    'team-access': {
      'prj-1': { 'team-sre': 'read', 'team-contractors': 'write', 'team-night': 'read' },
    },
  } as const;

  test('a grant of an undeclared team is shown by its name in plan, drift and undo, without another request', async () => {
    const world = await worldWith(files, { seed: live });
    const { stdout } = await world.attune('plan', '--out', 'plan.json');
    expect(stdout).toContain('  - team-access.Payments/Contractors ');
    expect(world.requests()).toEqual([
      'GET /organizations/acme/projects?page[size]=100',
      'GET /organizations/acme/teams?page[size]=100',
      'GET /team-projects?filter[project][id]=prj-1&page[size]=100',
    ]);
    expect((await world.attune('drift')).stdout).toContain('team-access.Payments/Contractors');
    expect((await world.attune('apply', '--plan', 'plan.json', '--yes')).code).toBe(0);
    const undo = await world.attune('undo', '--last', '--yes');
    expect(undo.stdout).toContain('+ team-access.Payments/Contractors');
  });

  test('a grant of an undeclared team whose name has a slash, the separator of addresses, is shown by its id', async () => {
    const world = await worldWith(files, { seed: live });
    expect((await world.attune('plan')).stdout).toContain('  - team-access.Payments/team-night ');
  });

  test('a grant of an undeclared team is chosen by its name with --only', async () => {
    const world = await worldWith(files, { seed: live });
    const { stdout } = await world.attune('plan', '--only', 'team-access.Payments/Contractors');
    expect(stdout).toContain('Plan: 0 to create, 0 to update, 1 to delete');
  });
});

test('another failing read of names is reported with its own error', async () => {
  const world = await worldWith(yaml, { seed });
  world.service.setFaults([
    {
      kind: 'status',
      method: 'GET',
      path: '/organizations/acme/projects',
      status: 422,
      detail: 'out of order',
    },
  ]);
  const { code, stderr } = await world.attune('plan');
  expect(code).toBe(1);
  expect(stderr).toBe(
    'error[service-error]: GET /organizations/acme/projects?page[size]=100 answered 422: out of order\n',
  );
});

describe('a snapshot', () => {
  const later = `${yaml}  reports: {project: Payments}\n  network: {project: Network}\n`;

  test('a snapshot has names that the files did not use when it was written', async () => {
    const world = await worldWith({ 'attune.yaml': yaml, 'later/attune.yaml': later }, { seed });
    expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
    const { code, stderr } = await world.attune('plan', 'later', '--snapshot', 'live.json');
    expect(code).toBe(1);
    expect(
      stderr,
    ).toBe(`later/attune.yaml:7:22: error[unknown-name]: "Network" is neither an alias under projects nor the name of a project of acme that this token may see
  7 |   network: {project: Network}
    |                      ^
  hint: write "pay", "Payments" or "Default Project"
`);
    expect(world.requests()).toEqual([]);
  });

  test('a snapshot without any names of a kind is refused with the hint to write it again', async () => {
    const world = await worldWith(
      {
        'attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {billing: {}}\n',
        'later/attune.yaml': yaml,
      },
      { seed },
    );
    expect((await world.attune('snapshot', '--out', 'live.json')).code).toBe(0);
    const { code, stderr } = await world.attune('plan', 'later', '--snapshot', 'live.json');
    expect(code).toBe(1);
    expect(
      stderr,
    ).toContain(`later/attune.yaml:3:17: error[no-look-up]: "Payments" is not an id, and no projects can be looked up by name: the snapshot was recorded for a configuration without this name
  3 | projects: {pay: {name: Payments}}
    |                 ^
  hint: record a new snapshot for this configuration with \`attune snapshot --out\`; no plan was made
`);
  });
});
