import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportFormats } from '../src/report/report.ts';
import { type World, worldWith } from './support/attune.ts';

const branch = `attune: 1
organization: acme
projects: {platform: prj-platform}
teams: {sre: team-sre}
workspaces:
  network: {auto-apply: true, tags: [prod, shared], remote-state-consumers: [app, billing]}
  app: {}
  billing: {project: platform}
  legacy: {state: absent}
team-access: {platform: {sre: admin}}
limits: {delete-percent: 100}
`;
const seed = {
  organization: 'acme',
  projects: { Platform: 'prj-platform' },
  teams: { sre: 'team-sre' },
  workspaces: {
    network: { id: 'ws-network', tags: ['prod'], 'remote-state-consumers': ['app'] },
    app: { id: 'ws-app' },
    legacy: {},
  },
  'team-access': { 'prj-platform': { 'team-sre': 'read' } },
} as const;

const read = (world: World, file: string) => readFile(join(world.folder, file), 'utf8');

test('a plan that exceeds its limits is not saved', async () => {
  const world = await worldWith(branch.replace('delete-percent: 100', 'deletes: 0'), { seed });
  const { code } = await world.attune('plan', '--out', 'plan.json');
  expect(code).toBe(1);
  await expect(read(world, 'plan.json')).rejects.toThrow('ENOENT');
});

test.each(reportFormats)('show prints a saved plan as %s exactly as plan printed it', async (format) => {
  const world = await worldWith(branch, { seed });
  const planned = await world.attune('plan', '--out', 'plan.json', '--format', format, '--quiet');
  const shown = await world.attune('show', 'plan.json', '--format', format);
  expect([shown.code, shown.stderr]).toEqual([0, '']);
  // A page shows when it was made.
  const timeless = (text: string) => text.replace(/<time .*?<\/time>/, '');
  expect(timeless(shown.stdout)).toBe(timeless(planned.stdout));
  expect(shown.stdout).toContain('network');
  expect(world.requests()).toEqual([]);
});

test('show prints warnings with the locations at the time of the plan, even if the file has changed', async () => {
  const world = await worldWith(branch.replace('auto-apply: true', 'operations: true'), { seed });
  await world.attune('plan', '--out', 'plan.json', '--quiet');
  await writeFile(join(world.folder, 'attune.yaml'), '#\n'.repeat(20));
  const { stderr } = await world.attune('show', 'plan.json');
  expect(stderr).toMatch(/^attune\.yaml:6:\d+: warning\[deprecated-operations\]: .*\n {2}hint: .*\n$/);
});
