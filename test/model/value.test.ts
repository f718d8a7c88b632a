import { expect, test } from 'vitest';
import { canonicalJson } from '../../src/model/value.ts';

test('canonical JSON has sorted keys and no spaces, and lists keep their order', () => {
  const document = { b: [2, { d: null, c: 'x' }, 1], a: { z: true, y: {} }, ab: 0 };
  expect(canonicalJson(document)).toBe('{"a":{"y":{},"z":true},"ab":0,"b":[2,{"c":"x","d":null},1]}');
  expect(canonicalJson(null)).toBe('null');
});
