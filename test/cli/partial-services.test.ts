import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EmulatorOptions } from '../../src/emulator/index.ts';
import { attune, folderWith, serviceWith, worldWith } from '../support/attune.ts';
import { type Differences, partialService } from '../support/partial-service.ts';

const seed = {
  projects: { Web: 'prj-1' },
  teams: { sre: 'team-1' },
  'agent-pools': { onprem: 'apool-1' },
  workspaces: { app: { project: 'prj-1' }, web: { id: 'ws-web', project: 'prj-1' } },
};
const head = 'attune: 1\norganization: acme\n';
const emptyOrganization = { seed: { workspaces: {} }, dialect: 'terraform' } as const;
const bare = {
  unknown: [/remote-state-consumers/, /^\w+ \/team-projects/, /safe-delete$/, /data-retention-policy/],
};

/** Runs commands against a service with these differences. */
async function runsAgainst(
  differences: Differences,
  files: Readonly<Record<string, string>> = {},
  options: EmulatorOptions = { seed, dialect: 'terraform' },
) {
  const cwd = await folderWith(files);
  const service = await serviceWith(options);
  const address = await partialService(service.url, differences);
  return {
    cwd,
    service,
    run: (...argv: string[]) =>
      attune([...argv, '--address', address], { cwd, env: { ATTUNE_TOKEN: 'test-token' } }),
  };
}

describe('a service that refuses to include key/value tags', () => {
  const older = { refusedInclude: 'effective_tag_bindings' };

  test('a service without key/value tags makes each declaration of them and each selector by them an error at its line', async () => {
    const { run } = await runsAgainst(older, {
      'attune.yaml': `${head}workspaces:
  app:
    tag-bindings: {env: prod}
  web:
    global-remote-state: false
    remote-state-consumers: [{tagged: {env: prod}}]
`,
    });
    const { code, stderr } = await run('plan');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'attune.yaml:5:5: error[not-offered]: workspace.app declares tag-bindings, but this service does not offer key/value tags: PATCH /workspaces/:workspace/tag-bindings',
    );
    expect(stderr).toContain(
      'attune.yaml:8:5: error[not-offered]: remote-state-consumers of workspace.web selects by tagged, but this service does not offer key/value tags: GET /organizations/acme/workspaces?include=effective_tag_bindings',
    );
  });

  test('plan and apply work on a service without key/value tags if the files do not use them', async () => {
    const { run } = await runsAgainst(older, {
      'attune.yaml': `${head}workspaces: {app: {description: x}}\n`,
    });
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });
});

test('key/value tags in a create that the answer does not confirm are added with one more call', async () => {
  const { run, service } = await runsAgainst(
    { ignoresTagsOfCreates: true },
    {
      'attune.yaml': `${head}service: {dialect: terraform}\nworkspaces: {new: {tags: [a, B], tag-bindings: {env: prod}}}\n`,
    },
  );
  expect((await run('apply', '--yes')).code).toBe(0);
  const writes = service.requests.filter(({ method }) => method !== 'GET');
  expect(writes.map(({ method, path }) => `${method} ${path.replace(/ws-\w+/, '<new>')}`)).toEqual([
    'POST /organizations/acme/workspaces',
    'POST /workspaces/<new>/relationships/tags',
  ]);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
});

describe('a service without consumers and team access', () => {
  test('a service without features is imported without them, with one note for each, and the next plan is empty', async () => {
    const { run, cwd } = await runsAgainst(bare);
    const imported = await run('import', '--organization', 'acme');
    expect(imported.code).toBe(0);
    for (const feature of ['remote state consumers', 'project team access']) {
      const note = `note[not-offered]: this service does not offer ${feature}: skipped`;
      expect(imported.stderr.split(note)).toHaveLength(2);
    }
    const root = readFileSync(join(cwd, 'attune.yaml'), 'utf8');
    expect(root).toContain('  without: [remote-state-consumers, team-access, data-retention]\n');
    expect(root).not.toContain('remote-state-consumers:');
    const planned = await run('plan');
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('No changes')]);
  });

  test('a snapshot records missing features of a service, and its workspaces are shown', async () => {
    const { run, cwd } = await runsAgainst(bare, {
      'attune.yaml': `${head}projects: {web: prj-1}\nworkspaces: {app: {}}\n`,
    });
    expect((await run('snapshot', '--out', 'live.json')).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, 'live.json'), 'utf8'))).toMatchObject({ projects: [] });
    const shown = await run('workspace', 'show', 'app');
    expect(shown.code).toBe(0);
    expect(shown.stderr).toContain('note[not-offered]: this service does not offer remote state consumers');
    expect(shown.stdout).not.toContain('state readable by');
  });

  test('a declaration of a feature that the service lacks is an error at its line', async () => {
    const { run } = await runsAgainst(bare, {
      'attune.yaml': `${head}workspaces:
  app:
    remote-state-consumers: [web]
team-access:
  prj-1:
    team-1: read
`,
    });
    const { code, stderr } = await run('plan');
    expect(code).toBe(1);
    expect(stderr).toContain(
      'attune.yaml:5:5: error[not-offered]: workspace.app declares remote-state-consumers, but this service does not offer remote state consumers',
    );
    expect(stderr).toContain(
      'attune.yaml:8:5: error[not-offered]: team-access.prj-1/team-1 declares team access, but this service does not offer project team access',
    );
  });

  test('service.without declares missing features, which saves the requests', async () => {
    const { run } = await runsAgainst(
      {},
      {
        'attune.yaml': `${head}service: {without: [remote-state-consumers]}
workspaces:
  app: {remote-state-consumers: [web]}
`,
      },
    );
    const { code, stderr } = await run('plan', '--verbose');
    expect(code).toBe(1);
    expect(stderr).toContain('error[not-offered]');
    expect(stderr).not.toContain('relationships/remote-state-consumers');
  });
});

describe('a proxy that answers a consumer list with a page and status 404', () => {
  const files = {
    'attune.yaml': `${head}workspaces:\n  app: {remote-state-consumers: []}\n  web: {remote-state-consumers: []}\n`,
  };
  const requests = /ws-web\/relationships\/remote-state-consumers/;

  test('a single 404 page does not make consumers count as missing', async () => {
    const { run } = await runsAgainst({ proxied: { requests, times: 1 } }, files);
    const { code, stdout, stderr } = await run('plan');
    expect([code, stdout, stderr]).toEqual([0, expect.stringContaining('No changes'), '']);
  });

  test('plan fails at repeated 404 pages if another answer shows that the service offers consumers', async () => {
    const { run } = await runsAgainst({ proxied: { requests, times: 99 } }, files);
    const { code, stderr } = await run('plan');
    expect(code).toBe(1);
    expect(stderr).toBe(
      `error[no-usable-answer]: GET /workspaces/ws-web/relationships/remote-state-consumers?page[size]=100: answered 404 without a JSON:API document, and other answers show that the service offers remote state consumers
  hint: check the proxy in front of the service, then run again
`,
    );
  });
});

describe('a service without safe delete', () => {
  const tombstone = { 'attune.yaml': `${head}workspaces:\n  app: {state: absent}\n` };
  const apply = ['apply', '--yes', '--max-deletes', '5'] as const;

  test('a deletion without safe delete fails with the hint delete: force', async () => {
    const { run } = await runsAgainst(bare, tombstone);
    const { code, stdout } = await run(...apply);
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /safe-delete answered 404: .*this service does not offer safe delete.*; check that it manages no resources, then write `delete: force`, which deletes it without that check/,
    );
  });

  test('undo --force deletes created workspaces on a service without safe delete', async () => {
    const { run } = await runsAgainst(bare, { 'attune.yaml': `${head}workspaces: {fresh: {}}\n` });
    expect((await run('apply', '--yes', '--journal', 'run.ndjson')).code).toBe(0);
    const safely = await run('undo', 'run.ndjson', '--yes');
    expect([safely.code, safely.stdout]).toEqual([1, expect.stringContaining('run again with --force')]);
    expect((await run('undo', 'run.ndjson', '--yes', '--force')).code).toBe(0);
    expect((await run('workspace', 'list', '--name', 'fresh')).stdout).not.toContain('fresh');
  });
});

test('undo asks a service without safe delete only until the first answer has shown that', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `fresh-${index}`);
  const workspaces = Object.fromEntries(names.map((name) => [name, {}]));
  const requests: string[] = [];
  const { run } = await runsAgainst(
    { ...bare, requests },
    { 'attune.yaml': `${head}workspaces: ${JSON.stringify(workspaces)}\n` },
  );
  expect((await run('apply', '--yes', '--journal', 'run.ndjson')).code).toBe(0);
  // The plan reads each of them.
  const planned = requests.length;
  await run('undo', 'run.ndjson');
  const reads = requests.length - planned;
  requests.length = 0;
  const undone = await run('undo', 'run.ndjson', '--yes', '--parallelism', '1');
  expect([undone.code, undone.stdout]).toEqual([1, expect.stringContaining('0 deleted, 30 failed')]);
  expect(requests.filter((request) => request.endsWith('/actions/safe-delete'))).toHaveLength(1);
  // The first one is read again, with what its journal keeps.
  expect(requests.length).toBeLessThanOrEqual(reads + 6);
});

test('undo deletes a created workspace whose tags the service did not take', async () => {
  const { run, service } = await runsAgainst(
    { ignoresTagsOfCreates: true, forbidden: [/^POST \/workspaces\/[^/]+\/relationships\/tags$/] },
    { 'attune.yaml': `${head}workspaces: {fresh: {tags: [new]}}\n` },
  );
  const applied = await run('apply', '--yes', '--journal', 'run.ndjson');
  expect([applied.code, applied.stdout]).toEqual([
    1,
    expect.stringMatching(/Done in part:\n {2}\+ workspace\.fresh\n.*\(1 of 2 calls completed\)/),
  ]);
  const undone = await run('undo', 'run.ndjson', '--yes');
  expect([undone.code, undone.stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
  expect(service.requests.at(-1)?.path).toMatch(/safe-delete$/);
});

describe('a service whose setting-overwrites are always false', () => {
  const own = `${head}agent-pools: {onprem: apool-1}
workspaces:
  app: {execution-mode: agent, agent-pool-id: onprem}
  web: {execution-mode: local}
`;
  const lacking = { overwritesAlwaysFalse: true };

  test('a service whose setting-overwrites are always false has nothing to plan after an apply', async () => {
    const { run } = await runsAgainst(lacking, { 'attune.yaml': own });
    // The first apply shows what the service returns.
    await run('apply', '--yes');
    const planned = await run('plan');
    expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('No changes')]);
  });

  test('a flag that the service returns as false fails with what to add to the files', async () => {
    const { run, cwd } = await runsAgainst(lacking, {
      'attune.yaml': `${head}workspaces: {app: {execution-mode: remote}}\n`,
    });
    const applied = await run('apply', '--yes');
    expect([applied.code, applied.stdout]).toEqual([
      1,
      expect.stringContaining(
        'add setting-overwrites to service.without if this service always returns false',
      ),
    ]);
    writeFileSync(
      join(cwd, 'attune.yaml'),
      `${head}service: {without: [setting-overwrites]}\nworkspaces: {app: {execution-mode: remote}}\n`,
    );
    expect((await run('plan')).stdout).toContain('No changes');
  });

  test('plan --only agrees with plan about setting-overwrites that are always false', async () => {
    const { run } = await runsAgainst(lacking, { 'attune.yaml': own });
    await run('apply', '--yes');
    for (const name of ['app', 'web']) {
      const planned = await run('plan', '--only', `workspace.${name}`);
      expect([planned.code, planned.stdout]).toEqual([0, expect.stringContaining('No changes')]);
    }
  });

  test('a saved plan is applied on a service whose setting-overwrites are always false', async () => {
    const { run, cwd } = await runsAgainst(lacking, { 'attune.yaml': own });
    await run('apply', '--yes');
    writeFileSync(join(cwd, 'attune.yaml'), own.replace('local}', 'remote}'));
    expect((await run('plan', '--out', 'plan.json')).code).toBe(0);
    expect(JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')).without).toEqual(['setting-overwrites']);
    const applied = await run('apply', '--plan', 'plan.json', '--yes');
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining('1 updated')]);
    expect((await run('plan')).stdout).toContain('No changes');
  });

  test('an undo restores own execution modes on a service whose setting-overwrites are always false', async () => {
    const { run, cwd } = await runsAgainst(lacking, { 'attune.yaml': own });
    await run('apply', '--yes');
    writeFileSync(join(cwd, 'attune.yaml'), own.replace('local}', 'remote}'));
    expect((await run('apply', '--yes', '--journal', 'run.ndjson')).code).toBe(0);
    expect(readFileSync(join(cwd, 'run.ndjson'), 'utf8')).toContain('"without":["setting-overwrites"]');
    const undone = await run('undo', 'run.ndjson', '--yes');
    expect([undone.code, undone.stdout]).toEqual([0, expect.stringContaining('1 updated')]);
    writeFileSync(join(cwd, 'attune.yaml'), own);
    expect((await run('plan')).stdout).toContain('No changes');
  });

  test('import records under service.without what the service lacks, and doctor and plan agree', async () => {
    const { run, cwd } = await runsAgainst({ ...lacking, ...bare }, { 'attune.yaml': own });
    await run('apply', '--yes', '--only', 'workspace.*');
    const imported = await run('import', '--force', '--out', 'one.yaml', '--organization', 'acme');
    expect([imported.code, imported.stderr]).toEqual([
      0,
      expect.not.stringContaining('add setting-overwrites'),
    ]);
    expect(readFileSync(join(cwd, 'one.yaml'), 'utf8')).toContain(
      'without: [remote-state-consumers, team-access, data-retention, setting-overwrites]',
    );
    for (const name of ['app', 'web'])
      expect((await run('plan', 'one.yaml', '--only', `workspace.${name}`)).stdout).toContain('No changes');
    expect((await run('doctor', 'one.yaml')).stdout).toMatch(/does not offer [a-z, -]*setting-overwrites/);
    expect((await run('doctor')).stdout).toMatch(/does not offer [a-z, -]*setting-overwrites/);
  });
});

describe('a service whose workspaces lack settings', () => {
  const lacking = { hidden: ['setting-overwrites', 'project-remote-state'] };

  test.each([
    ['project-remote-state: true', 'project-remote-state'],
    ['setting-overwrites: {execution-mode: false}', 'setting-overwrites.execution-mode'],
  ])(
    'the first apply of %s to an empty organization fails, as the next plan does',
    async (declared, path) => {
      const { run } = await runsAgainst(
        lacking,
        { 'attune.yaml': `${head}workspaces: {app: {${declared}}}\n` },
        emptyOrganization,
      );
      const applied = await run('apply', '--yes');
      expect([applied.code, applied.stdout]).toEqual([
        1,
        expect.stringContaining(`but the service did not return it; remove ${path}: this service does not`),
      ]);
      const planned = await run('plan');
      expect([planned.code, planned.stderr]).toEqual([
        1,
        expect.stringContaining(`error[not-offered]: workspace.app declares ${path}`),
      ]);
    },
  );

  test('project-remote-state: false is done, and the next plan has no changes', async () => {
    const yaml = `${head}workspaces: {app: {project-remote-state: false, execution-mode: remote}}\n`;
    const { run } = await runsAgainst(lacking, { 'attune.yaml': yaml }, emptyOrganization);
    expect((await run('apply', '--yes')).code).toBe(0);
    expect((await run('plan')).stdout).toContain('No changes');
  });
});

test('an organization that the service answers with an empty list and 404 is planned with a warning', async () => {
  const { run } = await runsAgainst(
    { emptyLists: true },
    { 'attune.yaml': 'attune: 1\norganization: acmee\nworkspaces: {app: {}}\n' },
  );
  const { code, stderr } = await run('plan');
  expect(code).toBe(0);
  expect(stderr).toContain(
    `warning[unknown-organization]: the service returns no workspaces of organization acmee, and 404 for the organization: it does not exist, or the service does not show organizations
  hint: check \`organization\`; for a new organization, go on
`,
  );
});

describe('a service without an endpoint for the organization', () => {
  const showOrganization = /^GET \/organizations\/acme$/;

  test.each([
    ['in plain text', { unknown: [showOrganization] }],
    ['with a JSON:API document', { forbidden: [showOrganization] }],
  ])(
    'an empty organization is planned, applied and imported if the service answers 404 %s for it',
    async (_, differences) => {
      const { run } = await runsAgainst(
        differences,
        { 'attune.yaml': `${head}workspaces: {app: {description: x}}\n` },
        emptyOrganization,
      );
      expect((await run('plan')).code).toBe(0);
      expect((await run('import', '--organization', 'acme', '--out', 'imported')).code).toBe(0);
      expect((await run('apply', '--yes')).code).toBe(0);
      const planned = await run('plan');
      expect([planned.code, planned.stdout, planned.stderr]).toEqual([
        0,
        expect.stringContaining('No changes'),
        '',
      ]);
    },
  );
});

describe('a service that announces itself as HCP Terraform', () => {
  const hosted = { seed, dialect: 'terraform' } as const;

  test('a declared data retention is an error at its line, before any write', async () => {
    const world = await worldWith(
      `${head}workspaces:\n  app:\n    description: new\n    data-retention: {delete-older-than-days: 30}\n`,
      hosted,
    );
    const { code, stderr } = await world.attune('apply', '--yes');
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stderr).toContain(
      'attune.yaml:6:5: error[not-offered]: workspace.app declares data-retention, but this service does not offer data retention policies\n',
    );
  });

  test('plan, import, snapshot and show do not ask for data retention policies, and report none missing', async () => {
    const world = await worldWith(`${head}workspaces: {app: {description: x}}\n`, hosted);
    for (const command of [
      ['plan'],
      ['import', '--organization', 'acme', '--out', 'one.yaml'],
      ['snapshot', '--out', 'live.json'],
      ['workspace', 'show', 'app'],
    ]) {
      const { code, stderr } = await world.attune(...command);
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('not-offered')]);
      expect(world.requests().filter((request) => request.includes('retention'))).toEqual([]);
    }
  });
});

describe('what a service lacks is learned once per run', () => {
  const many = {
    seed: {
      projects: Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`P${index}`, `prj-${index}`])),
      workspaces: Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`w-${index}`, { project: `prj-${index}` }]),
      ),
    },
    dialect: 'terraform',
    edition: 'self-hosted',
  } as const;
  const names = Object.keys(many.seed.workspaces);
  const declared = `${head}projects: {${Object.values(many.seed.projects)
    .map((id, index) => `p${index}: ${id}`)
    .join(', ')}}\nteam-access: {${names.map((_, index) => `p${index}: {}`).join(', ')}}\nworkspaces: {${names
    .map((name) => `${name}: {}`)
    .join(', ')}}\n`;

  test.each([
    ['import', ['import', '--organization', 'acme', '--out', 'one.yaml']],
    ['snapshot', ['snapshot', '--out', 'live.json']],
    ['workspace show', ['workspace', 'show', ...names]],
  ])('%s sends two requests for each feature that the service lacks', async (_, command) => {
    const requests: string[] = [];
    const { run } = await runsAgainst({ ...bare, requests }, { 'attune.yaml': declared }, many);
    expect((await run(...command)).code).toBe(0);
    const count = (pattern: RegExp) => requests.filter((request) => pattern.test(request)).length;
    for (const pattern of [/remote-state-consumers/, /team-projects/, /retention/])
      expect([pattern, count(pattern) <= 2]).toEqual([pattern, true]);
  });

  test('import writes data retention if the first workspace has none and documents do not show it', async () => {
    const workspaces = { app: {}, web: { 'data-retention': { 'delete-older-than-days': 30 } } };
    const { run, cwd } = await runsAgainst(
      { hidden: ['data-retention-policy'] },
      {},
      { ...many, seed: { workspaces } },
    );
    expect((await run('import', '--organization', 'acme', '--out', 'one.yaml')).code).toBe(0);
    expect(readFileSync(join(cwd, 'one.yaml'), 'utf8')).toContain(
      'data-retention: {delete-older-than-days: 30}',
    );
  });

  test('import reads a list of the terraform dialect without headers once', async () => {
    const requests: string[] = [];
    const workspaces = Object.fromEntries(Array.from({ length: 230 }, (_, index) => [`w-${index}`, {}]));
    const { run } = await runsAgainst({ requests }, {}, { ...many, seed: { workspaces } });
    expect((await run('import', '--organization', 'acme', '--out', 'one.yaml')).code).toBe(0);
    const lists = requests.filter((request) => /^GET \/organizations\/acme\/workspaces\?/.test(request));
    expect(lists).toEqual([
      'GET /organizations/acme/workspaces?page[size]=100&include=effective_tag_bindings',
      expect.stringContaining('page[number]=2'),
      expect.stringContaining('page[number]=3'),
    ]);
  });
});

describe('an older service of the terraform dialect', () => {
  const older: Differences = {
    unknown: [
      /^POST \/projects\/[^/]+\/relationships\/workspaces/,
      /recoverable-items/,
      /^GET \/organizations\/acme$/,
    ],
    refusedInclude: 'effective_tag_bindings',
    hidden: [
      'project-remote-state',
      'inherits-project-auto-destroy',
      'setting-overwrites',
      'permissions',
      'stack-count',
    ],
  };
  const live = {
    settings: { 'recoverable-items-enabled': true },
    projects: { Web: 'prj-1', Lab: { id: 'prj-2', 'auto-destroy-activity-duration': '1d' } },
    workspaces: {
      app: { project: 'prj-1', 'remote-state-consumers': ['web'] },
      web: { project: 'prj-1' },
      old: { project: 'prj-1', description: 'Old' },
    },
  } as const;
  const options = { seed: live, dialect: 'terraform' } as const;
  const moved = `${head}projects: {web: prj-1, lab: prj-2}
workspaces:
  app: {project: lab}
  web: {project: lab}
  new: {}
  old: {state: absent}
`;

  test('an older service moves, creates and deletes workspaces, and undoes all of it', async () => {
    const { run, service } = await runsAgainst(older, { 'attune.yaml': moved }, options);
    const planned = await run('plan');
    expect(planned.stdout).not.toMatch(/recoverable|final/);
    const applied = await run('apply', '--yes', '--max-deletes', '3');
    expect(applied.code, applied.stdout + applied.stderr).toBe(0);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    const writes = () =>
      service.requests
        .filter(({ method }) => method !== 'GET')
        .map(({ method, path }) => `${method} ${path}`);
    expect(writes().filter((write) => write.startsWith('PATCH'))).toHaveLength(2);
    const undone = await run('undo', '--last', '--yes', '--max-deletes', '3');
    expect(undone.code, undone.stdout + undone.stderr).toBe(0);
    expect(undone.stdout).toContain('+ workspace.old');
    const { stdout } = await run('workspace', 'list');
    expect(stdout).toContain('old');
  });

  test('an older service is imported without what it lacks, and the next plan is empty', async () => {
    const { run, cwd } = await runsAgainst(older, {}, options);
    const imported = await run('import', '--organization', 'acme');
    expect(imported.code, imported.stderr).toBe(0);
    const text = readFileSync(join(cwd, 'attune.yaml'), 'utf8');
    expect(text).not.toMatch(/project-remote-state|default-execution-mode|tag-bindings:/);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  });

  test('a plan from a snapshot of an older service is that of the service', async () => {
    const { run, cwd } = await runsAgainst(
      older,
      { 'attune.yaml': moved.replaceAll('{project: lab}', '{}') },
      options,
    );
    expect((await run('snapshot', '--out', 'live.json')).code).toBe(0);
    writeFileSync(join(cwd, 'attune.yaml'), moved);
    const online = await run('plan', '--quiet');
    expect(online.code, online.stderr).toBe(0);
    expect(online.stdout).toContain('move from web to lab: app, web');
    const offline = await attune(['plan', '--quiet', '--snapshot', 'live.json'], { cwd });
    expect(offline).toEqual(online);
  });

  test('an older service has no project-remote-state to declare', async () => {
    const { run } = await runsAgainst(
      older,
      { 'attune.yaml': `${head}workspaces:\n  app: {project-remote-state: true}\n` },
      options,
    );
    const { code, stderr } = await run('plan');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^attune\.yaml:4:\d+: error\[[\w-]+\]: .*project-remote-state/);
  });

  test('an older service whose projects have no execution mode refuses one at its line', async () => {
    const { run } = await runsAgainst(
      older,
      {
        'attune.yaml': `${head}service: {dialect: terraform}\nprojects:\n  lab: {name: Lab, manage: true, default-execution-mode: local}\nworkspaces: {}\n`,
      },
      options,
    );
    const { code, stderr } = await run('plan');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^attune\.yaml:5:\d+: error\[[\w-]+\]: .*default-execution-mode/);
  });
});
