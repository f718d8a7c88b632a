import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ghWith, hasJq, readAction, root, type Stage, type StepEnd, stageWith, tokens } from './stage.ts';

interface ActionEnd extends StepEnd {
  readonly ran: readonly string[];
}

/** Runs the steps of the action, except that of its comment, until one fails. */
async function act(stage: Stage, inputs: Readonly<Record<string, string>>): Promise<ActionEnd> {
  const { runs } = await readAction();
  const given = { files: '', policy: '', 'working-directory': '.', ...inputs };
  const values: Record<string, string> = { 'github.action_path': root };
  for (const [name, value] of Object.entries(given)) values[`inputs.${name}`] = value;
  const end = { code: 0, log: '', summary: '', outputs: {}, ran: [] as string[] };
  for (const step of runs.steps) {
    if (step.name === 'Comment' || end.code !== 0) continue;
    const isRun = step.id === 'run';
    const { code, log, summary, outputs } = await stage.step(step, {
      ...values,
      ...(isRun && { ATTUNE_TOKEN: tokens.read }),
    });
    for (const [name, value] of Object.entries(outputs)) values[`steps.${step.id}.outputs.${name}`] = value;
    end.ran.push(step.name ?? '');
    Object.assign(end, { code, log: end.log + log }, isRun && { summary, outputs });
  }
  return end;
}

describe('action.yml', () => {
  test('action.yml declares the inputs and outputs of its page', async () => {
    const { inputs, outputs } = await readAction();
    expect(Object.keys(inputs)).toEqual(['command', 'files', 'comment', 'policy', 'working-directory']);
    expect(Object.keys(outputs)).toEqual(['changes', 'plan-path', 'exit-code']);
    const page = await readFile(join(root, 'docs', 'installation.md'), 'utf8');
    for (const name of [...Object.keys(inputs), ...Object.keys(outputs)])
      expect(page).toContain(`\`${name}\``);
  });

  test('action.yml interpolates nothing into its shell lines', async () => {
    const { runs } = await readAction();
    for (const { run, shell, name } of runs.steps)
      expect([name, run, shell]).toEqual([name, expect.not.stringContaining('${{'), 'bash']);
  });

  test('only the step that runs Attune gets the token of the service', async () => {
    const { runs } = await readAction();
    const given = runs.steps.filter(({ env }) => env?.ATTUNE_TOKEN !== '' || env.TFE_TOKEN !== '');
    expect(given.map(({ name }) => name)).toEqual(['Run']);
  });

  test('the action with plan saves the plan, and reports the number of changes and its exit code', async () => {
    const { code, outputs, summary, log } = await act(await stageWith(), { command: 'plan' });
    expect([code, log]).toEqual([0, expect.stringContaining('Plan: ')]);
    expect(outputs).toEqual({ changes: '3', 'plan-path': 'plan.json', 'exit-code': '0', report: 'plan.md' });
    expect(summary).toContain('## Attune: plan');
  });

  test('the action with drift reports exit code 2 and does not fail the job', async () => {
    const { code, outputs } = await act(await stageWith(), { command: 'drift' });
    expect([code, outputs]).toEqual([0, { changes: '3', 'exit-code': '2', report: 'drift.md' }]);
  });

  test('the action fails the job on an error of Attune, after the outputs are written', async () => {
    const stage = await stageWith();
    stage.service.setFaults([{ kind: 'status', status: 403, times: 9 }]);
    const { code, outputs, ran } = await act(stage, { command: 'plan' });
    expect([code, outputs]).toEqual([1, { changes: '', 'exit-code': '1', report: 'plan.md' }]);
    expect(ran.at(-1)).toBe('Result');
  });

  test('the action accepts several root files, patterns and a working directory, and a path may contain spaces', async () => {
    const stage = await stageWith();
    for (const name of ['one', 'two three']) {
      await mkdir(join(stage.folder, 'live', name), { recursive: true });
      const file = join(stage.folder, 'live', name, 'attune.yaml');
      await writeFile(file, `attune: 1\norganization: ${name.slice(0, 3)}\n`);
    }
    const given = { command: 'validate', files: 'one\nt*\n', 'working-directory': 'live' };
    const { code, log } = await act(stage, given);
    expect([code, log]).toEqual([0, expect.stringContaining('one: 0 declared resources')]);
    expect(await stage.commands()).toEqual(['validate --format github -- one two three']);
  });

  test('the action takes a file that is named like a flag as a file, and runs no program', async () => {
    const stage = await stageWith();
    const name = '--app=touch ran; .yaml';
    await writeFile(join(stage.folder, name), 'attune: 1\norganization: other\n');
    const { code, log } = await act(stage, { command: 'validate', files: '*.yaml' });
    expect([code, log]).toEqual([0, expect.stringContaining('other: 0 declared resources')]);
    expect(await stage.commands()).toEqual([expect.stringContaining(`validate --format github -- ${name}`)]);
    expect(existsSync(join(stage.folder, 'ran'))).toBe(false);
  });

  test('the action passes policy files to Attune', async () => {
    const stage = await stageWith();
    await act(stage, { command: 'plan --max-deletes 5', policy: 'policies/a.yaml\nb c.yaml\n' });
    expect(await stage.commands()).toEqual([
      expect.stringMatching(
        /^plan --max-deletes 5 .* --out plan\.json --policy policies\/a\.yaml --policy b c\.yaml --$/,
      ),
    ]);
  });

  test.each(['command', 'files', 'policy'])(
    'the shell of the action runs nothing from the input %s',
    async (input) => {
      const stage = await stageWith();
      const attack = '"; touch pwned; $(touch pwned) `touch pwned` \'; touch pwned';
      await act(stage, { command: 'validate', [input]: input === 'command' ? `validate ${attack}` : attack });
      expect(existsSync(join(stage.folder, 'pwned'))).toBe(false);
    },
  );

  test('the action refuses an unknown command', async () => {
    const stage = await stageWith();
    const { code, log } = await act(stage, { command: 'undo --last' });
    expect([code, log]).toEqual([
      1,
      '::error::Attune cannot run the input `command`: it must begin with validate, plan, apply, drift or snapshot\n',
    ]);
    expect(await stage.commands()).toEqual([]);
  });

  test('the action runs its own version, and not what a pull request commits or installs in the checkout', async () => {
    const stage = await stageWith();
    for (const folder of ['node_modules/.bin', 'live/node_modules/.bin']) {
      await mkdir(join(stage.folder, folder), { recursive: true });
      const foreign = join(stage.folder, folder, 'attune');
      await writeFile(foreign, '#!/bin/sh\ntouch ran\n', { mode: 0o755 });
    }
    await writeFile(join(stage.folder, '.npmrc'), 'registry=https://registry.example.com\n');
    await writeFile(join(stage.folder, 'live', 'attune.yaml'), 'attune: 1\norganization: other\n');
    const { code, log } = await act(stage, { command: 'validate', 'working-directory': 'live' });
    expect([code, log]).toEqual([0, expect.stringContaining('other: 0 declared resources')]);
    expect(await stage.commands()).toEqual(['validate --format github --']);
    for (const folder of ['.', 'live']) expect(existsSync(join(stage.folder, folder, 'ran'))).toBe(false);
  });

  test.skipIf(!hasJq).each([
    [
      'updates its comment',
      [
        { id: 1, by: 'somebody' },
        { id: 2, by: 'github-actions[bot]' },
      ],
      '--method PATCH .*/comments/2',
    ],
    [
      'writes a comment beside those of others',
      [{ id: 1, by: 'somebody' }],
      '--method POST .*/issues/7/comments',
    ],
  ])('the action %s on the pull request', async (_, comments, call) => {
    const stage = await stageWith({ gh: ghWith({ comments: comments.map(comment) }) });
    const { runs } = await readAction();
    const values = {
      'inputs.working-directory': '.',
      'github.token': 'github-token',
      'github.event.pull_request.number': '7',
    };
    const { code, log } = await stage.step(
      runs.steps.find(({ name }) => name === 'Comment'),
      values,
    );
    expect([code, log]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^gh api --silent ${call}.* body=@plan.md\n$`)),
    ]);
  });
});

const comment = ({ id, by }: { id: number; by: string }) => ({
  id,
  user: { login: by },
  body: '<!-- attune:plan:acme -->',
});
