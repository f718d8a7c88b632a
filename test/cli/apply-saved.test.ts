import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { canonicalDigest } from '../../src/model/value.ts';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, serviceWith, type World, worldWith } from '../support/attune.ts';
import { codesOnly } from '../support/codes-only.ts';

const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform', Payments: 'prj-payments' },
  teams: { SRE: 'team-sre' },
  'ssh-keys': { Deploy: 'sshkey-deploy', Old: 'sshkey-old' },
  workspaces: {
    network: { id: 'ws-network', project: 'prj-payments', 'ssh-key': 'sshkey-old', tags: ['staging'] },
    vault: { id: 'ws-vault' },
  },
  'team-access': { 'prj-platform': { 'team-sre': 'read' } },
} as const;

const yaml = `attune: 1
organization: acme
projects: {platform: prj-platform}
teams: {sre: team-sre}
workspaces:
  network: {auto-apply: true, tags: [prod]}
  vault: {protect: true}
team-access: {platform: {sre: write}}
limits: {delete-percent: 100}
`;

async function planned(files = yaml, ...flags: string[]): Promise<World> {
  const world = await worldWith(files, { seed });
  const { code, stderr } = await world.attune('plan', '--out', 'plan.json', ...flags);
  if (code !== 0) throw new Error(stderr);
  return world;
}

const apply = (world: World, ...flags: string[]) =>
  world.attune('apply', '--plan', 'plan.json', '--yes', ...flags);

/** What the refused apply of a saved plan prints, which has sent no request that writes. */
async function refused(world: World, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await apply(world, ...flags);
  expect([code, stdout, world.writes()]).toEqual([1, '', []]);
  return stderr;
}

interface SavedChange {
  address: string;
  id?: string;
  fields: { path: string; before: unknown; after: unknown }[];
  calls: { operation: string; method: string; path: string; mode?: string }[];
}
type Saved = Record<string, unknown> & { changes: SavedChange[] };

/** Edits the plan file and makes its digest fit again, as a forger does. */
async function forge(world: World, edit: (saved: Saved) => void): Promise<void> {
  const file = join(world.folder, 'plan.json');
  const { digest: _former, ...saved }: Saved = JSON.parse(await readFile(file, 'utf8'));
  edit(saved as Saved);
  await writeFile(file, JSON.stringify({ ...saved, digest: canonicalDigest(saved) }));
}

function networkOf({ changes }: Saved): SavedChange {
  const change = changes.find(({ address }) => address === 'workspace.network');
  if (change === undefined) throw new Error('no change of workspace.network');
  return change;
}

const autoApplyManually = ({ service }: World) =>
  sendTo(service, 'PATCH', '/workspaces/ws-network', workspaceBody({ 'auto-apply': true }));

test('a saved plan with names is applied with a journal, and undo restores the state', async () => {
  const world = await worldWith(
    `attune: 1
organization: acme
projects: {plat: {name: Platform}}
teams: {sre: {name: SRE}}
ssh-keys: {deploy: {name: Deploy}}
workspaces: {network: {project: plat, ssh-key: deploy}}
team-access: {plat: {sre: admin}}
`,
    { seed },
  );
  await world.attune('snapshot', '--out', 'before.json');
  await world.attune('plan', '--out', 'plan.json');
  const applied = await world.attune('apply', '--plan', 'plan.json', '--yes', '--journal', 'run.jsonl');
  expect([applied.code, world.writes().length]).toEqual([0, 3]);
  const [run = ''] = (await readFile(join(world.folder, 'run.jsonl'), 'utf8')).split('\n');
  expect(JSON.parse(run).aliases).toMatchObject({
    projects: { plat: 'prj-platform' },
    teams: { sre: 'team-sre' },
    'ssh-keys': { deploy: 'sshkey-deploy' },
  });
  const undone = await world.attune('undo', 'run.jsonl', '--yes');
  expect([undone.code, undone.stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
  await world.attune('snapshot', '--out', 'after.json');
  const read = (file: string) => readFile(join(world.folder, file), 'utf8');
  expect(await read('after.json')).toBe(await read('before.json'));
});

const deletionOfVault = {
  operation: 'deleteWorkspace',
  method: 'DELETE',
  path: '/workspaces/ws-vault',
  mode: 'force',
};
const noCall = '  -  deleteWorkspace: DELETE /workspaces/ws-vault\n';

test.each<[string, (change: SavedChange) => unknown, string]>([
  [
    'a call that deletes a protected workspace',
    ({ calls }) => calls.push(deletionOfVault),
    'error[plan-differs]: the plan file does not match the files\n',
  ],
  [
    'the id of another workspace',
    (change) => Object.assign(change, { id: 'ws-vault' }),
    '  -update workspace.network ws-vault: auto-apply, tags\n  +update workspace.network ws-network: auto-apply, tags\n',
  ],
])('a forged plan with a fitting digest is refused before the first write: %s', async (_, edit, reported) => {
  const world = await planned();
  await forge(world, (saved) => void edit(networkOf(saved)));
  const stderr = await refused(world);
  expect(stderr).toContain(reported);
  expect(stderr).toContain(
    'hint: run `attune plan --out` again and review the new plan\nNo changes were made.\n',
  );
});

test('a saved undo that was forged is refused by undo --plan', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('apply', '--yes', '--journal', 'run.jsonl');
  await world.attune('undo', 'run.jsonl', '--out', 'plan.json');
  await forge(world, (saved) => void networkOf(saved).calls.push(deletionOfVault));
  const { code, stderr } = await world.attune('undo', 'run.jsonl', '--plan', 'plan.json', '--yes');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stderr).toContain('error[plan-differs]: the plan file does not match the journal\n');
  expect(stderr).toContain(noCall);
});

test('a forged journal is refused before the first request', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('apply', '--yes', '--journal', 'run.jsonl');
  const file = join(world.folder, 'run.jsonl');
  const journal = await readFile(file, 'utf8');
  await writeFile(file, journal.replace('"path":"/workspaces/ws-network"', '"path":"/workspaces/ws-vault"'));
  const { code, stderr } = await world.attune('undo', 'run.jsonl', '--yes');
  expect([code, world.requests()]).toEqual([1, []]);
  expect(stderr).toContain(': PATCH /workspaces/ws-vault goes to another object');
});

const elsewhere =
  'hint: use the organization, address and dialect of the plan, or plan again; no changes were made\n';

test.each<[string, (world: World) => Promise<unknown>, readonly string[], string]>([
  [
    'that ends early',
    async ({ folder }) => {
      const file = join(folder, 'plan.json');
      await writeFile(file, (await readFile(file, 'utf8')).slice(0, -10));
    },
    [],
    'error[bad-plan-file]: plan.json is not a complete document: it ends early or is not JSON\n  hint: run the command that wrote it again\n',
  ],
  [
    'that does not exist',
    ({ folder }) => rm(join(folder, 'plan.json')),
    [],
    'error[bad-plan-file]: plan.json does not exist\n  hint: give a file that `attune plan --out` or `attune undo --out` wrote\n',
  ],
  [
    'for another organization',
    ({ folder }) => writeFile(join(folder, 'attune.yaml'), 'attune: 1\norganization: other\n'),
    [],
    `error[other-plan]: the plan is for organization acme, but the files are for other\n  ${elsewhere}`,
  ],
  [
    'for another dialect',
    ({ folder }) => writeFile(join(folder, 'attune.yaml'), `${yaml}service: {dialect: terraform}\n`),
    [],
    `error[other-plan]: the plan is in the iac dialect, but the files declare terraform\n  ${elsewhere}`,
  ],
  [
    'without configuration files',
    ({ folder }) => rm(join(folder, 'attune.yaml')),
    [],
    'error[no-files]: cannot apply plan.json: there are no configuration files to plan it again\n  hint: name the root files: attune apply attune.yaml --plan plan.json\n',
  ],
  [
    'with --only, because a reviewed plan is applied completely',
    async () => {},
    ['--only', 'workspace.network'],
    'error[usage]: --only cannot be used with --plan: a saved plan is applied as a whole\n  hint: give --only to `attune plan --out`\n',
  ],
])('apply refuses a plan file %s before the first request', async (_, change, flags, expected) => {
  const world = await planned();
  await change(world);
  expect(await refused(world, ...flags)).toBe(`${expected}No changes were made.\n`);
  expect(world.requests()).toEqual([]);
});

test('apply refuses a plan file for another address', async () => {
  const world = await planned();
  const { url, requests } = await serviceWith({ seed });
  const argv = ['apply', '--plan', 'plan.json', '--yes', '--address', url];
  const { code, stderr } = await attune(argv, { cwd: world.folder, env: { ATTUNE_TOKEN: 'test-token' } });
  const reported = `error[other-plan]: the plan is for ${world.service.url}, but this run uses ${url}\n  ${elsewhere}`;
  expect([code, stderr, requests]).toEqual([1, `${reported}No changes were made.\n`, []]);
});

test('the reasons for a refused plan file are one document with --format json', async () => {
  const world = await planned();
  await writeFile(join(world.folder, 'plan.json'), '{');
  const { code, stdout } = await apply(world, '--format', 'json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({
    format: 'attune.diagnostics/1',
    diagnostics: [{ severity: 'error', code: 'bad-plan-file' }],
  });
});

test('apply --plan is refused if the plan is applied in part, and accepted without a call if it is applied completely', async () => {
  const world = await planned();
  expect((await world.attune('apply', '--yes', '--only', 'workspace.network')).code).toBe(0);
  const { code, stderr } = await apply(world);
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stderr).toContain('error[plan-differs]: the live state changed after the plan was saved\n');
  expect(stderr).not.toContain('team-access');
  expect((await world.attune('apply', '--yes')).code).toBe(0);
  const again = await apply(world);
  expect([again.code, codesOnly(again.stderr)]).toEqual([0, 'note[already-applied]\n']);
});

test('apply --plan reports changes of the files separately from changes of the live state', async () => {
  const world = await planned();
  await writeFile(join(world.folder, 'attune.yaml'), yaml.replace('sre: write', 'sre: admin'));
  await autoApplyManually(world);
  const { code, stderr } = await apply(world);
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stderr).toMatchInlineSnapshot(`
    "attune.yaml:8:26: error[plan-differs]: the files changed after the plan was saved
      8 | team-access: {platform: {sre: admin}}
        |                          ^
      --- saved plan
      +++ plan now
      @@ -2,9 +2,15 @@
         live project: "prj-platform"
         live team: "team-sre"
         live access: "read"
      +  implied project-access.settings: ["read","delete"]
      +  implied project-access.teams: ["none","manage"]
         implied workspace-access.runs: ["read","apply"]
         implied workspace-access.policy-mocks: ["none","read"]
         implied workspace-access.state-versions: ["read","write"]
         implied workspace-access.variables: ["read","write"]
      +  implied workspace-access.create: [false,true]
         implied workspace-access.locking: [false,true]
      -  updateGrant: PATCH /team-projects/tprj-Cvpg5WmLh6w22Wzt {"data":{"id":"tprj-Cvpg5WmLh6w22Wzt","type":"team-projects","attributes":{"access":"write"}}}
      +  implied workspace-access.delete: [false,true]
      +  implied workspace-access.move: [false,true]
      +  implied workspace-access.run-tasks: [false,true]
      +  updateGrant: PATCH /team-projects/tprj-Cvpg5WmLh6w22Wzt {"data":{"id":"tprj-Cvpg5WmLh6w22Wzt","type":"team-projects","attributes":{"access":"admin"}}}
      hint: run \`attune plan --out\` again and review the new plan
    attune.yaml:6:3: error[plan-differs]: the live state changed after the plan was saved
      6 |   network: {auto-apply: true, tags: [prod]}
        |   ^
      --- saved plan
      +++ plan now
      @@ -1,7 +1,5 @@
      -update workspace.network ws-network: auto-apply, tags
      -  live auto-apply: false
      +update workspace.network ws-network: tags
         live tags: ["staging"]
         live name: "network"
      -  updateWorkspace: PATCH /workspaces/ws-network {"data":{"type":"workspaces","attributes":{"auto-apply":true}}}
         addTags: POST /workspaces/ws-network/relationships/tags {"data":[{"type":"tags","attributes":{"name":"prod"}}]}
         removeTags: DELETE /workspaces/ws-network/relationships/tags {"data":[{"type":"tags","attributes":{"name":"staging"}}]}
      hint: run \`attune plan --out\` again and review the new plan
    No changes were made.
    "
  `);
});

test('apply --plan enforces the limits of the files, and --max-deletes', async () => {
  const tombstone = yaml.replace('network: {auto-apply: true, tags: [prod]}', 'network: {state: absent}');
  const world = await planned(tombstone);
  await writeFile(join(world.folder, 'attune.yaml'), tombstone.replace('delete-percent: 100', 'deletes: 0'));
  const refused = await apply(world);
  expect([refused.code, world.writes()]).toEqual([1, []]);
  expect(refused.stderr).toContain(
    'error[too-many-deletes]: the plan deletes 1, and limits.deletes allows 0',
  );
  expect((await apply(world, '--max-deletes', '1')).code).toBe(0);
  expect(world.writes()).toHaveLength(2);
});

test('apply --plan applies a plan that was made from a snapshot, and refuses that of an outdated one', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('snapshot', '--out', 'live.json');
  const plan = () => attune(['plan', '--snapshot', 'live.json', '--out', 'plan.json'], { cwd: world.folder });
  expect((await plan()).code).toBe(0);
  expect((await apply(world)).code).toBe(0);
  expect(world.writes()).toHaveLength(4);
  await writeFile(join(world.folder, 'attune.yaml'), yaml.replace('sre: write', 'sre: admin'));
  expect((await plan()).code).toBe(0);
  const shown = await refused(world);
  expect(shown).toContain('error[plan-differs]: the live state changed after the plan was saved\n');
  expect(shown.match(/(?<=^ {2}[-+] {2})live .*/gm)).toContain('live access: "write"');
});

test.each([
  [
    'the aliases',
    yaml
      .replace(
        'projects: {platform: prj-platform}',
        'projects: {platform: prj-platform, payments: {name: Payments}}',
      )
      .replace('tags: [prod]', 'project: prj-platform')
      .replace('vault: {protect: true}', 'vault: {protect: true, project: payments}'),
    { path: 'project', before: 'payments' },
  ],
  [
    'the names of live values',
    yaml
      .replace('tags: [prod]', 'ssh-key: null')
      .replace('vault: {protect: true}', 'vault: {protect: true, ssh-key: Deploy}'),
    { path: 'ssh-key', before: 'Old' },
  ],
])('apply --plan looks up %s that the saved plan shows', async (_, files, field) => {
  const world = await planned(files, '--only', 'workspace.*');
  await forge(world, (saved) => {
    // As if vault had been in order: then nothing that is left needs a name.
    saved.changes = saved.changes.filter(({ address }) => address !== 'workspace.vault');
    expect(networkOf(saved).fields).toContainEqual(expect.objectContaining(field));
  });
  const { code, stderr } = await apply(world);
  expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
});

test('apply --plan accepts several root files of one organization, also if one was renamed and the order differs', async () => {
  const root = (body: string) => `attune: 1\norganization: acme\n${body}\n`;
  const files = {
    'a.yaml': root('workspaces: {network: {auto-apply: true}}'),
    'b.yaml': root('workspaces: {vault: {auto-apply: true}}'),
  };
  const world = await worldWith(files, { seed });
  await world.attune('plan', 'a.yaml', 'b.yaml', '--out', 'plan.json');
  const one = await world.attune('apply', 'a.yaml', '--plan', 'plan.json', '--yes');
  expect([one.code, one.stderr, world.writes()]).toEqual([
    1,
    `error[other-plan]: the plan is for 2 root files of acme, but the command line has 1
  hint: name the same root files as for \`attune plan\`
No changes were made.
`,
    [],
  ]);
  await rename(join(world.folder, 'a.yaml'), join(world.folder, 'c.yaml'));
  const both = await world.attune('apply', 'b.yaml', 'c.yaml', '--plan', 'plan.json', '--yes');
  expect([both.code, world.writes()]).toEqual([
    0,
    ['PATCH /workspaces/ws-network', 'PATCH /workspaces/ws-vault'],
  ]);
});

test('a snapshot with an id that leads to another path is refused', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('snapshot', '--out', 'live.json');
  const file = join(world.folder, 'live.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace('"ws-network"', '"ws-network/../ws-vault"'));
  const { code, stderr } = await attune(['plan', '--snapshot', 'live.json'], { cwd: world.folder });
  expect([code, stderr.split('\n')[0]]).toEqual([
    1,
    'error[bad-snapshot]: live.json is not a snapshot of this version (attune.snapshot/1)',
  ]);
});

test('a plan of the embedded service is applied from its file', async () => {
  const embedded =
    'attune: 1\norganization: acme\nservice: {address: embedded}\nworkspaces: {network: {auto-apply: true}}\n';
  const cwd = await folderWith({ 'attune.yaml': embedded });
  expect((await attune(['plan', '--out', 'plan.json'], { cwd })).code).toBe(0);
  const applied = await attune(['apply', '--plan', 'plan.json', '--yes'], { cwd });
  expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('1 created')]);
  const again = await attune(['apply', '--plan', 'plan.json', '--yes'], { cwd });
  expect([again.code, codesOnly(again.stderr)]).toEqual([0, 'note[already-applied]\n']);
});
