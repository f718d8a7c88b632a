import { expect, test } from 'vitest';
import { shellWord } from '../../src/model/text.ts';

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
