import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

test('team access that was not read is unknown on the page, and not "no access"', async () => {
  const world = await worldWith(`${head}workspaces: {app: {}}\nteam-access: {prj-core: {team-sre: read}}\n`, {
    seed: {
      projects: { core: 'prj-core', pay: 'prj-pay' },
      teams: { sre: 'team-sre' },
      workspaces: { app: { project: 'pay' } },
      'team-access': { core: { sre: 'write' } },
    },
  });
  const { stdout } = await world.attune('plan', '--format', 'html');
  expect(stdout).toContain('Team access of <b>pay</b>: unknown (not read).');
});

test('several root files are headed by their paths', async () => {
  const world = await worldWith(
    {
      'core/attune.yaml': `${head}workspaces: {app: {auto-apply: false}}\n`,
      'pay/attune.yaml': `${head}workspaces: {web: {auto-apply: true}}\n`,
    },
    { seed: { workspaces: { app: {}, web: {} } } },
  );
  const { stdout } = await world.attune('plan', 'core', 'pay');
  const address = world.service.url;
  expect(stdout.split('\n').filter((line) => line.endsWith(address))).toEqual([
    `core/attune.yaml  acme  ${address}`,
    `pay/attune.yaml  acme  ${address}`,
  ]);
  const alone = await world.attune('plan', 'core');
  expect(alone.stdout).toMatch(new RegExp(`^acme {2}${address}\n`));
  const markdown = await world.attune('plan', 'core', 'pay', '--format', 'markdown');
  expect(markdown.stdout).toContain(`\`pay/attune.yaml\` (\`acme\`, \`${address}\`)`);
});

test('a change that ends the protection of guards.protect is a risk of the plan', async () => {
  const world = await worldWith(
    `${head}workspaces: {app: {tags: [core]}}\nguards: {protect: [{tag: prod}]}\n`,
    { seed: { workspaces: { app: { tags: ['prod'] } } } },
  );
  const { code, stdout } = await world.attune('plan');
  expect([code, stdout.split('\n').slice(2, 4)]).toEqual([
    0,
    [
      'Needs attention:',
      '  ! protection lost: workspace.app               guards.protect: {tag: "prod"} -> (none)  attune.yaml:3',
    ],
  ]);
});

test('a printed drift report has the part of the scope that was read', async () => {
  const seed = { workspaces: { app: {}, other: {} } };
  const scopes = ['', 'scope: {names: ["*"]}\n'].map(async (scope) => {
    const world = await worldWith(`${head}workspaces: {app: {}}\n${scope}`, { seed });
    const { stdout } = await world.attune('drift', '--format', 'json');
    const { scope: read, unmanaged } = JSON.parse(stdout);
    return { read, unmanaged };
  });
  expect(await Promise.all(scopes)).toEqual([
    { read: 'none', unmanaged: [] },
    { read: 'whole', unmanaged: ['workspace.other'] },
  ]);
});
