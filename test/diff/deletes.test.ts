import { describe, expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const root = (rest: string) => `attune: 1\norganization: acme\n${rest}\n`;
const prunesAll = 'scope: {names: ["*"]}\nprune: {workspaces: force}\nlimits: {delete-percent: 100}';

describe('a plan that deletes by force', () => {
  test('a plan that deletes by force shows a pruned workspace with the number of its managed resources and the run that locked it', async () => {
    const world = await worldWith(root(`workspaces: {a: {}}\n${prunesAll}`), {
      seed: {
        workspaces: {
          a: {},
          busy: { 'resource-count': 12, locked: { by: 'run-1', reason: 'applying' } },
          big: { 'resource-count': 1 },
          empty: {},
        },
      },
    });
    const { code, stderr } = await world.attune('plan');
    expect(code).toBe(0);
    expect(stderr).toBe(
      `warning[forced-delete]: workspace.big is force-deleted: it manages 1 resource, which is not destroyed
  hint: set prune.workspaces to \`safe\` to keep the workspace while it manages resources
warning[forced-delete]: workspace.busy is force-deleted: it manages 12 resources, which are not destroyed, and it is locked by run-1 ("applying")
  hint: set prune.workspaces to \`safe\` to keep the workspace while it manages resources
`,
    );
  });

  test('a plan that deletes by force shows a tombstone with its resources and lock at its line', async () => {
    const world = await worldWith(root('workspaces: {big: {state: absent, delete: force}}'), {
      seed: { workspaces: { big: { 'resource-count': 3 } } },
    });
    const { stderr } = await world.attune('plan');
    expect(stderr).toBe(
      `attune.yaml:3:14: warning[forced-delete]: workspace.big is force-deleted: it manages 3 resources, which are not destroyed
  3 | workspaces: {big: {state: absent, delete: force}}
    |              ^
  hint: write \`delete: safe\` to keep the workspace while it manages resources
`,
    );
  });
});

describe('a plan that deletes a workspace with resources safely', () => {
  test('a safe delete of a workspace with resources is refused at the line of the tombstone, with the number of resources', async () => {
    const world = await worldWith(root('workspaces: {big: {state: absent}, small: {state: absent}}'), {
      seed: { workspaces: { big: { 'resource-count': 12 }, small: {} } },
    });
    const { code, stderr } = await world.attune('apply', '--yes');
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stderr).toBe(
      `attune.yaml:3:14: error[manages-resources]: workspace.big cannot be deleted safely: it manages 12 resources
  3 | workspaces: {big: {state: absent}, small: {state: absent}}
    |              ^
  hint: destroy the resources first, or write \`delete: force\` to delete the workspace without destroying them
No changes were made.
`,
    );
  });

  test('a safe delete of a workspace with resources is not refused if --only leaves that workspace out', async () => {
    const world = await worldWith(root('workspaces: {big: {state: absent}, small: {state: absent}}'), {
      seed: { workspaces: { big: { 'resource-count': 12 }, small: {} } },
    });
    expect((await world.attune('apply', '--yes', '--only', 'workspace.small')).code).toBe(0);
  });
});

describe('a live workspace whose name differs from a declared one only in case', () => {
  test('a live workspace whose name differs from a declared one only in case is not pruned', async () => {
    const world = await worldWith(root(`workspaces: {App: {}}\n${prunesAll}`), {
      seed: { workspaces: { app: {}, b: {} } },
    });
    const { code, stdout, stderr } = await world.attune('apply', '--yes');
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stdout).toContain('  - workspace.app                                force delete\n');
    expect(stdout).toContain('Plan: 1 to create, 0 to update, 2 to delete, 0 unchanged.');
    expect(stderr).toContain(
      `attune.yaml:3:14: error[differs-in-case]: "App" is declared, but "app" is live and would be pruned: to a service that ignores case, both names are one workspace
  3 | workspaces: {App: {}}
    |              ^
  hint: declare it as "app", or add \`renamed-from: app\`
`,
    );
  });

  test('a live workspace whose name differs from a declared one only in case is a warning of the plan that creates the declared one', async () => {
    const world = await worldWith(root('workspaces: {App: {}}\nscope: {names: ["*"]}'), {
      seed: { workspaces: { app: {} } },
    });
    const { code, stderr } = await world.attune('drift');
    expect([code, stderr]).toEqual([
      2,
      `attune.yaml:3:14: warning[differs-in-case]: "App" is declared, but "app" is live: to a service that ignores case, both names are one workspace
  3 | workspaces: {App: {}}
    |              ^
  hint: declare it as "app", or add \`renamed-from: app\`
`,
    ]);
  });

  test('a live workspace whose name differs from a declared one only in case is pruned when the declared one is live, too', async () => {
    const world = await worldWith(root(`workspaces: {App: {}}\n${prunesAll}`), {
      seed: { workspaces: { app: {}, App: {} } },
    });
    const { code, stdout } = await world.attune('plan');
    expect(code).toBe(0);
    expect(stdout).toContain('- workspace.app ');
  });
});
