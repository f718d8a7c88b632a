import { describe, expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const root = (rest: string) => `attune: 1\norganization: acme\n${rest}\n`;
const prunesAll = 'scope: {names: ["*"]}\nprune: {workspaces: force}\nlimits: {delete-percent: 100}';

describe('a plan that deletes by force', () => {
  test('says how many resources a pruned workspace manages and which run has it locked', async () => {
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
      `warning[forced-delete]: workspace.big is deleted by force: it manages 1 resource, which is not destroyed
  hint: set prune.workspaces to \`safe\` to keep workspaces that manage resources
warning[forced-delete]: workspace.busy is deleted by force: it manages 12 resources, which are not destroyed, and run-1 has it locked ("applying")
  hint: set prune.workspaces to \`safe\` to keep workspaces that manage resources
`,
    );
  });

  test('says the same of a tombstone with delete: force at its line', async () => {
    const world = await worldWith(root('workspaces: {big: {state: absent, delete: force}}'), {
      seed: { workspaces: { big: { 'resource-count': 3 } } },
    });
    const { stderr } = await world.attune('plan');
    expect(stderr).toBe(
      `attune.yaml:3:14: warning[forced-delete]: workspace.big is deleted by force: it manages 3 resources, which are not destroyed
  3 | workspaces: {big: {state: absent, delete: force}}
    |              ^
  hint: write \`delete: safe\` to keep it while it manages resources
`,
    );
  });
});

describe('undeclared workspaces', () => {
  test('are listed by a plan that reads the whole organization when the scope names its project by name', async () => {
    const world = await worldWith(
      root('scope: {projects: [Payments]}\nworkspaces: {a: {remote-state-consumers: [{name: "b*"}]}}'),
      {
        seed: {
          projects: { Payments: 'prj-1' },
          workspaces: { a: { project: 'Payments' }, b: { project: 'Payments' }, other: {} },
        },
      },
    );
    const { stdout } = await world.attune('plan', '--format', 'json');
    expect(JSON.parse(stdout).unmanaged).toEqual(['workspace.b']);
  });
});

describe('a live workspace whose name differs from a declared one only in case', () => {
  test('is not pruned', async () => {
    const world = await worldWith(root(`workspaces: {App: {}}\n${prunesAll}`), {
      seed: { workspaces: { app: {}, b: {} } },
    });
    const { code, stderr } = await world.attune('apply', '--yes');
    expect([code, world.writes()]).toEqual([1, []]);
    expect(stderr).toContain(
      `attune.yaml:3:14: error[differs-in-case]: "App" is declared, and "app" is live and would be pruned: a service that ignores case takes the two names for one workspace
  3 | workspaces: {App: {}}
    |              ^
  hint: declare it as "app", or add \`renamed-from: app\`
`,
    );
  });

  test('is a warning of the plan that creates the declared one', async () => {
    const world = await worldWith(root('workspaces: {App: {}}\nscope: {names: ["*"]}'), {
      seed: { workspaces: { app: {} } },
    });
    const { code, stderr } = await world.attune('drift');
    expect([code, stderr]).toEqual([
      2,
      `attune.yaml:3:14: warning[differs-in-case]: "App" is declared, and "app" is live: a service that ignores case takes the two names for one workspace
  3 | workspaces: {App: {}}
    |              ^
  hint: declare it as "app", or add \`renamed-from: app\`
`,
    ]);
  });

  test('is pruned when the declared one is live, too', async () => {
    const world = await worldWith(root(`workspaces: {App: {}}\n${prunesAll}`), {
      seed: { workspaces: { app: {}, App: {} } },
    });
    const { code, stdout } = await world.attune('plan');
    expect(code).toBe(0);
    expect(stdout).toContain('- workspace.app ');
  });
});
