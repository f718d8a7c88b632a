import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const files = {
  'attune.yaml': `attune: 1
organization: acme
include: [workspaces/*.yaml]
defaults:
  workspace:
    auto-apply: false
    execution-mode: remote
    tags: [managed]
templates:
  base: {iac-version: "1.9.0", tags: [base]}
  service:
    extends: base
    iac-version: "1.10.2"
projects:
  shop: {name: Shop, manage: true, description: The shop}
team-access:
  platform:
    sre: admin
    dev: {access: custom, workspace-access: {runs: plan}}
    audit: auditor
    audit-leads: {access: auditor, workspace-access: {runs: apply}}
    former: none
roles:
  auditor:
    access: custom
    workspace-access: {runs: plan, variables: read}
  unused: {access: write}
`,
  'workspaces/network.yaml': `workspaces:
  network-prod:
    extends: service
    auto-apply: true
    project: Payments Platform
    tags: {add: [prod], remove: [base]}
    setting-overwrites: {execution-mode: false}
  dns:
    extends: base
  legacy: {state: absent}
`,
};

async function explained(...argv: readonly string[]) {
  return attune(['explain', ...argv], { cwd: await folderWith(files) });
}

describe('explain', () => {
  test('explain prints each value of a workspace with its layer, file and line, and what it overrides', async () => {
    const { code, stdout } = await explained('workspace.network-prod');
    expect([code, stdout]).toEqual([
      0,
      `workspace.network-prod                         workspaces/network.yaml:2
  extends service

  project: Payments Platform                   workspace         workspaces/network.yaml:5
  auto-apply: true                             workspace         workspaces/network.yaml:4
    overrides false                            defaults          attune.yaml:6
  execution-mode: (void) remote                defaults          attune.yaml:7
    void because of setting-overwrites.execution-mode: false  workspace         workspaces/network.yaml:7
  iac-version: 1.10.2                          template.service  attune.yaml:13
    overrides 1.9.0                            template.base     attune.yaml:10
  setting-overwrites.execution-mode: false     workspace         workspaces/network.yaml:7
  tags:
      managed                                  defaults          attune.yaml:8
      base  (overridden)                       template.base     attune.yaml:10
    + prod                                     workspace         workspaces/network.yaml:6
    - base                                     workspace         workspaces/network.yaml:6
`,
    ]);
  });

  test('explain prints the workspaces that use a template, directly and through other templates', async () => {
    const { stdout } = await explained('template.base');
    expect(stdout).toBe(`template.base                                  attune.yaml:10

  iac-version: 1.9.0  (1 workspace)            template.base  attune.yaml:10
  tags:  (2 workspaces)
      base                                     template.base  attune.yaml:10

Used by 2 workspaces:
  workspace.dns                                workspaces/network.yaml:8
  workspace.network-prod                       workspaces/network.yaml:2  through template.service
`);
  });

  test('explain counts the workspaces that have a value which a template inherits', async () => {
    const { stdout } = await explained('template.service', 'tags');
    expect(stdout).toBe(`template.service                               attune.yaml:11
  extends base

  tags:  (1 workspace)
      base                                     template.base  attune.yaml:10

Used by 1 workspace:
  workspace.network-prod                       workspaces/network.yaml:2
`);
    const own = `workspaces: {app: {extends: regional}, dns: {extends: regional, iac-version: "1.11.0"}}`;
    const cwd = await folderWith({
      'attune.yaml': `attune: 1
organization: acme
templates:
  base: {iac-version: "1.9.0"}
  regional: {extends: base}
${own}
`,
    });
    const { stdout: inherited } = await attune(['explain', 'template.regional', 'iac-version'], { cwd });
    expect(inherited).toContain(
      '  iac-version: 1.9.0  (1 workspace)            template.base  attune.yaml:4\n',
    );
  });

  test('explain prints in how many workspaces each of the defaults is effective', async () => {
    const { stdout } = await explained('defaults', 'auto-apply');
    expect(stdout).toContain('  auto-apply: false  (1 workspace)             defaults  attune.yaml:6\n');
  });

  test('explain prints the permissions of a grant that no line names as defaults', async () => {
    const { stdout } = await explained('team-access.platform/dev', 'workspace-access');
    expect(stdout).toContain('  workspace-access.runs: plan                  grant    attune.yaml:19\n');
    expect(stdout).toContain('  workspace-access.variables: none             default\n');
  });

  test('explain prints the role of a grant, and the lines of the role that set its level and permissions', async () => {
    const { stdout } = await explained('team-access.platform/audit');
    expect(stdout.split('\n').slice(0, 6)).toEqual([
      'team-access.platform/audit                     attune.yaml:20',
      '  role auditor                                               attune.yaml:24',
      '',
      '  access: custom                               role.auditor  attune.yaml:25',
      '  workspace-access.runs: plan                  role.auditor  attune.yaml:26',
      '  workspace-access.variables: read             role.auditor  attune.yaml:26',
    ]);
    expect(stdout).toContain('  workspace-access.locking: false              default\n');
  });

  test('explain prints a permission of a grant that overrides its role', async () => {
    const { stdout } = await explained('team-access.platform/audit-leads', 'workspace-access.runs');
    expect(stdout).toBe(`team-access.platform/audit-leads               attune.yaml:21
  role auditor                                               attune.yaml:24

  workspace-access.runs: apply                 grant         attune.yaml:21
    overrides plan                             role.auditor  attune.yaml:26
`);
  });

  test('explain prints a revoked grant', async () => {
    const { stdout } = await explained('team-access.platform/former');
    expect(stdout).toBe(`team-access.platform/former                    attune.yaml:22

  access: none                                 grant  attune.yaml:22
`);
  });

  test('explain prints a role with the grants that name it', async () => {
    const { stdout } = await explained('role.auditor');
    expect(stdout).toBe(`role.auditor                                   attune.yaml:24

  access: custom  (2 grants)                   role.auditor  attune.yaml:25
  workspace-access.runs: plan  (1 grant)       role.auditor  attune.yaml:26
  workspace-access.variables: read  (2 grants)  role.auditor  attune.yaml:26

Used by 2 grants:
  team-access.platform/audit                   attune.yaml:20
  team-access.platform/audit-leads             attune.yaml:21
`);
    expect((await explained('role.unused')).stdout).toContain('\nUsed by no grant.\n');
  });

  test('explain prints the settings of a managed project', async () => {
    const { stdout } = await explained('project.shop', 'description');
    expect(stdout).toContain('  description: The shop                        project  attune.yaml:15\n');
  });

  test('explain prints each key/value tag with the layer that adds or removes it', async () => {
    const cwd = await folderWith({
      'attune.yaml': `attune: 1
organization: acme
defaults: {workspace: {tag-bindings: {team: sre, env: dev}}}
templates:
  exact: {tags: {exactly: [x, y]}, tag-bindings: {exactly: {team: sre, env: dev}}}
projects:
  shop: {name: Shop, manage: true, tag-bindings: {env: prod}}
workspaces:
  added: {tag-bindings: {add: {env: prod}, remove: [owner]}}
  exact: {extends: exact, tags: {remove: [y]}, tag-bindings: {remove: [env]}}
`,
    });
    const stdoutOf = async (...argv: readonly string[]) =>
      (await attune(['explain', ...argv], { cwd })).stdout.replace(/^[\s\S]*?\n\n/, '');
    expect(await stdoutOf('workspace.added')).toBe(`  tag-bindings:
      team=sre                                 defaults   attune.yaml:3
      env=dev  (overridden)                    defaults   attune.yaml:3
    + env=prod                                 workspace  attune.yaml:9
    - owner                                    workspace  attune.yaml:9
`);
    expect(await stdoutOf('workspace.exact', 'tag-bindings')).toBe(`  tag-bindings:
    = team=sre                                 template.exact  attune.yaml:5
    = env=dev  (overridden)                    template.exact  attune.yaml:5
    - env                                      workspace       attune.yaml:10
`);
    expect(await stdoutOf('workspace.exact', 'tags')).toBe(`  tags:
    = x                                        template.exact  attune.yaml:5
    = y  (overridden)                          template.exact  attune.yaml:5
    - y                                        workspace       attune.yaml:10
`);
    expect(await stdoutOf('project.shop', 'tag-bindings')).toBe(
      '  tag-bindings: {env: prod}                    project  attune.yaml:7\n',
    );
  });

  test('explain prints which setting makes the consumers of a layer void', async () => {
    const cwd = await folderWith({
      'attune.yaml': `attune: 1
organization: acme
defaults: {workspace: {remote-state-consumers: [web]}}
workspaces:
  web: {}
  network:
    global-remote-state: true
`,
    });
    const { stdout } = await attune(['explain', 'workspace.network', 'remote-state-consumers'], { cwd });
    expect(stdout).toBe(`workspace.network                              attune.yaml:6

  remote-state-consumers:
    void because of global-remote-state: true  workspace  attune.yaml:7
      web  (overridden)                        defaults   attune.yaml:3
`);
  });

  test('explain prints a tombstone', async () => {
    const { stdout } = await explained('workspace.legacy', 'state');
    expect(stdout).toContain(
      '  state: absent                                workspace  workspaces/network.yaml:10',
    );
  });

  test('explain prints that a field is unmanaged', async () => {
    const { code, stdout } = await explained('workspace.dns', 'description');
    expect([code, stdout]).toEqual([0, 'workspace.dns: description is unmanaged: no layer declares it\n']);
  });

  test('explain prints one document with --format json', async () => {
    const { stdout } = await explained('workspace.network-prod', 'auto-apply', '--format', 'json');
    const file = 'workspaces/network.yaml';
    expect(JSON.parse(stdout)).toEqual({
      format: 'attune.explain/1',
      organization: 'acme',
      address: 'workspace.network-prod',
      location: { file, line: 2, column: 3 },
      extends: ['service'],
      fields: [
        {
          path: 'auto-apply',
          value: true,
          layer: 'workspace',
          location: { file, line: 4, column: 5 },
          overrides: [
            { layer: 'defaults', location: { file: 'attune.yaml', line: 6, column: 5 }, value: false },
          ],
          entries: [],
        },
      ],
    });
  });

  test('explain --format json has what keeps changes of a field back, and when a grant ends', async () => {
    const cwd = await folderWith({
      'attune.yaml': `attune: 1
organization: acme
workspaces: {web: {auto-apply: false, iac-version: "1.10.2", tags: [prod]}}
team-access: {payments: {sre: {access: write, until: 2026-12-31, reason: Q4}}}
exceptions:
  - {address: workspace.web, field: auto-apply, value: true, until: 2026-12-15, reason: INC-7}
  - {address: workspace.web, field: description, until: 2026-12-15, reason: INC-8}
freeze: [{from: 2026-12-20, to: 2026-12-31, reason: year end, select: {name: WEB}}]
`,
    });
    const documentOf = async (...argv: readonly string[]) => {
      const date = () => new Date('2026-12-16T00:00:00Z');
      return JSON.parse((await attune(['explain', ...argv, '--format', 'json'], { cwd, date })).stdout);
    };
    const freeze = {
      by: 'freeze',
      reason: 'year end',
      state: 'later',
      from: '2026-12-20T00:00:00Z',
      until: '2027-01-01T00:00:00Z',
      location: { file: 'attune.yaml', line: 8, column: 10 },
    };
    expect((await documentOf('workspace.web', 'auto-apply')).holds).toEqual([
      {
        by: 'exception',
        reason: 'INC-7',
        state: 'ended',
        value: true,
        until: '2026-12-15',
        fields: ['auto-apply'],
        location: { file: 'attune.yaml', line: 6, column: 5 },
      },
      freeze,
    ]);
    expect((await documentOf('workspace.web', 'iac-version')).holds).toEqual([freeze]);
    expect((await documentOf('team-access.payments/sre')).ends).toEqual({
      until: '2026-12-31',
      reason: 'Q4',
      ended: false,
      location: { file: 'attune.yaml', line: 4, column: 47 },
    });
  });

  test('explain leaves to the service whether an id and a name are the same project', async () => {
    const cwd = await folderWith({
      'attune.yaml': `attune: 1
organization: acme
projects: {pay: prj-Pay1, shop: {name: Shop, manage: true}}
workspaces: {web: {project: pay}, api: {project: shop}}
team-access: {pay: {sre: read}, shop: {sre: read}}
freeze: [{from: 2026-12-01, to: 2026-12-31, reason: launch, select: {project: Payments}}]
`,
    });
    const holdsOf = async (address: string) => {
      const date = () => new Date('2026-12-16T00:00:00Z');
      const { stdout } = await attune(['explain', address, '--format', 'json'], { cwd, date });
      return JSON.parse(stdout).holds?.map(({ reason, state }: { reason: string; state: string }) => [
        reason,
        state,
      ]);
    };
    expect(await holdsOf('workspace.web')).toEqual([['launch', 'live']]);
    expect(await holdsOf('workspace.api')).toEqual(undefined);
    expect(await holdsOf('team-access.pay/sre')).toEqual([['launch', 'live']]);
    expect(await holdsOf('team-access.shop/sre')).toEqual(undefined);
    expect(await holdsOf('project.shop')).toEqual(undefined);
  });

  test.each(rowsIn<[readonly string[], string]>`
- [[workspace.netwrk-prod], "error[unknown-name]: unknown address \"workspace.netwrk-prod\": the files do not declare it\n  hint: did you mean workspace.network-prod?\n"]
- [[dns], "error[unknown-name]: unknown address \"dns\": the files do not declare it\n  hint: did you mean workspace.dns?\n"]
- [[something], "error[unknown-name]: unknown address \"something\": the files do not declare it\n  hint: give workspace.NAME, project.ALIAS, team-access.PROJECT/TEAM, template.NAME, role.NAME or defaults\n"]
- [[workspace.dns, autoapply], "error[unknown-name]: unknown field \"autoapply\" of workspace.dns\n  hint: did you mean auto-apply?\n"]
- [[workspace.dns, xyzzy], "error[unknown-name]: unknown field \"xyzzy\" of workspace.dns\n  hint: run \`attune explain workspace.dns\` to list its fields\n"]
`)('explain %j is an error with the nearest name', async (argv, text) => {
    const { code, stdout, stderr } = await explained(...argv);
    expect([code, stdout, stderr]).toEqual([1, '', text]);
  });
});

test('explain shows the template that selects a workspace, its selector, and the workspaces that it selects', async () => {
  const cwd = await folderWith({
    'attune.yaml': `attune: 1
organization: acme
templates:
  base: {iac-version: "1.9.0", auto-apply: false}
  canary: {when: {tag: canary}, iac-version: "1.10.2"}
workspaces:
  web: {extends: base, tags: [canary]}
  own: {extends: base, tags: [canary], iac-version: "1.8.0"}
`,
  });
  expect(
    (await attune(['explain', 'workspace.web'], { cwd })).stdout,
  ).toBe(`workspace.web                                  attune.yaml:7
  extends base
  selected by canary

  auto-apply: false                            template.base    attune.yaml:4
  iac-version: 1.10.2                          template.canary  attune.yaml:5
    overrides 1.9.0                            template.base    attune.yaml:4
  tags:
      canary                                   workspace        attune.yaml:7
`);
  expect(
    (await attune(['explain', 'template.canary'], { cwd })).stdout,
  ).toBe(`template.canary                                attune.yaml:5
  when {tag: canary}

  iac-version: 1.10.2  (1 workspace)           template.canary  attune.yaml:5

Used by 2 workspaces:
  workspace.own                                attune.yaml:8
  workspace.web                                attune.yaml:7
`);
  const json = await attune(['explain', 'workspace.web', '--format', 'json'], { cwd });
  expect(JSON.parse(json.stdout)).toMatchObject({ extends: ['base'], selected: ['canary'] });
});
