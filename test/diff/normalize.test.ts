import { expect, test } from 'vitest';
import { sameAttribute } from '../../src/diff/fields.ts';
import type { Value } from '../../src/model/value.ts';
import { isLocked } from '../../src/relations/relations.ts';

test.each<[string, Value | undefined, Value | undefined]>([
  ['auto-apply', undefined, false],
  ['auto-apply', null, false],
  ['file-triggers-enabled', undefined, true],
  ['description', '', null],
  ['description', undefined, null],
  ['not-an-attribute', undefined, null],
  ['trigger-patterns', ['b', 'a'], ['a', 'b']],
  ['trigger-patterns', ['a', 'a'], ['a']],
  ['trigger-patterns', null, []],
  ['auto-destroy-at', '2030-01-01T02:00:00+02:00', '2030-01-01T00:00:00.000Z'],
  ['auto-destroy-at', 'no time', 'no time'],
  ['data-retention', { 'delete-older-than-days': 7 }, { 'delete-older-than-days': 7 }],
  ['lock', { locked: true, reason: 'freeze' }, { locked: true }],
  ['lock', { locked: false }, { locked: false, by: 'user-1' }],
])('the values of %s are equal: %j and %j', (path, a, b) => {
  expect([sameAttribute(path, a, b), sameAttribute(path, b, a)]).toEqual([true, true]);
});

test.each<[string, Value | undefined, Value | undefined]>([
  ['auto-apply', undefined, true],
  ['file-triggers-enabled', null, false],
  ['description', 'a', 'b'],
  ['description', null, 'a'],
  ['description', '2030-01-01T02:00:00+02:00', '2030-01-01T00:00:00Z'],
  ['trigger-patterns', ['a'], ['a', 'b']],
  ['not-an-attribute', ['b', 'a'], ['a', 'b']],
  ['auto-destroy-at', '2030-01-01T02:00:00Z', '2030-01-01T00:00:00Z'],
  ['auto-destroy-at', 'soon', 'later'],
  ['data-retention', { 'delete-older-than-days': 7 }, { 'dont-delete': true }],
  ['data-retention', { locked: true }, { locked: true, by: 'user-1' }],
  ['lock', { locked: true }, { locked: false }],
])('the values of %s differ: %j and %j', (path, a, b) => {
  expect([sameAttribute(path, a, b), sameAttribute(path, b, a)]).toEqual([false, false]);
});

test.each<[Value | undefined, boolean]>([
  [{ locked: true }, true],
  [{ locked: false }, false],
  [{ locked: 'true' }, false],
  [{}, false],
  [null, false],
  [undefined, false],
  ['locked', false],
])('a workspace with the lock %j is locked: %j', (lock, expected) => {
  expect(isLocked(lock)).toBe(expected);
});
