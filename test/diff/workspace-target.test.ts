import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const root = (rest: string) => `attune: 1\norganization: acme\n${rest}\n`;

test.each([
  ['{remove: [Prod]}', ['network']],
  ['{add: [Blue], remove: [PROD]}', ['blue', 'network']],
  ['[Prod, Network]', ['network', 'prod']],
])(
  'tags declared as %s in the terraform dialect are compared in lower case and applied once',
  async (declared, after) => {
    const world = await worldWith(
      root(`service: {dialect: terraform}\nworkspaces: {app: {tags: ${declared}}}`),
      { dialect: 'terraform', seed: { workspaces: { app: { tags: ['prod', 'network'] } } } },
    );
    expect((await world.attune('apply', '--yes')).code).toBe(0);
    const { stdout } = await world.attune('workspace', 'show', 'app', '--format', 'json');
    expect(JSON.parse(stdout).tags ?? JSON.parse(stdout).workspaces[0].tags).toEqual(after);
    await world.attune('apply', '--yes');
    expect(world.writes()).toEqual([]);
  },
);

test.each(['iac', 'terraform'] as const)(
  'an execution mode of a workspace over a layer that inherits it is applied in the %s dialect, and the next plan is empty',
  async (dialect) => {
    const world = await worldWith(
      root(`service: {dialect: ${dialect}}
agent-pools: {onprem: apool-1}
defaults: {workspace: {setting-overwrites: {execution-mode: false, agent-pool: false}}}
templates: {inherits: {setting-overwrites: {agent-pool: false}}}
workspaces:
  local: {execution-mode: local}
  agent: {execution-mode: agent, agent-pool-id: onprem}
  sibling: {extends: inherits, execution-mode: agent, agent-pool-id: onprem}
  pooled: {extends: inherits, execution-mode: agent}
  other: {}`),
      {
        dialect,
        seed: {
          'agent-pools': { onprem: 'apool-1', shared: 'apool-2' },
          settings: { 'default-agent-pool': 'shared' },
          workspaces: {
            local: {},
            agent: {},
            sibling: {},
            pooled: {},
            other: { 'execution-mode': 'local' },
          },
        },
      },
    );
    const applied = await world.attune('apply', '--yes');
    expect([applied.code, applied.stderr]).toEqual([0, 'Undo with: attune undo --last\n']);
    const { code, stdout } = await world.attune('drift');
    expect([stdout, code]).toEqual([expect.any(String), 0]);
  },
);
