import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../support/attune.ts';
import { codeBlocksOf, root } from '../support/pages.ts';

/** A folder with the packed package in it as npm installs it, but for its dependencies, which are those of the checkout. */
async function installed(): Promise<string> {
  const folder = await folderWith({ 'package.json': '{"devDependencies": {"attune": "0.1.0"}}\n' });
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, 'attune'), { recursive: true });
  await mkdir(join(modules, '.bin'));
  for (const name of await readdir(join(root, 'node_modules')))
    if (!name.startsWith('.')) await symlink(join(root, 'node_modules', name), join(modules, name));
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

test('the steps of docs/getting-started.md lead from the packed package to a reviewed and undone change', async () => {
  const cwd = await installed();
  const env = {
    HOME: await folderWith({}),
    PATH: `${join(cwd, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`,
  };
  let output = '';
  for (const { label, language, text } of codeBlocksOf('docs/getting-started.md')) {
    if (label !== undefined) await writeFile(join(cwd, label), text);
    // The package is installed already, and there is no other service.
    else if (language === 'sh' && !/^npm |--import/m.test(text))
      output += run('bash', ['-ec', text.replaceAll(/^npx attune/gm, 'attune')], cwd, env);
  }
  expect(output).toContain('Applied: 1 created, 0 updated, 0 deleted. 2 calls.');
  expect(output).toContain('Applied: 1 created, 1 updated, 0 deleted. 3 calls.');
  expect(output).toContain('Applied: 0 created, 1 updated, 1 deleted. 2 calls.');
  expect(await readFile(join(cwd, 'plan.md'), 'utf8')).toContain('network-prod');
  const left = (await readdir(cwd)).filter(
    (name) => !/^(node_modules|package\.json|attune-.*\.tgz)$/.test(name),
  );
  expect(left.sort()).toEqual(['.attune', 'attune.yaml', 'plan.html', 'plan.json', 'plan.md']);

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
