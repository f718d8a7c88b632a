import { expect, test } from 'vitest';
import { sameAttribute } from '../../src/diff/fields.ts';
import type { Value } from '../../src/model/value.ts';

test.each<[string, Value | undefined, Value | undefined, boolean]>([
  ['auto-apply', undefined, false, true],
  ['allow-destroy-plan', null, true, true],
  ['not-an-attribute', ['b', 'a'], ['a', 'b'], false],
  ['auto-destroy-at', 'soon', 'later', false],
])('whether the values of %s are equal: %j and %j', (path, a, b, equal) => {
  expect([sameAttribute(path, a, b), sameAttribute(path, b, a)]).toEqual([equal, equal]);
});
