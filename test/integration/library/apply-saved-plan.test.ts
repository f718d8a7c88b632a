import { spawn } from 'node:child_process';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type World, worldWith } from '../../support/attune.ts';
import { root } from '../../support/pages.ts';
import { linkPackages } from '../../support/program-folder.ts';

const program = 'apply-saved-plan.mjs';

/** A folder with the program of `examples/library`, in which Attune is installed. */
async function repository(): Promise<World> {
  const world = await worldWith(
    'attune: 1\norganization: acme\nworkspaces: {network: {iac-version: "1.10.2"}}\n',
    { seed: { organization: 'acme', workspaces: { network: { 'iac-version': '1.9.5' } } } },
  );
  await cp(join(root, 'examples/library', program), join(world.folder, program));
  linkPackages(world.folder, { attune: root });
  return world;
}

async function applySaved({ folder, service }: World) {
  const child = spawn(process.execPath, [program, 'plan.json'], {
    cwd: folder,
    env: { ...process.env, ATTUNE_ADDRESS: service.url, ATTUNE_TOKEN: 'test-token' },
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

test('examples/library/apply-saved-plan.mjs applies a saved plan once, and refuses a stale one', async () => {
  const world = await repository();
  await world.attune('plan', '--out', 'plan.json');
  const applied = await applySaved(world);
  expect([applied.code, applied.stderr]).toEqual([0, '']);
  expect(applied.stdout).toContain('Applied: 0 created, 1 updated, 0 deleted. 1 call.');
  expect(applied.stdout).toContain('Undo with: attune undo --last');

  await world.attune('undo', '--last', '--yes');
  await world.attune('plan', '--out', 'plan.json');
  const manual = 'attune: 1\norganization: acme\nworkspaces: {network: {iac-version: "1.11.0"}}\n';
  await writeFile(join(world.folder, 'manual.yaml'), manual);
  await world.attune('apply', 'manual.yaml', '--yes');
  world.service.clearRequests();
  const refused = await applySaved(world);
  expect([refused.code, refused.stdout, world.writes()]).toEqual([1, '', []]);
  expect(refused.stderr).toContain('the live state changed after the plan was saved');
});
