import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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
  readonly files?: string;
}

function world({ token = { role: 'owner' }, files = '' }: Held) {
  const seed = {
    projects: { Payments: 'prj-payments', Web: 'prj-web' },
    teams: { sre: 'team-sre', developers: 'team-developers' },
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

const declare = ({ folder }: World, files: string) => writeFile(join(folder, 'attune.yaml'), head + files);

const files = `${lowered}guards: {keep-self: true}\n`;

const moving = 'guards: {keep-self: true}\nworkspaces: {app: {project: prj-web}}\n';

test('guards.keep-self reads no access again for a move, whose effects need it', async () => {
  const token = { role: 'owner', teams: ['sre'], kind: 'organization' };
  const { attune, requests } = await world({ files: moving, token });
  expect((await attune('plan')).code).toBe(0);
  expect(requests().filter((request) => request.includes('team-projects'))).toHaveLength(2);
});

test("undo lowers the access of the token's own team neither by a revoke nor by a move back", async () => {
  const held = await world({ token: { role: 'owner', teams: ['developers'] } });
  const { attune, writes } = held;
  await declare(
    held,
    `workspaces: {app: {project: prj-web}}\nteam-access: {prj-web: {developers: maintain}}\n`,
  );
  expect((await attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
  await declare(held, 'team-access: {payments: {developers: read}}\n');
  expect((await attune('apply', '--yes')).code).toBe(0);
  await declare(held, 'guards: {keep-self: true}\n');
  const { code, stderr } = await attune('undo', 'run.jsonl', '--yes');
  expect([code, writes()]).toEqual([1, []]);
  const suffix = 'and this token acts through team developers (guards.keep-self)';
  expect(stderr).toContain(
    `workspace.app moves from project Web to payments, which gives less access to it, ${suffix}`,
  );
  expect(stderr).toContain(`is lowered from maintain to write, ${suffix}`);
});

test('guards.keep-self prints a note if the service shows no user of the token, or no members of teams', async () => {
  const held = await world({ files, token: { role: 'owner', teams: ['sre'] } });
  const note = 'note[guard-not-checked]: guards.keep-self was not checked: the service does not show';
  const noUser = await planAt(held, { unknown: [/account/] });
  expect([noUser.code, noUser.stderr]).toEqual([0, expect.stringContaining(`${note} whose token this is`)]);
  const noTeams = await planAt(held, { unknown: [/teams/] });
  expect(noTeams.stderr).toContain(`${note} the members of team sre\n`);
});

test('guards.keep-admin is checked again when a saved plan is applied', async () => {
  const { attune, service, writes } = await world({
    files: `${lowered}guards: {keep-admin: [sre, developers]}\n`,
  });
  expect((await attune('plan', '--out', 'plan.json')).code).toBe(0);
  const id = await grantId(service, { project: 'prj-payments', team: 'team-developers' });
  await sendTo(service, 'DELETE', `/team-projects/${id}`);
  const { code, stderr } = await attune('apply', '--plan', 'plan.json', '--yes');
  expect([code, writes()]).toEqual([1, []]);
  expect(stderr).toContain(
    'error[keep-admin]: no team of guards.keep-admin (sre, developers) is an admin of project payments after this plan: team-access.payments/sre is lowered from admin to read',
  );
});
