import { readdir } from 'node:fs/promises';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { attune, folderWith, worldWith } from '../support/attune.ts';
import { program } from '../support/command-line.ts';

function leaves(command: Command, path: readonly string[] = []): (readonly string[])[] {
  if (command.commands.length === 0) return [path];
  return command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
}

// These two do not fail: watch tries again, and the words that __complete gets are of another command.
const commands = leaves(program).map((path) => path.join(' '));
const failing = commands.filter((command) => command !== 'watch' && command !== '__complete');

test.each(failing)('attune %s takes no word after -- for a flag', async (command) => {
  const cwd = await folderWith({});
  const { code, stderr, stdout } = await attune([...command.split(' '), '--', '--no-such-flag', '--help'], {
    cwd,
  });
  expect([code, stderr + stdout]).toEqual([1, expect.not.stringMatching(/unknown option|Usage:/)]);
});

test('a root file that is named like a flag is planned after --, and runs no program', async () => {
  const name = '--app=touch ran; .yaml';
  const world = await worldWith(
    {
      [name]: 'attune: 1\norganization: acme\nworkspaces: {a: {}}\n',
      'plain.yaml': 'attune: 1\norganization: beta\n',
    },
    { seed: { organizations: { acme: {}, beta: {} } } },
  );
  const env = { ATTUNE_ADDRESS: world.service.url, ATTUNE_TOKEN: 'token-1' };
  const argv = ['plan', '--out', 'plan.json', '--', name, 'plain.yaml'];
  const { code, stdout, stderr } = await attune(argv, { cwd: world.folder, env });
  expect([code, stdout], stderr).toEqual([0, expect.stringContaining('+ workspace.a')]);
  expect(await readdir(world.folder)).toEqual([name, 'plain.yaml', 'plan.json']);
});

test('an unknown flag is printed without control characters', async () => {
  const cwd = await folderWith({});
  const { stderr } = await attune(['plan', '--a\u001b[31m\u202e##[error]x'], { cwd });
  expect(stderr).toContain("unknown option '--a\\u{1b}[31m\\u{202e}##\\u{5b}error]x'");
});
