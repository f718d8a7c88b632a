import { expect, test } from 'vitest';
import { convertEarly } from '../../src/live/kinds.ts';
import type { ResourceObject } from '../../src/service/documents.ts';

const document = (id: string, attributes: Record<string, unknown>): ResourceObject => ({
  id,
  type: 'workspaces',
  attributes,
  relationships: {},
});

test('documents are kept until one of them shows the dialect, and are converted in the dialect that was found', () => {
  const conversion = convertEarly(({ id }, dialect) => `${id} ${dialect}`);
  const plain = document('ws-1', { name: 'a' });
  const showing = document('ws-2', { name: 'b', 'terraform-version': '1.9.0' });
  const kept = [plain, showing, document('ws-3', { name: 'c' })].map(conversion.keep);
  expect(kept).toEqual([{ document: plain }, { resource: 'ws-2 terraform' }, { resource: 'ws-3 terraform' }]);
  expect(kept.map((one) => conversion.finish(one, 'terraform'))).toEqual([
    'ws-1 terraform',
    'ws-2 terraform',
    'ws-3 terraform',
  ]);
  expect(conversion.examples()).toEqual([plain, showing]);
});

test('the first document with key/value tags is among the examples', () => {
  const conversion = convertEarly(({ id }) => id);
  const documents = ['ws-1', 'ws-2', 'ws-3', 'ws-4'].map((id) => document(id, { 'iac-version': '1.0.0' }));
  const tagged = { ...document('ws-5', {}), relationships: { 'effective-tag-bindings': { data: [] } } };
  for (const one of [...documents, tagged, ...documents]) conversion.keep(one);
  expect(conversion.examples().map(({ id }) => id)).toEqual(['ws-1', 'ws-5']);
});
