import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan } from '../../src/model/plan.ts';
import { attune, folderWith } from '../support/attune.ts';
import { compile, installInto, shellEnv } from '../support/program-folder.ts';

const examples = join(import.meta.dirname, '..', '..', 'examples');

/** A copy of an example, so that its data stays out of the checkout. */
async function copyOf(example: string): Promise<string> {
  const folder = await folderWith({});
  await cp(join(examples, example), folder, {
    recursive: true,
    filter: (source) => !source.endsWith('.attune'),
  });
  return folder;
}

test('every example has a test here, in ci, in cdktf, in library, in kubernetes.test.ts, in testing.test.ts or in test/policy', async () => {
  expect(await readdir(examples)).toEqual([
    'cdktf',
    'ci',
    'constructs',
    'kubernetes',
    'library',
    'policies',
    'quickstart',
    'team',
    'testing',
  ]);
});

test('examples/quickstart: plan, apply, and a second plan that is empty, over runs that share their data', async () => {
  const cwd = await copyOf('quickstart');
  const valid = await attune(['validate'], { cwd });
  expect(valid).toEqual({ code: 0, stdout: '', stderr: 'acme: 21 declared resources, no errors.\n' });

  const planned = await attune(['plan', '--detailed-exitcode'], { cwd });
  expect(planned.code).toBe(2);
  expect(planned.stderr).toBe('');
  expect(planned.stdout).toContain('Plan: 3 to create, 9 to update, 4 to delete, 7 unchanged. 20 calls.');

  const applied = await attune(['apply', '--yes'], { cwd });
  expect(applied.code).toBe(0);
  expect(applied.stdout).toContain('Applied: 3 created, 9 updated, 4 deleted. 20 calls.');

  const again = await attune(['plan', '--detailed-exitcode'], { cwd });
  expect(again.code).toBe(0);
  expect(again.stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete, 21 unchanged. 0 calls.');
  expect((await attune(['drift'], { cwd })).code).toBe(0);
});

test('examples/team: a project, its workspaces, tags and access are created in one apply, and undo removes them', async () => {
  const cwd = await copyOf('team');
  const applied = await attune(['apply', '--yes'], { cwd });
  // No warning, such as looks-like-rename.
  expect(applied.stderr).toMatch(/^Undo with: .*\n$/);
  expect(applied.stdout).toContain('Applied: 5 created, 1 updated, 1 deleted. 8 calls.');
  const again = await attune(['plan', '--detailed-exitcode'], { cwd });
  expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('No changes.')]);
  const shown = await attune(['workspace', 'show', 'legacy'], { cwd });
  expect(shown.stdout).toContain('cost-center=101 (inherited), env=dev, tier=gold');
  const undone = await attune(['undo', '--last', '--yes'], { cwd });
  expect(undone.stdout, undone.stderr).toContain('Applied: 1 created, 1 updated, 5 deleted.');
});

test('examples/constructs: 120 workspaces of a program of 60 lines are compiled, planned, applied and planned again', async () => {
  const cwd = installInto(await copyOf('constructs'));
  const source = await readFile(join(cwd, 'src/main.ts'), 'utf8');
  expect(source.split('\n').length).toBeLessThanOrEqual(60);
  expect(compile(cwd)).toBe('');
  const run = (...argv: readonly string[]) =>
    attune([...argv, '--app', 'node dist/main.js'], { cwd, env: shellEnv });

  expect(await run('validate')).toEqual({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining(
      'acme: 126 declared resources, no errors. Only a plan can check 2 names of the service:\n',
    ),
  });
  const { changes } = JSON.parse((await run('plan', '--format', 'json')).stdout) as Plan;
  // One that is there already is changed, and one that no program declares is deleted.
  expect(changes.filter(({ kind }) => kind === 'workspace')).toHaveLength(121);
  expect(changes.find(({ name }) => name === 'dev-eu-west-network')?.location).toEqual({
    file: 'src/main.ts',
    line: source.slice(0, source.indexOf("new Workspace(region, 'network'")).split('\n').length,
    column: 23,
    construct: 'acme/dev/eu-west/network',
  });

  const applied = await run('apply', '--yes');
  expect(applied.stderr).toMatch(/^Undo with: .*\n$/);
  expect(applied.stdout).toContain('Applied: 124 created, 1 updated, 2 deleted. 367 calls.');
  const again = await run('plan', '--detailed-exitcode');
  expect(again.stdout).toContain('Plan: 0 to create, 0 to update, 0 to delete, 126 unchanged. 0 calls.');
  expect(again.code).toBe(0);
  expect((await run('drift')).code).toBe(0);
});
