import { expect, test } from 'vitest';
import { bindingsFromDocument } from '../../src/live/included.ts';
import type { ResourceObject } from '../../src/service/documents.ts';

/** A workspace with these key/value tags in effect. */
function workspaceWith(
  bindings: readonly { readonly key: string; readonly value?: string; readonly inherited?: true }[],
): ResourceObject {
  const included = bindings.map(({ key, value, inherited }, index): ResourceObject => {
    const project = { data: { id: 'prj-1', type: 'projects' } };
    return {
      id: `tb-${index}`,
      type: 'effective-tag-bindings',
      attributes: { key, value: value ?? '' },
      relationships: inherited ? { 'inherited-from': project } : {},
    };
  });
  return {
    id: 'ws-1',
    type: 'workspaces',
    attributes: {},
    relationships: { 'effective-tag-bindings': { data: included.map(({ id, type }) => ({ id, type })) } },
    included: new Map(included.map((object) => [object.id, object])),
  };
}

test('own key/value tags are separate from inherited ones, and a key without a value is null', () => {
  const found = bindingsFromDocument(
    workspaceWith([
      { key: 'env', value: 'prod' },
      { key: 'reviewed' },
      { key: 'owner', value: 'jo', inherited: true },
    ]),
  );
  expect(found).toEqual({ own: { env: 'prod', reviewed: null }, inherited: { owner: 'jo' } });
});

test('a key/value tag called __proto__ is kept', () => {
  const found = bindingsFromDocument(workspaceWith([{ key: '__proto__', value: 'x' }]));
  expect(Object.entries(found?.own ?? {})).toEqual([['__proto__', 'x']]);
});

test('a document without the relationship has no key/value tags to compare', () => {
  expect(bindingsFromDocument({ ...workspaceWith([]), relationships: {} })).toBeUndefined();
});
