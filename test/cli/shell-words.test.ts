import { describe, expect, test } from 'vitest';
import { shellWord } from '../../src/run/shell-words.ts';
import { worldWith } from '../support/attune.ts';

test.each([
  ['teams/network.yaml', 'teams/network.yaml'],
  ['../outside', '../outside'],
  ['my dir', "'my dir'"],
  ["it's", "'it'\\''s'"],
  ['$HOME', "'$HOME'"],
  ['Zürich', "'Zürich'"],
])('the word %s is printed for a shell as %s', (path, word) => {
  expect(shellWord(path)).toBe(word);
});

test('the next step of an import into a folder with a space in its name can be run as it is printed', async () => {
  const world = await worldWith({}, { seed: { workspaces: { network: {} } } });
  const { stderr } = await world.attune('import', '--organization', 'acme', '--out', 'my dir');
  expect(stderr).toBe("Next: attune plan 'my dir'\n");
});

describe('an apply that is incomplete', () => {
  const files = {
    'envs/attune.yaml': `attune: 1
organization: acme
workspaces: {network: {description: new}, dns: {description: new}, other: {description: new}}
`,
  };
  const seed = { workspaces: { network: {}, dns: {}, other: {} } };
  const limited = ['--only', 'workspace.n*', '--only', 'workspace.dns', '--max-updates', '3'];

  test('an incomplete apply prints the command that makes the rest, with its files, addresses and limits', async () => {
    const world = await worldWith(files, { seed });
    world.service.setFaults([{ kind: 'status', status: 422, method: 'PATCH', times: 1 }]);
    const { code, stderr } = await world.attune('apply', 'envs', ...limited, '--yes');
    const command = `envs --address ${world.service.url} --only 'workspace.n*' --only workspace.dns --max-updates 3`;
    expect([code, stderr]).toEqual([
      1,
      `Apply incomplete: 1 of 2 changes failed. Completed changes are kept; run \`attune apply ${command}\` again to retry.\nUndo with: attune undo --last envs\n`,
    ]);
  });

  test('an incomplete apply of a saved plan prints that the rest needs another plan', async () => {
    const world = await worldWith(files, { seed });
    await world.attune('plan', 'envs', ...limited, '--out', 'plan.json');
    world.service.setFaults([{ kind: 'status', status: 422, method: 'PATCH', times: 1 }]);
    const { code, stderr } = await world.attune('apply', 'envs', '--plan', 'plan.json', '--yes');
    expect([code, stderr.split('\n')[0]]).toEqual([
      1,
      'Apply incomplete: 1 of 2 changes failed. Completed changes are kept; run `attune plan --out` again to plan the rest.',
    ]);
  });

  test('undo without a confirmation prints a command that undoes no more than it has planned', async () => {
    const world = await worldWith(files, { seed });
    await world.attune('apply', 'envs', '--yes', '--journal', 'run.jsonl');
    const { stderr } = await world.attune('undo', 'run.jsonl', 'envs', ...limited);
    const command = `attune undo run.jsonl envs --address ${world.service.url} --only 'workspace.n*' --only workspace.dns --max-updates 3 --yes`;
    expect(stderr).toBe(`No changes were made. To apply this plan, run: ${command}\n`);
  });

  test.each([
    [['--journal', 'undo.jsonl'], '--journal undo.jsonl'],
    [['--no-journal'], '--no-journal'],
    [['--plan', 'undo.json', '--journal', 'my undo'], "--plan undo.json --journal 'my undo'"],
  ])('undo without a confirmation prints the files of %j', async (given, printed) => {
    const world = await worldWith(files, { seed });
    await world.attune('apply', 'envs', '--yes', '--journal', 'run.jsonl');
    await world.attune('undo', 'run.jsonl', 'envs', '--out', 'undo.json');
    const { stderr } = await world.attune('undo', 'run.jsonl', 'envs', ...given);
    const command = `attune undo run.jsonl envs --address ${world.service.url} ${printed} --yes`;
    expect(stderr).toBe(`No changes were made. To apply this plan, run: ${command}\n`);
  });
});
