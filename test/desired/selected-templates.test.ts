import { describe, expect, test } from 'vitest';
import { attune, folderWith } from '../support/attune.ts';
import { rowsIn } from '../support/rows.ts';

const head = 'attune: 1\norganization: acme\n';

async function ran(body: string, ...argv: readonly string[]) {
  return attune(argv, { cwd: await folderWith({ 'attune.yaml': head + body }) });
}

async function workspaces(body: string): Promise<Readonly<Record<string, unknown>>> {
  const { code, stdout, stderr } = await ran(body, 'render', '--format', 'json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout).workspaces;
}

const fleet = `projects: {payments: {name: Payments, manage: true, tag-bindings: {env: prod}}, shop: prj-shop}
templates:
  base: {iac-version: "1.9.0", auto-apply: false}
  canary: {when: {tag: canary}, iac-version: "1.10.2"}
  prod: {when: {tagged: {env: prod}, except: old-*}, auto-apply: true, description: prod}
workspaces:
  web: {extends: base, tags: [canary]}
  own: {extends: base, tags: [canary], iac-version: "1.8.0"}
  api: {extends: base, tags: [stable], project: payments}
  job: {project: shop, tag-bindings: {env: prod}}
  old-job: {project: shop, tag-bindings: {env: prod}}
  dev: {project: payments, tag-bindings: {env: dev}}
  none: {}
`;

describe('templates with when', () => {
  test('a template is laid over those that a workspace extends, and under the workspace, where its selector matches', async () => {
    expect(await workspaces(fleet)).toEqual({
      web: { 'auto-apply': false, 'iac-version': '1.10.2', tags: ['canary'] },
      own: { 'auto-apply': false, 'iac-version': '1.8.0', tags: ['canary'] },
      api: {
        project: 'payments',
        'auto-apply': true,
        description: 'prod',
        'iac-version': '1.9.0',
        tags: ['stable'],
      },
      job: { project: 'shop', 'auto-apply': true, description: 'prod', 'tag-bindings': { env: 'prod' } },
      'old-job': { project: 'shop', 'tag-bindings': { env: 'prod' } },
      dev: { project: 'payments', 'tag-bindings': { env: 'dev' } },
      none: {},
    });
  });

  test('a template also selects by tags of the defaults and of extended templates, and by names and projects', async () => {
    const body = `defaults: {workspace: {tags: [all]}}
projects: {shop: prj-shop}
templates:
  tagged: {tags: [canary]}
  canary: {when: {tag: [canary, all]}, description: canary}
  named: {when: {name: "*-prod", project: shop}, auto-apply: true}
workspaces:
  a: {extends: tagged}
  b-prod: {project: shop}
  c-prod: {}
`;
    expect(await workspaces(body)).toMatchObject({
      a: { description: 'canary' },
      'b-prod': { 'auto-apply': true },
      'c-prod': { tags: { add: ['all'] } },
    });
  });

  test.each(['pay', 'Payments', 'Payment', 'prj-Pay1'])(
    'a template selects by the project %s whatever declared spelling a workspace has of it',
    async (project) => {
      const body = `projects:
  pay: {id: prj-Pay1, name: Payments, renamed-from: Payment, manage: true, tag-bindings: {env: prod}}
  shop: {name: Shop}
templates:
  by-project: {when: {project: ${project}}, auto-apply: true}
  by-tag: {when: {tagged: {env: prod}}, queue-all-runs: true}
workspaces:
  a: {project: pay}
  b: {project: Payments}
  c: {project: Payment}
  d: {project: prj-Pay1}
  other: {project: Shop}
`;
      const found = await workspaces(body);
      for (const name of ['a', 'b', 'c', 'd'])
        expect(found[name]).toMatchObject({ 'auto-apply': true, 'queue-all-runs': true });
      expect(found.other).toEqual({ project: 'shop' });
    },
  );

  test('explain shows the template that selects a workspace, its selector, and the workspaces that it selects', async () => {
    const { stdout } = await ran(fleet, 'explain', 'workspace.web');
    expect(stdout).toBe(`workspace.web                                  attune.yaml:9
  extends base
  selected by canary

  auto-apply: false                            template.base    attune.yaml:5
  iac-version: 1.10.2                          template.canary  attune.yaml:6
    overrides 1.9.0                            template.base    attune.yaml:5
  tags:
      canary                                   workspace        attune.yaml:9
`);
    expect(
      (await ran(fleet, 'explain', 'template.canary')).stdout,
    ).toBe(`template.canary                                attune.yaml:6
  when {tag: canary}

  iac-version: 1.10.2  (1 workspace)           template.canary  attune.yaml:6

Used by 2 workspaces:
  workspace.own                                attune.yaml:10
  workspace.web                                attune.yaml:9
`);
    const document = JSON.parse((await ran(fleet, 'explain', 'workspace.web', '--format', 'json')).stdout);
    expect(document).toMatchObject({ extends: ['base'], selected: ['canary'] });
  });

  test('values of two selected templates that differ are errors at both lines', async () => {
    const { code, stdout } = await ran(
      `templates:
  canary: {when: {tag: canary}, iac-version: "1.10.2"}
  prod:
    when: {name: "*-prod"}
    iac-version: "1.9.0"
workspaces:
  web-prod: {tags: [canary]}
  api-prod: {tags: [canary]}
`,
      'validate',
    );
    expect([code, stdout]).toEqual([
      1,
      `attune.yaml:4:33: error[layer-conflict]: iac-version of "web-prod" differs between the templates "canary" and "prod", which both select it, also at attune.yaml:7:5
  4 |   canary: {when: {tag: canary}, iac-version: "1.10.2"}
    |                                 ^
  hint: let one of the templates extend the other, or declare the value at the workspace
attune.yaml:7:5: error[layer-conflict]: iac-version of "web-prod" differs between the templates "prod" and "canary", which both select it, also at attune.yaml:4:33
  7 |     iac-version: "1.9.0"
    |     ^
  hint: let one of the templates extend the other, or declare the value at the workspace
`,
    ]);
  });

  test.each(rowsIn<[string, string, string, string]>`
- [the same value, 'a: {when: {tag: x}, iac-version: "1.9.0"}', 'b: {when: {tag: x}, iac-version: "1.9.0"}', '{tags: [x]}']
- [an order by extends, 'a: {when: {tag: x}, iac-version: "1.8.0"}', 'b: {when: {tag: x}, extends: a, iac-version: "1.9.0"}', '{tags: [x]}']
- [an order of the workspace, 'a: {when: {tag: x}, iac-version: "1.8.0"}', 'b: {when: {tag: x}, iac-version: "1.9.0"}', '{tags: [x], extends: [a, b]}']
- [a value of the workspace, 'a: {when: {tag: x}, iac-version: "1.8.0"}', 'b: {when: {tag: x}, iac-version: "1.7.0"}', '{tags: [x], iac-version: "1.9.0"}']
`)('two selected templates with %s do not conflict', async (_what, a, b, workspace) => {
    const body = `templates:\n  ${a}\n  ${b}\nworkspaces: {w: ${workspace}}\n`;
    expect(await workspaces(body)).toMatchObject({ w: { 'iac-version': '1.9.0' } });
  });

  test('entries that one selected template adds and another removes are a conflict; additions are not', async () => {
    const body = (list: string) => `templates:
  a: {when: {name: w}, trigger-patterns: [x]}
  b: {when: {name: w}, trigger-patterns: ${list}}
workspaces: {w: {}}
`;
    expect((await ran(body('{remove: [x]}'), 'validate')).stdout).toContain(
      'error[layer-conflict]: trigger-patterns',
    );
    expect(await workspaces(body('[y]'))).toMatchObject({ w: { 'trigger-patterns': { add: ['x', 'y'] } } });
  });

  test.each(rowsIn<[string, string, string, string]>`
- [tags, "{when: {tag: x}, tags: [y]}", "{}", its selector]
- [project, "{when: {name: w}, project: Shop}", "{when: {project: Payments}}", the selector of "b"]
- [project, "{when: {name: w}, project: Shop}", "{when: {tagged: {a: b}}}", the selector of "b"]
- [tag-bindings, "{when: {name: w}, tag-bindings: {a: c}}", "{when: {tagged: {a: b}}}", the selector of "b"]
`)(
    'a selected template that sets %s, on which a selector depends, is an error: %s',
    async (key, a, b, whose) => {
      const { code, stdout } = await ran(
        `templates:\n  a: ${a}\n  b: ${b}\nworkspaces: {w: {}}\n`,
        'validate',
      );
      expect([code, stdout]).toEqual([
        1,
        expect.stringContaining(
          `error[when-depends]: a template with "when" cannot set "${key}": ${whose} depends on it`,
        ),
      ]);
    },
  );

  test('a workspace cannot have when, and a selector needs a key', async () => {
    expect((await ran('workspaces: {w: {when: {tag: x}}}\n', 'validate')).stdout).toContain(
      'error[unknown-key]',
    );
    expect((await ran('templates: {a: {when: {}}}\nworkspaces: {}\n', 'validate')).code).toBe(1);
    const unknown = await ran('templates: {a: {when: {label: x}, tags: [y]}}\nworkspaces: {}\n', 'validate');
    expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining('unknown key "label"')]);
  });
});
