import { expect, test } from 'vitest';
import { maskInAnswer, maskToken } from '../../src/service/token.ts';

test.each([
  ['as it is', 'the token s3cr3t-token came back', 's3cr3t-token', 'the token *** came back'],
  ['twice', 's3cr3t-tokens3cr3t-token', 's3cr3t-token', '******'],
  ['as JSON spells its quotes and backslashes', '{"echo":"a\\"b\\\\cdef"}', 'a"b\\cdef', '{"echo":"***"}'],
  ['not where it is too short to be one', 'test-app of test', 'test', 'test-app of test'],
])('a token is masked: %s', (_name, text, token, masked) => {
  expect(maskToken(text, token)).toBe(masked);
});

test('a text without a token is unchanged', () => {
  expect(maskToken('nothing to hide', undefined)).toBe('nothing to hide');
});

const spelled = (text: string) =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const capitals = (text: string) => text.toUpperCase().replaceAll('\\U', '\\u');
const hidden = spelled('s3cr3t');

test.each([
  ['as it is', '"by s3cr3t/to-ken"', 's3cr3t/to-ken', '"by ***"'],
  ['with an escaped slash', '"by s3cr3t\\/to-ken"', 's3cr3t/to-ken', '"by ***"'],
  ['in escapes alone', `"by ${spelled('s3cr3t/to-ken')}"`, 's3cr3t/to-ken', '"by ***"'],
  ['in capital escapes in part', `"${capitals(spelled('s3cr3t/'))}to-ken"`, 's3cr3t/to-ken', '"***"'],
  ['with quotes and backslashes', `"${spelled('a"b')}\\\\cdef"`, 'a"b\\cdef', '"***"'],
  ['not behind a backslash of its own', `"\\${hidden}"`, 's3cr3t', `"\\${hidden}"`],
  ['and behind two of them', `"\\\\${hidden}"`, 's3cr3t', '"\\\\***"'],
  ['behind an escaped spelling', `"\\${hidden}${hidden}"`, 's3cr3t', '"\\\\u00733cr3t***"'],
  ['in base64 with escaped slashes', '"by Pz8\\/Y3Izcz8\\/Pz8\\/"', '???cr3s?????', '"by ***"'],
  ['not where it is too short to be one', `"${spelled('test')}"`, 'test', `"${spelled('test')}"`],
])('a token in an answer is masked in every spelling of JSON: %s', (_name, text, token, masked) => {
  expect(maskInAnswer(text, token)).toBe(masked);
  expect(JSON.stringify(JSON.parse(masked))).not.toContain('cr3t/');
});

test('an answer with escapes and without a token is unchanged', () => {
  expect(maskInAnswer('"\\u0061"', undefined)).toBe('"\\u0061"');
});

const token = 'ab.s3cr3t/T+k~n';

test.each([
  ['percent-encoded', encodeURIComponent(token)],
  ['percent-encoded in lower case', encodeURIComponent(token).toLowerCase().replace('t%2b', 'T%2b')],
  ['with each character encoded', token.replaceAll(/./g, (one) => `%${one.charCodeAt(0).toString(16)}`)],
])('a token is masked in a text: %s', (_name, spelling) => {
  expect(maskToken(`?token=${spelling}&x=1`, token)).toBe('?token=***&x=1');
});

test.each(['', 'a', 'ab', 'kim:', 'kim@a:'])('a token is masked in base64 after %j', (before) => {
  for (const after of ['', ':', '!!', '@@@']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const encoded = Buffer.from(before + token + after).toString(encoding);
      const masked = maskToken(`Basic ${encoded} end`, token);
      expect(masked).toMatch(/^Basic \S{0,8}\*\*\*\S{0,7} end$/);
    }
  }
});
