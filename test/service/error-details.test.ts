import { expect, test } from 'vitest';
import { errorDetails } from '../../src/service/answer.ts';

test.each<[string, unknown, unknown]>([
  ['nothing', undefined, []],
  ['a text', 'no', []],
  ['a list', [{ detail: 'x' }], []],
  ['a document without errors', { data: {} }, []],
  ['errors that are no list', { errors: { detail: 'x' } }, []],
  ['an empty list', { errors: [] }, []],
  ['a text in the list', { errors: ['no'] }, [{ detail: 'no' }]],
  ['numbers and nulls in the list', { errors: [1, null, ['x']] }, []],
  ['an empty object', { errors: [{}] }, [{}]],
  ['title and detail', { errors: [{ title: 'a', detail: 'b' }] }, [{ title: 'a', detail: 'b' }]],
  ['members of other types', { errors: [{ title: 1, detail: null, source: 'x', status: 422 }] }, [{}]],
  ['empty texts', { errors: [{ title: '', detail: '' }] }, [{}]],
  [
    'a pointer',
    { errors: [{ detail: 'b', source: { pointer: '/data' } }] },
    [{ detail: 'b', pointer: '/data' }],
  ],
  ['a text without end', { errors: ['x'.repeat(9999)] }, [{ detail: 'x'.repeat(500) }]],
])('the error details of %s are found', (_name, document, expected) => {
  expect(errorDetails(document)).toEqual(expected);
});

test('the error details of a long list are the first twenty', () => {
  expect(errorDetails({ errors: Array(1000).fill('x') })).toHaveLength(20);
});
