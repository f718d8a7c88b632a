import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { gitHubStage, readAction } from './github.ts';
import { hasJq } from './jq.ts';

describe('action.yml', () => {
  test('action.yml declares the inputs and outputs of its page', async () => {
    const { inputs, outputs } = await readAction();
    expect(Object.keys(inputs)).toEqual(['command', 'files', 'comment', 'policy', 'working-directory']);
    expect(Object.keys(outputs)).toEqual(['changes', 'plan-path', 'exit-code']);
    const page = await readFile(join(import.meta.dirname, '../../../docs/installation.md'), 'utf8');
    for (const name of [...Object.keys(inputs), ...Object.keys(outputs)])
      expect(page).toContain(`\`${name}\``);
  });

  test('action.yml interpolates nothing into its shell lines', async () => {
    const { runs } = await readAction();
    expect(runs.steps.length).toBeGreaterThan(2);
    for (const { run, shell, name } of runs.steps) {
      expect([name, run, shell]).toEqual([name, expect.not.stringContaining('${{'), 'bash']);
    }
  });

  test('only the step that runs Attune gets the token of the service', async () => {
    const { runs } = await readAction();
    const given = runs.steps.filter(({ env }) => env?.ATTUNE_TOKEN !== '' || env.TFE_TOKEN !== '');
    expect(given.map(({ name }) => name)).toEqual(['Run']);
  });

  test('the action with plan saves the plan, and reports the number of changes and its exit code', async () => {
    const stage = await gitHubStage();
    const { ok, outputs, summary, log } = await stage.act({ command: 'plan' });
    expect([ok, log]).toEqual([true, expect.stringContaining('Plan: ')]);
    expect(outputs).toEqual({ changes: '4', 'plan-path': 'plan.json', 'exit-code': '0' });
    expect(summary).toContain('## Attune: plan');
    expect((await stage.github()).comments).toEqual([]);
  });

  test('the action with drift reports exit code 2 and does not fail the job', async () => {
    const { ok, outputs } = await (await gitHubStage()).act({ command: 'drift' });
    expect([ok, outputs]).toEqual([true, { changes: '4', 'plan-path': '', 'exit-code': '2' }]);
  });

  test('the action fails the job on an error of Attune, after the outputs are written', async () => {
    const stage = await gitHubStage();
    stage.service.setFaults([{ kind: 'status', status: 403, times: 9 }]);
    const { ok, outputs, ran } = await stage.act({ command: 'plan' });
    expect([ok, outputs]).toEqual([false, { changes: '', 'plan-path': '', 'exit-code': '1' }]);
    expect(ran.at(-1)).toBe('Result');
  });

  test('the action accepts several root files, patterns and a working directory, and a path may contain spaces', async () => {
    const stage = await gitHubStage();
    for (const name of ['one', 'two three']) {
      await mkdir(join(stage.folder, 'live', name), { recursive: true });
      await writeFile(
        join(stage.folder, 'live', name, 'attune.yaml'),
        `attune: 1\norganization: ${name.slice(0, 3)}\n`,
      );
    }
    await stage.shell('git add live', {});
    const { ok, log } = await stage.act({
      command: 'validate',
      files: 'one\nt*\n',
      'working-directory': 'live',
    });
    expect([ok, log]).toEqual([true, expect.stringContaining('one: 0 declared resources')]);
    expect(await stage.commands()).toEqual(['validate --format github -- one two three']);
  });

  test('the action takes a file that is named like a flag as a file, and runs no program', async () => {
    const stage = await gitHubStage();
    const name = '--app=touch ran; .yaml';
    await writeFile(join(stage.folder, name), 'attune: 1\norganization: other\n');
    await stage.shell('git add .', {});
    const { ok, log } = await stage.act({ command: 'validate', files: '*.yaml' });
    expect([ok, log]).toEqual([true, expect.stringContaining('other: 0 declared resources')]);
    expect(await stage.commands()).toEqual([expect.stringContaining(`validate --format github -- ${name}`)]);
    expect(existsSync(join(stage.folder, 'ran'))).toBe(false);
  });

  test('the action passes policy files to Attune', async () => {
    const stage = await gitHubStage();
    await stage.act({ command: 'plan --max-deletes 5', policy: 'policies/a.yaml\nb c.yaml\n' });
    expect(await stage.commands()).toEqual([
      expect.stringMatching(
        /^plan --max-deletes 5 .* --out plan\.json --policy policies\/a\.yaml --policy b c\.yaml --$/,
      ),
    ]);
  });

  test.each(['command', 'files', 'policy'])(
    'the shell of the action runs nothing from the input %s',
    async (input) => {
      const stage = await gitHubStage();
      const attack = '"; touch pwned; $(touch pwned) `touch pwned` \'; touch pwned';
      await stage.act({ command: 'validate', [input]: input === 'command' ? `validate ${attack}` : attack });
      expect(existsSync(join(stage.folder, 'pwned'))).toBe(false);
    },
  );

  test('the action refuses an unknown command', async () => {
    const stage = await gitHubStage();
    const { ok, log } = await stage.act({ command: 'undo --last' });
    expect([ok, log]).toEqual([
      false,
      '::error::Attune cannot run the input `command`: it must begin with validate, plan, apply, drift or snapshot\n',
    ]);
    expect(await stage.commands()).toEqual([]);
  });

  test('the action runs its own version, and not what a pull request commits or installs in the checkout', async () => {
    const stage = await gitHubStage();
    const foreign = '#!/bin/sh\ntouch ran\n';
    for (const folder of ['node_modules/.bin', 'live/node_modules/.bin']) {
      await mkdir(join(stage.folder, folder), { recursive: true });
      await writeFile(join(stage.folder, folder, 'attune'), foreign, { mode: 0o755 });
    }
    await writeFile(join(stage.folder, '.npmrc'), 'registry=https://registry.example.com\n');
    await writeFile(join(stage.folder, 'live', 'attune.yaml'), 'attune: 1\norganization: other\n');
    await stage.shell('git add --force .', {});
    const { ok, log } = await stage.act({ command: 'validate', 'working-directory': 'live' });
    expect([ok, log]).toEqual([true, expect.stringContaining('other: 0 declared resources')]);
    expect(await stage.commands()).toEqual(['validate --format github --']);
    expect([existsSync(join(stage.folder, 'ran')), existsSync(join(stage.folder, 'live', 'ran'))]).toEqual([
      false,
      false,
    ]);
  });
});

describe.skipIf(!hasJq)('action.yml with `comment: true`', () => {
  test('the action with `comment: true` writes one comment, also if the plan exceeds its limits', async () => {
    const stage = await gitHubStage();
    const first = await stage.act({ command: 'plan --max-deletes 0', comment: 'true' });
    expect([first.ok, (await stage.github()).comments]).toEqual([
      false,
      [expect.objectContaining({ on: 7, body: expect.stringContaining('error[too-many-deletes]') })],
    ]);
    const second = await stage.act({ command: 'plan', comment: 'true' });
    expect([second.ok, (await stage.github()).comments]).toEqual([
      true,
      [expect.objectContaining({ on: 7, body: expect.not.stringContaining('error[') })],
    ]);
  });
});
