import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';

const root = join(import.meta.dirname, '..', '..');

/** What README.md tells to type from an empty folder to a first change, and what it says that comes of it. */
async function gettingStarted(): Promise<{ readonly commands: string[]; readonly shown: string[] }> {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const section = /^## From an empty folder to a first change\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';
  const blocks = [...section.matchAll(/^```(sh)?\n([\s\S]*?)^```$/gm)];
  const of = (language: string | undefined) =>
    blocks.filter(([, found]) => found === language).map(([, , text = '']) => text);
  return { commands: of('sh'), shown: of(undefined) };
}

/** A folder with the packed package in it as npm installs it, but for its dependencies, which are those of the checkout. */
async function installed(): Promise<string> {
  const folder = await folderWith({ 'package.json': '{"devDependencies": {"attune": "0.1.0"}}\n' });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'attune'), { recursive: true });
  await mkdir(join(modules, '.bin'));
  for (const name of await readdir(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name));
  }
  const packed = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], root);
  const archive = join(folder, packed.trim());
  run('tar', ['-xzf', archive, '-C', join(modules, 'attune'), '--strip-components', '1'], folder);
  await symlink('../attune/dist/cli/bin.js', join(modules, '.bin', 'attune'));
  run('chmod', ['+x', join(modules, 'attune/dist/cli/bin.js')], folder);
  return folder;
}

function run(command: string, argv: readonly string[], cwd: string, env = process.env): string {
  const { status, stdout, stderr } = spawnSync(command, argv, { cwd, env, encoding: 'utf8' });
  expect([status, stderr], `${command} ${argv.join(' ')}\n${stdout}`).toEqual([0, expect.any(String)]);
  return stdout;
}

test('whoever types what README.md says gets from an empty folder to a reviewed first change', async () => {
  const { commands, shown } = await gettingStarted();
  expect([commands.length, shown.length]).toEqual([4, 1]);
  const cwd = await installed();
  const env = {
    HOME: cwd,
    PATH: `${join(cwd, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
  };
  const script = commands
    .join('\n')
    // Installed already, without a registry.
    .replaceAll(/^npm .*$/gm, '')
    .replaceAll(/^npx attune/gm, 'attune');
  const output = run('bash', ['-ec', script], cwd, env);
  for (const text of shown) expect(output).toContain(text);
  expect(output).toContain('Applied: 1 created, 0 updated, 0 deleted. 2 calls.');
  expect(output).toContain('Applied: 1 created, 1 updated, 0 deleted. 3 calls.');
  expect(
    output.trimEnd().endsWith('Plan: 0 to create, 0 to update, 0 to delete, 2 unchanged. 0 calls.'),
  ).toBe(true);
  expect(await readFile(join(cwd, 'plan.md'), 'utf8')).toContain('network-prod');
  const left = (await readdir(cwd)).filter(
    (name) => !/^(node_modules|package\.json|attune-.*\.tgz)$/.test(name),
  );
  expect(left.sort()).toEqual(['.attune', '.gitignore', 'attune.yaml', 'plan.html', 'plan.json', 'plan.md']);

  // What else comes in the package.
  const recipes = run(
    'bash',
    ['-ec', 'attune init --yes --ci github other && attune completion zsh'],
    cwd,
    env,
  );
  expect(recipes).toContain('other/.github/workflows/attune-plan.yml');
  expect(recipes).toContain('#compdef attune');
});
