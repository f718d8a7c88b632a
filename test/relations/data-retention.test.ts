import { expect, test } from 'vitest';
import { retentionFromDocument } from '../../src/relations/relations.ts';

const policy = (type: string, attributes: Record<string, unknown>, target?: string) => ({
  data: {
    id: 'drp-1',
    type,
    attributes,
    ...(target && { relationships: { target: { data: { type: target, id: 'x' } } } }),
  },
});
const olders = 'data-retention-policy-delete-olders';
const path = '/workspaces/ws-1/relationships/data-retention-policy';

test.each([
  [
    'days',
    policy(olders, { 'delete-older-than-n-days': 30 }, 'workspaces'),
    { 'delete-older-than-days': 30 },
  ],
  [
    'days in the other spelling',
    policy(olders, { deleteOlderThanNDays: 30 }),
    { 'delete-older-than-days': 30 },
  ],
  ['no deletion', policy('data-retention-policy-dont-deletes', {}, 'workspaces'), { 'dont-delete': true }],
  [
    'the policy of the organization',
    policy(olders, { 'delete-older-than-n-days': 30 }, 'organizations'),
    null,
  ],
  ['nothing', { data: null }, null],
  ['an empty document', {}, null],
])('a data retention document of %s is read', (_name, document, expected) => {
  expect(retentionFromDocument(document, path)).toEqual(expected);
});

test.each([{}, { 'delete-older-than-n-days': '30' }, { 'delete-older-than-n-days': null }])(
  'a data retention document without a number of days is refused: %j',
  (attributes) => {
    expect(() => retentionFromDocument(policy(olders, attributes), path)).toThrow(
      `GET ${path}: the data retention policy is not usable: it has no number of days`,
    );
  },
);
