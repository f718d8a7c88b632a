import { mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/index.ts';
import { exportProblems, lostSettings, type Written } from '../../tools/terraform-provider/check-export.ts';
import { type World, type WorldOptions, worldWith } from '../support/attune.ts';
import { expectMode } from '../support/expect-mode.ts';
import { everyAttribute, offerings, serviceOf } from './every-attribute.ts';

function small(workspaces: string, more = ''): string {
  return `attune: 1\norganization: acme\n${more}workspaces:\n${workspaces}`;
}

async function worldOf(yaml: string, seed: object = {}, options: WorldOptions = {}): Promise<World> {
  return worldWith(yaml, { seed: { organization: 'acme', ...seed } }, options);
}

/** What an export writes to stdout, and the codes and texts of what it could not carry over. */
async function exported(world: World): Promise<{ written: Written; reported: string[] }> {
  const { code, stdout, stderr } = await world.attune('export', 'terraform', '--quiet');
  expect(code, stderr).toBe(0);
  const reported = [...stderr.matchAll(/(?:warning|note)\[((?:not|less)-in-terraform)\]: (.*)/g)];
  return { written: JSON.parse(stdout), reported: reported.map(([, code, text]) => `${code}: ${text}`) };
}

describe('an export, held against the documented arguments of the provider', () => {
  test.each(offerings)(
    'an export has only documented arguments of the provider, with values that they accept: %o',
    async (offering) => {
      const world = await worldWith(everyAttribute(offering), serviceOf(offering));
      const { written } = await exported(world);
      expect(exportProblems(written)).toEqual([]);
      expect(JSON.stringify(written.resource).match(/"\$\{[\w.-]+\.id\}"/g)?.length).toBeGreaterThan(10);
    },
  );

  test.each(offerings)('an export contains or reports every declared setting: %o', async (offering) => {
    const world = await worldWith(everyAttribute(offering), serviceOf(offering));
    const { written, reported } = await exported(world);
    const { configurations } = await loadConfig(world.folder);
    const [configuration] = configurations;
    const lost = configuration && lostSettings(configuration, written, reported);
    expect(lost).toEqual([]);
  });

  test('two exports of the same files and service have the same bytes', async () => {
    const world = await worldWith(everyAttribute(offerings[0]), serviceOf(offerings[0]));
    const [first, second] = [
      await world.attune('export', 'terraform'),
      await world.attune('export', 'terraform'),
    ];
    expect(second).toEqual(first);
    expect(world.writes()).toEqual([]);
  });
});

test('what a project hands down is exported as tfe_project_settings', async () => {
  const projects = `projects:
  lab: {name: Lab, manage: true, default-execution-mode: local}
  agents: {name: Agents, manage: true, default-execution-mode: agent, default-agent-pool: apool-1}
  plain: {name: Plain, manage: true, default-execution-mode: null}
  own: {name: Own, manage: true}
`;
  const world = await worldWith(small('  {}\n', `service: {dialect: terraform}\n${projects}`), {
    dialect: 'terraform',
    seed: {
      'agent-pools': { onprem: 'apool-1' },
      projects: { Lab: 'prj-lab', Own: { 'default-execution-mode': 'local' } },
    },
  });
  const { written, reported } = await exported(world);
  expect(reported).toEqual([]);
  const idOf = (name: string) => `$\{tfe_project.${name}.id}`;
  expect(written.resource?.tfe_project_settings).toEqual({
    agents: {
      project_id: idOf('agents'),
      default_execution_mode: 'agent',
      default_agent_pool_id: 'apool-1',
    },
    lab: { project_id: idOf('lab'), default_execution_mode: 'local' },
    plain: { project_id: idOf('plain') },
  });
  expect(JSON.stringify(written.import)).toContain('{"to":"tfe_project_settings.lab","id":"prj-lab"}');
  expect(exportProblems(written)).toEqual([]);
});

describe('what Terraform cannot hold', () => {
  const rows: readonly [what: string, yaml: string, reported: readonly string[]][] = [
    ['nothing to tell', small('  app: {auto-apply: true, tags: [a]}\n'), []],
    [
      'a lock',
      small('  app: {lock: {reason: freeze}}\n'),
      ['not-in-terraform: lock of "app" is not exported: the provider does not support locks'],
    ],
    [
      'that there is no policy',
      small('  app: {data-retention: null}\n'),
      [
        'not-in-terraform: data-retention of "app" is not exported: the provider cannot declare that there is no policy',
      ],
    ],
    [
      'that a description is cleared',
      small('  app: {description: null}\n  db: {description: ""}\n'),
      [
        'not-in-terraform: description of "app" is not exported: the provider never clears a description',
        'not-in-terraform: description of "db" is not exported: the provider never clears a description',
      ],
    ],
    [
      'a flag without the value that it is about',
      small('  inheriting: {execution-mode: remote}\n'),
      [
        'less-in-terraform: execution-mode of "inheriting" is exported with restrictions: the workspace inherits the same value, which the provider makes its own only beside other changes',
      ],
    ],
    [
      'a canceled destruction beside a duration',
      small('  expiring: {auto-destroy-at: null}\n'),
      [
        'not-in-terraform: auto-destroy-at of "expiring" is not exported: the provider keeps the time that auto-destroy-activity-duration sets',
      ],
    ],
    [
      'tags without a value, and tags of a project that are added',
      small(
        '  app: {tag-bindings: {env: null}}\n',
        'service: {dialect: terraform}\nprojects: {one: {name: one, manage: true, tag-bindings: {add: {env: prod}}}}\n',
      ),
      [
        'less-in-terraform: tag-bindings of "one" is exported with restrictions: the provider\'s tags is a complete list, which is written on create only',
        'less-in-terraform: tag-bindings of "app" is exported with restrictions: the provider does not distinguish a tag without a value from one with an empty value',
      ],
    ],
    [
      'tags that are added',
      small('  app: {tags: {add: [a]}}\n'),
      [
        'less-in-terraform: tags of "app" is exported with restrictions: the provider\'s tag_names is a complete list, which is written on create only',
      ],
    ],
    [
      'tags that the provider refuses',
      small('  app: {tags: [Prod, "a b", ok]}\n'),
      [
        'not-in-terraform: tags of "app" is not exported: the provider refuses "Prod", "a b": it accepts lower-case letters and digits, separated by : _ -',
      ],
    ],
    [
      'consumers by selector, and those that are added',
      small(
        '  app: {remote-state-consumers: [{name: "d*"}]}\n  db: {remote-state-consumers: {add: [app]}}\n',
      ),
      [
        'less-in-terraform: remote-state-consumers of "app" is exported with restrictions: the provider has no selectors: the workspaces that match today are written',
        'less-in-terraform: remote-state-consumers of "db" is exported with restrictions: the provider\'s remote_state_consumer_ids is a complete list, which is written on create only',
      ],
    ],
    [
      'a source that is half of one, or no URL',
      small(
        '  app: {source-name: x}\n  db: {source-url: "https://x"}\n  gw: {source-name: x, source-url: "x:y"}\n',
      ),
      [
        'not-in-terraform: source-name of "app" is not exported: the provider requires source-url, too',
        'not-in-terraform: source-url of "db" is not exported: the provider requires source-name, too',
        'not-in-terraform: source-name of "gw" is not exported: the provider accepts only a source-url with http:// or https://',
        'not-in-terraform: source-url of "gw" is not exported: the provider accepts only a source-url with http:// or https://',
      ],
    ],
    [
      'two ways to trigger runs',
      small('  app: {trigger-patterns: [a], trigger-prefixes: [b]}\n'),
      [
        'not-in-terraform: trigger-patterns of "app" is not exported: the provider accepts only one of trigger-patterns, trigger-prefixes; none of them is written',
        'not-in-terraform: trigger-prefixes of "app" is not exported: the provider accepts only one of trigger-patterns, trigger-prefixes; none of them is written',
      ],
    ],
    [
      'a pool that is taken away, and a flag of its own',
      small(
        '  app: {agent-pool-id: null}\n  db: {execution-mode: remote, setting-overwrites: {agent-pool: false}}\n',
      ),
      [
        'not-in-terraform: agent-pool-id of "app" is not exported: the provider removes a pool only together with the execution mode',
        'not-in-terraform: setting-overwrites.agent-pool of "db" is not exported: the provider sets it to the flag of the execution mode',
      ],
    ],
    [
      'a pool of its own beside an inherited mode',
      small(
        '  app: {agent-pool-id: apool-1, setting-overwrites: {execution-mode: false, agent-pool: true}}\n',
      ),
      [
        'not-in-terraform: agent-pool-id of "app" is not exported: the provider inherits the pool together with the execution mode',
        'not-in-terraform: setting-overwrites.agent-pool of "app" is not exported: the provider sets it to the flag of the execution mode',
      ],
    ],
    [
      'what a file says beside its workspaces',
      small(
        '  old: {state: absent}\n  older: {state: absent}\n',
        'scope: {names: ["*"]}\nprune: {workspaces: safe}\nlimits: {deletes: 3}\nteam-access: {prj-1a: {team-1a: none}}\n',
      ),
      [
        'not-in-terraform: prune is not exported: Terraform deletes only resources of its state',
        'not-in-terraform: limits are not exported: Terraform has no limit for deletions',
        'not-in-terraform: none for prj-1a/team-1a is not exported: Terraform deletes only resources of its state; apply it first',
        'not-in-terraform: the tombstone of "old" is not exported: Terraform deletes only resources of its state; apply it first',
      ],
    ],
    [
      'what a date or a check decides',
      small(
        '  app: {auto-apply: true}\n',
        `team-access:
  prj-1a:
    team-1a: {access: write, until: 2026-10-31}
    team-2a: {access: admin, until: 2026-10-31}
    team-3a: {access: read, until: 2026-12-31}
    team-4a: {access: read, reason: audit}
notify: [{to: slack, url-env: SLACK_URL}]
exceptions: [{address: workspace.app, field: auto-apply, until: 2026-12-15, reason: INC-7}]
freeze: [{from: 2026-12-20, to: 2027-01-04, reason: year end}]
guards: {keep-admin: [team-2a]}
policies: [{id: never, require: "true", message: Never.}]
`,
      ),
      [
        'not-in-terraform: guards of access are not exported: Terraform revokes the access of any team',
        'not-in-terraform: policies are not exported: Terraform does not check them',
        'not-in-terraform: exceptions are not exported: Terraform also makes the changes that they hold',
        'not-in-terraform: freeze is not exported: Terraform also makes changes in its windows',
        'not-in-terraform: notify is not exported: Terraform sends no such messages',
        'not-in-terraform: the end of prj-1a/team-1a on 2026-10-31 is not exported: Terraform deletes only resources of its state; apply it first',
        'not-in-terraform: prj-1a/team-2a is not exported: it ended on 2026-10-31',
        'not-in-terraform: until of "prj-1a/team-3a" is not exported: the provider has no access that ends',
        'not-in-terraform: reason of "prj-1a/team-4a" is not exported: the provider keeps no reason',
      ],
    ],
  ];

  test.each(rows)('export reports what Terraform does not support: %s', async (_what, yaml, expected) => {
    const seed = {
      projects: { one: 'prj-1a' },
      teams: { one: 'team-1a', two: 'team-2a', three: 'team-3a' },
      workspaces: {
        old: {},
        inheriting: {},
        expiring: { 'auto-destroy-activity-duration': '3d', 'auto-destroy-at': '2099-01-02T03:04:05Z' },
      },
      'team-access': { 'prj-1a': { 'team-1a': 'read' } },
    };
    const date = () => new Date('2026-11-23T12:00:00Z');
    const dialect = /dialect: terraform/.test(yaml) ? 'terraform' : 'iac';
    const service = { dialect, seed: { organization: 'acme', ...seed } } as const;
    const { written, reported } = await exported(await worldWith(yaml, service, { date }));
    expect(reported).toEqual(expected);
    expect(written['//']['not-carried-over']).toEqual(expected.map((text) => text.replace(/^[a-z-]+: /, '')));
    expect(exportProblems(written)).toEqual([]);
  });

  test('export reports an attribute that this service does not return', async () => {
    const world = await worldWith(small('  app: {assessments-enabled: true}\n'), {
      dialect: 'terraform',
      edition: 'self-hosted',
      seed: { organization: 'acme', workspaces: { app: {} } },
    });
    const { written, reported } = await exported(world);
    expect(reported).toEqual([
      'not-in-terraform: assessments-enabled of "app" is not exported: this service does not return it, which the provider reads as false',
    ]);
    expect(written.resource?.tfe_workspace?.app).not.toHaveProperty('assessments_enabled');
  });
});

describe('attune export terraform', () => {
  const seed = { workspaces: { app: { description: 'by hand' }, old: {} } };

  test('export writes the file of the organization, and prints the next step', async () => {
    const world = await worldOf(
      small('  app: {auto-apply: true}\n  new: {renamed-from: old}\n  more: {}\n'),
      seed,
    );
    const { code, stdout, stderr } = await world.attune('export', 'terraform', '--out', 'infra');
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toContain(`acme: 3 resources written to infra/acme.tf.json, 2 with an import block.
3 declared resources with pending changes: terraform plan shows them, as attune plan does.
Next, with TFE_HOSTNAME and TFE_TOKEN set: cd infra && terraform init && terraform plan
`);
    const file = join(world.folder, 'infra', 'acme.tf.json');
    await expectMode(file, 0o644);
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('test-token');
    const { import: imports, resource } = JSON.parse(text) as Written;
    expect(imports?.map(({ to }) => to)).toEqual(['tfe_workspace.app', 'tfe_workspace.new']);
    // A new workspace gets the service's default, where the provider has another one.
    expect(resource?.tfe_workspace?.more).toMatchObject({ queue_all_runs: false, organization: 'acme' });
    expect(resource?.tfe_workspace?.app).not.toHaveProperty('queue_all_runs');
  });

  test('export writes no access that has ended, and counts what the provider changes', async () => {
    const world = await worldOf(
      small(
        '  app: {auto-apply: true}\n',
        'team-access: {prj-1a: {team-1a: {access: admin, until: 2026-10-31}}}\n',
      ),
      { ...seed, projects: { one: 'prj-1a' }, teams: { one: 'team-1a' } },
      { date: () => new Date('2026-11-23T12:00:00Z') },
    );
    const { stdout, stderr } = await world.attune('export', 'terraform');
    expect(Object.keys((JSON.parse(stdout) as Written).resource ?? {})).toEqual(['tfe_workspace']);
    expect(stderr).toContain('\n1 declared resource with pending changes:');
  });

  test('export keeps the live spelling of an equivalent value, because the provider compares texts', async () => {
    const world = await worldOf(
      small('  app: {trigger-prefixes: [a, b], auto-destroy-at: "2099-01-02T05:04:05+02:00"}\n'),
      {
        workspaces: {
          app: { 'trigger-prefixes': ['b', 'a'], 'auto-destroy-at': '2099-01-02T03:04:05.000Z' },
        },
      },
    );
    const { written } = await exported(world);
    expect(written.resource?.tfe_workspace?.app).toMatchObject({
      trigger_prefixes: ['b', 'a'],
      auto_destroy_at: '2099-01-02T03:04:05Z',
    });
  });

  test('export does not ignore a list that the service empties by itself', async () => {
    const world = await worldWith(small('  app: {trigger-patterns: [a]}\n'), {
      dialect: 'terraform',
      seed: { organization: 'acme', workspaces: { app: { 'trigger-prefixes': ['modules'] } } },
    });
    const { written } = await exported(world);
    const { trigger_patterns: patterns, lifecycle } = written.resource?.tfe_workspace?.app ?? {};
    expect(patterns).toEqual(['a']);
    expect(written.resource?.tfe_workspace?.app).not.toHaveProperty('trigger_prefixes');
    expect(lifecycle).toMatchObject({ ignore_changes: expect.not.arrayContaining(['trigger_prefixes']) });
  });

  test('export terraform does not overwrite a file without --force', async () => {
    const world = await worldOf(small('  app: {}\n'), seed);
    await mkdir(join(world.folder, 'infra'));
    const file = join(world.folder, 'infra', 'acme.tf.json');
    await writeFile(file, 'mine');
    const refused = await world.attune('export', 'terraform', '--out', 'infra');
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      '',
      'error[file-exists]: infra/acme.tf.json exists already\n  hint: add --force to overwrite it, or choose another folder with --out\n',
    ]);
    expect([await readFile(file, 'utf8'), world.requests()]).toEqual(['mine', []]);
    expect((await world.attune('export', 'terraform', '--out', 'infra', '--force')).code).toBe(0);
    expect(await readFile(file, 'utf8')).toContain('tfe_workspace');
  });

  test.each([
    ['file', 'error[file-not-written]: --out file/acme.tf.json cannot be written: the folder '],
    ['a/b', 'error[file-not-written]: --out a/b cannot be written: the folder '],
    ['link', 'error[file-not-written]: --out link/acme.tf.json cannot be written: the folder '],
  ])('export terraform refuses --out %s before any request', async (out, message) => {
    const world = await worldOf(small('  app: {}\n'), seed);
    await writeFile(join(world.folder, 'file'), '');
    await symlink('/', join(world.folder, 'link'));
    const { code, stdout, stderr } = await world.attune('export', 'terraform', '--out', out);
    expect([code, stdout, stderr.slice(0, message.length)]).toEqual([1, '', message]);
    expect(world.requests()).toEqual([]);
  });

  test('the report of a failed export is a report of an export, and not of a plan', async () => {
    const world = await worldWith('attune: 1\norganization: acme\nworkspaces: {app: {unknown-key: 1}}\n', {
      seed: {},
    });
    const run = (format: string) => world.attune('export', 'terraform', '--format', format);
    const [text, markdown, junit] = [await run('text'), await run('markdown'), await run('junit')];
    expect([text.code, text.stdout]).toEqual([1, '']);
    expect(text.stderr).toContain('error[unknown-key]');
    expect(markdown.stdout).toMatch(/^<!-- attune:export:\S* -->\n## Attune: export/);
    expect(markdown.stdout).toContain('Export: 1 error, 0 warnings, 0 notes.');
    expect(junit.stdout).toContain('<testsuites name="attune export"');
  });

  test('export terraform leaves no file if a read fails', async () => {
    const world = await worldWith(small('  app: {}\n'), {
      seed: { organization: 'acme' },
      faults: [{ kind: 'status', path: '*/workspaces*', status: 403 }],
    });
    const { code, stdout, stderr } = await world.attune('export', 'terraform', '--out', 'infra');
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('error[service-error]')]);
    await expect(stat(join(world.folder, 'infra'))).rejects.toThrow('ENOENT');
  });

  test('export reports problems of the live state at their lines, relative to the working folder', async () => {
    const world = await worldWith(
      { 'teams/attune.yaml': small('  app: {remote-state-consumers: [nobody]}\n') },
      { seed: { organization: 'acme', ...seed } },
    );
    const { code, stdout, stderr } = await world.attune('export', 'terraform', 'teams');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('teams/attune.yaml:4:9: error[unknown-name]');
  });

  test('export terraform prints nothing to stdout if the files have errors, because stdout can be a Terraform file', async () => {
    const world = await worldOf(small('  app: {auto-aply: true}\n'), seed);
    const { code, stdout, stderr } = await world.attune('export', 'terraform');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('attune.yaml:4:9: error[unknown-key]');
  });

  test('export terraform refuses more than one organization', async () => {
    const other = small('  app: {}\n').replace('acme', 'other');
    const world = await worldWith(
      { 'a/attune.yaml': small('  app: {}\n'), 'b/attune.yaml': other },
      { seed: { organization: 'acme' } },
    );
    const { code, stdout, stderr } = await world.attune('export', 'terraform', 'a', 'b');
    expect([code, stdout, stderr]).toEqual([
      1,
      '',
      'error[usage]: export terraform works on one organization, but the files declare several\n  hint: export one root file at a time, each to its own folder\n',
    ]);
  });

  test('export terraform --only exports the chosen addresses, and other workspaces by their ids', async () => {
    const world = await worldOf(
      small(
        '  app: {remote-state-consumers: [old]}\n  old: {}\n',
        'team-access: {prj-1a: {team-1a: read}}\n',
      ),
      { ...seed, projects: { one: 'prj-1a' }, teams: { one: 'team-1a' } },
    );
    const { stdout } = await world.attune('export', 'terraform', '--only', 'workspace.app');
    const { resource } = JSON.parse(stdout) as Written;
    expect(Object.keys(resource ?? {})).toEqual(['tfe_workspace', 'tfe_workspace_settings']);
    expect(resource?.tfe_workspace_settings?.app).toMatchObject({
      remote_state_consumer_ids: [expect.stringMatching(/^ws-\w{16}$/)],
    });
  });

  test.each([
    ['declares', '{global-remote-state: true}', true, true],
    ['has', '{description: words}', true, true],
    ['declares not to have', '{global-remote-state: false}', true, false],
    ['lacks', '{description: words}', false, false],
  ])(
    'export ignores the consumers of a workspace that %s a state shared with all',
    async (_what, yaml, live, ignored) => {
      const world = await worldOf(small(`  app: ${yaml}\n`), {
        workspaces: { app: { 'global-remote-state': live } },
      });
      const { stdout } = await world.attune('export', 'terraform');
      const { resource } = JSON.parse(stdout) as Written;
      const app = resource?.tfe_workspace?.app;
      expect(app).toMatchObject({
        lifecycle: {
          ignore_changes: ignored
            ? expect.arrayContaining(['remote_state_consumer_ids'])
            : expect.not.arrayContaining(['remote_state_consumer_ids']),
        },
      });
    },
  );

  test.each([
    ['true', '{global-remote-state: true, auto-apply: true}', false],
    ['false', '{global-remote-state: false, auto-apply: true}', true],
  ])(
    'the settings of a workspace with live consumers and global-remote-state %s ignore the consumers only if they can stay',
    async (_what, yaml, ignored) => {
      const world = await worldOf(small(`  app: ${yaml}\n`), {
        workspaces: { app: { 'remote-state-consumers': ['other'] }, other: {} },
      });
      const { stdout } = await world.attune('export', 'terraform');
      const { resource } = JSON.parse(stdout) as Written;
      const list = expect.arrayContaining(['remote_state_consumer_ids']);
      const lifecycle = resource?.tfe_workspace_settings?.app?.lifecycle;
      if (ignored) expect(lifecycle).toEqual({ ignore_changes: list });
      else expect(lifecycle).not.toEqual({ ignore_changes: list });
    },
  );

  test('a consumer list of the defaults is not exported for a workspace that shares its state with all', async () => {
    const world = await worldOf(
      small('  app: {}\n', 'defaults: {workspace: {remote-state-consumers: []}}\n'),
      {
        workspaces: { app: { 'global-remote-state': true } },
      },
    );
    const { written, reported } = await exported(world);
    expect(written.resource?.tfe_workspace_settings).toBeUndefined();
    expect(reported).toEqual([
      'not-in-terraform: remote-state-consumers of "app" is not exported: global-remote-state is true, so the list has no effect',
    ]);
  });

  test.each(['remote-state-consumers: [old]', 'project-remote-state: true'])(
    'a new workspace of an export with %s does not share its state with the organization',
    async (setting) => {
      const world = await worldWith(small(`  app: {${setting}}\n`, 'service: {dialect: terraform}\n'), {
        dialect: 'terraform',
        edition: 'self-hosted',
        seed: { organization: 'acme', workspaces: { old: {} } },
      });
      const { written } = await exported(world);
      expect(written.resource?.tfe_workspace_settings?.app).toMatchObject({ global_remote_state: false });
    },
  );

  test('the settings of a workspace ignore the consumer list of a layer that a live switch makes ineffective', async () => {
    const world = await worldWith(
      small(
        '  app: {execution-mode: local}\n  old: {}\n',
        'service: {dialect: terraform}\ndefaults: {workspace: {remote-state-consumers: {exactly: [{name: "o*"}]}}}\n',
      ),
      {
        dialect: 'terraform',
        seed: { organization: 'acme', workspaces: { app: { 'project-remote-state': true }, old: {} } },
      },
    );
    const { written } = await exported(world);
    const settings = written.resource?.tfe_workspace_settings?.app;
    expect(settings).not.toHaveProperty('remote_state_consumer_ids');
    expect(settings?.lifecycle).toEqual({
      ignore_changes: expect.arrayContaining(['remote_state_consumer_ids', 'project_remote_state']),
    });
  });

  test('a project of an export without a description has an empty one', async () => {
    const projects = 'projects: {one: {name: One, manage: true, description: null}}\n';
    const world = await worldWith(small('  {}\n', `service: {dialect: terraform}\n${projects}`), {
      dialect: 'terraform',
      seed: { organization: 'acme', projects: { One: { description: 'words' } } },
    });
    const { written } = await exported(world);
    expect(written.resource?.tfe_project?.one).toMatchObject({ description: '' });
  });

  test('the settings of a workspace repeat the description and the tags, which the provider sends with any change', async () => {
    const world = await worldWith(
      small(
        '  app: {execution-mode: local, description: words, tag-bindings: {env: prod}}\n',
        'service: {dialect: terraform}\n',
      ),
      { dialect: 'terraform', seed: { organization: 'acme', workspaces: { app: {} } } },
    );
    const { written } = await exported(world);
    expect(written.resource?.tfe_workspace_settings?.app).toMatchObject({
      description: 'words',
      tags: { env: 'prod' },
    });
  });

  test('the settings of a workspace repeat what the provider would switch off with any change of them', async () => {
    const world = await worldOf(
      small(
        '  app: {execution-mode: remote, auto-apply: true, assessments-enabled: true}\n  other: {execution-mode: remote}\n',
      ),
      { workspaces: { app: {}, other: { 'auto-apply': true } } },
    );
    const { stdout } = await world.attune('export', 'terraform');
    const { resource } = JSON.parse(stdout) as Written;
    expect(resource?.tfe_workspace_settings).toMatchObject({
      app: { auto_apply: true, assessments_enabled: true },
      other: { lifecycle: { ignore_changes: expect.arrayContaining(['auto_apply', 'assessments_enabled']) } },
    });
  });

  test('export terraform refuses a pattern of --only that matches nothing', async () => {
    const world = await worldOf(small('  app: {}\n'), seed);
    const { code, stderr } = await world.attune('export', 'terraform', '--only', 'app');
    expect([code, stderr]).toEqual([1, expect.stringContaining('error[nothing-matched]')]);
  });

  test('export terraform --format json prints unsupported settings as one document, and writes a report', async () => {
    const world = await worldOf(small('  app: {lock: true}\n'), seed);
    const argv = ['export', 'terraform', '--out', '.', '--format', 'json', '--report', 'told.md'];
    const { code, stdout } = await world.attune(...argv);
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      {
        format: 'attune.diagnostics/1',
        diagnostics: [{ code: 'not-in-terraform', address: 'workspace.app' }],
      },
    ]);
    expect(await readFile(join(world.folder, 'told.md'), 'utf8')).toContain(
      'the provider does not support locks',
    );
  });

  test('the export of an organization without workspaces is a file without resources', async () => {
    const world = await worldOf('attune: 1\norganization: acme\n');
    const { stdout } = await world.attune('export', 'terraform');
    expect(Object.keys(JSON.parse(stdout))).toEqual(['//', 'terraform', 'provider']);
  });
});
