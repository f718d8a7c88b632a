import { expect, test } from 'vitest';
import { nearest, shellWord } from '../../src/model/text.ts';

test('the nearest name has an edit distance of at most a third', () => {
  expect(nearest('web-prdo', ['web-dev', 'web-prod'])).toBe('web-prod');
  expect(nearest('web-prod', ['payments'])).toBeUndefined();
});

test('a text that is too long for a name has no nearest name', () => {
  const candidates = Array.from({ length: 5000 }, (_, index) => `${index}${'ab'.repeat(50_000)}`);
  expect(nearest('ba'.repeat(50_000), candidates)).toBeUndefined();
});

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
