import { expect, test } from 'vitest';
import type { Value } from '../../src/model/value.ts';
import { retentionFromDocument } from '../../src/relations/relations.ts';
import { rowsIn } from '../support/rows.ts';

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

test.each(rowsIn<[string, type: string, attributes: Record<string, unknown>, target: string | null, Value]>`
- [days, delete-olders, {delete-older-than-n-days: 30}, workspaces, {delete-older-than-days: 30}]
- [days in the other spelling, delete-olders, {deleteOlderThanNDays: 30}, ~, {delete-older-than-days: 30}]
- [no deletion, dont-deletes, {}, workspaces, {dont-delete: true}]
- [the policy of the organization, delete-olders, {delete-older-than-n-days: 30}, organizations, ~]
`)('a data retention document of %s is read', (_name, type, attributes, target, expected) => {
  const document = policy(`data-retention-policy-${type}`, attributes, target ?? undefined);
  expect(retentionFromDocument(document, path)).toEqual(expected);
});

test('an empty data retention document is none', () => {
  expect([{ data: null }, {}].map((one) => retentionFromDocument(one, path))).toEqual([null, null]);
});

test.each([{}, { 'delete-older-than-n-days': '30' }, { 'delete-older-than-n-days': null }])(
  'a data retention document without a number of days is refused: %j',
  (attributes) => {
    expect(() => retentionFromDocument(policy(olders, attributes), path)).toThrow(
      `GET ${path}: the data retention policy is not usable: it has no number of days`,
    );
  },
);
