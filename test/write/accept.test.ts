import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OrganizationSeed } from '../../src/emulator/index.ts';
import { worldWith } from '../support/attune.ts';

const head = 'attune: 1\norganization: acme\n';

type Live = NonNullable<OrganizationSeed['workspaces']>;

async function accepted(body: string, workspaces: Live, ...argv: readonly string[]) {
  const world = await worldWith(head + body, {
    seed: { organization: 'acme', projects: { Payments: 'prj-payments' }, workspaces },
  });
  const ran = await world.attune('accept', ...(argv.length > 0 ? argv : ['--all']));
  const text = (await readFile(join(world.folder, 'attune.yaml'), 'utf8')).slice(head.length);
  const { stdout } = await world.attune('plan');
  return { ...ran, text, plan: stdout };
}

describe('accept', () => {
  test.each<[string, string, Live, string]>([
    [
      'a scalar',
      'workspaces:\n  a:\n    description: "old" # why\n    # last\n',
      { a: { description: 'new' } },
      'workspaces:\n  a:\n    description: "new" # why\n    # last\n',
    ],
    [
      'entries of a block list',
      'workspaces:\n  a:\n    tags:\n      - x # first\n      - y # second\n    auto-apply: false\n',
      { a: { tags: ['y', 'z'] } },
      'workspaces:\n  a:\n    tags:\n      - y # second\n      - z\n    auto-apply: false\n',
    ],
    [
      'entries of a list in one line',
      'workspaces:\n  a: {tags: [x, y], auto-apply: false}\n',
      { a: { tags: ['y', 'z'] } },
      'workspaces:\n  a: {tags: [y, z], auto-apply: false}\n',
    ],
    [
      'an additive list, as an exact one',
      'workspaces:\n  a:\n    tags: {add: [x, w], remove: [y]}\n',
      { a: { tags: ['w', 'y'] } },
      'workspaces:\n  a:\n    tags: [w, "y"]\n',
    ],
    [
      'a list that a layer adds to, as an exact one',
      'defaults:\n  workspace: {tags: [all]}\nworkspaces:\n  a:\n    tags: [x] # ours\n',
      { a: { tags: ['all', 'z'] } },
      'defaults:\n  workspace: {tags: [all]}\nworkspaces:\n  a:\n    tags: {exactly: [all, z]} # ours\n',
    ],
    [
      'a value of a layer, as the value of the workspace',
      'defaults:\n  workspace: {auto-apply: false}\nworkspaces:\n  a: {}\n  b: {}\n',
      { a: { 'auto-apply': true }, b: {} },
      'defaults:\n  workspace: {auto-apply: false}\nworkspaces:\n  a:\n    auto-apply: true\n  b: {}\n',
    ],
    [
      'a value that comes through an alias',
      'workspaces:\n  a: &base {auto-apply: false}\n  b: *base\n',
      { a: {}, b: { 'auto-apply': true } },
      'workspaces:\n  a: &base {auto-apply: false}\n  b: {<<: *base, auto-apply: true}\n',
    ],
    [
      'a workspace that is not live',
      'workspaces:\n  a: {}\n\n  gone:\n    description: x\n',
      { a: {} },
      'workspaces:\n  a: {}\n',
    ],
    [
      'a consumer that no file declares',
      'workspaces:\n  a:\n    remote-state-consumers: [b]\n  b: {}\n',
      { a: { 'remote-state-consumers': ['b', 'stray'] }, b: {}, stray: {} },
      'workspaces:\n  a:\n    remote-state-consumers: [b, stray]\n  b: {}\n',
    ],
  ])('accept of one field or entry keeps comments and style: %s', async (_what, before, live, after) => {
    const { code, text, plan, stderr } = await accepted(before, live);
    expect([code, text], stderr).toEqual([0, after]);
    expect(plan).toContain('0 to create, 0 to update, 0 to delete');
  });

  test('accept reports and does not change a value whose anchor other lines use', async () => {
    const before = 'workspaces:\n  a: &base {auto-apply: false}\n  b: *base\n';
    const { code, text, stderr } = await accepted(before, { a: { 'auto-apply': true }, b: {} });
    expect([code, text, stderr]).toEqual([
      1,
      before,
      'error[not-acceptable]: workspace.a is not accepted: other lines use its anchor &base in attune.yaml\n  hint: write the value out where *base is used, then run accept again\n',
    ]);
  });

  test('accept reports and does not change a rename that is not applied yet', async () => {
    const before = 'workspaces:\n  b: {renamed-from: a}\n';
    const { code, text, stderr } = await accepted(before, { a: {} });
    expect([code, text, stderr]).toEqual([
      1,
      before,
      'error[not-acceptable]: workspace.b is not accepted: its rename is not applied yet\n  hint: apply the rename, or remove renamed-from and call it a in the file\n',
    ]);
  });

  test('accept --dry-run prints a unified diff and writes nothing', async () => {
    const before = 'workspaces:\n  a:\n    description: old # why\n    tags: [x]\n  b: {}\n';
    const { code, text, stdout, stderr } = await accepted(
      before,
      { a: { description: 'new', tags: ['x', 'z'] }, b: {} },
      '--all',
      '--dry-run',
    );
    expect([code, text, stderr]).toEqual([0, before, 'Would change 1 file: 2 accepted values.\n']);
    expect(stdout).toBe(`--- a/attune.yaml
+++ b/attune.yaml
@@ -2,6 +2,6 @@
 organization: acme
 workspaces:
   a:
-    description: old # why
-    tags: [x]
+    description: new # why
+    tags: [x, z]
   b: {}
`);
  });

  test('accept reports a workspace that was renamed on the service, and neither removes nor adds it', async () => {
    const before = `projects: {payments: prj-payments}
scope: {names: ["*"]}
workspaces:
  billing:
    project: payments
    vcs-repo: {identifier: acme/billing, oauth-token-id: ot-1}
    working-directory: infra
`;
    const { code, text, stderr } = await accepted(before, {
      'billing-eu': {
        project: 'prj-payments',
        'vcs-repo': { identifier: 'acme/billing', 'oauth-token-id': 'ot-1' },
        'working-directory': 'infra',
      },
    });
    expect([code, text, stderr]).toEqual([
      1,
      before,
      'error[not-acceptable]: workspace.billing is not accepted: it is not live, and workspace.billing-eu, which no file declares, looks like it: it was probably renamed on the service\n  hint: rename the key "billing" at attune.yaml:6 and its references to "billing-eu" to keep the new name, or add `renamed-from: billing-eu` and run `attune apply` to restore the former one\n',
    ]);
  });

  test('accept reports a renamed workspace whose new name is the former name of a project', async () => {
    const before = `service: {dialect: terraform}
projects: {payments: {name: Billing, manage: true, renamed-from: billing-eu}}
scope: {names: ["*"]}
workspaces:
  billing:
    project: payments
    vcs-repo: {identifier: acme/billing, oauth-token-id: ot-1}
    working-directory: infra
`;
    const world = await worldWith(head + before, {
      dialect: 'terraform',
      seed: {
        organization: 'acme',
        projects: { Billing: 'prj-payments' },
        workspaces: {
          'billing-eu': {
            project: 'prj-payments',
            'vcs-repo': { identifier: 'acme/billing', 'oauth-token-id': 'ot-1' },
            'working-directory': 'infra',
          },
        },
      },
    });
    const { code, stderr } = await world.attune('accept', '--all');
    expect([code, stderr]).toEqual([
      1,
      'error[not-acceptable]: workspace.billing is not accepted: it is not live, and workspace.billing-eu, which no file declares, looks like it: it was probably renamed on the service\n  hint: rename the key "billing" at attune.yaml:7 and its references to "billing-eu" to keep the new name, or add `renamed-from: billing-eu` and run `attune apply` to restore the former one\n',
    ]);
  });
});

describe('accept of managed projects', () => {
  const run = async (body: string, shop: string, workspaces: Live = {}) => {
    const world = await worldWith(`${head}service: {dialect: terraform}\n${body}`, {
      dialect: 'terraform',
      seed: {
        organization: 'acme',
        projects: { [shop]: { id: 'prj-shop', description: 'The shop' } },
        workspaces,
      },
    });
    const ran = await world.attune('accept', 'project.*');
    const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
    const { stdout } = await world.attune('plan');
    return { ...ran, text: text.slice(text.indexOf('projects:')), plan: stdout };
  };

  test('accept removes a tombstone whose project is live', async () => {
    const { code, text, stderr, plan } = await run(
      'projects:\n  shop: {name: Shop, manage: true, state: absent}\n',
      'Shop',
    );
    expect([code, text], stderr).toEqual([0, 'projects:\n  shop: {name: Shop, manage: true}\n']);
    expect(plan).toContain('0 to create, 0 to update, 0 to delete');
  });

  test('accept removes the declaration of a project that is not live', async () => {
    const { code, text, stderr } = await run(
      'projects:\n  shop: {name: Shop, manage: true}\n  old: {name: Old, manage: true}\n',
      'Shop',
    );
    expect([code, text], stderr).toEqual([0, 'projects:\n  shop: {name: Shop, manage: true}\n']);
  });

  test('accept reports a project that was renamed on the service, with the project of its workspaces', async () => {
    const before = 'projects:\n  shop: {name: Shop, manage: true}\nworkspaces:\n  web: {project: shop}\n';
    const { code, text, stderr } = await run(before, 'Store', { web: { project: 'prj-shop' } });
    expect([code, text]).toEqual([1, before]);
    expect(stderr).toContain(
      'error[not-acceptable]: project.shop is not accepted: no project has its name, and its workspaces are in project prj-shop, which no file declares: it was probably renamed on the service\n  hint: set `name` at attune.yaml:5 to the name of prj-shop to keep it, or add that name as `renamed-from` and run `attune apply` to restore the former one\n',
    );
  });
});

describe('accept of team access', () => {
  const custom = { access: 'custom', 'workspace-access': { runs: 'plan', variables: 'read' } };
  const run = async (body: string, ...argv: readonly string[]) => {
    const world = await worldWith(head + body, {
      seed: {
        organization: 'acme',
        projects: { Shop: 'prj-shop' },
        teams: { sre: 'team-sre' },
        'team-access': { Shop: { sre: custom } },
      },
    });
    const { code, stderr } = await world.attune('accept', 'team-access.prj-shop/team-sre', ...argv);
    const text = await readFile(join(world.folder, 'attune.yaml'), 'utf8');
    return { code, stderr, text: text.slice(text.indexOf('team-access:')) };
  };
  const declared = (grant: string) => `team-access:\n  prj-shop:\n    team-sre: ${grant}\n`;
  const [before, whole] = [
    '{access: custom, workspace-access: {runs: read, variables: none}} # ours',
    '{access: custom, workspace-access: {runs: plan, variables: read}}',
  ];

  test.each<[string, string, readonly string[], string]>([
    [
      'one permission, and keeps the others',
      before,
      ['--field', 'workspace-access.runs'],
      before.replace('runs: read', 'runs: plan'),
    ],
    ['a level', 'write', [], whole],
    [
      'a level beside its end',
      '{access: write, until: 2099-12-31, reason: migration}',
      [],
      whole.replace('custom', 'custom, until: 2099-12-31, reason: migration'),
    ],
  ])('accept writes %s', async (_what, grant, argv, after) => {
    const { code, stderr, text } = await run(declared(grant), ...argv);
    expect([code, text], stderr).toEqual([0, declared(after)]);
  });

  test('accept writes the live permissions instead of a role', async () => {
    const roles = 'roles: {planner: {access: custom, workspace-access: {runs: read}}}\n';
    const { code, stderr, text } = await run(roles + declared('planner'));
    expect([code, text], stderr).toEqual([0, declared(whole)]);
  });
});
