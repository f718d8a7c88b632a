import type { Seed } from '../../src/emulator/index.ts';

/** A live organization that differs from what {@link declared} contains in every kind of change. */
export const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-1' },
  teams: { sre: 'team-1', dev: 'team-2' },
  workspaces: {
    network: { id: 'ws-network', description: 'old', tags: ['prod'] },
    billing: { id: 'ws-billing', 'remote-state-consumers': ['network'] },
    legacy: { id: 'ws-legacy' },
  },
  'team-access': { Platform: { sre: 'read', dev: 'read' } },
} as const satisfies Seed;

export const head = 'attune: 1\norganization: acme\n';
export const declared = `${head}projects: {platform: prj-1}
teams: {sre: team-1, dev: team-2}
workspaces:
  network: {description: new}
  billing: {remote-state-consumers: []}
  fresh: {}
  legacy: {state: absent}
team-access: {platform: {sre: write, dev: none}}
`;
