import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldWith } from '../support/attune.ts';

const root = (rest: string) => `attune: 1\norganization: acme\n${rest}\n`;
const seed = { projects: { Payments: 'prj-payments' }, workspaces: { old: {} } };

test('undo does not delete or rename what guards.protect protects, and reverts the rest with --only', async () => {
  const files = 'workspaces: {app-prod: {project: prj-payments}, app-dev: {}, new: {renamed-from: old}}';
  const world = await worldWith(root(files), { seed });
  expect((await world.attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
  const guarded = root('guards: {protect: [{project: Payments}, new]}');
  await writeFile(join(world.folder, 'attune.yaml'), guarded);
  const { code, stderr } = await world.attune('undo', 'run.jsonl', '--yes');
  expect([code, world.writes()]).toEqual([1, []]);
  expect(stderr).toContain(
    `attune.yaml:3:20: error[protected]: workspace.app-prod cannot be deleted: guards.protect has {project: "Payments"}
  3 | guards: {protect: [{project: Payments}, new]}
    |                    ^
  hint: leave it out with --only, or remove {project: "Payments"} from guards.protect
attune.yaml:3:41: error[protected]: workspace "new" cannot be renamed to "old": guards.protect has "new"
  3 | guards: {protect: [{project: Payments}, new]}
    |                                         ^
  hint: leave it out with --only, or remove "new" from guards.protect
`,
  );
  expect((await world.attune('undo', 'run.jsonl', '--yes', '--only', 'workspace.app-dev')).code).toBe(0);
});

test('undo --skip-frozen keeps the tag of a project by which a freeze window selects a workspace', async () => {
  const date = () => new Date('2026-12-25T00:00:00Z');
  const project =
    'service: {dialect: terraform}\nprojects: {p: {id: prj-1, manage: true, tag-bindings: {env: prod}}}';
  const service = { projects: { Payments: 'prj-1' }, workspaces: { app: { project: 'prj-1' } } };
  const world = await worldWith(root(project), { seed: service, dialect: 'terraform' }, { date });
  expect((await world.attune('apply', '--yes', '--journal', 'run.jsonl')).code).toBe(0);
  const window = '{from: 2026-12-20, to: 2026-12-31, reason: audit, select: {tagged: {env: prod}}}';
  await writeFile(join(world.folder, 'attune.yaml'), root(`${project}\nfreeze: [${window}]`));
  const { code, stdout } = await world.attune('undo', 'run.jsonl', '--yes', '--skip-frozen');
  expect([code, world.writes()]).toEqual([0, []]);
  expect(stdout).toContain('No changes now: 1 change held.');
});
