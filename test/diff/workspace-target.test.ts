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
