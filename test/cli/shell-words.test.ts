import { expect, test } from 'vitest';
import { shellWord } from '../../src/cli/shell-words.ts';
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
