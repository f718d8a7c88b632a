import { expect, test } from 'vitest';
import { maskToken } from '../../src/service/mask-token.ts';

test.each([
  ['as it is', 'the token s3cr3t-token came back', 's3cr3t-token', 'the token *** came back'],
  ['twice', 's3cr3t-tokens3cr3t-token', 's3cr3t-token', '******'],
  ['as JSON spells its quotes and backslashes', '{"echo":"a\\"b\\\\cdef"}', 'a"b\\cdef', '{"echo":"***"}'],
  ['not where it is too short to be one', 'test-app of test', 'test', 'test-app of test'],
])('a token is struck out: %s', (_name, text, token, masked) => {
  expect(maskToken(text, token)).toBe(masked);
});

test('without a token a text stays what it is', () => {
  expect(maskToken('nothing to hide', undefined)).toBe('nothing to hide');
});
