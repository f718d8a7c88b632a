import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { canonicalDigest } from '../../src/model/value.ts';
import { reportFormats } from '../../src/report/report.ts';
import { sendTo, workspaceBody } from '../support/ask.ts';
import { attune, folderWith, type World, worldWith } from '../support/attune.ts';
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

describe('a saved plan of things that are called by name', () => {
  const named = `attune: 1
organization: acme
projects: {plat: {name: Platform}}
teams: {sre: {name: SRE}}
ssh-keys: {deploy: {name: Deploy}}
workspaces: {network: {project: plat, ssh-key: deploy}}
team-access: {plat: {sre: admin}}
`;

  test('a saved plan with names is applied with a journal, and undo restores the state', async () => {
    const world = await worldWith(named, { seed });
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
});

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

interface SavedChange {
  address: string;
  kind: string;
  name: string;
  id?: string;
  action: string;
  fields: { path: string; before: unknown; after: unknown; add?: string[]; remove?: string[] }[];
  mode?: string;
  calls: { operation: string; method: string; path: string; body?: unknown; mode?: string }[];
  dependsOn: string[];
  facts: Record<string, unknown>;
  declared?: string;
}
type Saved = Record<string, unknown> & { organization: string; changes: SavedChange[] };

/** Edits the plan file and makes its digest fit again, as a forger does. */
async function forge(world: World, edit: (saved: Saved) => void): Promise<void> {
  const file = join(world.folder, 'plan.json');
  const { digest: _former, ...saved }: Saved = JSON.parse(await readFile(file, 'utf8'));
  edit(saved as Saved);
  await writeFile(file, JSON.stringify({ ...saved, digest: canonicalDigest(saved) }));
}

function changeOf({ changes }: Saved, address: string): SavedChange {
  const change = changes.find((one) => one.address === address);
  if (change === undefined) throw new Error(`no change of ${address}`);
  return change;
}

const deletionOfVault = {
  operation: 'deleteWorkspace',
  method: 'DELETE',
  path: '/workspaces/ws-vault',
  mode: 'force',
} as const;

interface Forgery {
  readonly what: string;
  readonly edit: (saved: Saved) => void;
  readonly reported: string;
  /** @default plan-differs */
  readonly code?: string;
}

const forgeries: readonly Forgery[] = [
  {
    what: 'a call that deletes a protected workspace',
    edit: (saved) => {
      changeOf(saved, 'workspace.network').calls.push(deletionOfVault);
    },
    reported:
      'the plan file does not match the files: workspace.network: planned DELETE /workspaces/ws-vault, now no call',
  },
  {
    what: 'the id of another workspace',
    edit: (saved) => {
      changeOf(saved, 'workspace.network').id = 'ws-vault';
    },
    code: 'moved-on',
    reported:
      'the plan is stale: workspace.network changed after the plan was saved (name was "network" and is "vault")',
  },
];

test.each(forgeries)(
  'a forged plan with a fitting digest is refused before the first write: $what',
  async ({ edit, reported, code: expected = 'plan-differs' }) => {
    const world = await planned();
    await forge(world, edit);
    const { code, stdout, stderr } = await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect([code, stdout, world.writes()]).toEqual([1, '', []]);
    expect(stderr).toContain(`error[${expected}]: ${reported}`);
    expect(stderr).toContain(
      'hint: run `attune plan --out` again and review the new plan\nNo changes were made.\n',
    );
  },
);

const autoApplyManually = ({ service }: World) =>
  sendTo(service, 'PATCH', '/workspaces/ws-network', workspaceBody({ 'auto-apply': true }));
const tagManually = ({ service }: World) =>
  sendTo(service, 'POST', '/workspaces/ws-network/relationships/tags', {
    data: [{ type: 'tags', attributes: { name: 'manual' } }],
  });

describe('apply --plan', () => {
  const apply = (world: World, ...flags: string[]) =>
    world.attune('apply', '--plan', 'plan.json', '--yes', ...flags);

  test('apply --plan is refused if the plan is applied in part, and accepted without a call if it is applied completely', async () => {
    const world = await planned();
    expect((await world.attune('apply', '--yes', '--only', 'workspace.network')).code).toBe(0);
    const { code, stderr } = await apply(world);
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stderr).toContain(
      'the plan is stale: workspace.network changed after the plan was saved (auto-apply was false and is true)',
    );
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
    expect(
      stderr,
    ).toBe(`attune.yaml:6:3: error[moved-on]: the plan is stale: workspace.network changed after the plan was saved (auto-apply was false and is true)
  6 |   network: {auto-apply: true, tags: [prod]}
    |   ^
  hint: run \`attune plan --out\` again and review the new plan
attune.yaml:8:26: error[plan-differs]: the files changed after the plan was saved: team-access.platform/sre: access: planned "read" -> "write", now "read" -> "admin"
  8 | team-access: {platform: {sre: admin}}
    |                          ^
  hint: run \`attune plan --out\` again and review the new plan
No changes were made.
`);
  });

  test('apply --plan reports a value that is no longer as declared beside a planned value that has changed', async () => {
    const world = await planned(yaml.replace('tags: [prod]', 'tags: [staging]'));
    await autoApplyManually(world);
    await tagManually(world);
    const { code, stderr } = await apply(world);
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stderr.match(/(?<=the plan is stale: ).*/g)).toEqual([
      'workspace.network changed after the plan was saved (auto-apply was false and is true)',
      'workspace.network changed after the plan was saved (tags: planned no change, now ["manual","staging"] -> ["staging"])',
    ]);
  });

  test('apply --plan enforces the limits of the files, and --max-deletes', async () => {
    const tombstone = yaml.replace('network: {auto-apply: true, tags: [prod]}', 'network: {state: absent}');
    const world = await planned(tombstone);
    await writeFile(
      join(world.folder, 'attune.yaml'),
      tombstone.replace('delete-percent: 100', 'deletes: 0'),
    );
    const refused = await apply(world);
    expect([refused.code, world.writes()]).toEqual([1, []]);
    expect(refused.stderr).toContain(
      'error[too-many-deletes]: the plan deletes 1, and limits.deletes allows 0',
    );
    expect((await apply(world, '--max-deletes', '1')).code).toBe(0);
    expect(world.writes()).toHaveLength(2);
  });

  test('apply --plan applies a plan that was made from a snapshot', async () => {
    const world = await worldWith(yaml, { seed });
    await world.attune('snapshot', '--out', 'live.json');
    expect(
      (await attune(['plan', '--snapshot', 'live.json', '--out', 'plan.json'], { cwd: world.folder })).code,
    ).toBe(0);
    expect((await apply(world)).code).toBe(0);
    expect(world.writes()).toHaveLength(4);
  });

  test('apply --plan looks up the aliases that the saved plan shows', async () => {
    const aliases = yaml
      .replace(
        'projects: {platform: prj-platform}',
        'projects: {platform: prj-platform, payments: {name: Payments}}',
      )
      .replace('tags: [prod]', 'project: prj-platform')
      .replace('vault: {protect: true}', 'vault: {protect: true, project: payments}');
    const world = await planned(aliases, '--only', 'workspace.*');
    await forge(world, (saved) => {
      // As if vault had been in order: then nothing that is left needs the name.
      saved.changes = saved.changes.filter(({ address }) => address !== 'workspace.vault');
    });
    const { code, stderr } = await apply(world);
    expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
  });

  test('apply --plan looks up the names of live values that the saved plan shows', async () => {
    const named = yaml
      .replace('tags: [prod]', 'ssh-key: null')
      .replace('vault: {protect: true}', 'vault: {protect: true, ssh-key: Deploy}');
    const world = await planned(named, '--only', 'workspace.*');
    await forge(world, (saved) => {
      // As if vault had been in order: then nothing that is left needs a name.
      saved.changes = saved.changes.filter(({ address }) => address !== 'workspace.vault');
      expect(changeOf(saved, 'workspace.network').fields).toContainEqual(
        expect.objectContaining({ path: 'ssh-key', before: 'Old' }),
      );
    });
    const { code, stderr } = await apply(world);
    expect([code, stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
  });

  const root = (body: string) => `attune: 1\norganization: acme\n${body}\n`;
  const files = {
    'a.yaml': root('workspaces: {network: {auto-apply: true}}'),
    'b.yaml': root('workspaces: {vault: {auto-apply: true}}'),
  };

  test('apply --plan accepts several root files of one organization, also if one was renamed and the order differs', async () => {
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
});

const control = '\u001b[31m';

test('a plan file with control characters in a name, an id, a path or a code is refused', async () => {
  const world = await planned();
  const saved = await readFile(join(world.folder, 'plan.json'), 'utf8');
  const edits: readonly ((saved: Saved, network: SavedChange) => unknown)[] = [
    (saved) => Object.assign(saved, { organization: `acme${control}` }),
    (_, network) => Object.assign(network, { address: `workspace.${control}` }),
    (_, network) => Object.assign(network, { name: control }),
    (_, network) => Object.assign(network, { id: `ws-${control}` }),
    (_, { fields }) => Object.assign(fields[0] ?? {}, { path: `tags${control}` }),
    (_, { calls }) => Object.assign(calls[0] ?? {}, { path: `/${control}` }),
    (saved) => Object.assign(saved, { diagnostics: [{ severity: 'note', code: control, message: 'x' }] }),
  ];
  for (const edit of edits) {
    await writeFile(join(world.folder, 'plan.json'), saved);
    await forge(world, (one) => void edit(one, changeOf(one, 'workspace.network')));
    const { code, stdout, stderr } = await world.attune('apply', '--plan', 'plan.json', '--yes');
    expect([code, stdout, world.requests()]).toEqual([1, '', []]);
    expect(stderr).toContain('error[bad-plan-file]: plan.json is not a plan that can be applied: /');
    expect(stderr).not.toContain('\u001b');
  }
  const { code, stdout, stderr } = await world.attune('show', 'plan.json');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('error[bad-plan-file]: plan.json is not a valid plan document: /');
});

test('control characters in the other texts of a plan file are escaped in each format', async () => {
  const world = await planned();
  const spoiled = ['message', 'hint', 'before', 'after', 'workspace', 'team', 'from', 'to', 'file'];
  await forge(world, (saved) => {
    const spoil = (key: string, value: unknown) =>
      typeof value === 'string' && spoiled.includes(key) ? `${value}${control}` : value;
    const location = { file: 'f', line: 1, column: 1 };
    const diagnostics = [{ severity: 'warning', code: 'note', message: 'm', hint: 'h', location }];
    Object.assign(saved, JSON.parse(JSON.stringify({ ...saved, diagnostics }, spoil)));
  });
  for (const format of reportFormats.filter((one) => one !== 'json')) {
    const { code, stdout, stderr } = await world.attune('show', 'plan.json', '--format', format);
    expect([format, code]).toEqual([format, 0]);
    expect(stdout + stderr).not.toContain('\u001b');
  }
});

const forgedJournals: readonly [string, (line: string) => string, string][] = [
  [
    'a call to another workspace',
    (text) => text.replace('"path":"/workspaces/ws-network"', '"path":"/workspaces/ws-vault"'),
    'PATCH /workspaces/ws-vault goes to another object',
  ],
  [
    'an encoded slash',
    (text) => text.replace('"path":"/workspaces/ws-network"', '"path":"/workspaces/ws-network%2fx"'),
    'PATCH /workspaces/ws-network%2fx goes to another object',
  ],
  [
    'a call of another action',
    (text) =>
      text.replace(
        '"operation":"updateWorkspace","method":"PATCH","path":"/workspaces/ws-network"',
        '"operation":"deleteWorkspace","mode":"force","method":"DELETE","path":"/workspaces/ws-network"',
      ),
    'DELETE /workspaces/ws-network does not belong to a change that is an update',
  ],
  [
    'a call that its operation does not make',
    (text) =>
      text.replace(
        '"method":"PATCH","path":"/workspaces/ws-network"',
        '"method":"DELETE","path":"/workspaces/ws-network"',
      ),
    'DELETE /workspaces/ws-network is not a call of updateWorkspace',
  ],
  [
    'an id that is none',
    (text) => text.replace('"id":"ws-network"', '"id":"ws-network/.."'),
    '/id must match pattern',
  ],
];

test('a forged journal is refused before the first request', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('apply', '--yes', '--journal', 'run.jsonl');
  const file = join(world.folder, 'run.jsonl');
  const journal = await readFile(file, 'utf8');
  for (const [what, edit, reported] of forgedJournals) {
    await writeFile(file, edit(journal));
    const { code, stderr } = await world.attune('undo', 'run.jsonl', '--yes');
    expect([what, code, world.requests()]).toEqual([what, 1, []]);
    expect(stderr).toContain(`: ${reported}`);
  }
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

test('a saved undo that was forged is refused by undo --plan', async () => {
  const world = await worldWith(yaml, { seed });
  await world.attune('apply', '--yes', '--journal', 'run.jsonl');
  await world.attune('undo', 'run.jsonl', '--out', 'plan.json');
  await forge(world, (saved) => {
    changeOf(saved, 'workspace.network').calls.push(deletionOfVault);
  });
  const { code, stderr } = await world.attune('undo', 'run.jsonl', '--plan', 'plan.json', '--yes');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stderr).toContain(
    'error[plan-differs]: the plan file does not match the journal: workspace.network: planned DELETE /workspaces/ws-vault, now no call\n',
  );
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
