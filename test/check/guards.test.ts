import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { grantId, sendTo } from '../support/ask.ts';
import { attune as run, type World, worldWith } from '../support/attune.ts';
import { type Differences, partialService } from '../support/partial-service.ts';

const head = `attune: 1
organization: acme
projects: {payments: prj-payments}
teams: {sre: team-sre, developers: team-developers}
`;
const lowered = `team-access: {payments: {sre: read}}\n`;

interface Held {
  readonly token?: Readonly<Record<string, unknown>>;
  readonly sre?: Readonly<Record<string, unknown>>;
  readonly files?: string;
}

function world({ token = { role: 'owner' }, sre = {}, files = '' }: Held) {
  const seed = {
    projects: { Payments: 'prj-payments', Web: 'prj-web' },
    teams: { sre: { id: 'team-sre', ...sre }, developers: 'team-developers' },
    'team-access': { Payments: { sre: 'admin', developers: 'admin' }, Web: { developers: 'write' } },
    workspaces: { app: { project: 'Payments' }, api: { project: 'Payments' } },
    tokens: { 'test-token': token },
  };
  return worldWith(head + files, { seed: seed as never });
}

/** Plans against a service that lacks a part of the one of the world. */
async function planAt({ folder, service }: World, differences: Differences) {
  const address = await partialService(service.url, differences);
  return run(['plan', '--address', address], { cwd: folder, env: { ATTUNE_TOKEN: 'test-token' } });
}

describe('guards.keep-self', () => {
  const files = `${lowered}guards: {keep-self: true}\n`;
  const refused = `attune.yaml:5:26: error[keep-self]: team-access.payments/sre is lowered from admin to read, and this token acts through team sre (guards.keep-self)
  5 | team-access: {payments: {sre: read}}
    |                          ^
  hint: keep the access of sre, or run this plan with a token of another team
`;

  test('guards.keep-self refuses a plan that lowers a team of which the user of the token is a member', async () => {
    const { attune } = await world({ files, token: { role: 'owner', teams: ['sre'] } });
    expect(await attune('plan')).toMatchObject({ code: 1, stderr: refused });
  });

  test.each([
    ['a user of another team', { role: 'owner', teams: ['developers'] }],
    ['another team', { role: 'owner', teams: ['developers'], kind: 'team' }],
    ['the organization', { role: 'owner', kind: 'organization' }],
  ])('guards.keep-self accepts the plan with the token of %s', async (_, token) => {
    const { attune } = await world({ files, token });
    expect(await attune('plan')).toMatchObject({ code: 0, stderr: '' });
  });

  test('guards.keep-self accepts the plan if the team manages all projects of the organization', async () => {
    const token = { role: 'owner', teams: ['sre'], kind: 'team' };
    const { attune } = await world({ files, token, sre: { 'organization-access': ['manage-projects'] } });
    expect(await attune('plan')).toMatchObject({ code: 0, stderr: '' });
  });

  test('guards.keep-self sends no request if the plan lowers no access', async () => {
    const files = 'team-access: {payments: {sre: admin}}\nguards: {keep-self: true}\n';
    const { attune, requests } = await world({ files });
    expect((await attune('plan')).code).toBe(0);
    expect(requests()).toEqual(['GET /team-projects?filter[project][id]=prj-payments&page[size]=100']);
  });

  const moving =
    'guards: {keep-self: true}\nworkspaces: {app: {project: prj-web}, api: {project: prj-web}}\n';
  const moved = (team: string) =>
    `attune.yaml:6:39: error[keep-self]: workspace.api (and 1 more workspace) moves from project payments to Web, which gives less access to it, and this token acts through team ${team} (guards.keep-self)
  6 | workspaces: {app: {project: prj-web}, api: {project: prj-web}}
    |                                       ^
  hint: give ${team} the same access to project Web, or run this plan with a token of another team
`;

  test.each([
    ['no access', 'sre'],
    ['lower access', 'developers'],
  ])(
    'guards.keep-self refuses to move workspaces to a project on which the team of the token has %s',
    async (_, team) => {
      for (const kind of ['user', 'team']) {
        const { attune } = await world({ files: moving, token: { role: 'owner', teams: [team], kind } });
        expect(await attune('plan')).toMatchObject({ code: 1, stderr: moved(team) });
      }
    },
  );

  test('guards.keep-self accepts a move if the same plan gives the team its access to the new project', async () => {
    const files = `${moving}team-access: {prj-web: {sre: admin}}\n`;
    const { attune } = await world({ files, token: { role: 'owner', teams: ['sre'] } });
    expect(await attune('plan')).toMatchObject({ code: 0, stderr: '' });
  });

  test('guards.keep-self reads no access again for a move, whose effects need it', async () => {
    const token = { role: 'owner', teams: ['sre'], kind: 'organization' };
    const { attune, requests } = await world({ files: moving, token });
    expect((await attune('plan')).code).toBe(0);
    expect(requests().filter((request) => request.includes('team-projects'))).toHaveLength(2);
  });

  test('undo does not move a workspace back to a project on which the team of the token has lower access', async () => {
    const token = { role: 'owner', teams: ['developers'] };
    const { attune, folder, writes } = await world({
      files: 'workspaces: {app: {project: prj-web}}\n',
      token,
    });
    const declare = (files: string) => writeFile(join(folder, 'attune.yaml'), head + files);
    expect((await attune('apply', '--yes', '--journal', 'moved.jsonl')).code).toBe(0);
    await declare('team-access: {payments: {developers: read}}\n');
    expect((await attune('apply', '--yes')).code).toBe(0);
    await declare('guards: {keep-self: true}\n');
    const { code, stderr } = await attune('undo', 'moved.jsonl', '--yes');
    expect([code, writes()]).toEqual([1, []]);
    expect(stderr).toContain(
      'error[keep-self]: workspace.app moves from project Web to payments, which gives less access to it, and this token acts through team developers',
    );
  });

  test('guards.keep-self prints a note if the service does not return the user of the token', async () => {
    const { code, stderr } = await planAt(await world({ files }), { unknown: [/account/] });
    expect([code, stderr]).toEqual([
      0,
      `attune.yaml:6:21: note[guard-not-checked]: guards.keep-self was not checked: the service does not show whose token this is
  6 | guards: {keep-self: true}
    |                     ^
`,
    ]);
  });

  test('guards.keep-self prints a note if the service does not return the members of the team', async () => {
    const held = await world({ files, token: { role: 'owner', teams: ['sre'] } });
    expect((await planAt(held, { unknown: [/teams/] })).stderr).toContain(
      'guards.keep-self was not checked: the service does not show the members of team sre\n',
    );
  });

  test("undo does not lower the access of the token's own team", async () => {
    const token = { role: 'owner', teams: ['sre'], kind: 'team' };
    const raised = 'projects: {web: prj-web}\nteam-access: {web: {sre: write}}\n';
    const { attune, folder, writes } = await world({ token });
    const write = (text: string) => writeFile(join(folder, 'attune.yaml'), text);
    await write(`attune: 1\norganization: acme\nteams: {sre: team-sre}\n${raised}`);
    expect((await attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
    await write('attune: 1\norganization: acme\nguards: {keep-self: true}\n');
    const { code, stderr } = await attune('undo', 'run.jsonl', '--yes');
    expect([code, writes()]).toEqual([1, []]);
    expect(stderr).toContain(
      'error[keep-self]: team-access.web/sre is revoked, and this token acts through team sre (guards.keep-self)',
    );
  });
});

describe('guards.keep-admin', () => {
  const files = `${lowered}guards: {keep-admin: [sre]}\n`;

  test('guards.keep-admin accepts a team that manages all projects of the organization, and the owners', async () => {
    const { attune } = await world({ files, sre: { 'organization-access': ['manage-projects'] } });
    expect(await attune('plan')).toMatchObject({ code: 0, stderr: '' });
  });

  test('guards.keep-admin accepts live access of another team of the list that no file manages', async () => {
    const { attune } = await world({ files: files.replace('[sre]', '[sre, developers]') });
    expect(await attune('plan')).toMatchObject({ code: 0, stderr: '' });
  });

  test('guards.keep-admin fails for a project whose access the token may not read', async () => {
    const gone = await worldWith(`${head.replace('prj-payments', 'prj-gone')}guards: {keep-admin: [sre]}\n`, {
      seed: {},
    });
    expect(await gone.attune('plan')).toMatchObject({
      code: 1,
      stderr: `attune.yaml:5:22: error[keep-admin]: guards.keep-admin cannot be checked for project payments: GET /team-projects?filter[project][id]=prj-gone&page[size]=100 answered 404: not found, or this token may not see it
  5 | guards: {keep-admin: [sre]}
    |                      ^
  hint: use a token that may read the access to this project, or remove the project from the configuration
`,
    });
  });

  test('guards.keep-admin is checked again when a saved plan is applied', async () => {
    const { attune, service, writes } = await world({ files: files.replace('[sre]', '[sre, developers]') });
    expect((await attune('plan', '--out', 'plan.json')).code).toBe(0);
    const id = await grantId(service, { project: 'prj-payments', team: 'team-developers' });
    await sendTo(service, 'DELETE', `/team-projects/${id}`);
    const { code, stderr } = await attune('apply', '--plan', 'plan.json', '--yes');
    expect([code, writes()]).toEqual([1, []]);
    expect(stderr).toContain(
      'error[keep-admin]: no team of guards.keep-admin (sre, developers) is an admin of project payments after this plan: team-access.payments/sre is lowered from admin to read',
    );
  });

  test('guards.keep-admin is a warning for a plan from a snapshot', async () => {
    const { attune } = await world({ files });
    expect((await attune('snapshot', '--out', 'live.json')).code).toBe(0);
    const { code, stderr } = await attune('plan', '--snapshot', 'live.json');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'attune.yaml:5:26: warning[keep-admin]: no team of guards.keep-admin (sre) is an admin of project payments after this plan',
    );
  });
});

test('a plan that creates nearly all workspaces warns that the token may not see the existing ones', async () => {
  const names = Array.from({ length: 11 }, (_, index) => `app-${index}: {}`);
  const seed = { workspaces: { 'app-0': {} }, tokens: { 'test-token': { role: 'owner' } } };
  const held = await worldWith(`${head}workspaces: {${names.join(', ')}}\n`, {
    seed: seed as never,
  });
  held.service.setFaults([{ kind: 'status', status: 403, path: '/organizations/acme' }]);
  expect((await held.attune('plan')).stderr).toBe(
    `warning[creates-nearly-all]: the plan creates 10 of 11 declared workspaces, and this token may not read the settings of the organization: can this token see organization acme?
  hint: run \`attune doctor\` to check what the token can see; for a new organization, apply the plan
`,
  );
  held.service.setFaults([]);
  expect((await held.attune('plan')).stderr).toBe('');
  // The interface has no endpoint for the organization.
  expect((await planAt(held, { forbidden: [/^GET \/organizations\/acme$/] })).stderr).toBe('');
});

test('guards.keep-admin shows a project by its name if a file refers to it by name', async () => {
  const files = 'guards: {keep-admin: [sre]}\nteam-access: {Web: {developers: read}}\n';
  const { attune } = await world({ files });
  const { stderr } = await attune('plan');
  expect(stderr).toContain('an admin of project Web after this plan');
  expect(stderr).toContain('hint: declare `admin` for sre under team-access.Web');
});
