import { describe, expect, test } from 'vitest';
import { attune, folderWith, type WorldOptions, worldWith } from '../support/attune.ts';
import { documentErrors } from '../support/document-errors.ts';

const yaml = `attune: 1
organization: acme
projects: {platform: prj-platform}
ssh-keys: {deploy: sshkey-deploy}
workspaces:
  network-prod:
    protect: true
`;
const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform', 'Payments Platform': 'prj-payments' },
  teams: { sre: 'team-sre' },
  'ssh-keys': { deploy: 'sshkey-deploy' },
  workspaces: {
    'network-prod': {
      id: 'ws-network',
      project: 'Platform',
      tags: ['prod', 'network'],
      'ssh-key': 'deploy',
      'iac-version': '1.9.0',
      'resource-count': 3,
      locked: { by: 'user-kim', reason: 'incident' },
      'remote-state-consumers': ['billing-prod', 'billing-eu'],
      'data-retention': { 'delete-older-than-days': 30 },
    },
    'billing-prod': {
      id: 'ws-billing',
      project: 'Payments Platform',
      tags: ['prod'],
      'iac-version': '1.9.0',
    },
    'billing-eu': {
      id: 'ws-eu',
      project: 'Payments Platform',
      'iac-version': '1.8.0',
      locked: { by: 'team-sre' },
    },
  },
} as const;

const world = (options: WorldOptions = {}) => worldWith(yaml, { seed, edition: 'self-hosted' }, options);
const names = (stdout: string) => stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);

test.each([
  ['workspace list', ['workspace', 'list', '--organization', 'acmee']],
  ['access', ['access', '--team', 'sre', '--organization', 'acmee']],
  ['import', ['import', '--organization', 'acmee', '--out', 'live']],
])(
  '%s for another organization than that of the file reports both if no address is given',
  async (_, argv) => {
    const cwd = await folderWith({ 'attune.yaml': yaml });
    const { code, stderr } = await attune(argv, { cwd, env: {} });
    expect([code, stderr]).toEqual([
      1,
      'error[no-address]: attune.yaml declares organization acme, not acmee\n  hint: correct --organization, or add --address\n',
    ]);
  },
);

test('import uses no root file that only its output folder has', async () => {
  const cwd = await folderWith({ 'live/attune.yaml': yaml });
  const { code, stderr } = await attune(['import', '--out', 'live', '--force'], { cwd, env: {} });
  expect([code, stderr]).toEqual([1, expect.stringContaining('error[no-organization]: ')]);
});

describe('attune workspace list', () => {
  test('workspace list prints columns with tabs between them, by name, if stdout is not a terminal', async () => {
    const { attune, requests } = await world();
    expect(await attune('workspace', 'list')).toEqual({
      code: 0,
      stdout:
        'billing-eu\tPayments Platform\tremote\t1.8.0\t0\tsre\t-\n' +
        'billing-prod\tPayments Platform\tremote\t1.9.0\t0\t-\tprod\n' +
        'network-prod\tplatform\tremote\t1.9.0\t3\tkim\tnetwork,prod\n',
      stderr: 'acme: 3 workspaces.\n',
    });
    expect(requests()).toEqual([
      'GET /organizations/acme/workspaces?page[size]=100&include=project,locked_by',
    ]);
  });

  test.each([
    [
      200,
      `NAME          PROJECT            MODE    VERSION  RESOURCES  LOCKED BY  TAGS
billing-eu    Payments Platform  remote  1.8.0    0          sre        -
billing-prod  Payments Platform  remote  1.9.0    0          -          prod
network-prod  platform           remote  1.9.0    3          kim        network,prod
`,
    ],
    [
      79,
      `NAME          PROJECT            MODE    VERSION  RESOURCES  LOCKED BY  TAGS
billing-eu    Payments Platform  remote  1.8.0    0          sre        -
billing-prod  Payments Platform  remote  1.9.0    0          -          prod
network-prod  platform           remote  1.9.0    3          kim        networ…
`,
    ],
  ])(
    'workspace list prints a table that fits a terminal of %i columns and never cuts names',
    async (columns, table) => {
      const { attune } = await world({ columns, env: { ATTUNE_TOKEN: 'test-token', NO_COLOR: '1' } });
      expect((await attune('workspace', 'list')).stdout).toBe(table);
    },
  );

  test.each([
    ['*-prod', 'search[wildcard-name]=*-prod', ['billing-prod', 'network-prod']],
    ['--name *-prod', 'search[wildcard-name]=*-prod', ['billing-prod', 'network-prod']],
    ['--tag prod --tag network', 'search[tags]=prod,network', ['network-prod']],
    ['--project platform', 'filter[project][id]=prj-platform', ['network-prod']],
    [
      '--project prj-payments --tag prod',
      'filter[project][id]=prj-payments&search[tags]=prod',
      ['billing-prod'],
    ],
    // The service has no such filter, so all are read.
    ['b*-e*', '', ['billing-eu']],
  ])('workspace list %s uses a filter of the service if there is one: %s', async (chosen, query, found) => {
    const { attune, requests } = await world();
    const { stdout, code } = await attune('workspace', 'list', ...chosen.split(' '));
    expect([names(stdout), code]).toEqual([found, 0]);
    expect(requests()).toEqual([
      `GET /organizations/acme/workspaces?${query}${query && '&'}page[size]=100&include=project,locked_by`,
    ]);
  });

  test('workspace list reads names that are given in full one by one', async () => {
    const { attune, requests } = await world();
    expect(names((await attune('workspace', 'list', 'billing-eu')).stdout)).toEqual(['billing-eu']);
    expect(requests()).toEqual(['GET /organizations/acme/workspaces/billing-eu?include=project,locked_by']);
  });

  test.each([
    ['its name', 'Payments Platform'],
    ['an alias of its name', 'payments'],
  ])('workspace list accepts a project by %s', async (_what, project) => {
    const aliases = yaml.replace('prj-platform}', 'prj-platform, payments: {name: Payments Platform}}');
    const { attune } = await worldWith(aliases, { seed });
    const { stdout } = await attune('workspace', 'list', '--project', project);
    expect(names(stdout)).toEqual(['billing-eu', 'billing-prod']);
  });

  test('workspace list with an unknown project is an error with the nearest name', async () => {
    const { attune } = await world();
    expect(await attune('workspace', 'list', '--project', 'platfrom')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[unknown-name]: --project platfrom: unknown project in organization acme
  hint: did you mean "platform"?
`,
    });
  });

  test('workspace list succeeds with an empty list if nothing matches, also as JSON', async () => {
    const { attune } = await world();
    expect(await attune('workspace', 'list', '--tag', 'none')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'acme: 0 workspaces.\n',
    });
    const { stdout } = await attune('workspace', 'list', '--tag', 'none', '--format', 'json', '--quiet');
    expect(JSON.parse(stdout)).toMatchObject({ format: 'attune.workspaces/1', workspaces: [] });
  });

  test('workspace list --format json follows its schema, in both dialects', async () => {
    for (const dialect of ['iac', 'terraform'] as const) {
      const { attune } = await worldWith(yaml, { seed, dialect, edition: 'self-hosted' });
      const { stdout } = await attune('workspace', 'list', '--format', 'json');
      const document = JSON.parse(stdout);
      expect(documentErrors(document)).toEqual([]);
      expect(document.workspaces[2]).toMatchObject({
        name: 'network-prod',
        id: 'ws-network',
        project: { id: 'prj-platform', name: 'Platform', alias: 'platform' },
        tags: ['network', 'prod'],
        lock: { locked: true, reason: 'incident', by: { type: 'user', id: 'user-kim', name: 'kim' } },
        resources: 3,
        sshKey: { id: 'sshkey-deploy', alias: 'deploy' },
        settings: { 'iac-version': '1.9.0' },
        declared: { file: 'attune.yaml', line: 6, column: 3, protect: true },
      });
      expect(document.workspaces[2].facts).not.toHaveProperty('terraform-version');
    }
  });

  test('workspace list prints text from the service without its control characters', async () => {
    const { attune } = await worldWith(yaml, {
      seed: {
        organization: 'acme',
        workspaces: { app: { tags: ['a\u001b[31mb'], description: 'x\u001b]0;y' } },
      },
    });
    expect((await attune('workspace', 'list')).stdout).toContain('\ta\\u{1b}[31mb\n');
    expect((await attune('workspace', 'show', 'app')).stdout).toContain('x\\u{1b}]0;y\n');
  });

  test('workspace list --format accepts only text and json', async () => {
    const { attune } = await world();
    expect((await attune('workspace', 'list', '--format', 'html')).stderr).toContain(
      'Allowed choices are text, json.',
    );
  });
});

describe('attune workspace show', () => {
  test('workspace show prints everything, with four requests', async () => {
    const { attune, requests } = await world();
    const { code, stdout, stderr } = await attune('workspace', 'show', 'network-prod');
    expect([code, stderr]).toEqual([0, '']);
    const about = stdout.slice(0, stdout.indexOf('  agent-pool-id'));
    expect(about).toBe(`network-prod  ws-network

  project                             platform, Platform (prj-platform)
  declared                            attune.yaml:6, protected
  lock                                locked by user kim (user-kim): incident
  resources                           3
  tags                                network, prod
  state readable by                   billing-eu, billing-prod
  ssh-key                             deploy (sshkey-deploy)
  data-retention                      delete-older-than-days: 30

`);
    expect(stdout).toMatch(/^ {2}iac-version {25}1\.9\.0$/m);
    expect(stdout).toMatch(/^ {2}created-at {26}\d{4}-/m);
    expect(stdout).toMatch(/^ {2}permissions of this token {11}create-state-versions, destroy, /m);
    expect(requests()).toEqual([
      'GET /organizations/acme/workspaces/network-prod?include=project,locked_by',
      'GET /workspaces/ws-network/relationships/remote-state-consumers?page[size]=100',
      'GET /workspaces/ws-network/relationships/data-retention-policy',
    ]);
  });

  test.each([
    ['declared', 'service: {dialect: terraform}\n', 1],
    ['detected, with one more request', '', 2],
  ])('workspace show marks inherited key/value tags if the dialect is %s', async (_how, service, reads) => {
    const { attune, requests } = await worldWith(`attune: 1\norganization: acme\n${service}`, {
      dialect: 'terraform',
      seed: {
        projects: { Shop: { 'tag-bindings': { env: 'dev', 'cost-center': '101' } } },
        workspaces: { web: { project: 'Shop', 'tag-bindings': { env: 'prod', public: null } } },
      },
    });
    const { stdout } = await attune('workspace', 'show', 'web');
    expect(stdout).toContain(
      '  tag-bindings                        cost-center=101 (inherited), env=prod, public\n',
    );
    const path = 'GET /organizations/acme/workspaces/web?';
    expect(requests().filter((request) => request.startsWith(path))).toHaveLength(reads);
    const document = JSON.parse((await attune('workspace', 'show', 'web', '--format', 'json')).stdout);
    expect(documentErrors(document)).toEqual([]);
    expect(document.workspaces[0].tagBindings).toEqual([
      { key: 'cost-center', value: '101', inherited: true },
      { key: 'env', value: 'prod', inherited: false },
      { key: 'public', value: null, inherited: false },
    ]);
  });

  test('workspace show --format json follows its schema, with the parts that only show reads', async () => {
    const { attune } = await world();
    const { stdout } = await attune('workspace', 'show', 'network-prod', 'billing-prod', '--format', 'json');
    const document = JSON.parse(stdout);
    expect(documentErrors(document)).toEqual([]);
    expect(document.workspaces).toMatchObject([
      { name: 'billing-prod', consumers: [], dataRetention: null },
      {
        name: 'network-prod',
        consumers: [
          { id: 'ws-eu', name: 'billing-eu' },
          { id: 'ws-billing', name: 'billing-prod' },
        ],
        dataRetention: { 'delete-older-than-days': 30 },
      },
    ]);
  });

  test('workspace show does not read the consumers of a workspace whose state all may read', async () => {
    const { attune, requests } = await worldWith(yaml, {
      seed: { organization: 'acme', workspaces: { open: { id: 'ws-open', 'global-remote-state': true } } },
    });
    const { stdout } = await attune('workspace', 'show', 'open');
    expect(stdout).toContain('state readable by                   every workspace of the organization\n');
    expect(requests().filter((request) => request.includes('consumers'))).toEqual([]);
  });

  test('workspace show requires names or filters', async () => {
    const { attune, requests } = await world();
    expect(await attune('workspace', 'show')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[usage]: workspace show requires the names of workspaces or a filter
  hint: add names, or select workspaces with --name "*-prod", --tag or --project
`,
    });
    expect(requests()).toEqual([]);
  });

  test.each([
    [
      ['netwrok-prod'],
      'error[unknown-name]: unknown workspace netwrok-prod: not in organization acme, or not visible to this token\n  hint: did you mean "network-prod"?\n',
    ],
    [
      ['some', 'other'],
      'error[unknown-name]: unknown workspaces some, other: not in organization acme, or not visible to this token\n  hint: run `attune workspace list` to see the workspaces\n',
    ],
    [
      ['billing-eu', '--tag', 'prod'],
      'error[unknown-name]: unknown workspace billing-eu: not in organization acme with these filters, or not visible to this token\n  hint: run `attune workspace list` to see the workspaces\n',
    ],
    [
      ['none-*'],
      'error[unknown-name]: no workspace of acme matches the names and filters, or none is visible to this token\n  hint: run `attune workspace list` to see the workspaces\n',
    ],
  ])('workspace show %j reports unknown workspaces', async (argv, stderr) => {
    const { attune } = await world();
    expect(await attune('workspace', 'show', ...argv)).toEqual({ code: 1, stdout: '', stderr });
  });
});

describe('which organization and service', () => {
  const env = { ATTUNE_TOKEN: 'test-token' };

  test('workspace list takes organization and address from flags if there is no file', async () => {
    const { service } = await world();
    const cwd = await folderWith({});
    const argv = ['workspace', 'list', '--organization', 'acme', '--address', service.url];
    expect(names((await attune(argv, { cwd, env })).stdout)).toHaveLength(3);
  });

  test('workspace list without a file and without flags is an error', async () => {
    const cwd = await folderWith({});
    expect(await attune(['workspace', 'list'], { cwd, env })).toEqual({
      code: 1,
      stdout: '',
      stderr: `error[no-organization]: workspace commands require an organization: there is no --organization and no attune.yaml
  hint: add --organization NAME and --address URL, or --config FILE
`,
    });
  });

  test('workspace list --config names another root file, and prints locations relative to the working folder', async () => {
    const { service } = await world();
    const cwd = await folderWith({ 'teams/network.yaml': yaml });
    const argv = [
      'workspace',
      'show',
      'network-prod',
      '--config',
      'teams/network.yaml',
      '--address',
      service.url,
    ];
    expect((await attune(argv, { cwd, env })).stdout).toMatch(
      /^ {2}declared +teams\/network\.yaml:6, protected$/m,
    );
  });

  test('workspace list --organization overrides the file, whose aliases do not apply to another organization', async () => {
    const { attune } = await worldWith(
      { 'attune.yaml': yaml.replace('acme', 'example') },
      { seed, edition: 'self-hosted' },
    );
    const { stdout } = await attune('workspace', 'list', 'network-prod', '--organization', 'acme');
    expect(stdout).toContain('network-prod\tPlatform\t');
  });

  test('workspace list fails for a file with errors only if the flags do not replace it', async () => {
    const broken = `${yaml}limits: {deletes: -1}\n`;
    const { attune: run } = await worldWith({ 'attune.yaml': broken }, { seed });
    const reported = await run('workspace', 'list', '--organization', 'acme', '--quiet');
    expect([reported.code, names(reported.stdout).length]).toEqual([0, 3]);
    expect(
      reported.stderr,
    ).toBe(`warning[files-left-aside]: attune.yaml has errors and is ignored: its aliases and declarations are unknown
  hint: run \`attune validate\`
`);

    const unreported = await run('workspace', 'list');
    expect(unreported.code).toBe(1);
    expect(unreported.stderr).toContain('attune.yaml:8:19: error[bad-value]');
  });
});
