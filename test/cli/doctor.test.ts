import { expect, test } from 'vitest';
import { attune, folderWith, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';

const files = `attune: 1
organization: acme
projects: {platform: prj-1}
teams: {sre: team-1}
workspaces: {network: {remote-state-consumers: []}}
team-access: {platform: {sre: write}}
`;

test('doctor fails for a token that the service does not accept, and skips what depends on it', async () => {
  const world = await worldWith(files, { seed: { tokens: { other: { role: 'owner' } } } });
  const { code, stdout } = await world.attune('doctor');
  expect(code).toBe(1);
  expect(stdout.replaceAll(world.service.url, 'http://service')).toBe(`acme  attune.yaml

  ok       configuration  valid: 1 workspace, 1 grant, 0 managed projects
  ok       address        http://service (--address)
  ok       proxy          none: the address is reached directly
  ok       tls            not used: http to a loopback address
  ok       connection     GET /organizations/acme/workspaces was answered
  failed   token          ATTUNE_TOKEN: the service does not accept it (401)
                          fix: create a new token, and set it there
  skipped  organization   the token is not valid
  skipped  dialect        the token is not valid
  skipped  features       the token is not valid
  skipped  limits         the token is not valid
  skipped  clock          the token is not valid
  skipped  permissions    the token is not valid

12 checks: 5 ok, 1 failed, 6 skipped.
`);
  expect(world.writes()).toEqual([]);
});

test('doctor --format json prints one document of the published schema, also without an address', async () => {
  const cwd = await folderWith({ 'attune.yaml': files });
  const { code, stdout } = await attune(['doctor', '--format', 'json'], { cwd });
  const document = JSON.parse(stdout);
  expect([code, documentErrors(document)]).toEqual([1, []]);
  expect(document.organizations[0].checks[1]).toEqual({
    check: 'address',
    status: 'failed',
    evidence: 'no address is set',
    fix: 'set service.address, ATTUNE_ADDRESS or --address; use `embedded` for a trial without an account',
  });
});

test('doctor passes for the embedded service, which needs no token', async () => {
  const { code, stdout } = await attune(['doctor', '--address', 'embedded'], {
    cwd: await folderWith({ 'attune.yaml': 'attune: 1\norganization: acme\n' }),
  });
  expect(code).toBe(0);
  expect(
    stdout,
  ).toContain(`  ok       address        embedded, with its data in .attune/embedded.json (--address)
  ok       proxy          none: the embedded service is in this process
  ok       tls            not used: the embedded service is in this process
  ok       connection     GET /organizations/acme/workspaces was answered
  ok       token          none is needed
`);
  expect(stdout).toContain('  skipped  permissions    nothing declared needs one\n');
});

test('doctor with a warning and no failed check exits with 0', async () => {
  const world = await worldWith('attune: 1\norganization: acme\n', {
    faults: [{ kind: 'status', status: 403, path: '/organizations/acme' }],
  });
  const warned = expect.stringContaining('  warning  organization');
  expect(await world.attune('doctor')).toMatchObject({ code: 0, stdout: warned });
});
