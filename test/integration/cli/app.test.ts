import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { attune, folderWith, type World, worldWith } from '../../support/attune.ts';
import { codesOnly } from '../../support/codes-only.ts';
import { installInto, shellEnv } from '../../support/program-folder.ts';
import { rowsIn } from '../../support/rows.ts';
import { startAttune } from '../attune-process.ts';

const seed = { organization: 'acme', projects: { platform: 'prj-1' }, workspaces: { network: {} } };

const program = (body: string) => `\
import { App, Organization, Workspace } from 'attune/constructs';

const app = new App();
const acme = new Organization(app, 'acme');
${body.trim()}
await app.synth();
`;

/** A program that can be run, beside other files. */
async function programWorld(body: string, files: Readonly<Record<string, string>> = {}): Promise<World> {
  const world = await worldWith({ 'main.mjs': program(body), ...files }, { seed }, { env });
  installInto(world.folder);
  return world;
}

const env = { ...shellEnv, ATTUNE_TOKEN: 'test-token' };
const app = ['--app', 'node main.mjs'];

test('plan --app plans the declarations of a program, at its lines', async () => {
  const world = await programWorld(`
const shared = { autoApply: true };
new Workspace(acme, 'net', { ...shared, renamedFrom: 'network' });
`);
  const { code, stdout, stderr } = await world.attune('plan', ...app);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.replaceAll(world.service.url, 'http://service')).toBe(`\
acme  http://service

Needs attention:
  ! auto-apply on: workspace.net                 auto-apply: false -> true  main.mjs:6

  ~ workspace.net                                main.mjs:6
      name: network -> net
      auto-apply: false -> true

Plan: 0 to create, 1 to update, 0 to delete, 0 unchanged. 1 call. 1 needs attention.
`);
});

test('plan --app reports each broken rule with its construct and its line, from the program and from Attune', async () => {
  const world = await programWorld(`
const network = new Workspace(acme, 'network', { executionMode: 'agent', tags: ['network'] });
network.node.addValidation({ validate: () => ['a network needs an owner'] });
network.allowStateReadBy('billing', network);
new Workspace(acme, 'no good');
`);
  const { code, stdout, stderr } = await world.attune('plan', ...app);
  expect([code, stdout]).toEqual([1, '']);
  expect(codesOnly(stderr)).toBe(`\
main.mjs:5:17: error[broken-rule]
  5 | const network = new Workspace(acme, 'network', { executionMode: 'agent', tags: ['network'] });
    |                 ^
  construct: acme/network
main.mjs:5:17: error[missing-key]
  5 | const network = new Workspace(acme, 'network', { executionMode: 'agent', tags: ['network'] });
    |                 ^
  construct: acme/network
main.mjs:7:9: error[self-consumer]
  7 | network.allowStateReadBy('billing', network);
    |         ^
  construct: acme/network
main.mjs:8:1: error[bad-value]
  8 | new Workspace(acme, 'no good');
    | ^
  construct: acme/no good
`);
  expect(world.requests()).toEqual([]);
});

test('the output of the program of --app goes to stderr', async () => {
  const world = await programWorld(`console.log('printed by the program'); console.error('and its error');`);
  const { stdout, stderr } = await world.attune('plan', ...app);
  expect(stdout).not.toContain('printed by the program');
  expect(stderr.split('\n').sort()).toEqual(['', 'and its error', 'printed by the program']);
});

test('no token is in the environment of the program of --app', async () => {
  const world = await programWorld(
    `console.log(Object.keys(process.env).filter((key) => /TOKEN|AUTH|KEPT/i.test(key)));`,
  );
  const names =
    'ATTUNE_TOKEN_ACME TFE_TOKEN TF_TOKEN_app_example_com ATTUNE_READ_TOKEN OTHER_TOKEN KEPT'.split(' ');
  const tokens = {
    ...Object.fromEntries(names.map((name, index) => [name, `token-${index}`])),
    AUTHORIZATION: 'Bearer token-3',
  };
  const { stderr } = await attune(['validate', ...app], { cwd: world.folder, env: { ...env, ...tokens } });
  expect(stderr).toBe("[ 'KEPT' ]\nacme: 0 declared resources, no errors.\n");
});

test.each(rowsIn<[string, string, string, string]>`
- [fails, "console.error('no such stage'); process.exit(3);", node main.mjs, "no such stage\nerror[app-failed]: the program of --app ended with exit code 3: node main.mjs\n  hint: check the output of the program above; no plan was made\n"]
- [is ended by a signal, "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});", exec node main.mjs, "error[app-failed]: the program of --app was ended by SIGKILL: exec node main.mjs\n  hint: check the output of the program above; no plan was made\n"]
- [does not synthesize, '', 'true', "error[app-failed]: the program of --app declares no configuration: true\n  hint: end the program with \`await app.synth()\` of attune/constructs\n"]
`)('apply --app fails if the program %s', async (_, body, command, message) => {
  const world = await programWorld(body);
  const stderr = `${message}No changes were made.\n`;
  expect(await world.attune('apply', '--yes', '--app', command)).toEqual({ code: 1, stdout: '', stderr });
});

test('validate --app leaves no file in the working folder and in the temporary one', async () => {
  const temporary = await folderWith({});
  const world = await programWorld(`new Workspace(acme, 'network');`);
  await attune(['validate', ...app], { cwd: world.folder, env: { ...env, TMPDIR: temporary } });
  expect((await readdir(world.folder)).sort()).toEqual(['main.mjs', 'node_modules']);
  expect(await readdir(temporary)).toEqual([]);
});

test('apply, drift, snapshot, a saved plan and an export accept --app', async () => {
  const world = await programWorld(`
new Workspace(acme, 'network', { tags: ['prod'] }).allowStateReadBy(new Workspace(acme, 'billing'));
`);
  expect((await world.attune('snapshot', ...app, '--out', 'live.json')).code).toBe(0);
  const offline = await attune(['plan', ...app, '--snapshot', 'live.json'], { cwd: world.folder, env });
  expect(offline.stdout).toContain('Plan: 1 to create, 1 to update');
  expect((await world.attune('drift', ...app)).code).toBe(2);
  expect((await world.attune('plan', ...app, '--out', 'plan.json')).code).toBe(0);
  expect((await world.attune('apply', ...app, '--plan', 'plan.json', '--yes')).stdout).toContain(
    'Applied: 1 created, 1 updated',
  );
  expect((await world.attune('apply', ...app, '--yes')).stdout).toContain('0 calls.');
  expect(world.writes()).toEqual([]);
  expect((await world.attune('drift', ...app)).code).toBe(0);
  const exported = await world.attune('export', 'terraform', ...app);
  expect(JSON.parse(exported.stdout).resource.tfe_workspace).toHaveProperty('network');
});

test('undo takes the service from the program of --app', async () => {
  const body = `new Workspace(acme, 'network', { description: 'new' });`;
  const folder = installInto(
    await folderWith({
      'main.mjs': program(body).replace(
        "'acme')",
        "'acme', { service: { address: 'embedded', seed: 'seed.yaml' } })",
      ),
      'seed.yaml': 'organization: acme\nworkspaces: {network: {description: old}}\n',
    }),
  );
  const run = (...argv: readonly string[]) => attune([...argv, ...app, '--yes'], { cwd: folder, env });
  expect((await run('apply', '--journal', 'run.ndjson')).code).toBe(0);
  const asked = await attune(['undo', 'run.ndjson', ...app], { cwd: folder, env });
  expect([asked.code, asked.stderr]).toEqual([1, expect.stringContaining('error[not-confirmed]: ')]);
  const { code, stdout } = await run('undo', 'run.ndjson');
  expect([code, stdout]).toEqual([0, expect.stringContaining('description: new -> old')]);
});

test('a plan of --app is applied with the same program', async () => {
  const world = await programWorld(`new Workspace(acme, 'billing');`, {
    'teams/attune.yaml': 'attune: 1\norganization: acme\nworkspaces: {network: {auto-apply: true}}\n',
  });
  const argv = ['teams', ...app];
  const { code, stderr } = await world.attune('plan', ...argv, '--out', "it's.json");
  expect([code, stderr]).toEqual([
    0,
    `Saved as it's.json: attune apply --plan 'it'\\''s.json', with the same files and flags\n`,
  ]);
  expect((await world.attune('apply', ...argv, '--plan', "it's.json", '--yes')).code).toBe(0);
});

const root = 'attune: 1\norganization: acme\nprojects: {platform: prj-1}\n';

test('a program of --app is one configuration with the root file of the same organization', async () => {
  const world = await programWorld(
    `new Workspace(acme, 'billing', { project: 'platform', extends: 'service' }).allowStateReadBy('network');`,
    {
      'attune.yaml': `${root}templates: {service: {auto-apply: true}}
workspaces:
  network: {remote-state-consumers: [billing]}
`,
    },
  );
  const { stdout } = await world.attune('plan', 'attune.yaml', ...app);
  expect(stdout.replaceAll(world.service.url, 'http://service')).toBe(`\
acme  http://service

Needs attention:
  ! auto-apply on: workspace.billing             auto-apply: (none) -> true  attune.yaml:4
  ! state access gained: workspace.billing       by 1 workspace: network  main.mjs:5
  ! state access gained: workspace.network       by 1 workspace: billing  attune.yaml:6

  + workspace.billing                            main.mjs:5
      project: platform
      auto-apply: true
      remote-state-consumers: network
  ~ workspace.network                            attune.yaml:6
      remote-state-consumers: +billing (0 -> 1)

Plan: 1 to create, 1 to update, 0 to delete, 0 unchanged. 3 calls. 3 need attention.
`);
});

test('a workspace of both a root file and the program of --app is reported at both locations', async () => {
  const world = await programWorld(`new Workspace(acme, 'network');`, {
    'config/attune.yaml': `${root}workspaces:\n  network: {}\n`,
  });
  const { code, stderr } = await world.attune('plan', 'config', ...app);
  expect(code).toBe(1);
  expect(stderr).toBe(`\
main.mjs:5:1: error[duplicate-name]: the workspace "network" is declared twice, also at attune.yaml:5:3
  5 | new Workspace(acme, 'network');
    | ^
  construct: acme/network
config/attune.yaml:5:3: error[duplicate-name]: the workspace "network" is declared twice, also at ../main.mjs:5:1 (acme/network)
  5 |   network: {}
    |   ^
`);
});

test('a program of --app is planned alone if no root file is named', async () => {
  const world = await programWorld(`new Workspace(acme, 'network');`, {
    'attune.yaml': `${root}workspaces: {network: {}}\n`,
  });
  expect((await world.attune('validate', ...app)).stderr).toBe('acme: 1 declared resource, no errors.\n');
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s of plan --app ends the program too, exit %i', async (signal, exitCode) => {
  const { folder } = await programWorld(`
process.on('SIGTERM', () => process.exit(0));
console.log('running');
setInterval(() => {}, 1000);
await new Promise(() => {});
`);
  const temporary = await folderWith({});
  const settings = { cwd: folder, env: { TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' } };
  const child = startAttune(['plan', '--app', 'exec node main.mjs'], settings);
  child.onStderr((text) => text === 'running\n' && child.kill(signal));
  // Its outputs close when the program has ended too.
  expect((await child.ended).code).toBe(exitCode);
  expect(await readdir(temporary)).toEqual([]);
});
